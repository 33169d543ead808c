"""OpenDocument texts and presentations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from strata_rag.corpus.formats.docx_nodes import believable_title
from strata_rag.corpus.formats.extraction import Extraction, Limits, Unreadable
from strata_rag.corpus.formats.html import CELLS
from strata_rag.corpus.formats.packed import Packed, attribute, local, parse_xml, whole
from strata_rag.corpus.formats.texts import TextBuilder

_UNSEEN = frozenset(
    {
        "tracked-changes", "annotation", "annotation-end", "scripts", "font-face-decls", "automatic-styles",
        "forms", "desc", "title", "sequence-decls", "variable-decls", "user-field-decls", "event-listeners",
    }
)  # fmt: skip
_MOST_SPACES = 1000


def read_odt(raw: bytes, *, limits: Limits) -> Extraction:
    """Return an OpenDocument's text: paragraphs, lists, tables as rows, notes; deleted text is left out.

    Raises:
        Unreadable: It is damaged or encrypted.
    """
    if raw.lstrip()[:5] == b"<?xml":
        root = parse_xml(raw, "the document")
        return _extraction(root, "", root)
    packed = Packed(raw, limits)
    if packed.has("META-INF/manifest.xml") and b"encryption-data" in packed.read("META-INF/manifest.xml"):
        raise Unreadable("encrypted: a password is needed")
    styles = packed.xml("styles.xml") if packed.has("styles.xml") else None
    title = ""
    if packed.has("meta.xml"):
        root = packed.xml("meta.xml")
        title = next((node.text or "" for node in root.iter() if local(node) == "title"), "")
    return _extraction(packed.xml("content.xml"), believable_title(title), styles)


def _extraction(root: Any, title: str, styles: Any) -> Extraction:
    body = next((node for node in root.iter() if local(node) == "body"), None)
    if body is None:
        raise Unreadable("damaged: the document has no body")
    document = _Document()
    document.margins(styles, "header")
    document.blocks(body)
    document.margins(styles, "footer")
    out = document.out
    return Extraction(
        text=out.build(),
        format="odt",
        title=title,
        sections=tuple(out.sections),
        warnings=tuple(out.cleaner.warnings),
    )


class _Document:
    def __init__(self) -> None:
        self.out = TextBuilder()
        self._path: list[tuple[int, str]] = []
        self._after: list[Any] = []
        self._margins: set[str] = set()

    def margins(self, styles: Any, kind: str) -> None:
        """Write the headers or footers of the pages, each text once."""
        for node in () if styles is None else styles.iter("{*}master-page"):
            for margin in node:
                text = " ".join("".join(margin.itertext()).split()) if local(margin) == kind else ""
                if text and text not in self._margins:
                    self._margins.add(text)
                    self.out.end_line(blank=True)
                    self.blocks(margin)
                    self.out.end_line(blank=True)

    def blocks(self, parent: Any, marker: str = "") -> None:
        for node in parent:
            name = local(node)
            if name in ("p", "h"):
                self._paragraph(node, marker if name == "p" else "")
                marker = ""
            elif name in ("list-item", "list-header"):
                self.blocks(node, "- ")
            elif name == "table":
                self._table(node)
            elif name == "page":
                self.out.end_line(blank=True)
                self.out.section(attribute(node, "name") or "")
                self.blocks(node)
            elif name and name not in _UNSEEN and not _is_hidden(node):
                self.blocks(node, marker)

    def _paragraph(self, node: Any, marker: str) -> None:
        text = "".join(self._inline(node)).strip("\n ")
        after, self._after = self._after, []
        if text.strip():
            is_heading = local(node) == "h"
            if is_heading:
                self._heading(whole(attribute(node, "outline-level"), 1), text)
            self.out.end_line(blank=is_heading)
            self.out.exact(marker + text)
            self.out.end_line(blank=is_heading)
        for part in after:
            self.blocks(part)

    def _heading(self, level: int, text: str) -> None:
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, " ".join(text.split())[:200]))
        self.out.end_line(blank=True)
        self.out.section(" > ".join(title for _, title in self._path))

    def _inline(self, node: Any) -> Iterator[str]:
        yield _spaced(node.text)
        for child in node:
            name = local(child)
            if name == "s":
                count = attribute(child, "c") or "1"
                yield " " * min(whole(count, 1), _MOST_SPACES)
            elif name == "tab":
                yield "\t"
            elif name == "line-break":
                yield "\n"
            elif name in ("note-body", "text-box", "table", "custom-shape"):
                self._after.append(child if name != "table" else [child])
            elif name == "note":
                self._after += [one for one in child if local(one) == "note-body"]
            elif name == "ruby-text":
                yield f"({''.join(self._inline(child))})"
            elif name and name not in _UNSEEN and not _is_hidden(child):
                yield from self._inline(child)
            yield _spaced(child.tail)

    def _table(self, table: Any) -> None:
        self.out.end_line(blank=True)
        for row in table.iter():
            if local(row) != "table-row" or next(_above(row, "table"), None) is not table:
                continue
            cells = [
                "" if local(cell) == "covered-table-cell" else self._cell(cell)
                for cell in row
                if local(cell) in ("table-cell", "covered-table-cell")
            ]
            if any(cell.strip() for cell in cells):
                self.out.line(CELLS.join(cells))
        self.out.end_line(blank=True)

    def _cell(self, cell: Any) -> str:
        texts = []
        for node in cell.iter():
            if local(node) in ("p", "h") and not any(local(one) in _UNSEEN for one in node.iterancestors()):
                texts.append("".join(self._inline(node)))
        self._after.clear()
        return " ".join(" ".join(texts).split())


def _is_hidden(node: Any) -> bool:
    """Tell whether a section or a text is marked as one that is not shown."""
    name = local(node)
    return (name == "section" and attribute(node, "display") == "none") or (
        name == "hidden-text" and attribute(node, "is-hidden") == "true"
    )


def _above(node: Any, name: str) -> Iterator[Any]:
    return (one for one in node.iterancestors() if local(one) == name)


def _spaced(text: str | None) -> str:
    """Collapse white space as the format says, which has elements of its own for what counts."""
    if not text:
        return ""
    inner = " ".join(text.split())
    before = " " if text[0].isspace() else ""
    after = " " if inner and text[-1].isspace() else ""
    return before + inner + after
