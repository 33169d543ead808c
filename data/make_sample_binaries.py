"""Make the sample's packed files: Word, OpenDocument, Excel, two PDFs, an archive, and one file that is damaged.

The files are committed; this script is how they came about. ``python data/make_sample_binaries.py`` writes the same
content again, and the same bytes with the same zlib and pypdfium2.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from xml.sax.saxutils import escape

SAMPLE = Path(__file__).parent / "sample"
XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
ODF = "urn:oasis:names:tc:opendocument:xmlns"

GEARBOX = [
    "Exchange of the main gearbox",
    "Report GX-7741 on the exchange in the engine house at Dunmarrow. Lead fitter: Ragnhild Oosterveld. The set "
    "was out of service for nine days, two more than planned.",
    "The casing weighs more than the hall crane may carry, so the upper half was lifted alone, turned on its side"
    " and rolled out on the skates that had brought it in. Nobody stood in the pit while a half hung above it.",
    "The pinion showed three pitted teeth on the side of the drive. Pitting of this kind comes from water, and "
    "water was found: the breather had been painted over.",
    "Align cold to 0.05 mm, then again after eight hours at half load. Both records are to be kept with the "
    "casing.",
]
LIFTS = [
    ("Piece", "Weight", "Sling"),
    ("upper half", "4.8 t", "two chains, 60 degrees"),
    ("bull wheel", "2.1 t", "soft loop through the bore"),
    ("pinion", "0.6 t", "soft loop"),
]
PARKING = [
    "Where callers leave their cars",
    "Callers park in the row under the plane trees behind the pilot house and nowhere else. The gate hands out a "
    "disc, which lies on the dashboard with its number up; the disc of the day is violet on even dates and orange"
    " on odd ones.",
    "Six bays have a socket. They are for charging and not for staying: after three hours the guard rings, and "
    "after four the carriage is moved to the gravel at the owner's cost.",
    "Coaches set down at the ferry ramp and wait on the far bank. Permission for a lorry is given by traffic "
    "control, by radio, on the day.",
    "Questions go to Hyacinth Mokoena-Wray, who keeps the plan of the bays and the box with the lost discs.",
]
PRICES = {
    "Seals": [
        ("Part number", "Description", "Price EUR", "Lead time days", "Kept in"),
        ("ATL-5217/a", "lip ring for the barring gear, nitrile", 18.4, 6, "central store"),
        ("ATL-5217/b", "lip ring for the barring gear, fluorocarbon", 61, 35, "made to order"),
        ("ATL-5271/b", "sight glass of the oil tank, with its soft ring", 44.9, 12, "central store"),
    ],
    "Bearings": [
        ("Part number", "Description", "Price EUR", "Lead time days", "Kept in"),
        ("ATL-5127/c", "journal shell, generator end, white metal", 1890, 90, "made to order"),
        ("ATL-5172/c", "journal shell, turbine end, white metal", 2140, 120, "made to order"),
        ("ATL-5721/a", "thrust collar, ground, sold in pairs only", 775.5, 60, "central store"),
    ],
}
BERTH_DUES = [
    ("Tariff", "Vessel", "Euro per metre", "Days included", "Remark"),
    ("BD-6620", "sailing boat under twelve metres", 2.6, 3, "showers are paid for apart"),
    ("BD-6602", "fishing boat with a landing licence", 1.15, 30, "ice from the chute is free of charge"),
    ("BD-6206", "museum ship", 0, 365, "open to the public on Sundays"),
    (
        "BD-6260",
        "tug laid up without a crew",
        4.4,
        7,
        "a watchman's telephone number is left with traffic control",
    ),
]
OLD_MINUTES = {
    "lamp-fund.txt": """Minute of the lamp fund, November 2011

Present: the trustees, and Philippa Ormerod-Stang for the pilots.

The fund was founded to keep an oil light burning on the breakwater for boats that came home late. The light
is electric now and belongs to the state, so that the money has had no purpose for thirty years. It stands at
41,200 euros.

