from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from strata_rag.embedding import HashedWordsEmbedder
from strata_rag.index import (
    Analyser,
    EmbeddedIndex,
    Point,
    document_weights,
    point_id,
    rounded_average,
    sparse_counts,
)
from strata_rag.retrieval import DenseRetriever, LexicalRetriever

from .fakes import docs

K1, B = 1.2, 0.75
ANALYSER = Analyser(language="english")


def fill(
    folder: Path, texts: dict[str, str], *, dense: bool = True, **payload: str
) -> tuple[EmbeddedIndex, float]:
    """Index whole texts under the experiment's own BM25 weights; return the average length too."""
    embedder = HashedWordsEmbedder(8)
    counts = {doc_id: ANALYSER.counts(text) for doc_id, text in texts.items()}
    avg_len = rounded_average(sum(one.total() for one in counts.values()) / len(counts))
    index = EmbeddedIndex.create(folder, dimension=8, m=16, ef_construct=100)
    points = []
    for doc_id, text in texts.items():
        weights = document_weights(
            sparse_counts(counts[doc_id]), length=counts[doc_id].total(), k1=K1, b=B, avg_len=avg_len
        )
        vector = embedder.embed_query(text) if dense else np.eye(8, dtype=np.float32)[0]
        fields = {"doc_id": doc_id, "start": 0, "end": len(text), "text": text, **payload}
        points.append(Point(point_id(doc_id), vector, weights, fields))
    for first in range(0, len(points), 256):
        index.upsert(points[first : first + 256])
    return index, avg_len


TEXTS = {"a.md": "the pump is red", "b.md": "valves and pumps", "c.md": "roses"}


def test_a_lexical_hit_carries_what_was_stored_and_only_its_own_stage(tmp_path: Path) -> None:
    index, _ = fill(tmp_path / "shard", TEXTS, source="wiki", embed_text="Title\nthe text")
    found = LexicalRetriever(index=index, analyser=ANALYSER).retrieve("Pump?", 5)
    assert docs(found) == ["a.md", "b.md"]
    assert found[0].chunk_id == "a.md#0-15"
    assert (found[0].text, found[0].embed_text, found[0].payload["source"]) == (
        "the pump is red",
        "Title\nthe text",
        "wiki",
    )
    assert [(set(one.scores), dict(one.ranks)) for one in found] == [
        ({"lexical"}, {"lexical": 1}),
        ({"lexical"}, {"lexical": 2}),
    ]
    index.close()


def test_a_dense_hit_is_the_nearest_text_and_only_its_own_stage(tmp_path: Path) -> None:
    index, _ = fill(tmp_path / "shard", TEXTS)
    found = DenseRetriever(index=index, embedder=HashedWordsEmbedder(8)).retrieve("roses", 2)
    assert found[0].doc_id == "c.md"
    assert found[0].scores == {"dense": pytest.approx(1.0)}
    assert [dict(one.ranks) for one in found] == [{"dense": 1}, {"dense": 2}]
    assert found[0].embed_text == found[0].text == "roses"
    index.close()


def test_both_stages_keep_to_a_filter(tmp_path: Path) -> None:
    index, _ = fill(tmp_path / "shard", TEXTS, source="wiki")
    for where, left in (({"source": "wiki"}, 2), ({"source": "none"}, 0)):
        assert len(LexicalRetriever(index=index, analyser=ANALYSER, where=where).retrieve("pump", 9)) == left
        dense = DenseRetriever(index=index, embedder=HashedWordsEmbedder(8), where=where)
        assert len(dense.retrieve("pump", 2)) == left
    index.close()


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def bm25(counts: list[Counter[str]], question: Counter[str], avg_len: float) -> np.ndarray:
    """The formula of the module's page, in float64, term by term."""
    scores = np.zeros(len(counts))
    lengths = np.array([one.total() for one in counts])
    for term, times in question.items():
        tf = np.array([one[term] for one in counts], float)
        n = np.count_nonzero(tf)
        idf = math.log(1 + (len(counts) - n + 0.5) / (n + 0.5))
        scores += times * idf * tf * (K1 + 1) / (tf + K1 * (1 - B + B * lengths / avg_len))
    return scores


def test_the_lexical_ranking_of_cranfield_is_that_of_plain_bm25(shared: Path, tmp_path: Path) -> None:
    folder = shared / "data" / "beir" / "cranfield"
    if not folder.is_dir():
        pytest.skip(f"no data set at {folder}")
    texts = {
        one["_id"]: f"{one.get('title', '')}\n{one['text']}"
        for one in lines(folder / "corpus.jsonl")
        if one["text"].strip()
    }
    questions = [one["text"] for one in lines(folder / "queries.jsonl")][:50]
    index, avg_len = fill(tmp_path / "shard", texts, dense=False)
    retriever = LexicalRetriever(index=index, analyser=ANALYSER)
    counts = [ANALYSER.counts(text) for text in texts.values()]
    names = list(texts)
    for question in questions:
        expected = bm25(counts, ANALYSER.counts(question), avg_len)
        found = retriever.retrieve(question, 20)
        by_name = dict(zip(names, expected, strict=True))
        scores = [one.scores["lexical"] for one in found]
        np.testing.assert_allclose(scores, [by_name[one.doc_id] for one in found], rtol=1e-4)
        np.testing.assert_allclose(scores, np.sort(expected)[::-1][:20], rtol=1e-4)
    index.close()
