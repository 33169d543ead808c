from __future__ import annotations

import pytest

from strata_rag.corpus.formats import Extraction, extract_bytes


def read(text: str, name: str = "a.md") -> Extraction:
    return extract_bytes(text.encode(), name)


@pytest.mark.parametrize(
    ("head", "metadata"),
    [
        (
            "---\ntitle: T\nyear: 2020\nok: true\ncode: '007'\ntags: [a, b]\ndate: 2024-05-01\nby: {name: Ada}\n---\n",
            True,
        ),
        (
            '+++\ntitle = "T"\nyear = 2020\nok = true\ncode = "007"\ntags = ["a", "b"]\ndate = 2024-05-01\n[by]\nname = "Ada"\n+++\n',
            True,
        ),
        (
            '{"title": "T", "year": 2020, "ok": true, "code": "007", "tags": ["a", "b"], "date": "2024-05-01", "by": {"name": "Ada"}}\n',
            True,
        ),
    ],
)
def test_front_matter_becomes_title_and_metadata_and_leaves_the_text(head: str, metadata: bool) -> None:
    found = read(f"{head}\n# Pumps\n\n---\n\nText.\n")
    assert found.text == "# Pumps\n\n---\n\nText.\n"
    assert found.title == "T"
    assert found.metadata == {
        "year": 2020, "ok": True, "code": "007", "tags": "a, b", "date": "2024-05-01", "by.name": "Ada",
    }  # fmt: skip
    assert found.warnings == ()


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\n---\n\nb\n",
        "----\nextra: dash\n----\n\ntext",
        "---\njust a rule\n\ntext",
        "---\nsome words\n---\ntext",
        "{not json}\n\ntext",
        "",
    ],
)
def test_a_text_without_front_matter_stays_as_it_is(text: str) -> None:
    found = read(text)
    assert (found.text, found.metadata) == (text, {})


@pytest.mark.parametrize("block", ["---\na: [1\n---\n", "---\na: &x 1\nb: *x\n---\n", "+++\na = \n+++\n"])
def test_front_matter_that_is_broken_stays_in_the_text_with_a_warning(block: str) -> None:
    found = read(f"{block}text")
    assert found.text == f"{block}text"
    assert found.warnings[0].startswith("front matter: expected ")


def test_the_data_of_embedded_pictures_is_no_text() -> None:
    data = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
    found = read(f"# A\n\n![tiny](data:image/gif;base64,{data})\n\nafter")
    assert found.text == "# A\n\n![tiny](data:image/gif;base64,)\n\nafter"
    assert found.warnings == ("the data of 1 embedded file left out",)


def test_a_plain_text_keeps_its_dashes() -> None:
    assert read("---\na: b\n---\nc", "a.txt").text == "---\na: b\n---\nc"