Resolved LF-1107: the interest pays for survival suits of apprentices; the capital is not touched. Two
trustees wished to give all of it to the lifeboat at once and had their dissent recorded.
""",
    "pontoon-vote.txt": """Minute of the vote on the pontoon, March 2012

Votes: nine for the pontoon of concrete, four for that of steel, one slip with a drawing of a duck, counted as
void.

Resolved PV-1203: concrete, forty metres, moored to six piles, because rust was what ended the last one after
eleven winters. The rowing club gives up its slip and has in return the landward end, with a tap.

Barnabas Quillfeather laid before the meeting the ice report of 1963, when a floe went through the old pontoon
like a saw.
""",
}
HOT_SECTION = [
    [
        "Hot section inspection, instruction HS-3140",
        "",
        "Every 8,000 hours, or after any start in which the exhaust went",
        "above 720 degrees for more than five seconds. Two days, two fitters.",
        "",
        "Let the machine stand for twelve hours. The casing bolts are",
        "loosened from the middle outwards, a quarter turn at a time; whoever",
        "takes them out one by one bends the flange and will not get it tight.",
        "",
        "Look at the first ring of nozzles with a lamp held low. Cracks of up",
        "to 6 mm that begin at the trailing edge are left alone. A crack that",
        "begins at a cooling hole is none of those: the segment goes.",
    ],
    [
        "Findings are entered by clock position, seen from the exhaust.",
        "",
        "Burned edge up to 2 mm         dress and note",
        "Burned edge over 2 mm          exchange the segment",
        "Coating gone, size of a coin   note, look again after 1,000 hours",
        "Blade tip rubs                 measure the gap at four places",
        "",
        "The gauge that Theodoric Vanterpool made for the tip gap hangs in",
        "the tool store; its thin end is 0.9 mm, its thick end 1.4 mm.",
        "Photographs go with the sheet HS-3104, never by telephone.",
    ],
]
NAMEPLATE = [
    "ATLAS 40 S   TURBINE SET",
    "serial 317      built 2009",
    "3150 kVA   6.3 kV   50 Hz",
    "overspeed trip 1650 rpm",
    "dry weight 21.4 t",
]


def packed(parts: dict[str, str]) -> bytes:
    """Return a zip archive, the same bytes for the same parts; a mimetype stands uncompressed."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(entry, text)
    return out.getvalue()


def content_types(defaults: str, overrides: dict[str, str]) -> str:
    """Return the list of a package's parts."""
    listed = "".join(
        f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in overrides.items()
    )
    return f'{XML}<Types xmlns="{PACKAGE}/content-types">{defaults}{listed}</Types>'


DEFAULTS = (
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
)


def relations(targets: dict[str, tuple[str, str]]) -> str:
    """Return relationships: id -> (kind, target)."""
    listed = "".join(
        f'<Relationship Id="{key}" Type="{OFFICE}/{kind}" Target="{target}"/>'
        for key, (kind, target) in targets.items()
    )
    return f'{XML}<Relationships xmlns="{PACKAGE}/relationships">{listed}</Relationships>'


