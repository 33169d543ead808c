"""What a Word document keeps in parts beside its text: title, headers and footers, embedded pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from strata_rag.corpus.formats.docx_nodes import believable_title
from strata_rag.corpus.formats.extraction import Extraction, Unreadable
from strata_rag.corpus.formats.html import read_html
from strata_rag.corpus.formats.mail import read_mail
from strata_rag.corpus.formats.packed import Package, attribute, local
from strata_rag.corpus.formats.rtf import read_rtf


def stated_title(package: Package) -> str:
    """Return the title in the document's properties; empty where there is none to believe."""
    for target, kind in package.relations("").values():
        if kind == "core-properties" and package.has(target):
            try:
                root = package.xml(target)
            except Unreadable:
                return ""
            for node in root.iter():
                if local(node) == "title":
                    return believable_title(node.text or "")
    return ""


def margins(body: Any, relations: Mapping[str, tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield ``header`` or ``footer`` and the part of each that a section refers to, once."""
    seen = set()
    for node in body.iter():
        name = local(node)
        if name in ("headerReference", "footerReference"):
            target = relations.get(attribute(node, "id") or "", ("", ""))[0]
            if target and (name, target) not in seen:
                seen.add((name, target))
                yield name.removesuffix("Reference"), target


def read_chunk(raw: bytes) -> Extraction:
    """Return an embedded page, mail archive or RTF file.

    Raises:
        Unreadable: It is neither.
    """
    start = raw[:400].lstrip().lower()
    if start.startswith(b"{\\rtf"):
        return read_rtf(raw)
    if b"mime-version" in start or start.startswith((b"from:", b"content-type")):
        return read_mail(raw, read=lambda name, _: Extraction("", name))
    return read_html(raw)
