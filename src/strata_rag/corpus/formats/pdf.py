"""PDF files, by pdfium: text with page offsets, form values, notes; pages without text named."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from strata_rag.corpus.formats.docx_nodes import believable_title
from strata_rag.corpus.formats.extraction import INSTALL, Extraction, Limits, Unreadable, list_some
from strata_rag.corpus.formats.pdf_repair import with_glyph_names, with_trailer
from strata_rag.corpus.formats.texts import TextBuilder

_HYPHEN = re.compile(r"(\w*)\ufffe(\w*)")
_SUSPECT = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\ue000-\uf8ff]")
_BULLET = re.compile("^[\x80-\x9f\ue000-\uf8ff](?=[ \t])", re.MULTILINE)
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_PDFIUM_HYPHEN = 2
_NOTE_KINDS = frozenset({1, 3, 8, 9, 10, 11, 13})
"""Text notes, free text, highlights and their like, stamps."""
_WIDGET = 20
_LONGEST_VALUE = 100_000


def read_pdf(raw: bytes, *, limits: Limits) -> Extraction:
    """Return a PDF's text, each page's beginning as an offset.

    Raises:
        Unreadable: It is damaged or needs a password, has too many pages, or pypdfium2 is missing.
    """
    try:
        import pypdfium2
    except ImportError:
        raise Unreadable(f"PDF needs the extra formats: {INSTALL}") from None
    warnings = []
    try:
        document = _opened(pypdfium2, raw)
    except Unreadable:
        if (mended := with_trailer(raw)) is None:
            raise
        document = _opened(pypdfium2, mended)
        warnings.append("damaged: its end is missing, pages may be too")
    count = len(document)
    if count > limits.max_pages:
        raise Unreadable(f"{count} pages, more than corpus.limits.max_pages {limits.max_pages}")
    reader = _Reader(document)
    reader.read(range(count))
    if reader.lost_glyphs and (repaired := with_glyph_names(raw)) is not None:
        try:
            again = _Reader(_opened(pypdfium2, repaired))
            again.read(range(count))
        except Unreadable:
            again = reader
        if again.marks < reader.marks:
            reader = again
    found = reader.extraction(_title(document))
    attached = document.count_attachments()
    if attached:
        noun = "1 attached file" if attached == 1 else f"{attached} attached files"
        warnings.append(f"{noun} left out")
    return replace(found, warnings=(*found.warnings, *warnings))


def _opened(pypdfium2: Any, raw: bytes) -> Any:
    try:
        document = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as error:
        message = str(error)
        if "password" in message.lower():
            raise Unreadable("encrypted: a password is needed") from error
        if "security" in message.lower():
            raise Unreadable("encrypted in a way that is not supported") from error
        found = re.search(r"PDFium: (.*?) error", message)
        detail = found.group(1).lower() if found else message
        raise Unreadable(f"expected a PDF, found damaged data ({detail})") from error
    if len(document) == 0:
        raise Unreadable("expected a PDF with pages, found none")
    if document.get_formtype():
        document.init_forms()
    return document


def _title(document: Any) -> str:
    try:
        return believable_title(str(document.get_metadata_value("Title") or "").replace("\0", ""))
    except (ValueError, UnicodeError):
        return ""


class _Reader:
    """Reads pages one after the other; one that fails costs no other."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._out = TextBuilder(mark_controls=True)
        self._without: list[int] = []
        self._failed: list[int] = []
        self._marked: list[int] = []
        self.lost_glyphs = False

    @property
    def marks(self) -> int:
        """Number of characters that could not be read."""
        return self._out.cleaner.unreadable

    def read(self, pages: range) -> None:
        for index in pages:
            self._out.end_line(blank=True)
            self._out.page()
            before, marks = self._out.length, self.marks
            try:
                self._page(index)
            except Exception as error:  # pdfium's binding raises several kinds on a damaged page
                if isinstance(error, MemoryError):
                    raise
                self._failed.append(index + 1)
                continue
            if self._out.length == before:
                self._without.append(index + 1)
            if self.marks > marks:
                self._marked.append(index + 1)

    def extraction(self, title: str) -> Extraction:
        text = self._out.build()
        return Extraction(
            text=text,
            format="pdf",
            title=self._out.cleaner.clean(title),
            pages=tuple(self._out.pages),
            warnings=tuple(self._warnings(text)),
        )

    def _warnings(self, text: str) -> Iterator[str]:
        count = len(self._out.pages)
        if self._failed:
            yield f"{'page' if len(self._failed) == 1 else 'pages'} {list_some(self._failed)} damaged: no text read"
        if self._without and not text.strip():
            yield (
                f"no text on any of {count} pages: scanned?"
                if count > 1
                else "no text on its only page: scanned?"
            )
        elif self._without:
            yield f"no text on {'page' if len(self._without) == 1 else 'pages'} {list_some(self._without)}: scanned?"
        if self._marked:
            where = f"{'page' if len(self._marked) == 1 else 'pages'} {list_some(self._marked)}"
            noun = "1 character" if self.marks == 1 else f"{self.marks} characters"
            yield f"{noun} could not be read (U+FFFD), on {where}"

    def _page(self, index: int) -> None:
        page = self._document[index]
        try:
            text_page = page.get_textpage()
            text = text_page.get_text_range()
            if _RIGHT_TO_LEFT.search(text):
                text = _mended(text_page)
            elif "\ufffe" in text:
                text = _told_apart(text_page, text)
            self.lost_glyphs |= bool(_SUSPECT.search(text))
            self._out.exact(_BULLET.sub("•", _joined(text.replace("\r\n", "\n"))).strip("\n"))
            text_page.close()
            # A group of buttons has its value at each of them.
            for line in dict.fromkeys(_notes_and_values(self._document, page)):
                if line.strip() and line.partition(": ")[2].strip() not in text:
                    self._out.line(line)
        finally:
            page.close()