def run(text: str) -> str:
    """Return text as one Word run."""
    return f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def word_table(rows: list[tuple[str, ...]]) -> str:
    """Return rows as a Word table."""
    cells = (f"<w:tc><w:p>{run(cell)}</w:p></w:tc>" for row in rows for cell in row)
    width = len(rows[0])
    lines = ("".join(next(cells) for _ in range(width)) for _ in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{line}</w:tr>' for line in lines)}</w:tbl>"


def word_parts() -> dict[str, str]:
    """Return the parts of the gearbox report: heading, text, a table, a tracked change, a footnote, a header."""
    title, *paragraphs = GEARBOX
    body = f'<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>{run(title)}</w:p>'
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    changed = (
        f'<w:ins w:id="1" w:author="fitter" w:date="2024-03-01T10:00:00Z">{run(" It is clear now.")}</w:ins>'
        '<w:del w:id="2" w:author="fitter" w:date="2024-03-01T10:00:00Z">'
        "<w:r><w:delText> It was left so.</w:delText></w:r></w:del>"
    )
    extras = [note, "", changed, ""]
    body += "".join(f"<w:p>{run(text)}{extra}</w:p>" for text, extra in zip(paragraphs, extras, strict=True))
    body += word_table(LIFTS)
    sections = '<w:sectPr><w:headerReference w:type="default" r:id="rId1"/></w:sectPr>'
    spaces = f'xmlns:w="{WORD}" xmlns:r="{OFFICE}"'
    main = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    footnote = "The roof hatch at Dunmarrow is narrower than the casing is long; a wall had to be opened."
    return {
        "[Content_Types].xml": content_types(
            DEFAULTS,
            {
                "/word/document.xml": f"{main}.document.main+xml",
                "/word/header1.xml": f"{main}.header+xml",
                "/word/footnotes.xml": f"{main}.footnotes+xml",
            },
        ),
        "_rels/.rels": relations({"rId1": ("officeDocument", "word/document.xml")}),
        "word/_rels/document.xml.rels": relations(
            {"rId1": ("header", "header1.xml"), "rId2": ("footnotes", "footnotes.xml")}
        ),
        "word/document.xml": f"{XML}<w:document {spaces}><w:body>{body}{sections}</w:body></w:document>",
        "word/header1.xml": f"{XML}<w:hdr {spaces}><w:p>{run('Atlas field service, form G-7')}</w:p></w:hdr>",
        "word/footnotes.xml": f'{XML}<w:footnotes {spaces}><w:footnote w:id="2"><w:p>{run(footnote)}</w:p></w:footnote>'
        "</w:footnotes>",
    }


def open_document_parts() -> dict[str, str]:
    """Return the parts of the parking memo."""
    title, *paragraphs = PARKING
    text = f'<text:h text:outline-level="1">{escape(title)}</text:h>'
    text += "".join(f"<text:p>{escape(paragraph)}</text:p>" for paragraph in paragraphs)
    return open_document("text", f"<office:text>{text}</office:text>")


def open_sheet_parts() -> dict[str, str]:
    """Return the parts of the table of berth dues."""

    def cell(value: str | float) -> str:
        text = f"<text:p>{escape(str(value))}</text:p>"
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string">{text}</table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value}">{text}</table:table-cell>'

    rows = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in BERTH_DUES)
    table = f'<table:table table:name="Berth dues">{rows}</table:table>'
    return open_document("spreadsheet", f"<office:spreadsheet>{table}</office:spreadsheet>")


def open_document(kind: str, body: str) -> dict[str, str]:
    """Return the parts of an OpenDocument file."""
    spaces = " ".join(f'xmlns:{name}="{ODF}:{name}:1.0"' for name in ("office", "text", "table"))
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    manifest = "".join(
        f'<manifest:file-entry manifest:full-path="{path}" manifest:media-type="{media}"/>'
        for path, media in (("/", mimetype), ("content.xml", "text/xml"))
    )
    return {
        "mimetype": mimetype,
        "content.xml": f'{XML}<office:document-content {spaces} office:version="1.3"><office:body>{body}</office:body>'
        "</office:document-content>",
        "META-INF/manifest.xml": f'{XML}<manifest:manifest xmlns:manifest="{ODF}:manifest:1.0" manifest:version="1.3">'
        f"{manifest}</manifest:manifest>",
    }


