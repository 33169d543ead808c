"""The design page keeps the form it promises, and its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
DESIGN = (DOCS / "design.md").read_text(encoding="utf-8")
HEADINGS = [
    "Decision.",
    "Why.",
    "Alternatives considered.",
    "The tradeoff.",
    "When you'd choose differently.",
    "How it scales.",
]
SECTIONS = {
    title: body
    for title, body in re.findall(r"^###? ([^\n]+)\n\n(.*?)(?=\n##|\Z)", DESIGN, re.MULTILINE | re.DOTALL)
    if title != "Libraries"
}


def _anchors(page: str) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("title", SECTIONS)
def test_every_default_is_argued_under_the_six_headings(title: str) -> None:
    assert re.findall(r"\*\*(.+?)\*\*", SECTIONS[title].replace("\n", " ")) == HEADINGS


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_links_inside_the_docs_lead_somewhere(page: Path) -> None:
    for name, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8")):
        target = page.parent / name if name else page
        assert target.exists(), name
        assert not anchor or anchor in _anchors(target.read_text(encoding="utf-8")), anchor


def test_the_page_argues_every_default_and_library_it_lists() -> None:
    assert len(SECTIONS) == DESIGN.count("**Decision.**") == 37
