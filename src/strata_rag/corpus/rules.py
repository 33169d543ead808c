"""Relevance rules: which files are left out, decided by path, type, folder and size before a file is opened."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Literal

from strata_rag.corpus.globs import glob_matches
from strata_rag.corpus.walk import WalkedFile, printable

Action = Literal["include", "exclude", "keep"]
ACTIONS: tuple[Action, ...] = ("include", "exclude", "keep")


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; all of its conditions must hold, each by any of its values. Empty conditions always hold.

    Attributes:
        number: 1-based place in the file.
        action: What becomes of a file that it matches.
        name: What the file calls it; may be empty.
        why: The reason it gives; may be empty.
        source: First folders under the corpus root, as patterns of one name.
        path: Patterns of paths below the source's folder, or below the corpus root if they begin with ``/``.
        folder: Patterns of one name, for any folder above the file.
        type: Endings without a dot, in small letters.
        larger_than: Bytes that the file must exceed.
        smaller_than: Bytes that it must stay below.
    """

    number: int
    action: Action
    name: str = ""
    why: str = ""
    source: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    folder: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    larger_than: int | None = None
    smaller_than: int | None = None

    @property
    def weighs(self) -> bool:
        """Whether it asks for a file's size."""
        return self.larger_than is not None or self.smaller_than is not None

    def speaks_for(self, path: str) -> bool:
        """Tell whether it is about the source that `path` lies in."""
        source = path.partition("/")[0] if "/" in path else ""
        return not self.source or any(glob_matches(one, source) for one in self.source)

    def matches(self, path: str, size: int | None) -> str | None:
        """Return which conditions a file meets, in words, or None where it does not meet them all.

        Args:
            path: Relative to the corpus root.
            size: In bytes, or None where it could not be told; then no size condition holds.
        """
        if not self.speaks_for(path):
            return None
        *folders, name = path.split("/")
        below = "/".join([*folders[1:], name])
        met = [
            _met("source", self.source, lambda one: True),
            _met(
                "path",
                self.path,
                lambda one: glob_matches(one.removeprefix("/"), path if one[0] == "/" else below),
            ),
            _met("folder", self.folder, lambda one: any(glob_matches(one, folder) for folder in folders)),
            _met("type", self.type, lambda one: name.lower().endswith(f".{one}")),
            _larger(self.larger_than, size),
            _smaller(self.smaller_than, size),
        ]
        return None if None in met else " and ".join(one for one in met if one)

    @property
    def label(self) -> str:
        """How messages call it."""
        return f"rule {self.number} `{self.name}`" if self.name else f"rule {self.number}"


def _met(key: str, values: Sequence[str], holds: Callable[[str], bool]) -> str | None:
    if not values:
        return ""
    found = next((one for one in values if holds(one)), None)
    return None if found is None else f"{key} {found}"


def _larger(bound: int | None, size: int | None) -> str | None:
    if bound is None:
        return ""
    return f"larger than {bound} bytes" if size is not None and size > bound else None


def _smaller(bound: int | None, size: int | None) -> str | None:
    if bound is None:
        return ""
    return f"smaller than {bound} bytes" if size is not None and size < bound else None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rules say of one file.

    Attributes:
        stays: Whether it stays in the corpus.
        reason: The rule that decided, with the condition it met; empty where none did.
        matched: Numbers of all rules whose conditions it meets.
    """

    stays: bool
    reason: str = ""
    matched: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one corpus.

    Attributes:
        rules: In the file's order.
    """

    rules: tuple[Rule, ...] = ()

    @property
    def digest(self) -> str:
        """Return 16 hexadecimal digits over what the rules say; names, reasons and comments are not in it."""
        said = [
            [rule.action, rule.source, rule.path, rule.folder, rule.type, rule.larger_than, rule.smaller_than]
            for rule in self.rules
        ]
        return sha256(json.dumps(said, ensure_ascii=True).encode()).hexdigest()[:16]

    def judge(self, path: str, size: int | None) -> Verdict:
        """Return what becomes of a file.

        First a keep rule that matches: the file stays. Then the first exclude rule that matches: it goes. Then, if
        include rules speak for its source: it stays by the first that matches, and goes if none does. Otherwise it
        stays.

        Args:
            path: Relative to the corpus root, with ``/``.
            size: In bytes, or None.
        """
        met = [(rule, words) for rule in self.rules if (words := rule.matches(path, size)) is not None]
        matched = frozenset(rule.number for rule, _ in met)
        for action in ("keep", "exclude", "include"):
            if found := next((one for one in met if one[0].action == action), None):
                return Verdict(action != "exclude", _reason(*found), matched)
        if includes := [rule for rule in self.rules if rule.action == "include" and rule.speaks_for(path)]:
            labels = ", ".join(rule.label for rule in includes)
            return Verdict(False, f"no include rule matches ({labels})", matched)
        return Verdict(True)


def _reason(rule: Rule, met: str) -> str:
    why = f" ({rule.why})" if rule.why else ""
    return f"{rule.label}: {rule.action} {met or 'everything'}{why}"


class JudgedFiles:
    """Files of a walk as the rules leave them, and which rules matched any.

    Args:
        root: The corpus root.
        rules: Judge every file that nothing else leaves out.
    """

    def __init__(self, root: Path, rules: Rules) -> None:
        self._root = root
        self._rules = rules
        self._weighs = any(rule.weighs for rule in rules.rules)
        self._matched: set[int] = set()
        self.kept: dict[str, str] = {}
        """Why a file stays, by path as it is shown, where a rule says so."""

    def judged(self, files: Iterable[WalkedFile]) -> Iterator[WalkedFile]:
        """Yield the same files; those that a rule leaves out are excluded with its name."""
        for file in files:
            if file.excluded or file.failed:
                yield file
                continue
            size = self._size(file.path) if self._weighs else None
            path = printable(file.path)
            verdict = self._rules.judge(path, size)
            self._matched |= verdict.matched
            if verdict.stays and verdict.reason:
                self.kept[path] = verdict.reason
            yield file if verdict.stays else replace(file, excluded=verdict.reason)

    def unused(self) -> list[Rule]:
        """Return the rules that matched no file."""
        return [rule for rule in self._rules.rules if rule.number not in self._matched]

    def _size(self, path: str) -> int | None:
        try:
            return os.stat(self._root / path).st_size
        except OSError:
            return None
