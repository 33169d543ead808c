from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata_rag.index import (
    Analyser,
    EmbeddedIndex,
    Point,
    document_weights,
    point_id,
    rounded_average,
    sparse_counts,
)
from strata_rag.retrieval import Hit, InMemoryLexicalRetriever, LexicalRetriever

K1, B = 1.2, 0.75
BACKENDS = ("bm25s", "rank-bm25")


def index_of(folder: Path, texts: dict[str, str], analyser: Analyser) -> EmbeddedIndex:
    counts = {doc_id: analyser.counts(text) for doc_id, text in texts.items()}
    avg_len = rounded_average(sum(one.total() for one in counts.values()) / len(counts))
    index = EmbeddedIndex.create(folder / "shard", dimension=2, m=4, ef_construct=4)
    index.upsert(
        [
            Point(
                point_id(doc_id),
                np.array([1, 0], np.float32),
                document_weights(
                    sparse_counts(counts[doc_id]), length=counts[doc_id].total(), k1=K1, b=B, avg_len=avg_len
                ),
                {"doc_id": doc_id, "start": 0, "end": len(text), "text": text, "even": number % 2 == 0},
            )
            for number, (doc_id, text) in enumerate(texts.items())
        ]
    )
    return index


def in_memory(
    index: EmbeddedIndex, analyser: Analyser, backend: Any, **options: Any
) -> InMemoryLexicalRetriever:
    return InMemoryLexicalRetriever(index=index, analyser=analyser, backend=backend, k1=K1, b=B, **options)


def assert_same_ranking(first: Sequence[Hit], second: Sequence[Hit]) -> None:
    """Rank for rank; places may differ only where the scores are equal to 32-bit precision."""
    np.testing.assert_allclose([hit.score for hit in first], [hit.score for hit in second], rtol=2e-5)
    for one, other in zip(first, second, strict=True):
        assert one.doc_id == other.doc_id or one.score == pytest.approx(other.score, rel=1e-6)


def test_the_three_backends_agree_rank_for_rank_on_cranfield(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "beir" / "cranfield"
    lines = map(json.loads, (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    texts = {str(line["_id"]): f"{line['title']}\n{line['text']}" for line in lines}
    questions = [json.loads(line)["text"] for line in (folder / "queries.jsonl").read_text().splitlines()]
    analyser = Analyser(language="english")
    index = index_of(tmp_path, texts, analyser)
    sparse = LexicalRetriever(index=index, analyser=analyser)
    others = [in_memory(index, analyser, backend) for backend in BACKENDS]
    for question in questions[::5]:
        expected = sparse.retrieve(question, 100)
        assert len(expected) == 100
        for other in others:
            assert_same_ranking(other.retrieve(question, 100), expected)
    index.close()


TEXTS = {"d1": "whale whale sea", "d2": "whale", "d3": "sea crane", "d4": "crane AB-12/x", "d5": "of the"}


@pytest.fixture
def analyser() -> Analyser:
    return Analyser(language="english")


@pytest.fixture
def index(tmp_path: Path, analyser: Analyser) -> EmbeddedIndex:
    return index_of(tmp_path, TEXTS, analyser)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("question", ["whale", "whale whale sea", "AB-12/x crane", "sea sea sea whale"])
def test_repeated_terms_codes_and_common_words_count_alike(
    index: EmbeddedIndex, analyser: Analyser, backend: str, question: str
) -> None:
    expected = LexicalRetriever(index=index, analyser=analyser).retrieve(question, 10)
    assert expected
    assert all(hit.score > 0 for hit in expected)
    assert_same_ranking(in_memory(index, analyser, backend).retrieve(question, 10), expected)


@pytest.mark.parametrize("backend", BACKENDS)
def test_case_37_a_word_of_half_the_corpus_keeps_its_weight(
    index: EmbeddedIndex, analyser: Analyser, backend: str
) -> None:
    hits = in_memory(index, analyser, backend).retrieve("whale", 10)
    assert [hit.doc_id for hit in hits] == ["d1", "d2"] or [hit.doc_id for hit in hits] == ["d2", "d1"]
    assert all(hit.score > 0 for hit in hits)


@pytest.mark.parametrize("backend", BACKENDS)
def test_case_40_more_hits_asked_than_there_are_returns_what_there_is(
    index: EmbeddedIndex, analyser: Analyser, backend: str
) -> None:
    retriever = in_memory(index, analyser, backend)
    assert len(retriever.retrieve("whale sea crane", 1000)) == 4
    assert retriever.retrieve("nothing known", 5) == []
    assert retriever.retrieve("", 5) == []
    assert retriever.retrieve("the", 5) == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_filter_acts_before_the_list_is_cut(index: EmbeddedIndex, analyser: Analyser, backend: str) -> None:
    filtered = in_memory(index, analyser, backend, where={"even": True}).retrieve("whale sea crane", 1)
    everything = in_memory(index, analyser, backend).retrieve("whale sea crane", 10)
    assert filtered[0].doc_id == next(hit.doc_id for hit in everything if hit.doc_id in ("d1", "d3"))
    assert filtered[0].score == next(hit.score for hit in everything if hit.doc_id == filtered[0].doc_id)
