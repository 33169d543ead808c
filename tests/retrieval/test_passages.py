from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from strata_rag.retrieval import (
    FunctionScorer,
    Hit,
    RerankingRetriever,
    cap_per_document,
    merge_hits,
    retrieve_capped,
)

TEXT = "abcdefghijklmnopqrstuvwxyz"
spans = st.tuples(st.integers(0, 25), st.integers(1, 8)).map(
    lambda pair: (pair[0], min(pair[0] + pair[1], 26))
)


def hit(start: int, end: int, doc_id: str = "d") -> Hit:
    return Hit(f"{doc_id}#{start}-{end}", doc_id, start, end, TEXT[start:end], TEXT[start:end])


def shown(hits: list[Hit]) -> list[tuple[str, str]]:
    return [(passage.doc_id, passage.text) for passage in merge_hits(hits)]


def test_overlapping_and_touching_hits_of_one_document_become_one_passage() -> None:
    hits = [hit(10, 14), hit(0, 5), hit(4, 8), hit(8, 9), hit(5, 7)]
    assert shown(hits) == [("d", "klmn"), ("d", "abcdefghi")]
    assert merge_hits(hits)[1].hits == (hits[1], hits[2], hits[3], hits[4])


def test_hits_of_two_documents_stay_apart() -> None:
    assert shown([hit(0, 3, "a"), hit(2, 5, "b")]) == [("a", "abc"), ("b", "cde")]


def test_the_shown_text_counts_not_the_matched_unit() -> None:
    wide = Hit("d#2-3", "d", 2, 3, TEXT[0:6], "c", payload={"text_start": 0, "text_end": 6})
    assert shown([wide, hit(5, 8)]) == [("d", "abcdefgh")]


@given(st.lists(st.tuples(spans, st.sampled_from("ab")), max_size=12))
def test_passages_hold_every_hit_once_and_every_shown_character_once(
    found: list[tuple[tuple[int, int], str]],
) -> None:
    hits = [hit(*span, doc_id) for span, doc_id in found]
    passages = merge_hits(hits)
    assert sorted(h.chunk_id for p in passages for h in p.hits) == sorted(h.chunk_id for h in hits)
    for doc_id in "ab":
        covered = Counter(at for p in passages if p.doc_id == doc_id for at in range(p.start, p.end))
        assert set(covered) == {at for (start, end), d in found if d == doc_id for at in range(start, end)}
        assert all(count == 1 for count in covered.values())
    assert all(p.text == TEXT[p.start : p.end] for p in passages)
    assert [hits.index(p.hits[0]) for p in passages] == sorted(hits.index(p.hits[0]) for p in passages)


@given(st.lists(st.sampled_from("abc"), max_size=20), st.integers(1, 4))
def test_a_cap_keeps_the_best_hits_of_each_document(documents: list[str], most: int) -> None:
    hits = [hit(0, 1, doc_id) for doc_id in documents]
    kept = cap_per_document(hits, most)
    assert Counter(h.doc_id for h in kept) == {d: min(n, most) for d, n in Counter(documents).items()}


class Stored:
    """A first stage that knows its whole ranking."""

    def __init__(self, hits: list[Hit]) -> None:
        self.hits = hits
        self.asked: list[int] = []

    def retrieve(self, query: str, k: int) -> list[Hit]:
        self.asked.append(k)
        return self.hits[:k]


def test_a_capped_search_looks_deeper_until_it_has_enough() -> None:
    stored = Stored([*(hit(at, at + 1, "big") for at in range(20)), hit(0, 1, "x"), hit(0, 1, "y")])
    found = retrieve_capped(stored, "q", k=3, max_per_document=1)
    assert [h.doc_id for h in found] == ["big", "x", "y"]
    assert stored.asked == [3, 6, 12, 24]


def test_a_capped_search_returns_fewer_where_there_are_no_more() -> None:
    stored = Stored([hit(at, at + 1) for at in range(5)])
    assert len(retrieve_capped(stored, "q", k=4, max_per_document=2)) == 2


def test_a_reranker_reads_what_is_shown_under_the_title_unless_told_otherwise() -> None:
    read: list[str] = []
    scorer = FunctionScorer(lambda _, text: float(len(read)) if read.append(text) is None else 0.0)  # type: ignore[func-returns-value]
    wide = Hit("d#0-1", "d", 0, 1, "shown", "T\nmatched", payload={"title": "T"})
    for text in ("text", "embed_text"):
        RerankingRetriever(Stored([wide]), scorer, candidate_k=5, text=text).retrieve("q", 5)  # type: ignore[arg-type]
    assert read == ["T\nshown", "T\nmatched"]
