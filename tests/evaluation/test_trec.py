import itertools
from math import inf, nan

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.errors import InputError
from strata_rag.evaluation import GoldenSet, Question, RankedItem, decode_id, encode_id
from strata_rag.evaluation.trec import (
    distinct,
    falling_scores,
    format_qrels,
    format_run,
    parse_qrels,
    parse_run,
)

names = st.text(st.characters() | st.sampled_from(" %\t\n\r\x00\x1c\x85\xa0\u2028\u3000é漢"), min_size=1)
scores = (
    st.none() | st.floats(width=32) | st.sampled_from([0.0, -0.0, 1.0, 1e-7, 1e38, -1e38, inf, -inf, nan])
)


@pytest.mark.parametrize(
    ("plain", "encoded"),
    [
        ("a/b.md#0-10", "a/b.md#0-10"),
        ("my notes.md", "my%20notes.md"),
        ("100%", "100%25"),
        ("a\u00a0b\u2028c", "a%C2%A0b%E2%80%A8c"),
        ("Übung/漢字.md", "Übung/漢字.md"),
        ("bad\udcff", "bad%ED%B3%BF"),
    ],
)
def test_only_what_a_trec_file_can_not_hold_is_encoded(plain, encoded):
    assert encode_id(plain) == encoded
    assert decode_id(encoded) == plain


@given(names | st.text(st.characters(categories=["Cs", "Zs", "Cc", "Ll"]), min_size=1))
def test_an_id_comes_back_from_one_field_as_it_was(text):
    encoded = encode_id(text)
    assert encoded.split() == [encoded]
    encoded.encode("utf-8")
    assert decode_id(encoded) == text


def test_an_empty_id_can_not_be_written():
    with pytest.raises(ValueError, match="id"):
        encode_id("")


@given(st.lists(scores, max_size=30))
def test_scores_strictly_fall_even_as_32_bit_floats(given_scores):
    found = falling_scores(given_scores)
    assert len(found) == len(given_scores)
    single = [np.float32(repr(score)) for score in found]
    assert all(a > b for a, b in itertools.pairwise(single))
    assert all(a > b for a, b in itertools.pairwise(found))


def test_scores_that_fall_stay_as_they_are():
    assert falling_scores([12.3456789, 0.9, 0.0163934, -3.25]) == [12.345679, 0.9, 0.016393, -3.25]


def test_ties_and_rising_scores_go_just_below_the_one_before():
    first, second, third = falling_scores([1.0, 1.0, 7.0])
    assert first == 1.0
    assert 1.0 > second > third > 1 - 1e-6


# Case 67: what trec_eval makes of our file is what we ranked.
@pytest.mark.parametrize(("relevant", "expected"), [("d3", 1 / 3), ("d1", 1.0)])
def test_trec_eval_reads_tied_scores_in_our_order(relevant, expected):
    ranking = [RankedItem(item, 1.0) for item in ("d1", "d2", "d3")]
    run = pytrec_eval.parse_run(format_run({"q": ranking}, ["q"], tag="t"))
    found = pytrec_eval.RelevanceEvaluator({"q": {relevant: 1}}, {"map", "recip_rank"}).evaluate(run)
    assert found["q"] == pytest.approx({"map": expected, "recip_rank": expected})


def test_lines_are_as_trec_eval_documents_them():
    ranking = [RankedItem("d 1", 2.5), RankedItem("d2", 2.0), RankedItem("d 1", 1.0)]
    assert list(format_run({"q": ranking}, ["q", "r"], tag="strata")) == [
        "q Q0 d%201 1 2.5 strata\n",
        "q Q0 d2 2 2.0 strata\n",
    ]
    golden = GoldenSet((Question("q", "?", {"d2": 2.0, "d 1": -1.0, "d3": 0.5}), Question("r", "?")))
    assert list(format_qrels(golden)) == ["q 0 d%201 -1\n", "q 0 d2 2\n", "q 0 d3 0.5\n"]


def test_distinct_keeps_first_places_to_the_depth():
    ranking = [RankedItem(item) for item in "abacab"]
    assert [item.id for item in distinct(ranking)] == ["a", "b", "c"]
    assert [item.id for item in distinct(ranking, 2)] == ["a", "b"]
    assert distinct([], 2) == []


@given(st.dictionaries(names, st.lists(st.builds(RankedItem, names, scores), min_size=1, max_size=5)))
def test_a_run_comes_back_in_its_order(rankings):
    text = "".join(format_run(rankings, rankings, tag="t"))
    found = parse_run(text, origin="run")
    expected = {query: [item.id for item in distinct(ranking)] for query, ranking in rankings.items()}
    assert {query: [item.id for item in ranking] for query, ranking in found.items()} == expected


@given(st.dictionaries(names, st.dictionaries(names, st.floats(-1000, 1000), min_size=1, max_size=5)))
def test_qrels_come_back_as_they_were(judged):
    golden = GoldenSet(tuple(Question(query, "?", items) for query, items in judged.items()))
    assert parse_qrels("".join(format_qrels(golden)), origin="qrels") == judged


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("q Q0 d 1 1.0", "run:1:1: 6 columns were expected, found 5"),
        ("q Q0 d one 1.0 t", "run:1:1: a rank and a score were expected"),
        ("q Q0 d 1 2 t\nq Q0 d 2 1 t", "run:2:1: each item once per query was expected"),
    ],
)
def test_a_bad_run_line_is_refused_at_its_place(text, problem):
    with pytest.raises(InputError, match=problem):
        parse_run(text, origin="run")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("q 0 d", "qrels:1:1: 4 columns were expected, found 3"),
        ("q 0 d x", "qrels:1:1: a grade was expected"),
        ("q 0 d 1\nq 0 d 1", "qrels:2:1: each item once per query was expected"),
    ],
)
def test_a_bad_qrels_line_is_refused_at_its_place(text, problem):
    with pytest.raises(InputError, match=problem):
        parse_qrels(text, origin="qrels")
