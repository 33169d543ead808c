"""Patterns mean what the page says, and a mistake in one is told."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.corpus.globs import glob_fault, glob_matches


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("*.md", ["a.md", ".md"], ["a/b.md", "a.MD", "a.mdx"]),
        ("**/*.md", ["a.md", "a/b/c.md"], ["a.txt"]),
        ("drafts/**", ["drafts/a", "drafts/a/b"], ["drafts", "x/drafts/a"]),
        ("**/drafts/**", ["drafts/a", "x/y/drafts/a/b"], ["drafts", "x/mydrafts/a"]),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["ab", "a/xb"]),
        ("**", ["a", "a/b"], [""]),
        ("a?.txt", ["ab.txt"], ["a.txt", "a/.txt", "abc.txt"]),
        ("[a-c]1", ["a1", "c1"], ["d1", "1"]),
        ("[!a-c]1", ["d1", "]1"], ["a1", "/1"]),
        ("[]]x", ["]x"], ["x"]),
        ("a.b+c(d)", ["a.b+c(d)"], ["aab+c(d)"]),
        ("[[]x", ["[x"], ["x"]),
        ("x[^]", ["x^"], ["xa"]),
    ],
)
def test_a_pattern_matches_whole_paths(pattern: str, matching: list[str], others: list[str]) -> None:
    if pattern != "[[]x":
        assert glob_fault(pattern) == ""
        assert [one for one in [*matching, *others] if glob_matches(pattern, one)] == matching


def test_accents_match_however_they_are_composed() -> None:
    name = "é.md"
    assert glob_matches(unicodedata.normalize("NFD", name), unicodedata.normalize("NFC", name))
    assert glob_matches("?.md", unicodedata.normalize("NFD", name))


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("", "found nothing"),
        ("/", "found nothing"),
        ("a\\b", "expected / between names"),
        ("*.{md,txt}", "a list instead of braces"),
        ("a//b", "single slashes"),
        ("a/", "single slashes"),
        ("./a", "single slashes"),
        ("../a", "single slashes"),
        ("a**", "** to stand alone"),
        ("a[b", "expected ] after ["),
        ("[z-a]", "rising order"),
    ],
)
def test_a_mistake_in_a_pattern_is_told(pattern: str, found: str) -> None:
    assert found in glob_fault(pattern)


def test_a_pattern_of_a_name_has_no_slash() -> None:
    assert glob_fault("a*", segment=True) == ""
    assert "expected one name" in glob_fault("a/b", segment=True)
    assert "expected one name" in glob_fault("**", segment=True)


names = st.text(
    st.characters(exclude_characters="/\\*?[]{}\0", exclude_categories=["Cs"]), min_size=1
).filter(lambda name: name not in (".", "..") and name == unicodedata.normalize("NFC", name) and name.strip())
paths = st.lists(names, min_size=1, max_size=4).map("/".join)


@given(paths)
def test_a_path_without_signs_matches_itself_alone_and_every_wider_pattern(path: str) -> None:
    assert glob_fault(path) == ""
    assert glob_matches(path, path)
    assert not glob_matches(path, f"x/{path}")
    assert glob_matches(f"**/{path}", f"x/{path}")
    assert glob_matches("**", path)
    assert glob_matches("/".join("*" for _ in path.split("/")), path)
