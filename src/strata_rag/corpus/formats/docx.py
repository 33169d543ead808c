"""Word documents: what Word shows with every change accepted, in document order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from strata_rag.corpus.formats.docx_math import linear
from strata_rag.corpus.formats.docx_nodes import (
    REMOVED,
    SIGNS,
    Fields,
    as_blocks,
    cells,
    child,
    chosen,
    has_deleted_mark,
    is_layout,
    is_shown,
    rows,
    symbol,
)
from strata_rag.corpus.formats.docx_parts import margins, read_chunk, stated_title
from strata_rag.corpus.formats.docx_styles import Numbering, Styles
from strata_rag.corpus.formats.extraction import Extraction, Limits, Options, Unreadable
from strata_rag.corpus.formats.html import CELLS
from strata_rag.corpus.formats.packed import Package, attribute, local
from strata_rag.corpus.formats.texts import TextBuilder


def read_docx(raw: bytes, *, options: Options, limits: Limits) -> Extraction:
    """Return a Word document's text.

    Raises:
        Unreadable: It is damaged, or no Word document.
    """
    package = Package(raw, limits)
    main = package.main_part()
    root = package.xml(main)
    if local(root) != "document":
        raise Unreadable(f"expected a Word document, found a part of kind {local(root)}")
    return _Document(package, main, options).read(root)


@dataclass(slots=True)
class _Paragraph:
    """A paragraph at work: its text so far, and what follows it."""

    pieces: list[str] = field(default_factory=list)
    after: list[Any] = field(default_factory=list)

    def text(self) -> str:
        return "".join(self.pieces)


class _Document:
    def __init__(self, package: Package, main: str, options: Options) -> None:
        self._package = package
        self._main = main
        self._options = options
        self._out = TextBuilder()
        self._relations = package.relations(main)
        self._warnings: list[str] = []
        self._styles = Styles.read(self._part("styles"))
        self._numbering = Numbering.read(self._part("numbering"))
        self._notes = {kind: self._notes_of(kind) for kind in ("footnotes", "endnotes", "comments")}
        self._path: list[tuple[int, str]] = []
        self._open: _Paragraph | None = None
        self._fields = Fields()
        self._seen_margins: set[str] = set()
        self._title = ""

    def read(self, root: Any) -> Extraction:
        body = next((node for node in root if local(node) == "body"), None)
        if body is None:
            raise Unreadable("damaged: the document has no body")
        parts = list(margins(body, self._relations))
        for kind in ("header", "footer"):
            if kind == "footer":
                self._blocks(body)
                self._flush()
            for part in (target for one, target in parts if one == kind):
                self._margin(part)
        embedded = sum(kind in ("package", "oleObject") for _, kind in self._relations.values())
        if embedded:
            self._warnings.append(f"{embedded} embedded file{'s' if embedded > 1 else ''} left out")
        return Extraction(
            text=self._out.build(),
            format="docx",
            title=self._title or stated_title(self._package),
            sections=tuple(self._out.sections),
            warnings=(*self._warnings, *self._out.cleaner.warnings),
        )

    def _part(self, kind: str) -> Any:
        for target, one in self._relations.values():
            if one == kind and self._package.has(target):
                try:
                    return self._package.xml(target)
                except Unreadable as error:
                    if "refused" in str(error):
                        raise
                    self._warnings.append(f"its {kind} can't be read: {error}")
        return None

    def _notes_of(self, kind: str) -> dict[str, Any]:
        root = self._part(kind)
        if root is None:
            return {}
        return {
            attribute(node, "id") or "": node
            for node in root
            if local(node) and attribute(node, "type") in (None, "normal")
        }

    def _margin(self, part: str) -> None:
        if not self._package.has(part):
            return
        try:
            inner = _Document(self._package, part, self._options)
            inner._styles, inner._numbering = self._styles, self._numbering
            inner._blocks(self._package.xml(part))
            inner._flush()
        except Unreadable as error:
            self._warnings.append(f"{part}: {error}")
            return
        text = inner._out.build()
        if text and text not in self._seen_margins:
            self._seen_margins.add(text)
            self._out.end_line(blank=True)
            self._out.append(text, (), ())
            self._out.end_line(blank=True)

    def _blocks(self, parent: Any) -> None:
        for node in parent:
            name = local(node)
            if name == "p":
                self._paragraph(node)
            elif name == "tbl":
                self._flush()
                self._out.end_line(blank=True)
                self._table(node)
                self._out.end_line(blank=True)
            elif name == "altChunk":
                self._flush()
                self._alt_chunk(node)
            elif name == "AlternateContent":
                self._blocks(chosen(node))
            elif name not in REMOVED:
                self._blocks(node)

    def _paragraph(self, node: Any) -> None:
        """Write a paragraph; one whose mark was deleted goes on in the next."""
        paragraph = self._open or _Paragraph()
        self._open = None
        self._fields.enter(node)
        before = len(paragraph.pieces)
        properties = child(node, "pPr")
        if not before and (marker := self._numbering.marker(properties, self._styles)):
            paragraph.pieces.append(marker)
        self._inline(node, paragraph)
        if properties is not None and has_deleted_mark(properties):
            self._open = paragraph
            return
        level = self._styles.level(properties)
        self._write(paragraph, level)

    def _write(self, paragraph: _Paragraph, level: int | None) -> None:
        text = paragraph.text().strip("\n ")
        if text.strip():
            if level is not None:
                self._heading(level, text)
            self._out.end_line(blank=level is not None)
            self._out.exact(text)
            self._out.end_line(blank=level is not None)
        for node in paragraph.after:
            self._after(node)

    def _flush(self) -> None:
        if self._open is not None:
            paragraph, self._open = self._open, None
            self._write(paragraph, None)

    def _heading(self, level: int, text: str) -> None:
        title = " ".join(text.split())[:200]
        if level == 0:
            self._title = self._title or title
            return
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, title))
        self._out.end_line(blank=True)
        self._out.section(" > ".join(name for _, name in self._path))

    def _after(self, node: Any) -> None:
        """Write what a paragraph refers to: text boxes, notes, comments."""
        name = local(node)
        if name in ("footnote", "endnote", "comment"):
            inner = " ".join(text for text in self._texts(node) if text)
            if inner.strip():
                prefix = "Comment: " if name == "comment" else ""
                self._out.line(prefix + inner)
        else:
            self._blocks(node)
            self._flush()

    def _texts(self, parent: Any) -> Iterator[str]:
        """Yield the texts of the paragraphs inside, for places that are one line."""
        for node in parent:
            name = local(node)
            if name == "p":
                self._fields.enter(node)
                paragraph = _Paragraph()
                self._inline(node, paragraph)
                yield " ".join(paragraph.text().split())
                for after in paragraph.after:
                    yield from self._texts(after)
            elif name == "AlternateContent":
                yield from self._texts(chosen(node))
            elif name not in REMOVED:
                yield from self._texts(node)

    def _inline(self, parent: Any, paragraph: _Paragraph) -> None:
        for node in parent:
            name = local(node)
            if name == "t":
                if not self._fields.hide:
                    paragraph.pieces.append(node.text or "")
            elif name in REMOVED or not name:
                continue
            elif name == "r":
                if not self._styles.hides(node):
                    self._inline(node, paragraph)
            elif name == "fldChar":
                self._fields.meet(node)
            elif name == "ruby":
                self._ruby(node, paragraph)
            elif name in SIGNS:
                paragraph.pieces.append(SIGNS[name])
            elif name == "sym":
                paragraph.pieces.append(symbol(node))
            elif name in ("oMath", "oMathPara"):
                paragraph.pieces.append(linear(node))
            elif name == "AlternateContent":
                self._inline(chosen(node), paragraph)
            elif name == "txbxContent":
                self._text_box(node, paragraph)
            elif name in ("footnoteReference", "endnoteReference", "commentReference"):
                self._refer(name.removesuffix("Reference"), node, paragraph)
            elif name in ("tbl", "altChunk"):
                paragraph.after.append([node])
            elif name in ("relIds", "chart"):
                paragraph.after += self._drawing(node)
            else:
                self._inline(node, paragraph)

    def _ruby(self, node: Any, paragraph: _Paragraph) -> None:
        """Put the guide to a word's reading behind the word, in brackets."""
        for name, shown in (("rubyBase", "{}"), ("rt", "({})")):
            inner = _Paragraph()
            for one in node.iterchildren("{*}" + name):
                self._inline(one, inner)
            if text := inner.text():
                paragraph.pieces.append(shown.format(text))

    def _text_box(self, node: Any, paragraph: _Paragraph) -> None:
        """Put a box that stands in the line into the line, any other behind the paragraph."""
        is_inline = any(local(one) == "inline" for one in node.iterancestors())
        if is_inline:
            paragraph.pieces.append(" ".join(text for text in self._texts(node) if text))
        else:
            paragraph.after.append(node)

    def _refer(self, kind: str, node: Any, paragraph: _Paragraph) -> None:
        if kind == "comment" and not self._options.comments:
            return
        note = self._notes[f"{kind}s"].get(attribute(node, "id") or "")
        if note is not None and all(note is not one for one in paragraph.after):
            paragraph.after.append(note)

    def _drawing(self, node: Any) -> list[Any]:
        """Return the texts of a diagram or chart as paragraphs."""
        key = attribute(node, "dm") or attribute(node, "id") or ""
        target = self._relations.get(key, ("", ""))[0]
        if not target or not self._package.has(target):
            return []
        try:
            root = self._package.xml(target)
        except Unreadable as error:
            self._warnings.append(f"{target}: {error}")
            return []
        return [as_blocks(root)]

    def _table(self, table: Any) -> None:
        for row in rows(table):
            columns = list(cells(row))
            if is_layout(columns):
                for cell in columns:
                    self._blocks(cell)
                    self._flush()
                continue
            shown = [self._cell(cell) for cell in columns]
            if any(text.strip() for text in shown):
                self._out.line(CELLS.join(shown).rstrip(" |"))

    def _cell(self, cell: Any) -> str:
        return " ".join(text for text in self._texts(cell) if text) if is_shown(cell) else ""

    def _alt_chunk(self, node: Any) -> None:
        target = self._relations.get(attribute(node, "id") or "", ("", ""))[0]
        self._out.end_line(blank=True)
        try:
            raw = self._package.read(target)
            is_word = raw.startswith(b"PK")
            found = read_docx(raw, options=self._options, limits=Limits()) if is_word else read_chunk(raw)
        except Unreadable as error:
            self._warnings.append(f"{target or 'an embedded part'}: {error}")
            return
        self._out.append(found.text, found.sections, found.records)
        self._out.end_line(blank=True)
