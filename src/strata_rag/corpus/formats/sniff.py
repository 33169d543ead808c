"""What a file is, told by its first bytes rather than its name."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

from strata_rag.corpus.formats.encodings import is_text

HEAD = 4096
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HTML = re.compile(
    rb"(?>\s+|<!--(?>(?:(?!-->).)*)-->|<\?xml[^>]*\?>|\xef\xbb\xbf)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_MAIL = re.compile(rb"(?:[A-Za-z][A-Za-z0-9-]{1,40}:[ \t].*\r?\n(?:[ \t].*\r?\n)*){2,}")
_NAMED = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"BM", ""),
    (b"\x7fELF", "a program"),
    (b"MZ", "a Windows program"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"SQLite format 3\0", "a SQLite database"),
    (b"OggS", "an Ogg recording"),
    (b"ID3", "an MP3 recording"),
)
_ZIPPED = (
    ("word/", "docx"),
    ("xl/workbook.bin", "xlsb"),
    ("xl/", "xlsx"),
    ("ppt/", "a PowerPoint presentation"),
)
_MIME_TYPES = {
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.presentation": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/epub+zip": "an EPUB book",
}
_CONTENT_TYPES = (
    (b"wordprocessingml", "docx"),
    (b"ms-word", "docx"),
    (b"sheet.binary", "xlsb"),
    (b"spreadsheetml", "xlsx"),
    (b"ms-excel", "xlsx"),
    (b"presentationml", "a PowerPoint presentation"),
)
_MAIL_HEADERS = (
    b"\nfrom: ", b"\nto: ", b"\nsubject: ", b"\nreceived: ", b"\nreturn-path: ", b"\ndelivered-to: ",
    b"\nmessage-id: ", b"\nmime-version: ", b"\ndate: ",
)  # fmt: skip
_STREAMS = (
    ("EncryptedPackage", "an encrypted Office document"),
    ("WordDocument", "doc"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("PowerPoint Document", "a PowerPoint presentation"),
    ("__substg1.0_", "an Outlook message"),
)


def sniff(raw: bytes) -> str:
    """Return a format's name, a description that begins with an article, ``text``, or nothing if it can't be told."""
    head = raw[:HEAD]
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _zipped(raw)
    if head.startswith(_OLE):
        return next((kind for name, kind in _STREAMS if name.encode("utf-16-le") in raw), "an OLE file")
    if head.lstrip()[:6].lower().startswith(b"{\\rtf"):
        return "rtf"
    for mark, kind in _NAMED:
        if kind and head.startswith(mark):
            return kind
    if head[4:8] == b"ftyp":
        return "a video"
    if head[:4] == b"RIFF":
        return "a recording or picture"
    if not is_text(head):
        return ""
    if _HTML.match(head):
        return "html"
    return "mail" if _is_mail(head) else "text"


def _is_mail(head: bytes) -> bool:
    if not _MAIL.match(head):
        return False
    lower = b"\n" + head.lower()
    return sum(name in lower for name in _MAIL_HEADERS) >= 3


def _zipped(raw: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(raw)) as packed:
            names = [name.replace("\\", "/").lstrip("/") for name in packed.namelist()[:5000]]
            if "mimetype" in names and packed.getinfo("mimetype").file_size < 200:
                kind = _MIME_TYPES.get(packed.read("mimetype").strip())
                if kind:
                    return kind
            types = next((name for name in names if name.lower() == "[content_types].xml"), None)
            if types is None:
                return "odt" if "content.xml" in names and "META-INF/manifest.xml" in names else "zip"
            for prefix, kind in _ZIPPED:
                if any(name.lower().startswith(prefix) for name in names):
                    return kind
            if packed.getinfo(types).file_size < 1_000_000:
                content = packed.read(types)
                return next((kind for mark, kind in _CONTENT_TYPES if mark in content), "zip")
    except Exception:  # zipfile raises many kinds on damaged files; the reader says what is wrong
        return _zipped_by_bytes(raw)
    return "zip"


def _zipped_by_bytes(raw: bytes) -> str:
    for mark, kind in (
        (b"word/document", "docx"),
        (b"xl/work", "xlsx"),
        (b"opendocument.text", "odt"),
        (b"opendocument.spread", "ods"),
    ):
        if mark in raw:
            return kind
    return "zip"
