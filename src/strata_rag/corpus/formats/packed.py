"""Zip files and the XML inside them, opened with limits."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from typing import Any

from strata_rag.corpus.formats.extraction import INSTALL, Limits, Unreadable

_SMALL = 1_000_000
_CHUNK = 1 << 16


class Packed:
    """A zip file whose members are read only within limits, by names that ignore case.

    Args:
        raw: The file.
        limits: How far it may unpack.

    Raises:
        Unreadable: It is damaged, or would unpack beyond a limit.
    """

    def __init__(self, raw: bytes, limits: Limits) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError) as error:
            raise Unreadable(f"damaged: {_plain(error)}") from error
        members = self._zip.infolist()
        if len(members) > limits.max_members:
            raise Unreadable(
                f"{len(members)} files inside, more than corpus.limits.max_members {limits.max_members}"
            )
        total = sum(member.file_size for member in members)
        if total > limits.max_unpacked:
            raise Unreadable(
                f"unpacks to {total} bytes, more than corpus.limits.max_unpacked {limits.max_unpacked}"
            )
        self._limits = limits
        self._left = limits.max_unpacked
        self._members = {_key(member.filename): member for member in members}

    @property
    def members(self) -> list[zipfile.ZipInfo]:
        """What is inside, in its own order."""
        return self._zip.infolist()

    def has(self, name: str) -> bool:
        """Tell whether there is a member of that name."""
        return _key(name) in self._members

    def read(self, name: str) -> bytes:
        """Return a member's bytes.

        Raises:
            Unreadable: It is not there, is damaged, encrypted or too large.
        """
        member = self._members.get(_key(name))
        if member is None:
            raise Unreadable(f"damaged: no part {name}")
        return self.read_member(member)

    def read_member(self, member: zipfile.ZipInfo) -> bytes:
        """Return a member's bytes; what its header says of its size is not trusted."""
        if member.flag_bits & 0x1:
            raise Unreadable(f"{member.filename} is encrypted")
        most = max(_SMALL, member.compress_size * self._limits.max_ratio)
        parts: list[bytes] = []
        size = 0
        try:
            with self._zip.open(member) as file:
                while part := file.read(_CHUNK):
                    size += len(part)
                    if size > most:
                        raise Unreadable(
                            f"{member.filename} unpacks to more than corpus.limits.max_ratio "
                            f"{self._limits.max_ratio} times its size"
                        )
                    if size > self._left:
                        raise Unreadable(
                            f"unpacks to more than corpus.limits.max_unpacked {self._limits.max_unpacked} bytes"
                        )
                    parts.append(part)
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
            OSError,
            ValueError,
        ) as error:
            raise Unreadable(f"damaged: {member.filename}: {_plain(error)}") from error
        self._left -= size
        return b"".join(parts)

    def xml(self, name: str) -> Any:
        """Return the root element of an XML member."""
        return parse_xml(self.read(name), name)


def _key(name: str) -> str:
    """Return a member's name as it is looked up: some programs write backslashes, or other capitals."""
    return name.replace("\\", "/").lower().lstrip("/")


def _plain(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def parse_xml(raw: bytes, name: str) -> Any:
    """Return the root element; entities of its own, external parts and the network are refused.

    Raises:
        Unreadable: It is not well-formed, declares entities, or lxml is missing.
    """
    try:
        from lxml import etree
    except ImportError:
        raise Unreadable(f"this format needs the extra formats: {INSTALL}") from None
    if b"<!ENTITY" in raw or b"<\0!\0E\0N\0T" in raw:
        raise Unreadable(f"{name} declares XML entities: refused")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_pis=True,
        remove_comments=True,
    )  # fmt: skip
    try:
        return etree.fromstring(raw, parser)
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"damaged: {name}: {error.msg}") from error


class Package(Packed):
    """An Office Open XML file: parts that name one another by relationships."""

    def main_part(self) -> str:
        """Return the name of the part that holds the document.

        Raises:
            Unreadable: Nothing says which one it is.
        """
        for target, kind in self.relations("").values():
            if kind == "officeDocument":
                return target
        for usual in ("word/document.xml", "xl/workbook.xml"):
            if self.has(usual):
                return usual
        raise Unreadable("damaged: no main part")

    def relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Return what `part` refers to inside the file, by relationship id: name of the target and kind."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        if not self.has(path):
            return {}
        found = {}
        for node in self.xml(path):
            if local(node) != "Relationship" or node.get("TargetMode") == "External":
                continue
            target = (node.get("Target") or "").replace("\\", "/")
            joined = target if target.startswith("/") else posixpath.join("/", folder, target)
            kind = (node.get("Type") or "").rpartition("/")[2]
            found[node.get("Id") or ""] = (posixpath.normpath(joined).lstrip("/"), kind)
        return found


def local(node: Any) -> str:
    """Return an element's name without its namespace; empty for what is no element."""
    tag = getattr(node, "tag", None)
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def whole(text: str | None, default: int = 0) -> int:
    """Return the whole number that an attribute holds, or `default` where it holds none."""
    is_number = text is not None and len(text) <= 18 and text.isascii() and text.isdigit()
    return int(text) if text is not None and is_number else default


def attribute(node: Any, name: str) -> str | None:
    """Return an attribute by its name, whatever its namespace."""
    for key, value in node.attrib.items():
        if key == name or key.endswith(f"}}{name}"):
            return str(value)
    return None
