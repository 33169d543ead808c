"""PDFs whose fonts map glyphs to no letter: the glyphs' names say what they show."""

from __future__ import annotations

import io
import re
from typing import Any

_NAMED = re.compile(r"uni([0-9A-F]{4})|u([0-9A-F]{4,6})")
_CATALOG = re.compile(rb"\b(\d{1,8}) (\d{1,5}) obj\s*<<[^>]{0,2000}?/Type\s*/Catalog\b")
_LIGATURES = {
    "ff": "ff", "fi": "fi", "fl": "fl", "ffi": "ffi", "ffl": "ffl", "f_f": "ff", "f_i": "fi", "f_l": "fl",
    "f_f_i": "ffi", "f_f_l": "ffl", "f_t": "ft", "t_t": "tt", "T_h": "Th", "longst": "st", "st": "st", "s_t": "st",
    "c_t": "ct", "Q_u": "Qu", "f_j": "fj", "f_f_j": "ffj", "f_b": "fb", "f_h": "fh", "f_k": "fk",
}  # fmt: skip


def with_trailer(raw: bytes) -> bytes | None:
    """Return a file that was cut before its trailer with one that names its catalog; None where there is none."""
    if b"trailer" in raw or b"/Encrypt" in raw:
        return None
    found = _CATALOG.search(raw)
    return None if found is None else raw + b"\ntrailer<</Root %b %b R>>\n%%%%EOF" % found.groups()


def with_glyph_names(raw: bytes) -> bytes | None:
    """Return the file with a text for each glyph that has a telling name and none of its own.

    Names say what a glyph shows where the font's table gives a control character or nothing. None where there
    is nothing to mend, the file can't be rewritten or pypdf is missing.
    """
    try:
        from pypdf import PdfReader, PdfWriter
    except ImportError:
        return None
    try:
        reader = PdfReader(io.BytesIO(raw), strict=False)
        if reader.is_encrypted:
            reader.decrypt("")
        writer = PdfWriter(clone_from=reader)
        count = sum(_mend(font, writer) for font in _fonts(writer))
        if not count:
            return None
        out = io.BytesIO()
        writer.write(out)
        return out.getvalue()
    except MemoryError:
        raise
    except Exception:  # a second look at a file that was read: what it raises says nothing new
        return None


def _fonts(writer: Any) -> list[Any]:
    found: dict[int, Any] = {}
    for item in writer._objects:
        value = item.get_object() if item is not None else None
        if isinstance(value, dict) and value.get("/Type") == "/Font" and "/Encoding" in value:
            found[id(value)] = value
    return list(found.values())


def _mend(font: Any, writer: Any) -> int:
    """Give a font's unreadable codes the texts that its glyph names say; return how many."""
    from pypdf.generic import NameObject, StreamObject

    encoding = font["/Encoding"].get_object()
    if not isinstance(encoding, dict) or "/Differences" not in encoding:
        return 0
    names: dict[int, str] = {}
    code = 0
    for entry in encoding["/Differences"].get_object():
        if isinstance(entry, int):
            code = int(entry)
        else:
            names[code] = str(entry)[1:]
            code += 1
    table = font["/ToUnicode"].get_object().get_data().decode("latin-1") if "/ToUnicode" in font else ""
    texts = {code: text for code, name in names.items() if (text := _text_of(name)) and _is_lost(table, code)}
    if not texts or not table:
        return 0
    lines = [
        f"<{code:02X}> <{text.encode('utf-16-be').hex().upper()}>" for code, text in sorted(texts.items())
    ]
    for code in texts:
        table = re.sub(
            rf"<0*{code:02X}>\s*<(?:00[0-9A-F]{{2}}|FFFD|[EF][0-9A-F]{{3}}|)>", "", table, flags=re.IGNORECASE
        )
    table = re.sub(r"\d+\s+beginbfchar\s+endbfchar", "", table)
    more = f"\n{len(lines)} beginbfchar\n" + "\n".join(lines) + "\nendbfchar\n"
    stream = StreamObject()
    stream.set_data(table.replace("endcmap", f"{more}endcmap", 1).encode("latin-1"))
    font[NameObject("/ToUnicode")] = writer._add_object(stream)
    return len(texts)


def _is_lost(table: str, code: int) -> bool:
    """Tell whether the table maps `code` to a control character, a private one or U+FFFD, by itself."""
    mapped = re.search(rf"<0*{code:02X}>\s*<([0-9A-F]*)>(?!\s*<)", table, re.IGNORECASE)
    if mapped is None:
        return False
    target = mapped.group(1)
    if not target:
        return True
    value = int(target, 16)
    return value < 0x20 or 0x7F <= value < 0xA0 or 0xE000 <= value <= 0xF8FF or value == 0xFFFD


def _text_of(name: str) -> str:
    name = name.partition(".")[0]
    if name in _LIGATURES:
        return _LIGATURES[name]
    if found := _NAMED.fullmatch(name):
        code = int(found.group(1) or found.group(2), 16)
        return chr(code) if 0x20 <= code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
    from pypdf._codecs import adobe_glyphs

    text = adobe_glyphs.get(f"/{name}", "")
    return text if text and text >= " " else ""
