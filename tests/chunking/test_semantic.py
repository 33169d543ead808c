from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from strata_rag.cache import Cache
from strata_rag.chunking import SemanticChunker
from strata_rag.chunking.semantic import turning_points
from strata_rag.documents import SourceDocument
from strata_rag.embedding import CachedEmbedder, HashedWordsEmbedder, NotCached

TEXT = "Cats purr. Cats purr softly. Cats purr now. Ships sail. Ships sail far. Ships sail off."


def chunker(size: int = 800, overlap: int = 0, percentile: float = 90) -> SemanticChunker:
    return SemanticChunker(
        embedder=HashedWordsEmbedder(64), size=size, overlap=overlap, percentile=percentile
    )


def test_a_chunk_ends_where_the_meaning_turns() -> None:
    chunks = chunker().chunk(SourceDocument("d", TEXT))
    assert [chunk.text for chunk in chunks] == [
        "Cats purr. Cats purr softly. Cats purr now.",
        "Ships sail. Ships sail far. Ships sail off.",
    ]


def test_what_is_longer_than_the_size_is_cut_between_sentences() -> None:
    texts = [chunk.text for chunk in chunker(size=30).chunk(SourceDocument("d", TEXT))]
    assert texts == [
        "Cats purr. Cats purr softly.",
        "Cats purr now.",
        "Ships sail. Ships sail far.",
        "Ships sail off.",
    ]


def test_turning_points_are_the_largest_distances() -> None:
    vectors = np.eye(3, dtype=np.float32)[[0, 0, 1, 1, 1, 2]]
    assert turning_points(vectors, 0) == [1, 4]
    assert turning_points(vectors, 100) == [1, 4]
    assert turning_points(vectors[[0, 0, 0]], 0) == []


def test_the_last_bits_of_the_arithmetic_move_no_boundary() -> None:
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(200, 16)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    other = vectors + generator.normal(scale=1e-8, size=vectors.shape).astype(np.float32)
    assert turning_points(vectors, 90) == turning_points(other, 90)


def test_sentences_are_embedded_once_and_the_cache_alone_answers_then(tmp_path: Path) -> None:
    cache, document = Cache(tmp_path / "cache.sqlite"), SourceDocument("d", TEXT)
    embedder = HashedWordsEmbedder(64)
    limits = {"size": 800, "overlap": 0, "percentile": 90}
    alone = SemanticChunker(embedder=CachedEmbedder(embedder, cache, cache_only=True), **limits)
    with pytest.raises(NotCached, match="expected the vectors of 6 texts, found those of 0"):
        alone.chunk(document)
    both = SemanticChunker(embedder=CachedEmbedder(embedder, cache), **limits).chunk(document)
    assert alone.chunk(document) == both == chunker().chunk(document)


@pytest.mark.parametrize("percentile", [-1.0, 100.5])
def test_a_percentile_out_of_range_is_refused(percentile: float) -> None:
    with pytest.raises(ValueError, match="percentile from 0 to 100"):
        chunker(percentile=percentile)
