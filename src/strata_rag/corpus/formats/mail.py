"""Mails: headers, the readable body, attachments read like files."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Callable, Iterator
from email.message import EmailMessage

from strata_rag.corpus.formats.encodings import decode
from strata_rag.corpus.formats.extraction import Extraction, Unreadable
from strata_rag.corpus.formats.html import read_html
from strata_rag.corpus.formats.texts import TextBuilder
from strata_rag.documents import Scalar

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_DEEPEST = 5
ReadBytes = Callable[[str, bytes], Extraction]


def read_mail(raw: bytes, *, read: ReadBytes) -> Extraction:
    """Return a mail: who, when and about what, then its body, then what is attached.

    Args:
        raw: The message.
        read: Reads an attachment, from its name and bytes.

    Raises:
        Unreadable: It is no mail.
    """
    message = email.message_from_bytes(raw, policy=email.policy.default)
    headers = {name: value for name in _SHOWN if (value := _header(message, name))}
    if not headers and not any(message.keys()):
        raise Unreadable("expected a mail, found no header")
    builder = TextBuilder()
    warnings: list[str] = []
    encoding = _write(builder, message, headers, warnings, read, 0)
    metadata: dict[str, Scalar] = {
        name.lower(): builder.cleaner.clean(value) for name, value in headers.items() if name != "Subject"
    }
    return Extraction(
        text=builder.build(),
        format="eml",
        title=builder.cleaner.clean(headers.get("Subject", "")),
        metadata=metadata,
        sections=tuple(builder.sections),
        records=tuple(builder.records),
        encoding=encoding,
        warnings=(*warnings, *builder.cleaner.warnings),
    )


def _header(message: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(message[name] or "").split())
    except Exception:  # the parser raises many kinds on headers that break its grammar
        raw = next((value for key, value in message.raw_items() if key.lower() == name.lower()), "")
        return " ".join(str(raw).split())


def _write(
    builder: TextBuilder,
    message: EmailMessage,
    headers: dict[str, str],
    warnings: list[str],
    read: ReadBytes,
    depth: int,
) -> str:
    for name, value in headers.items():
        builder.line(f"{name}: {value}")
    builder.end_line(blank=True)
    encodings: list[str] = []
    for part in _bodies(message):
        _write_body(builder, part, warnings, encodings)
    for part in _attachments(message):
        _write_attachment(builder, part, warnings, read, depth)
    return encodings[0] if encodings else ""


def _bodies(part: EmailMessage) -> Iterator[EmailMessage]:
    """Yield the parts that a reader sees in place: of alternatives the plain one."""
    if part.get_content_maintype() == "multipart":
        children = [child for child in part.iter_parts() if isinstance(child, EmailMessage)]
        if part.get_content_subtype() == "alternative":
            children = _preferred(children)
        for child in children:
            yield from _bodies(child)
    elif part.get_content_maintype() == "text" and not _is_attached(part):
        yield part


def _preferred(children: list[EmailMessage]) -> list[EmailMessage]:
    plain = [child for child in children if child.get_content_type() == "text/plain"]
    full = [child for child in plain if _payload(child).strip()]
    return full[:1] or [child for child in children if child not in plain][-1:] or plain[:1]


def _is_attached(part: EmailMessage) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _attachments(message: EmailMessage) -> Iterator[EmailMessage]:
    if message.get_content_type() == "message/rfc822":
        yield message
        return
    if message.get_content_maintype() == "multipart":
        for child in message.iter_parts():
            if isinstance(child, EmailMessage):
                yield from _attachments(child)
    elif _is_attached(message):
        yield message


def _write_body(builder: TextBuilder, part: EmailMessage, warnings: list[str], encodings: list[str]) -> None:
    payload = _payload(part)
    charset = part.get_content_charset() or ""
    builder.end_line(blank=True)
    try:
        if part.get_content_subtype() == "html":
            page = read_html(payload, charset=charset)
            builder.append(page.text, page.sections, page.records)
            encodings.append(page.encoding)
            warnings += page.warnings
        else:
            decoded = decode(payload, charset)
            builder.exact(decoded.text.strip("\r\n"))
            encodings.append(decoded.encoding)
            warnings += decoded.warnings
    except Unreadable as error:
        warnings.append(f"body ({part.get_content_type()}): {error}")
    builder.end_line(blank=True)


def _payload(part: EmailMessage) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _write_attachment(
    builder: TextBuilder, part: EmailMessage, warnings: list[str], read: ReadBytes, depth: int
) -> None:
    if part.get_content_type() == "message/rfc822":
        inner = next((child for child in part.iter_parts() if isinstance(child, EmailMessage)), None)
        if inner is None or depth >= _DEEPEST:
            warnings.append("an attached mail nests too deep: left out")
            return
        headers = {name: value for name in _SHOWN if (value := _header(inner, name))}
        builder.end_line(blank=True)
        builder.section(f"attached mail: {headers.get('Subject', '')}")
        _write(builder, inner, headers, warnings, read, depth + 1)
        return
    name = part.get_filename() or f"unnamed {part.get_content_type()}"
    try:
        found = read(name, _payload(part))
    except Unreadable as error:
        warnings.append(f"attachment {name}: {error}")
        return
    warnings += [f"attachment {name}: {warning}" for warning in found.warnings]
    if found.text.strip():
        builder.end_line(blank=True)
        builder.section(f"attachment: {name}")
        builder.append(found.text, found.sections, found.records)
        builder.end_line(blank=True)
