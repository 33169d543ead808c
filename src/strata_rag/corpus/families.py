"""Joins documents with the rosters of their families, by an exact key; no model has a say in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from strata_rag.corpus.plugin_loading import raise_broken
from strata_rag.corpus.registry import Family
from strata_rag.corpus.rosters import Roster, read_roster
from strata_rag.documents import Scalar, SourceDocument
from strata_rag.errors import CorpusError, PluginError


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A field that a document states otherwise than its roster.

    Attributes:
        doc_id: The document.
        line: The roster's line.
        field: The field.
        document: What the document or its adapter says.
        roster: What the roster says; this is what is stored.
    """

    doc_id: str
    line: int
    field: str
    document: Scalar
    roster: Scalar


@dataclass(slots=True)
class FamilyCheck:
    """How the documents of one family meet their roster.

    Attributes:
        family: The family.
        roster: Its roster.
        keys: Key of each document that has a row, by document id.
        missing_row: Key of each document that has none, by document id.
        mismatches: Fields that both sides state differently.
    """

    family: Family
    roster: Roster
    keys: dict[str, str] = field(default_factory=dict)
    missing_row: dict[str, str] = field(default_factory=dict)
    mismatches: list[Mismatch] = field(default_factory=list)

    @property
    def missing_document(self) -> dict[str, int]:
        """Line of each row that no document has, by key."""
        found = set(self.keys.values())
        return {key: row.line for key, row in self.roster.rows.items() if key not in found}

    @property
    def matched(self) -> int:
        """Documents that have a row and contradict it nowhere."""
        return len(self.keys.keys() - {one.doc_id for one in self.mismatches})

    @property
    def in_order(self) -> bool:
        """Whether both sides agree, and nothing is missing or reported."""
        return not (self.mismatches or self.missing_row or self.missing_document or self.roster.problems)


class Families:
    """The families of one corpus, with their rosters read.

    Args:
        families: Those in use.
        folder: The rosters' folder.

    Raises:
        CorpusError: A roster can't be read.
    """

    def __init__(self, families: Sequence[Family], folder: Path) -> None:
        self.rosters: Mapping[str, Roster] = {one.name: read_roster(one, folder) for one in families}
        self._families = {one.name: one for one in families}
        self._by_folder = {folder: one for one in families for folder in one.folders}
        self.checks: dict[str, FamilyCheck] = {}
        self.restart()

    def restart(self) -> None:
        """Forget the documents seen so far."""
        self.checks = {
            name: FamilyCheck(family, self.rosters[name]) for name, family in self._families.items()
        }

    def digests(self) -> dict[str, str]:
        """Return the digest of each roster, by family."""
        return {name: roster.digest for name, roster in self.rosters.items()}

    def join(self, document: SourceDocument) -> SourceDocument:
        """Return the document with its family, and with what the roster says of it.

        Raises:
            PluginError: Its adapter names a family that no plugin registered, or the key rule fails.
        """
        family = self._family_of(document)
        if family is None:
            return document
        check = self.checks[family.name]
        key = _key_of(document, family)
        row = check.roster.rows.get(key)
        if row is None:
            check.missing_row[document.doc_id] = key
            return replace(document, family=family.name)
        check.keys[document.doc_id] = key
        for name, value in row.values.items():
            if name in document.metadata and not _agree(document.metadata[name], value):
                check.mismatches.append(
                    Mismatch(document.doc_id, row.line, name, document.metadata[name], value)
                )
        return replace(document, family=family.name, metadata={**document.metadata, **row.values})

    def notes(self) -> list[str]:
        """Return what a reader should know of the join, a line per matter."""
        notes = []
        for name, check in self.checks.items():
            where = check.roster.path.name
            notes += [f"roster {where}:{problem.line}: {problem.text}" for problem in check.roster.problems]
            figures = (
                (len(check.missing_row), "document", "without a row"),
                (len(check.missing_document), "row", "without a document"),
                (
                    len(check.mismatches),
                    "field",
                    "that a document states otherwise; the roster's value is stored",
                ),
            )
            found = [f"{count} {thing}{'s' * (count > 1)} {what}" for count, thing, what in figures if count]
            if found:
                notes.append(f"family {name}, {where}: {', '.join(found)}; see `strata roster check`")
        return notes

    def _family_of(self, document: SourceDocument) -> Family | None:
        if document.family:
            if document.family not in self._families:
                raise PluginError(
                    f"document {document.doc_id!r:.80}: family: expected one that a plugin registered for this corpus, "
                    f"found {document.family!r}",
                    hint="call register_family with that name and the folder it lies in",
                )
            return self._families[document.family]
        parts = document.doc_id.split("/")[:-1]
        if not parts or parts[0] != document.source:  # an id that the data set gives, such as a row's
            parts = [part for part in (document.source, document.project) if part]
        for depth in range(len(parts), 0, -1):
            if family := self._by_folder.get("/".join(parts[:depth])):
                return family
        return None


def _key_of(document: SourceDocument, family: Family) -> str:
    if family.key is None:
        return document.doc_id
    try:
        key = family.key(document)
    except Exception as error:  # a key rule is a plugin's code: whatever it raises is told with its place
        raise_broken(error, family.plugin, doing=f"making the key of {document.doc_id}")
    if not isinstance(key, str):
        raise CorpusError(
            f"{family.plugin.origin}: key of family {family.name}: expected text for {document.doc_id}, "
            f"found {type(key).__name__}",
            hint="let the key rule return the text that stands in the roster",
        )
    return key


def _agree(one: Scalar, other: Scalar) -> bool:
    """Tell whether two values say the same; a number and the text that writes it do."""
    return one == other or str(one) == str(other)
