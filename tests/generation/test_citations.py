from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.generation import read_citations

FIVE = {1, 2, 3, 4, 5}


def cited(text: str) -> list[int]:
    return [number for number, _ in read_citations(text, FIVE).citations]


def kinds(text: str) -> list[str]:
    return [mark.kind for mark in read_citations(text, FIVE).marks]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It opens at 9 bar [1].", [1]),
        ("It opens at 9 bar. [1]", [1]),
        ("It opens [1, 3] and shuts [2;4].", [1, 3, 2, 4]),
        ("It opens [1-3].", [1, 2, 3]),
        ("It opens [1–3].", [1, 2, 3]),
        ("It opens [1][2].", [1, 2]),
        ("It opens [ 2 ].", [2]),
        ("It opens 【2】.", [2]),
        ("It opens [passage 2] and shuts [Passages 1, 3].", [2, 1, 3]),
        ("It opens at 9 bar[2].", [2]),
        ("弁は9バールで開く[2]。", [2]),
        ("see above.[1] Then it shuts", [1]),
        ('"nine bar"[1] and more', [1]),
        ("[1] It opens.", [1]),
        ("It opens [3-1].", [3, 1]),
    ],
)
def test_every_form_of_a_mark_is_read(text: str, numbers: list[int]) -> None:
    assert cited(text) == numbers
    assert read_citations(text, FIVE).unresolved == ()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Read items[3] first.", "index"),
        ("Read items[3].", "index"),
        ("arr[0] holds it", "index"),
        ("matrix[0][1] holds it", "index"),
        ("self.rows[2] holds it", "index"),
        ("call f(x)[1] for it", "index"),
        ("user_names[1].", "index"),
        ("userNames[1].", "index"),
        ("a number in [0, 1]", "index"),
        ("[1](https://example.com)", "link"),
        ("[1]: https://example.com", "link"),
        ("as told in [2024].", "year"),
        ("between [1998-2003].", "year"),
    ],
)
def test_what_only_looks_like_a_mark_is_told_apart(text: str, kind: str) -> None:
    found = read_citations(text, FIVE)
    assert set(kinds(text)) == {kind}
    assert (found.citations, found.unresolved) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        "a footnote[^1]",
        "`x[1] = [2]` is code",
        "```\nprint([1])\n```",
        "~~~python\nx = [1]\n",
        "- [ ] a task, [x] another",
        "nothing [sic] here",
        "[" + "9" * 5000 + "]",
    ],
)
def test_what_is_no_mark_at_all_is_left_alone(text: str) -> None:
    assert read_citations(text, FIVE).marks == ()


@pytest.mark.parametrize(
    ("text", "unresolved"),
    [
        ("It opens [7].", (7,)),
        ("It opens [2, 7] and [9], [7].", (7, 9)),
        ("It opens [4-6].", (6,)),
        ("It opens [0].", (0,)),
        ("It opens [1-999999999].", (999999999,)),
        ("It opens [31337].", (31337,)),
    ],
)
def test_numbers_that_no_passage_has_are_unresolved(text: str, unresolved: tuple[int, ...]) -> None:
    assert read_citations(text, FIVE).unresolved == unresolved


def test_a_year_that_is_a_passage_is_a_citation() -> None:
    assert [number for number, _ in read_citations("as in [2024]", {2024}).citations] == [2024]


def test_a_mark_says_where_it_stands() -> None:
    text = "Pumps are red [2], mostly."
    ((_, (start, end)),) = read_citations(text, FIVE).citations
    assert text[start:end] == "[2]"


@pytest.mark.parametrize(
    ("text", "sentences", "uncited"),
    [
        ("The valve opens [1]. The pump starts.", 2, ["The pump starts."]),
        ("The valve opens. [1] The pump starts. [2]", 2, []),
        ("The valve opens.[1] The pump starts.[2]", 2, []),
        ("According to [1], it opens. It shuts.", 2, ["It shuts."]),
        ("It weighs 3.5 kg, e.g. when empty, as Dr. Low says [1].", 1, []),
        ("弁は開く[1]。ポンプは動く。", 2, ["ポンプは動く。"]),
        ("It opens [9].", 1, ["It opens [9]."]),
        ("[1] It opens.\n\n[2] It shuts.", 2, []),
        ("- It opens [1]\n- It shuts", 2, ["- It shuts"]),
        ("يفتح الصمام [1]؟ تبدأ المضخة.", 2, ["تبدأ المضخة."]),
        ("", 0, []),
        ("[1]", 0, []),
        ("---", 0, []),
    ],
)
def test_sentences_that_cite_nothing_are_counted(text: str, sentences: int, uncited: list[str]) -> None:
    found = read_citations(text, FIVE)
    assert len(found.sentences) == sentences
    assert [text[start:end] for start, end in found.uncited] == uncited


@given(
    st.text(alphabet=st.sampled_from("a [](),-–0123456789`\n.【】^:"), max_size=80),
    st.sets(st.integers(1, 12)),
)
def test_every_number_of_a_mark_resolves_or_is_told(text: str, numbers: set[int]) -> None:
    found = read_citations(text, numbers)
    assert {number for number, _ in found.citations} <= numbers
    assert not set(found.unresolved) & numbers
    for mark in found.marks:
        assert text[mark.start] in "[【"
        assert text[mark.end - 1] in "]】"
    assert set(found.uncited) <= set(found.sentences)


@given(st.text(max_size=200))
def test_any_text_is_read(text: str) -> None:
    read_citations(text, FIVE)


@pytest.mark.parametrize(
    "unit", ["[1]", "[1,1", "word[1] ", "` a ", "`", "[1-2] x. ", "\n[1]", "```\n", "(a)[1]"]
)
def test_a_long_hostile_text_is_read_in_linear_time(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    started = time.process_time()
    read_citations(text, FIVE)
    assert time.process_time() - started < 4
