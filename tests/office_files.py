"""Small Office files, written part by part."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
M = "http://schemas.openxmlformats.org/officeDocument/2006/math"
S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
MC = "http://schemas.openxmlformats.org/markup-compatibility/2006"
RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return out.getvalue()


def relations(targets: Mapping[str, tuple[str, str]]) -> str:
    """Return a part of relationships: id -> kind and target."""
    lines = [
        f'<Relationship Id="{key}" Type="{R}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    ]
    return f'<Relationships xmlns="{RELATIONS}">{"".join(lines)}</Relationships>'


def docx(
    body: str, parts: Mapping[str, tuple[str, str]] | None = None, *, main: str = "word/document.xml"
) -> bytes:
    """Return a Word document.

    Args:
        body: What stands in its body.
        parts: Further parts: name below ``word/`` -> kind and content; their relationship ids are their names.
        main: Where the document part lies.
    """
    parts = parts or {}
    document = f'<w:document xmlns:w="{W}" xmlns:r="{R}" xmlns:m="{M}" xmlns:mc="{MC}"><w:body>{body}</w:body></w:document>'
    folder, _, name = main.rpartition("/")
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations({"r0": ("officeDocument", main)}),
            main: document,
            f"{folder}/_rels/{name}.rels": relations({key: (kind, key) for key, (kind, _) in parts.items()}),
            **{f"{folder}/{key}": content for key, (_, content) in parts.items()},
        }
    )


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{r(text)}</w:p>"


def r(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def part(root: str, inner: str) -> str:
    return f'<w:{root} xmlns:w="{W}" xmlns:r="{R}">{inner}</w:{root}>'


def xlsx(
    sheets: Mapping[str, str],
    *,
    strings: str = "",
    styles: str = "",
    hidden: tuple[str, ...] = (),
    more: str = "",
) -> bytes:
    """Return a workbook: sheet name -> the inside of its sheetData, and of what follows it behind a ``|``."""
    listed, kinds, parts = [], {"r90": ("sharedStrings", "strings.xml"), "r91": ("styles", "styles.xml")}, {}
    for number, (name, rows) in enumerate(sheets.items(), 1):
        state = ' state="hidden"' if name in hidden else ""
        listed.append(f'<sheet name="{name}" sheetId="{number}"{state} r:id="r{number}"/>')
        kinds[f"r{number}"] = ("worksheet", f"s{number}.xml")
        data, _, after = rows.partition("|")
        parts[f"xl/s{number}.xml"] = (
            f'<worksheet xmlns="{S}"><sheetData>{data}</sheetData>{after}</worksheet>'
        )
    return zipped(
        {
            "[Content_Types].xml": "<Types/>",
            "_rels/.rels": relations({"r0": ("officeDocument", "xl/workbook.xml")}),
            "xl/workbook.xml": f'<workbook xmlns="{S}" xmlns:r="{R}">{more}<sheets>{"".join(listed)}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(kinds),
            "xl/strings.xml": f'<sst xmlns="{S}">{strings}</sst>',
            "xl/styles.xml": f'<styleSheet xmlns="{S}">{styles}</styleSheet>',
            **parts,
        }
    )


def row(number: int, *cells: str) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def text_cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def number_cell(place: str, digits: str, style: int = 0) -> str:
    return f'<c r="{place}" s="{style}"><v>{digits}</v></c>'


def pdf(pages: list[str], *, fonts: str = "", more: Mapping[int, str] | None = None) -> bytes:
    """Return a PDF with one line of Helvetica a page; an empty text gives a page without any."""
    objects: dict[int, str] = {1: "<</Type/Catalog/Pages 2 0 R>>"}
    kids = []
    for number, text in enumerate(pages):
        page, content = 10 + 2 * number, 11 + 2 * number
        kids.append(f"{page} 0 R")
        objects[page] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents {content} 0 R"
            f"/Resources<</Font<</F1 3 0 R {fonts}>>>>>>"
        )
        stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET" if text else ""
        objects[content] = f"<</Length {len(stream)}>>stream\n{stream}\nendstream"
    objects[2] = f"<</Type/Pages/Kids[{' '.join(kids)}]/Count {len(kids)}>>"
    objects[3] = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    objects |= more or {}
    out = b"%PDF-1.7\n"
    places = {}
    for number, body in sorted(objects.items()):
        places[number] = len(out)
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    start = len(out)
    size = max(objects) + 1
    lines = [f"{places[n]:010} 00000 n \n" if n in places else "0000000000 65535 f \n" for n in range(size)]
    out += f"xref\n0 {size}\n{''.join(lines)}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF".encode()
    return out
