from __future__ import annotations

import pytest

from strata_rag.retrieval import FunctionScorer, RerankingRetriever, retrieve_deep

from .fakes import FixedRetriever, docs, hit


def chunks(documents: int, each: int) -> FixedRetriever:
    """A ranking in which `each` chunks of a document follow one another."""
    return FixedRetriever([hit(f"d{at:04}", start) for at in range(documents) for start in range(each)])


def test_a_document_stands_at_its_best_chunk() -> None:
    first = FixedRetriever([hit("a", 5), hit("b"), hit("a", 0), hit("c")])
    found = retrieve_deep(first, "?", depth=3, level="document")
    assert [(one.doc_id, one.start) for one in found] == [("a", 5), ("b", 0), ("c", 0)]


@pytest.mark.parametrize(
    ("documents", "each", "depth", "asked"),
    [
        (50, 1, 10, [10]),
        (50, 3, 10, [10, 20, 40]),
        (4, 2, 10, [10]),
        (9, 2, 10, [10, 20]),
        (10, 500, 10, [10, 20, 40, 80, 160, 320, 640, 1000]),
        (50, 1, 2000, [2000]),
    ],
)
def test_a_list_deepens_until_it_holds_enough_documents_or_a_thousand_chunks(
    documents: int, each: int, depth: int, asked: list[int]
) -> None:
    first = chunks(documents, each)
    found = retrieve_deep(first, "?", depth=depth, level="document")
    assert first.asked == asked
    assert len(set(docs(found))) == len(found) == min(depth, documents, -(-asked[-1] // each))


def test_at_chunk_level_one_look_is_enough() -> None:
    first = chunks(50, 3)
    assert len(retrieve_deep(first, "?", depth=10, level="chunk")) == 10
    assert first.asked == [10]


@pytest.mark.parametrize(("candidate_k", "depth", "pool"), [(100, 10, 100), (20, 50, 50)])
def test_a_reranked_pool_is_never_smaller_than_candidates_or_depth(
    candidate_k: int, depth: int, pool: int
) -> None:
    first = chunks(200, 1)
    seen: list[str] = []

    def score(query: str, text: str) -> float:
        seen.append(text)
        return float(len(seen))

    reranker = RerankingRetriever(first, FunctionScorer(score), candidate_k=candidate_k)
    found = retrieve_deep(reranker, "?", depth=depth, level="document")
    assert first.asked == [pool]
    assert len(seen) == min(candidate_k, pool)
    assert len(found) == depth
    assert found[0].doc_id == f"d{candidate_k - 1:04}"


def test_a_reranker_runs_once_on_the_deepened_list() -> None:
    first = chunks(50, 3)
    seen: list[str] = []
    scorer = FunctionScorer(lambda query, text: seen.append(text) or 0.0)
    found = retrieve_deep(RerankingRetriever(first, scorer, candidate_k=6), "?", depth=10, level="document")
    assert first.asked == [10, 20, 40]
    assert len(seen) == 6
    assert docs(found) == [f"d{at:04}" for at in range(10)]
