"""Rules: what they say of a file, in which order, and which of them decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from strata_rag.corpus import Rules
from strata_rag.corpus.rules import JudgedFiles
from strata_rag.corpus.walk import walk_files

from .plugged import opened, read, rows, rules_of, write


def verdict(text: str, path: str, size: int | None = None) -> tuple[bool, str]:
    found = rules_of(text).judge(path, size)
    return found.stays, found.reason


@pytest.mark.parametrize(
    ("condition", "matching", "others"),
    [
        (
            "path: 'drafts/**'",
            ["atlas/drafts/a.md", "harbor/drafts/b/c"],
            ["drafts/a.md/x/y", "atlas/x/drafts/a"],
        ),
        ("path: a.md", ["a.md", "atlas/a.md"], ["atlas/x/a.md", "A.md"]),
        ("path: /atlas/a.md", ["atlas/a.md"], ["x/atlas/a.md", "harbor/atlas/a.md"]),
        ("path: [a.md, b.md]", ["x/a.md", "x/b.md"], ["x/c.md"]),
        ("source: atlas", ["atlas/a.md", "atlas/x/y"], ["atlas", "harbor/a.md", "harbor/atlas/a"]),
        ("source: 'a*'", ["atlas/a.md"], ["harbor/a.md"]),
        ("folder: old", ["old/a", "x/old/a", "x/old/y/a"], ["old", "x/older/a", "x/y/old"]),
        ("type: [PDF, .tar.gz]", ["a.pdf", "x/a.PDF", "a.tar.gz"], ["pdf", "a.pdf.txt", "a.gz"]),
        ("{path: '**/*.md', folder: old}", ["x/old/a.md"], ["x/old/a.txt", "x/a.md"]),
    ],
)
def test_a_condition_holds_for_what_the_page_says(
    condition: str, matching: list[str], others: list[str]
) -> None:
    text = f"  - exclude: {condition if condition.startswith('{') else '{' + condition + '}'}\n"
    assert [path for path in [*matching, *others] if not verdict(text, path)[0]] == matching


@pytest.mark.parametrize(
    ("condition", "excluded"),
    [
        ("larger_than: 1 KB", [1001, 10**12]),
        ("larger_than: 1KiB", [10**12]),
        ("larger_than: 1000", [1001, 10**12]),
        ("smaller_than: 1.001 KB", [0, 1000]),
        ("{smaller_than: 1001 B, larger_than: 0}", [1000]),
    ],
)
def test_sizes_are_bounds_that_a_file_is_beyond(condition: str, excluded: list[int]) -> None:
    text = f"  - exclude: {condition if condition.startswith('{') else '{' + condition + '}'}\n"
    sizes = [0, 1000, 1001, 10**12]
    assert [size for size in sizes if not verdict(text, "a", size)[0]] == excluded
    assert verdict(text, "a", None)[0]


RULES = """
  - {name: drafts, exclude: {folder: drafts}, why: superseded}
  - {name: notes, exclude: {type: md}}
  - {name: cards, keep: {path: "**/cards/*"}}
  - {name: harbor text, include: {source: harbor, type: txt}}
  - {include: {source: harbor, path: "x/**"}}
"""


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("atlas/drafts/a.md", (False, "rule 1 `drafts`: exclude folder drafts (superseded)")),
        ("atlas/a.md", (False, "rule 2 `notes`: exclude type md")),
        ("atlas/drafts/cards/a.md", (True, "rule 3 `cards`: keep path **/cards/*")),
        ("harbor/a.txt", (True, "rule 4 `harbor text`: include source harbor and type txt")),
        ("harbor/x/a.pdf", (True, "rule 5: include source harbor and path x/**")),
        ("harbor/a.pdf", (False, "no include rule matches (rule 4 `harbor text`, rule 5)")),
        ("harbor/x/a.md", (False, "rule 2 `notes`: exclude type md")),
        ("harbor/y/cards/a.pdf", (True, "rule 3 `cards`: keep path **/cards/*")),
        ("atlas/a.pdf", (True, "")),
    ],
)
def test_keep_beats_exclude_beats_include_and_the_rule_is_named(path: str, found: tuple[bool, str]) -> None:
    assert verdict(RULES, path) == found


def test_keep_does_not_bring_back_what_is_left_out_always(tmp_path: Path) -> None:
    write(tmp_path, {".git/a.md": "x", "a.md": "y"})
    source = opened(tmp_path, rules=rules_of("  - keep: {path: '**'}\n"))
    assert list(read(source)) == ["a.md"]
    assert rows(source) == {".git/a.md": "excluded: hidden: .git", "a.md": "included: rule 1: keep path **"}


def test_rules_that_match_no_file_are_told(tmp_path: Path) -> None:
    write(tmp_path, {"atlas/drafts/a.md": "x", "atlas/a.md": "y"})
    rules = rules_of(
        "  - exclude: {path: 'drafts/**'}\n  - exclude: {folder: drafts}\n  - {name: gone, exclude: {type: doc}}\n"
    )
    source = opened(tmp_path, rules=rules)
    read(source)
    (note,) = source.notes
    assert note.startswith("corpus.rules: rule 3 `gone` matched no file")


def test_sizes_are_looked_up_only_for_rules_that_ask(tmp_path: Path) -> None:
    write(tmp_path, {"small.md": "x", "large.md": "x" * 2000})
    judged = JudgedFiles(tmp_path, rules_of("  - exclude: {larger_than: 1 KB}\n"))
    found = {file.path: file.excluded for file in judged.judged(walk_files(tmp_path, follow_symlinks=False))}
    assert found == {"small.md": "", "large.md": "rule 1: exclude larger than 1000 bytes"}


def test_the_digest_is_of_what_the_rules_say() -> None:
    one = rules_of("  - {exclude: {type: md}}\n").digest
    assert rules_of("  # a comment\n  - {name: n, why: w, exclude: {type: .MD}}\n").digest == one
    assert rules_of("  - {exclude: {type: txt}}\n").digest != one
    assert rules_of("  - {keep: {type: md}}\n").digest != one
    assert Rules().digest == rules_of("  []\n").digest
