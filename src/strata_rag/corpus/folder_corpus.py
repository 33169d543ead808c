"""A corpus of folders: rules judge its files, plugins read theirs, the default adapter the rest, rosters join."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from strata_rag.corpus.adapter import FileOutcome, SourceAdapter
from strata_rag.corpus.checked_adapter import CheckedAdapter
from strata_rag.corpus.families import Families, FamilyCheck
from strata_rag.corpus.registry import RegisteredAdapter, Registry
from strata_rag.corpus.rules import JudgedFiles, Rules
from strata_rag.corpus.walk import WalkedFile, printable, walk_files
from strata_rag.documents import SourceDocument

DefaultAdapter = Callable[[Callable[[], Iterable[WalkedFile]]], SourceAdapter]
"""Makes the adapter of the files that no plugin reads, from what gives those files."""


class FolderCorpus:
    """Reads a root whose folders may have adapters, rules and families of their own.

    Args:
        root: The corpus root.
        follow_symlinks: Whether symbolic links are followed.
        default: Makes the adapter of the files that no plugin reads.
        registry: The plugins' adapters.
        families: The families in use, with their rosters.
        rules: Judge every file before it is opened.
    """

    def __init__(
        self,
        root: Path,
        *,
        follow_symlinks: bool,
        default: DefaultAdapter,
        registry: Registry,
        families: Families,
        rules: Rules,
    ) -> None:
        self._root = root
        self._follow_symlinks = follow_symlinks
        self._default = default
        self._registry = registry
        self._families = families
        self._rules = rules
        self._judged = JudgedFiles(root, rules)
        self._outcomes: list[FileOutcome] = []

    @property
    def outcomes(self) -> Sequence[FileOutcome]:
        return self._outcomes

    @property
    def family_checks(self) -> Sequence[FamilyCheck]:
        """How the documents seen so far meet their rosters, by family."""
        return list(self._families.checks.values())

    @property
    def notes(self) -> Sequence[str]:
        """Return what a reader should know when `discover` has ended: unused rules, rosters that do not fit."""
        unused = [
            f"corpus.rules: {rule.label} matched no file (a path is relative to its source's folder; begin it with / "
            "for the corpus root)"
            for rule in self._judged.unused()
        ]
        return [*unused, *self._families.notes()]

    def discover(self) -> Iterator[SourceDocument]:
        """Yield every document, in the order of their files' paths."""
        self._outcomes = []
        self._families.restart()
        self._judged = JudgedFiles(self._root, self._rules)
        walked = self._judged.judged(walk_files(self._root, follow_symlinks=self._follow_symlinks))
        for folder, group in itertools.groupby(self._without_rosters(walked), key=self._claimed_folder):
            files = list(group)
            adapter = self._registry.adapter(folder) if folder else None
            source = self._default(partial(iter, files)) if adapter is None else self._plugin(adapter, files)
            for document in source.discover():
                yield self._families.join(document)
            self._outcomes += map(self._with_rule, source.outcomes)

    def _claimed_folder(self, file: WalkedFile) -> str:
        """Return the first folder of a path if a plugin reads it, else an empty text."""
        folder, slash, _ = file.path.partition("/")
        return folder if slash and self._registry.adapter(folder) else ""

    def _plugin(self, adapter: RegisteredAdapter, files: Iterable[WalkedFile]) -> SourceAdapter:
        """Return the plugin's adapter for the files it may read; the others have their rows now."""
        readable = []
        for file in files:
            if file.failed:
                row = FileOutcome(printable(file.path), "failed", printable(file.failed))
            elif file.excluded:
                row = FileOutcome(printable(file.path), "excluded", printable(file.excluded))
            elif printable(file.path) != file.path:
                row = FileOutcome(printable(file.path), "failed", "the file's name is not UTF-8")
            else:
                readable.append(file.path.partition("/")[2])
                continue
            self._outcomes.append(row)
        return CheckedAdapter(self._root, adapter, readable)

    def _without_rosters(self, files: Iterable[WalkedFile]) -> Iterator[WalkedFile]:
        rosters = {
            roster.path.resolve(): f"roster of family {name}"
            for name, roster in self._families.rosters.items()
        }
        for file in files:
            is_roster = file.path.endswith(".tsv") and not file.excluded and not file.failed
            reason = rosters.get((self._root / file.path).resolve()) if rosters and is_roster else None
            yield replace(file, excluded=reason) if reason else file

    def _with_rule(self, outcome: FileOutcome) -> FileOutcome:
        """Return the row of an included file with the rule that it stays by."""
        reason = self._judged.kept.get(outcome.path)
        return replace(outcome, reason=reason) if reason and outcome.status == "included" else outcome
