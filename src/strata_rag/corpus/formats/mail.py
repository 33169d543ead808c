"""Mails: headers, the readable body, attachments read like files."""

from __future__ import annotations

import binascii
import email
import email.policy
import quopri
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
    headers = _headers(message)
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


def _headers(message: EmailMessage) -> dict[str, str]:
    """Return the headers that are shown, by name."""
    stated = {key.lower(): str(value) for key, value in reversed(list(message.raw_items()))}
    raw = {name: stated[name.lower()] for name in _SHOWN if name.lower() in stated}
    if all(value.isascii() for value in raw.values()):
        shown = {name: _parsed(message, name, value) for name, value in raw.items()}
    else:
        shown = _guessed(message, raw)
    return {name: plain for name, value in shown.items() if (plain := " ".join(value.split()))}


def _guessed(message: EmailMessage, raw: dict[str, str]) -> dict[str, str]:
    """Decode headers that hold bytes beyond ASCII without a word on their encoding, like the whole mail."""
    values = {name: value.encode("utf-8", "surrogateescape") for name, value in raw.items()}
    try:
        charset = decode(b"\n".join((*values.values(), *map(_payload, _bodies(message))))).encoding
        return {name: decode(value, charset).text for name, value in values.items()}
    except Unreadable:
        return raw


def _parsed(message: EmailMessage, name: str, raw: str) -> str:
    try:
        return str(message[name] or "")
    except Exception:  # the parser raises many kinds on headers that break its grammar
        return raw


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
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        children = [child for child in part.iter_parts() if isinstance(child, EmailMessage)]
        if part.get_content_subtype() == "alternative":
            children = _preferred(children)
        for child in children:
            yield from _bodies(child)
    elif _is_shown(part):
        yield part


def _is_shown(part: EmailMessage) -> bool:
    """Tell whether a part is read in place: text, reports of delivery, what was never cut into parts."""
    kind = part.get_content_type()
    if kind == "text/css" or _is_attached(part):
        return False
    return part.get_content_maintype() in ("text", "multipart") or kind == "message/delivery-status"


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
    elif not _is_shown(message) and message.get_content_type() != "text/css":
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
    if isinstance(payload, bytes):
        return payload
    parts = part.get_payload()
    if not isinstance(parts, list):
        return b""
    return b"\n".join(one.as_bytes() for one in parts if isinstance(one, EmailMessage))


def _enclosed(part: EmailMessage) -> EmailMessage | None:
    """Return the mail that a part holds, unpacked where its sender packed it against the rules."""
    inner = next((child for child in part.iter_parts() if isinstance(child, EmailMessage)), None)
    packing = str(part.get("content-transfer-encoding", "")).strip().lower()
    if inner is None or packing not in ("base64", "quoted-printable"):
        return inner
    plain = str(inner.get_payload()) if not inner.is_multipart() else ""
    unpack = binascii.a2b_base64 if packing == "base64" else quopri.decodestring
    try:
        raw = unpack(plain.encode("utf-8", "surrogateescape"))
    except (binascii.Error, ValueError):
        return inner
    message = email.message_from_bytes(raw, policy=email.policy.default)
    return message if any(message.keys()) else inner


def _write_attachment(
    builder: TextBuilder, part: EmailMessage, warnings: list[str], read: ReadBytes, depth: int
) -> None:
    if part.get_content_type() == "message/rfc822":
        inner = _enclosed(part)
        if inner is None or depth >= _DEEPEST:
            warnings.append("an attached mail nests too deep: left out")
            return
        headers = _headers(inner)
        builder.end_line(blank=True)
        builder.section(f"attached mail: {headers.get('Subject', '')}")
        _write(builder, inner, headers, warnings, read, depth + 1)
        return
    stated = part.get_filename()
    name = stated or f"unnamed {part.get_content_type()}"
    ending = {"json": ".json", "csv": ".csv"}.get(part.get_content_subtype(), "")
    try:
        found = read(stated or f"unnamed{ending}", _payload(part))
    except Unreadable as error:
        warnings.append(f"attachment {name}: {error}")
        return
    warnings += [f"attachment {name}: {warning}" for warning in found.warnings]
    if found.text.strip():
        builder.end_line(blank=True)
        builder.section(f"attachment: {name}")
        builder.append(found.text, found.sections, found.records)
        builder.end_line(blank=True)
