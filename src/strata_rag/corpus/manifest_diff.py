"""What changed between two manifests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from strata_rag.corpus.coverage import Coverage, Share
from strata_rag.corpus.manifest import Manifest, ManifestRow

COUNTS = ("documents", "chunks", "characters", "max_tokens", "tokens", "pages", "redactions", "secrets")
_READ_AS = ("format", "encoding")


@dataclass(frozen=True, slots=True)
class Change:
    """A value that differs.

    Attributes:
        name: Which one.
        before: Its value in the first manifest; None where it is not known there.
        after: Its value in the second one.
    """

    name: str
    before: int | str | None
    after: int | str | None


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that both manifests have, in different ways.

    Attributes:
        before: Its row in the first manifest.
        after: Its row in the second one.
    """

    before: ManifestRow
    after: ManifestRow

    @property
    def decided_otherwise(self) -> bool:
        """Whether its status or the reason of it differs."""
        return (self.before.status, self.before.reason) != (self.after.status, self.after.reason)

    @property
    def text_differs(self) -> bool:
        """Whether its text differs; a manifest without digests can't tell."""
        return bool(self.before.digest and self.after.digest) and self.before.digest != self.after.digest

    @property
    def counts(self) -> tuple[Change, ...]:
        """The counts that differ."""
        return _changes(self.before, self.after, COUNTS)

    @property
    def read_as(self) -> tuple[Change, ...]:
        """Format and encoding, where they differ."""
        return _changes(self.before, self.after, _READ_AS)

    @property
    def warnings_gained(self) -> tuple[str, ...]:
        """Warnings that only the second manifest has."""
        return tuple(one for one in self.after.warnings if one not in self.before.warnings)

    @property
    def warnings_lost(self) -> tuple[str, ...]:
        """Warnings that only the first manifest has."""
        return tuple(one for one in self.before.warnings if one not in self.after.warnings)


@dataclass(frozen=True, slots=True)
class Move:
    """A file under another path: the one text that went is the one that came.

    Attributes:
        before: Its row in the first manifest.
        after: Its row in the second one.
    """

    before: ManifestRow
    after: ManifestRow


@dataclass(frozen=True, slots=True)
class ShareChange:
    """A type or folder of which another number of files was read.

    Attributes:
        kind: ``type`` or ``folder``.
        name: Which one.
        before: In the first manifest, or None where it has no such file.
        after: In the second one.
    """

    kind: str
    name: str
    before: Share | None
    after: Share | None


@dataclass(frozen=True, slots=True)
class FindingChange:
    """What coverage found in only one of the manifests.

    Attributes:
        name: The finding, such as ``empty documents``.
        gained: What only the second manifest has.
        lost: What only the first one has.
    """

    name: str
    gained: tuple[str, ...]
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ManifestDiff:
    """Everything that differs, sorted by path and name.

    Attributes:
        added: Files that only the second manifest has.
        removed: Files that only the first one has.
        moved: Files under another path.
        changed: Files that both have, with any difference.
        totals: Totals that differ.
        shares: Types and folders of which another number of files was read.
        findings: What coverage found in only one of them.
    """

    added: tuple[ManifestRow, ...]
    removed: tuple[ManifestRow, ...]
    moved: tuple[Move, ...]
    changed: tuple[FileChange, ...]
    totals: tuple[Change, ...]
    shares: tuple[ShareChange, ...]
    findings: tuple[FindingChange, ...]

    @property
    def is_empty(self) -> bool:
        """Whether both manifests say the same."""
        return not (
            self.added
            or self.removed
            or self.moved
            or self.changed
            or self.totals
            or self.shares
            or self.findings
        )


def diff_manifests(before: Manifest, after: Manifest) -> ManifestDiff:
    """Return what differs between two manifests."""
    old = {row.path: row for row in before.rows}
    new = {row.path: row for row in after.rows}
    gone = [row for path, row in old.items() if path not in new]
    come = [row for path, row in new.items() if path not in old]
    moved = _moves(gone, come)
    left, arrived = {one.before.path for one in moved}, {one.after.path for one in moved}
    totals_before, totals_after = before.totals(), after.totals()
    return ManifestDiff(
        added=tuple(row for row in come if row.path not in arrived),
        removed=tuple(row for row in gone if row.path not in left),
        moved=moved,
        changed=tuple(
            FileChange(row, new[path]) for path, row in old.items() if path in new and new[path] != row
        ),
        totals=tuple(
            Change(name, value, totals_after[name])
            for name, value in totals_before.items()
            if value != totals_after[name]
        ),
        shares=(
            *_share_changes("type", before.coverage.types, after.coverage.types),
            *_share_changes("folder", before.coverage.folders, after.coverage.folders),
        ),
        findings=_finding_changes(before.coverage, after.coverage),
    )


def _changes(before: ManifestRow, after: ManifestRow, names: Iterable[str]) -> tuple[Change, ...]:
    pairs = ((name, getattr(before, name), getattr(after, name)) for name in names)
    return tuple(Change(*one) for one in pairs if one[1] != one[2])


def _moves(gone: Iterable[ManifestRow], come: Iterable[ManifestRow]) -> tuple[Move, ...]:
    """Return pairs with the same text, where that text went once and came once."""
    left, arrived = _by_text(gone), _by_text(come)
    return tuple(Move(row, arrived[digest]) for digest, row in left.items() if digest in arrived)


def _by_text(rows: Iterable[ManifestRow]) -> Mapping[str, ManifestRow]:
    with_text = [row for row in rows if row.digest and row.characters]
    counts = Counter(row.digest for row in with_text)
    return {row.digest: row for row in with_text if counts[row.digest] == 1}


def _share_changes(kind: str, before: Iterable[Share], after: Iterable[Share]) -> tuple[ShareChange, ...]:
    old, new = {one.name: one for one in before}, {one.name: one for one in after}
    return tuple(
        ShareChange(kind, name, old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    )


def _finding_changes(before: Coverage, after: Coverage) -> tuple[FindingChange, ...]:
    old, new = _findings(before), _findings(after)
    changes = (
        FindingChange(name, tuple(sorted(new[name] - old[name])), tuple(sorted(old[name] - new[name])))
        for name in old
    )
    return tuple(one for one in changes if one.gained or one.lost)


def _findings(coverage: Coverage) -> dict[str, set[str]]:
    """Return what coverage found, by name, each item as text."""
    return {
        "folders without an adapter": set(coverage.without_adapter or ()),
        "folders without documents": set(coverage.without_documents),
        "empty documents": set(coverage.empty_documents),
        "far longer than the others": {one.doc_id for one in coverage.long},
        "far shorter than the others": {one.doc_id for one in coverage.short},
        "pages without text": {
            f"{one.path}: page {page}" for one in coverage.empty_pages for page in one.empty
        },
    }
