"""Markdown and plain text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from strata_rag.corpus.formats.encodings import decode
from strata_rag.corpus.formats.extraction import Extraction
from strata_rag.corpus.formats.front_matter import split_front_matter
from strata_rag.corpus.formats.texts import Cleaner
from strata_rag.documents import Scalar

_DATA_URI = re.compile(
    r"(data:[\w.+-]+/[\w.+-]+(?:;[\w.=+-]+)*;base64,)[A-Za-z0-9+/=\s%]{40,}?(?=[)\"'>\s]|\Z)"
)


def read_plain(raw: bytes) -> Extraction:
    """Return a text file as it stands.

    Raises:
        Unreadable: It is no text.
    """
    decoded = decode(raw)
    cleaner = Cleaner()
    text = cleaner.clean(decoded.text)
    return Extraction(text, "txt", encoding=decoded.encoding, warnings=(*decoded.warnings, *cleaner.warnings))


def read_markdown(raw: bytes) -> Extraction:
    """Return a Markdown file: front matter as metadata, the rest as it stands but for embedded pictures.

    Raises:
        Unreadable: It is no text.
    """
    decoded = decode(raw)
    cleaner = Cleaner()
    metadata, text, problem = split_front_matter(cleaner.clean(decoded.text))
    warnings = [*decoded.warnings, *cleaner.warnings, *([problem] if problem else [])]
    if "base64," in text:
        text, count = _DATA_URI.subn(r"\1", text)
        if count:
            warnings.append(f"the data of {count} embedded file{'s' if count > 1 else ''} left out")
    title, rest = _title(metadata)
    return Extraction(
        text, "md", title=title, metadata=rest, encoding=decoded.encoding, warnings=tuple(warnings)
    )


def _title(metadata: Mapping[str, Scalar]) -> tuple[str, dict[str, Scalar]]:
    name = next((key for key in metadata if key.lower() == "title"), None)
    title = "" if name is None else " ".join(str(metadata[name]).split())
    return title, {key: value for key, value in metadata.items() if key != name}
