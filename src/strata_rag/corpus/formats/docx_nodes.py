"""Questions to the elements of a Word document: what is hidden, deleted, chosen, a row, a cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from strata_rag.corpus.formats.packed import attribute, local

REMOVED = frozenset(
    {
        "del", "moveFrom", "instrText", "delText", "delInstrText", "rPr", "pPr", "tblPr", "sectPr", "sdtPr",
        "sdtEndPr", "fldData", "ffData", "tblGrid", "tcPr", "trPr",
    }
)  # fmt: skip
"""Elements that show nothing, or no longer do."""
_TRUE = {None, "1", "true", "on"}
_LONG_CELL = 2000
_JUNK_TITLES = (
    "microsoft word",
    "untitled",
    "document1",
    "dokument1",
    "document",
    "title",
    "powerpoint presentation",
)

SIGNS = {
    "tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": "",
}  # fmt: skip
_SYMBOL_FONT = (
    "!∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)
"""What the font Symbol shows for the codes of ASCII, from 0x21 on."""
_SYMBOLS = {0xB7: "•", 0xA7: "▪", 0xE0: "→", 0xDF: "←", 0xFC: "✓", 0xFE: "☑", 0xA8: "☐", 0x6C: "•", 0xD8: "➢"}


def believable_title(title: str) -> str:
    """Return a title that a document states, or nothing where a program filled it in."""
    title = " ".join(title.split())
    plain = title.lower()
    is_junk = plain.startswith(_JUNK_TITLES[0]) or plain in _JUNK_TITLES
    is_file = plain.rpartition(".")[2] in (
        "doc",
        "docx",
        "pdf",
        "dot",
        "dotx",
        "rtf",
        "odt",
        "tex",
        "dvi",
        "indd",
    )
    return "" if is_junk or is_file or len(title) > 300 else title


def symbol(node: Any) -> str:
    """Return what a character of a symbol font looks like; empty where that is not known."""
    try:
        code = int(attribute(node, "char") or "", 16)
    except ValueError:
        return ""
    if (attribute(node, "font") or "").lower() == "symbol" and 0x21 <= code & 0xFF < 0x7F:
        return _SYMBOL_FONT[(code & 0xFF) - 0x21]
    if 0xF000 <= code <= 0xF0FF:
        return _SYMBOLS.get(code - 0xF000, "")
    return chr(code) if code < 0x110000 else ""


def child(node: Any, name: str) -> Any:
    """Return the first child of that name, or None."""
    return next((one for one in node if local(one) == name), None)


def is_on(parent: Any, name: str) -> bool:
    """Tell whether a switch among the children is on."""
    node = None if parent is None else child(parent, name)
    return node is not None and attribute(node, "val") in _TRUE


class Fields:
    """The fields that are open where a document is read: what stands before a field's result are its instructions."""

    def __init__(self) -> None:
        self._in_instructions: list[bool] = []

    @property
    def hide(self) -> bool:
        """Whether text here belongs to instructions, such as the result of a field inside them."""
        return any(self._in_instructions)

    def enter(self, paragraph: Any) -> None:
        """Begin a paragraph; instructions that do not end in it were never closed, and hide nothing."""
        if self.hide and not any(_ends_instructions(one) for one in paragraph.iter()):
            self._in_instructions.clear()

    def meet(self, node: Any) -> None:
        """Go past a field's character."""
        kind = attribute(node, "fldCharType")
        if kind == "begin":
            self._in_instructions.append(True)
        elif kind == "separate" and self._in_instructions:
            self._in_instructions[-1] = False
        elif kind == "end" and self._in_instructions:
            self._in_instructions.pop()


def _ends_instructions(node: Any) -> bool:
    return local(node) == "fldChar" and attribute(node, "fldCharType") in ("separate", "end")


def has_deleted_mark(properties: Any) -> bool:
    """Tell whether a paragraph goes on in the next: the mark between them was deleted."""
    run = child(properties, "rPr")
    return run is not None and any(local(one) in ("del", "moveFrom") for one in run)


def chosen(node: Any) -> Any:
    """Return the branch of an AlternateContent that is shown: the first choice, or what stands in for it."""
    branches = [one for one in node if local(one) in ("Choice", "Fallback")]
    for branch in branches:
        if any(local(one) in ("t", "drawing", "txbxContent", "oMath") for one in branch.iter()):
            return branch
    return branches[0] if branches else ()


def as_blocks(root: Any) -> Any:
    """Return a diagram's or chart's texts in the form of a body with one paragraph each."""
    from lxml import etree

    body = etree.Element("body")
    for node in root.iter():
        name = local(node)
        if name in ("t", "v") and (node.text or "").strip():
            if name == "v" and local(node.getparent().getparent()) not in ("strCache", "strLit"):
                continue
            etree.SubElement(etree.SubElement(etree.SubElement(body, "p"), "r"), "t").text = node.text
    return body


def rows(table: Any) -> Iterator[Any]:
    """Yield the rows of a table, without deleted ones."""
    for node in table:
        name = local(node)
        if name == "tr":
            properties = child(node, "trPr")
            if properties is None or child(properties, "del") is None:
                yield node
        elif name in ("sdt", "sdtContent", "customXml", "ins", "smartTag"):
            yield from rows(node)


def cells(row: Any) -> Iterator[Any]:
    """Yield the cells of a row."""
    for node in row:
        name = local(node)
        if name == "tc":
            yield node
        elif name in ("sdt", "sdtContent", "customXml", "ins", "smartTag"):
            yield from cells(node)


def is_shown(cell: Any) -> bool:
    """Tell whether a cell holds text of its own: one that goes on from the cell above does not."""
    properties = child(cell, "tcPr")
    if properties is None:
        return True
    if child(properties, "cellDel") is not None:
        return False
    for name in ("vMerge", "hMerge"):
        merge = child(properties, name)
        if merge is not None and attribute(merge, "val") in (None, "continue"):
            return False
    return True


def is_layout(row: list[Any]) -> bool:
    """Tell whether a row's cells arrange parts of a page: a table inside, or as much text as a section."""
    for cell in row:
        size = 0
        for node in cell.iter():
            name = local(node)
            if name == "tbl":
                return True
            if name == "t":
                size += len(node.text or "")
        if size > _LONG_CELL:
            return True
    return False
