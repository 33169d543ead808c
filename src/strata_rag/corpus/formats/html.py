"""HTML and PHP pages: what a reader sees, tables as rows."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from strata_rag.corpus.formats.encodings import decode, known
from strata_rag.corpus.formats.extraction import INSTALL, Extraction, Unreadable
from strata_rag.corpus.formats.texts import TextBuilder

_UNSEEN = frozenset(
    {
        "head", "script", "style", "template", "noscript", "iframe", "object", "embed", "applet", "audio", "video",
        "canvas", "map", "datalist", "noframes", "annotation", "annotation-xml",
    }
)  # fmt: skip
_PARAGRAPHS = frozenset(
    {
        "p", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "dl", "pre", "blockquote", "section",
        "article", "header", "footer", "main", "aside", "nav", "figure", "hr", "form", "fieldset", "details",
    }
)  # fmt: skip
_LINES = frozenset(
    {
        "div", "li", "dt", "dd", "br", "tr", "caption", "thead", "tbody", "tfoot", "address", "option", "legend",
        "summary", "figcaption", "center", "body", "html", "title", "optgroup", "menu", "dir", "textarea",
    }
)  # fmt: skip
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4, "h5": 5, "h6": 6}
_STRUCTURE = frozenset(
    {
        "table", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote", "form", "section", "article", "main",
        "nav",
    }
)  # fmt: skip
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_META = re.compile(
    rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE | re.DOTALL
)
_XML = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9_.:-]{1,40})""")
_PHP = re.compile(
    r"<\?(?:php|=)(?:(?!\?>).)*(?:\?>|\Z)|<\?(?!xml\b)(?:(?!\?>|<\?).)*\?>", re.DOTALL | re.IGNORECASE
)
_SCRIPTS = re.compile(rb"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_DECLARED_WITHIN = 4096
_GIVEN_UP = (
    "ERR_RESOURCE_LIMIT",
    "ERR_NAME_TOO_LONG",
    "ERR_NO_MEMORY",
    "ERR_INTERNAL_ERROR",
    "ERR_USER_STOP",
)
_LONG_ROW = 4000
CELLS = " | "


def read_html(raw: bytes, *, charset: str = "") -> Extraction:
    """Return what a page shows.

    Args:
        raw: The page.
        charset: What its envelope says, such as a mail's header.

    Raises:
        Unreadable: It is no text, or lxml is missing.
    """
    declared = charset or _declared(raw)
    # Text is guessed from without scripts: they are ASCII, and would hide the language.
    decoded = decode(raw, declared)
    if decoded.guessed:
        decoded = decode_like(raw, _SCRIPTS.sub(b" ", raw), decoded.encoding)
    return html_extraction(decoded.text, encoding=decoded.encoding, warnings=decoded.warnings)


def decode_like(raw: bytes, sample: bytes, fallback: str) -> Any:
    """Return `raw` decoded as its part `sample` would be."""
    guessed = decode(sample)
    return decode(raw, guessed.encoding if guessed.encoding != "utf-8" else fallback)


def html_extraction(text: str, *, encoding: str = "", warnings: tuple[str, ...] = ()) -> Extraction:
    """Return what a page shows, from its source text."""
    builder = TextBuilder()
    title = write_html(builder, text, with_title=True)
    return Extraction(
        text=builder.build(),
        format="html",
        title=title,
        sections=tuple(builder.sections),
        encoding=encoding,
        warnings=(*warnings, *builder.cleaner.warnings),
    )


def write_html(builder: TextBuilder, text: str, *, with_title: bool = False) -> str:
    """Write what a page shows, its title above if that stands nowhere on it; return the title."""
    try:
        root = _parse(text)
    except _TooDeep:
        _write_bare(builder, text)
        return ""
    if root is None:
        return ""
    titles = root.xpath("//head//title | /html/title")
    title = builder.cleaner.clean(" ".join("".join(titles[0].itertext()).split())) if titles else ""
    if with_title and title and title not in " ".join("".join(root.xpath("string(//body)")).split()):
        builder.line(title)
        builder.end_line(blank=True)
    _Page(builder).write(root)
    return title


def _declared(raw: bytes) -> str:
    head = raw[:_DECLARED_WITHIN]
    found = _META.search(head) or _XML.search(head)
    return found.group(1).decode("ascii") if found and known(found.group(1).decode("ascii")) else ""


def _parse(text: str) -> Any:
    try:
        from lxml import etree
    except ImportError:
        raise Unreadable(f"HTML needs the extra formats: {INSTALL}") from None
    if "<?" in text:
        text = _PHP.sub(" ", text)
    text = text.replace("\0", "")
    if not text.strip():
        return None
    # With huge_tree the parser takes pages nested deeper than 256; the caller bounds memory and time.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True, remove_pis=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"expected HTML, found: {error.msg}") from error
    if any(entry.type_name in _GIVEN_UP for entry in parser.error_log):
        raise _TooDeep
    return root


class _TooDeep(Exception):
    """A page that nests deeper than the parser follows."""


def _write_bare(builder: TextBuilder, text: str) -> None:
    """Write a page's words without knowing its structure: scripts and tags go, each tag is a border."""
    bare = re.sub(r"(?is)<(script|style)\b.*?</\1\s*>|<!--.*?-->", " ", text)
    for part in re.split(r"<[^>]*>", bare):
        builder.flow(f" {unescape(part)} ")


class _Page:
    """Walks a parsed page once, without recursion."""

    def __init__(self, builder: TextBuilder) -> None:
        self._out = builder
        self._pre = 0
        self._path: list[tuple[int, str]] = []
        self._rows: list[bool] = []
        self._cells: list[int] = []

    def write(self, root: Any) -> None:
        from lxml import etree

        walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, node in walk:
            if event == "start":
                if self._is_unseen(node):
                    # An element that is skipped still ends, and its tail still shows.
                    walk.skip_subtree()
                    node.set("strata-unseen", "")
                    continue
                self._start(node)
            elif event == "end":
                if "strata-unseen" not in node.attrib:
                    self._end(node)
                self._text(node.tail)
            else:
                self._text(node.tail)

    def _is_unseen(self, node: Any) -> bool:
        tag = node.tag
        if not isinstance(tag, str) or tag in _UNSEEN:
            return True
        if tag == "input" or not node.attrib:
            return False
        style = node.get("style")
        return node.get("hidden") is not None or bool(style and _HIDING.search(style))

    def _start(self, node: Any) -> None:
        tag = node.tag
        if self._in_row:
            self._start_in_row(tag)
        elif tag == "tr":
            self._out.end_line()
            is_data = not _is_layout(node)
            self._rows.append(is_data)
            self._cells.append(0)
        elif tag in ("td", "th"):
            self._out.end_line()
        elif tag in _PARAGRAPHS:
            self._out.end_line(blank=True)
        elif tag in _LINES:
            self._out.end_line()
        if tag == "li" and not self._in_row:
            self._out.flow("- ")
        if tag == "pre":
            self._pre += 1
        if tag in _HEADINGS and not self._in_row:
            self._heading(node)
        self._text(node.text)

    def _start_in_row(self, tag: str) -> None:
        if tag in ("td", "th"):
            if self._cells[-1]:
                self._out.flow(CELLS)
            self._cells[-1] += 1
        elif tag in _PARAGRAPHS or tag in _LINES:
            self._out.flow(" ")

    def _end(self, node: Any) -> None:
        tag = node.tag
        if tag == "pre":
            self._pre -= 1
        if tag == "tr" and self._rows:
            self._rows.pop()
            self._cells.pop()
            self._out.end_line()
        elif self._in_row:
            if tag in _PARAGRAPHS or tag in _LINES:
                self._out.flow(" ")
        elif tag in _PARAGRAPHS:
            self._out.end_line(blank=True)
        elif tag in _LINES or tag in ("td", "th"):
            self._out.end_line()

    def _heading(self, node: Any) -> None:
        level = _HEADINGS[node.tag]
        title = " ".join("".join(node.itertext()).split())[:200]
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        if title:
            self._path.append((level, title))
            self._out.section(" > ".join(name for _, name in self._path))

    @property
    def _in_row(self) -> bool:
        return bool(self._rows) and self._rows[-1]

    def _text(self, text: str | None) -> None:
        if not text:
            return
        if self._pre and not self._in_row:
            self._out.exact(text)
        else:
            self._out.flow(text)


def _is_layout(row: Any) -> bool:
    """Tell whether a row arranges parts of a page rather than holding one record."""
    size = 0
    for node in row.iter():
        if node is not row and node.tag in _STRUCTURE:
            return True
        size += len(node.text or "")
        if size > _LONG_ROW:
            return True
    return False
