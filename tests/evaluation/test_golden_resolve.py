import time
import unicodedata

import pytest

from strata_rag.errors import GoldenError
from strata_rag.evaluation import GoldenSet, Question, check_against, resolve

KNOWN = ["a/b.md", "c.md", "caf\u00e9.md", "https://x.org/a#b"]


def golden(*items, **fields):
    judged = dict.fromkeys(items, 1.0)
    return GoldenSet((Question("q", "?", judged, where="golden.yaml:3:5", **fields),))


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("a/b.md", "a/b.md"),
        ("./a\\b.md", "a/b.md"),
        ("/a/./b.md", "a/b.md"),
        (".\\a\\b.md", "a/b.md"),
        (unicodedata.normalize("NFD", "caf\u00e9.md"), "caf\u00e9.md"),
        ("https://x.org/a#b", "https://x.org/a#b"),
    ],
)
def test_path_forms_become_the_corpus_spelling(written, known):
    (question,) = resolve(golden(written), KNOWN).questions
    assert question.relevant == {known: 1.0}


def test_a_set_that_fits_comes_back_as_it_is():
    fits = golden("c.md")
    assert resolve(fits, KNOWN) is fits
    assert check_against(fits, KNOWN) == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("x/b.md", "a/b.md"),
        ("c.txt", "c.md"),
        ("C.md", "c.md"),
        ("cafe\u0301s.md", "caf\u00e9.md"),
    ],
)
def test_a_missing_id_is_named_with_the_nearest(written, meant):
    (fault,) = check_against(golden(written), KNOWN)
    assert fault.where == "golden.yaml:3:5"
    assert fault.hint == f"did you mean {meant}?"


def test_a_missing_id_far_from_all_gets_no_suggestion():
    (fault,) = check_against(golden("zzzzzzzz"), KNOWN)
    assert fault.hint == ""


def test_all_missing_ids_are_reported_and_nothing_is_resolved_in_part():
    with pytest.raises(GoldenError) as caught:
        resolve(golden("./c.md", "x.md", "y.md"), KNOWN)
    assert len(caught.value.faults) == 2


def test_two_spellings_of_one_item_need_one_grade():
    same = GoldenSet((Question("q", "?", {"./c.md": 1.0, "c.md": 1.0}),))
    assert resolve(same, KNOWN).questions[0].judged == {"c.md": 1.0}
    differ = GoldenSet((Question("q", "?", {"./c.md": 1.0, "c.md": 2.0}),))
    (fault,) = check_against(differ, KNOWN)
    assert "one grade for 'c.md' was expected, found 1 and 2" in fault.problem


def test_a_form_that_fits_two_ids_is_refused():
    (fault,) = check_against(golden("./c.md"), ["c.md", "/c.md"])
    assert "which may be /c.md or c.md" in fault.problem


def test_only_the_level_asked_for_is_held_against_the_ids():
    chunks = golden("c.md#0-10", level="chunk")
    assert check_against(chunks, KNOWN, level="document") == []
    assert len(check_against(chunks, KNOWN)) == 1
    assert check_against(chunks, ["c.md#0-10"], level="chunk") == []


def test_many_missing_ids_in_a_large_corpus_take_seconds():
    known = {f"folder-{i % 100}/document-{i:06d}.md" for i in range(100_000)}
    missing = golden(*(f"folder-7/documnt-{i:06d}.md" for i in range(1000)))
    start = time.perf_counter()
    assert len(check_against(missing, known)) == 1000
    assert time.perf_counter() - start < 10