def sheet(rows: list[tuple[str | float, ...]]) -> str:
    """Return rows as a worksheet, texts in place."""

    def cell(column: int, row: int, value: str | float) -> str:
        at = f'r="{chr(65 + column)}{row}"'
        if isinstance(value, str):
            return f'<c {at} t="inlineStr"><is><t>{escape(value)}</t></is></c>'
        return f"<c {at}><v>{value}</v></c>"

    lines = (
        f'<row r="{number}">{"".join(cell(column, number, value) for column, value in enumerate(row))}</row>'
        for number, row in enumerate(rows, 1)
    )
    return f'{XML}<worksheet xmlns="{SHEET}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def workbook_parts() -> dict[str, str]:
    """Return the parts of the price list."""
    main = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    names = list(PRICES)
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="rId{number}"/>'
        for number, name in enumerate(names, 1)
    )
    sheets = {f"xl/worksheets/sheet{number}.xml": sheet(PRICES[name]) for number, name in enumerate(names, 1)}
    overrides = {f"/{name}": f"{main}.worksheet+xml" for name in sheets}
    return {
        "[Content_Types].xml": content_types(
            DEFAULTS, {"/xl/workbook.xml": f"{main}.sheet.main+xml", **overrides}
        ),
        "_rels/.rels": relations({"rId1": ("officeDocument", "xl/workbook.xml")}),
        "xl/workbook.xml": f'{XML}<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(
            {f"rId{number}": ("worksheet", name.removeprefix("xl/")) for number, name in enumerate(sheets, 1)}
        ),
        **sheets,
    }


def pdf(objects: list[bytes]) -> bytes:
    """Return a PDF of numbered objects, the first of which is its catalogue."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """Return a stream object."""
    return b"<< /Length %d %s>>\nstream\n%s\nendstream" % (len(content), entries, content)


def text_pdf(pages: list[list[str]], size: int = 11) -> bytes:
    """Return a PDF with one line of Courier under the other."""
    kids = b" ".join(b"%d 0 R" % (4 + 2 * at) for at in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(pages)),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>",
    ]
    for at, lines in enumerate(pages):
        shown = b"".join(
            b"(%s) Tj T*\n" % line.encode("cp1252").replace(b"(", b"\\(").replace(b")", b"\\)")
            for line in lines
        )
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> "
            b"/Contents %d 0 R >>" % (5 + 2 * at)
        )
        objects.append(stream(b"BT /F1 %d Tf %d TL 60 770 Td\n%sET" % (size, size + 4, shown)))
    return pdf(objects)


def scanned_pdf(lines: list[str]) -> bytes:
    """Return a PDF whose only page is a black and white picture of `lines`."""
    import numpy as np
    import pypdfium2

    page = pypdfium2.PdfDocument(text_pdf([lines], size=20))[0]
    grey = page.render(scale=1.2, grayscale=True).to_numpy().squeeze()
    height, width = grey.shape
    picture = stream(
        zlib.compress(np.packbits(grey > 128, axis=1).tobytes(), 9),
        b"/Filter /FlateDecode /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray "
        b"/BitsPerComponent 1 " % (width, height),
    )
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /Im 5 0 R >> >> "
            b"/Contents 4 0 R >>",
            stream(b"q 595 0 0 842 0 0 cm /Im Do Q"),
            picture,
        ]
    )


def main() -> None:
    """Write every file into the sample."""
    report = packed(word_parts())
    files = {
        "atlas/turbines/gearbox-exchange.docx": report,
        "atlas/bulletins/sb-812.docx": report[: len(report) // 2],
        "harbor/policy/visitor-parking.odt": packed(open_document_parts()),
        "harbor/permits/berth-dues.ods": packed(open_sheet_parts()),
        "harbor/minutes/before-2015.zip": packed(OLD_MINUTES),
        "atlas/parts/price-list.xlsx": packed(workbook_parts()),
        "atlas/turbines/hot-section.pdf": text_pdf(HOT_SECTION),
        "atlas/turbines/nameplate-scan.pdf": scanned_pdf(NAMEPLATE),
    }
    for name, content in files.items():
        (SAMPLE / name).write_bytes(content)


if __name__ == "__main__":
    main()