def _joined(text: str) -> str:
    """Join the words that pdfium says were hyphenated at a line's end, unless the page writes them with a hyphen."""
    if "\ufffe" not in text:
        return text

    def join(found: re.Match[str]) -> str:
        hyphenated = f"{found.group(1)}-{found.group(2)}"
        is_word = found.group(1)[-1:].isalpha() and found.group(2)[:1].isalpha()
        return hyphenated if not is_word or hyphenated in text else found.group(1) + found.group(2)

    return _HYPHEN.sub(join, text)


def _told_apart(text_page: Any, text: str) -> str:
    """Return the text with glyphs that stand for nothing told from the hyphens that pdfium writes alike."""
    import pypdfium2.raw as pdfium

    if len(text) != text_page.count_chars():
        return _mended(text_page)
    characters = list(text)
    for found in re.finditer("\ufffe", text):
        code = pdfium.FPDFText_GetUnicode(text_page, found.start())
        characters[found.start()] = "\ufffe" if code == _PDFIUM_HYPHEN else chr(code)
    return "".join(characters)


def _mended(text_page: Any) -> str:
    """Return the text read letter by letter, right-to-left ones in the order they are read."""
    import pypdfium2.raw as pdfium

    count = text_page.count_chars()
    codes = [pdfium.FPDFText_GetUnicode(text_page, at) for at in range(count)]
    characters = ["\ufffe" if code == _PDFIUM_HYPHEN else chr(code) for code in codes]
    at = 0
    while at < count:
        end = at
        if _RIGHT_TO_LEFT.match(characters[at]) or characters[at] == " ":
            box = _box(text_page, at)
            while end + 1 < count and _is_of_glyph(characters[end + 1]) and _box(text_page, end + 1) == box:
                end += 1
            if end > at and any(map(_RIGHT_TO_LEFT.match, characters[at : end + 1])):
                # One glyph that stands for several letters: pdfium turned them round as if each had a place.
                characters[at : end + 1] = characters[at : end + 1][::-1]
        at = end + 1
    # Beyond the Basic Multilingual Plane pdfium gives two halves.
    return "".join(characters).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _is_of_glyph(character: str) -> bool:
    return bool(_RIGHT_TO_LEFT.match(character)) or character == " " or unicodedata.combining(character) > 0


def _box(text_page: Any, at: int) -> tuple[float, ...]:
    return tuple(text_page.get_charbox(at))


def _notes_and_values(document: Any, page: Any) -> Iterator[str]:
    """Yield the notes on a page, and what its form's fields hold as ``name: value``."""
    import pypdfium2.raw as pdfium

    for at in range(pdfium.FPDFPage_GetAnnotCount(page)):
        note = pdfium.FPDFPage_GetAnnot(page, at)
        if not note:
            continue
        try:
            kind = pdfium.FPDFAnnot_GetSubtype(note)
            if kind == _WIDGET and document.formenv:
                name = _string(pdfium.FPDFAnnot_GetFormFieldName, document.formenv, note)
                value = _string(pdfium.FPDFAnnot_GetFormFieldValue, document.formenv, note)
                if value.strip() and value != "Off":
                    yield f"{name}: {value}" if name else value
            elif kind in _NOTE_KINDS:
                contents = _string(pdfium.FPDFAnnot_GetStringValue, note, b"Contents")
                if contents.strip():
                    yield f"Note: {contents}"
        finally:
            pdfium.FPDFPage_CloseAnnot(note)


def _string(get: Any, *arguments: Any) -> str:
    """Call a pdfium function that fills a buffer with UTF-16 and returns how many bytes it needs."""
    size = get(*arguments, None, 0)
    if not 2 < size <= _LONGEST_VALUE:
        return ""
    buffer = ctypes.create_string_buffer(size)
    import pypdfium2.raw as pdfium

    get(*arguments, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")
