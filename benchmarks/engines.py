"""The engines at 100,000 chunks: python benchmarks/engines.py [CHUNKS].

384-dimensional random unit vectors and BM25 weights of synthetic text, so that no model is needed. Writing through our
code is held against the bare engine's own calls on the same points; opening is timed in a new process. qdrant-client's
local mode runs at a tenth of the size: at the whole it takes hours.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from synthetic import DIMENSION, K1, B, batches, median_ms, points, questions, texts, vectors

from strata_rag.index import (
    Analyser,
    EmbeddedIndex,
    Point,
    ServerAddress,
    ServerClient,
    ServerCollections,
    sparse_counts,
)
from strata_rag.index.embedded import DENSE, LEXICAL
from strata_rag.retrieval import build_scores, reciprocal_rank_fusion

BATCH = 256
OPEN = """
import sys, time
begin = time.perf_counter()
from pathlib import Path
from strata_rag.index import EmbeddedIndex
index = EmbeddedIndex(Path(sys.argv[1]))
assert index.count()
print(time.perf_counter() - begin)
"""


def row(name: str, value: float, unit: str, target: str = "") -> None:
    print(f"| {name} | {value:.3g} {unit} | {target} |", flush=True)


def bare_engine(folder: Path, written: Sequence[Point]) -> tuple[float, float]:
    """Write with the engine's own calls, as plainly as its documentation does; return seconds of both phases."""
    import qdrant_edge as edge

    hnsw = edge.HnswIndexConfig(m=16, ef_construct=100, full_scan_threshold=10_000)
    config = edge.EdgeConfig(
        vectors={
            DENSE: edge.EdgeVectorParams(size=DIMENSION, distance=edge.Distance.Cosine, hnsw_config=hnsw)
        },
        sparse_vectors={LEXICAL: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)},
        wal_enabled=False,
    )
    folder.mkdir()
    begin = time.perf_counter()
    shard = edge.EdgeShard.create(str(folder), config)
    for batch in batches(iter(written), BATCH):
        converted = [
            edge.Point(
                one.point_id,
                {
                    DENSE: one.dense.tolist(),
                    LEXICAL: edge.SparseVector(one.lexical.indices.tolist(), one.lexical.values.tolist()),
                },
                dict(one.payload),
            )
            for one in batch
        ]
        shard.update(edge.UpdateOperation.upsert_points(converted))
        shard.flush()
    upserted = time.perf_counter()
    shard.optimize()
    shard.flush()
    shard.close()
    return upserted - begin, time.perf_counter() - upserted


def ours(folder: Path, written: Sequence[Point]) -> tuple[EmbeddedIndex, float, float]:
    begin = time.perf_counter()
    index = EmbeddedIndex.create(folder, dimension=DIMENSION, m=16, ef_construct=100)
    for batch in batches(iter(written), BATCH):
        index.upsert(batch)
    upserted = time.perf_counter()
    index.optimize()
    return index, upserted - begin, time.perf_counter() - upserted


def hybrid(index: EmbeddedIndex, analyser: Analyser, vector: np.ndarray, text: str) -> object:
    dense = index.search_dense(vector, 20)
    lexical = index.search_lexical(sparse_counts(analyser.counts(text)), 20)
    return reciprocal_rank_fusion([[hit.point_id for hit in hits] for hits in (dense, lexical)])[:20]


def embedded(folder: Path, documents: list[str], analyser: Analyser) -> None:
    dense = vectors(len(documents))
    begin = time.perf_counter()
    written = list(points(documents, dense, analyser))
    weighed = time.perf_counter() - begin
    bare_upsert, bare_optimize = bare_engine(folder / "bare", written)
    index, upsert, optimize = ours(folder / "ours", written)
    again_upsert, again_optimize = bare_engine(folder / "again", written)
    bare = (bare_upsert + bare_optimize + again_upsert + again_optimize) / 2
    row("analysing and weighing", weighed, "s")
    row("writing, our code", upsert + optimize, "s")
    row("... of which upserts, bare engine's own", upsert, f"s, {(bare_upsert + again_upsert) / 2:.3g} s")
    row(
        "... of which optimising, bare engine's own",
        optimize,
        f"s, {(bare_optimize + again_optimize) / 2:.3g} s",
    )
    row("written in all", weighed + upsert + optimize, "s", "under 120 s")
    row("our writing against the bare engine's", (upsert + optimize) / bare, "x", "at most 1.25x")
    asked, asked_vectors = questions(), vectors(200, seed=9)
    pairs = list(zip(asked_vectors, asked, strict=True))
    row("dense p50", median_ms([lambda v=v: index.search_dense(v, 20) for v in asked_vectors]), "ms")
    lexical = [sparse_counts(analyser.counts(text)) for text in asked]
    row("lexical p50", median_ms([lambda q=q: index.search_lexical(q, 20) for q in lexical]), "ms")
    hybrids = [lambda v=v, t=t: hybrid(index, analyser, v, t) for v, t in pairs]
    row("hybrid p50, given the query vector", median_ms(hybrids), "ms", "under 5 ms")
    filtered = [lambda v=v: index.search_dense(v, 20, where={"source": "s3"}) for v in asked_vectors[:50]]
    row("dense p50 under a filter that a tenth passes", median_ms(filtered), "ms")
    index.close()
    opened = [_opened(folder / "ours") for _ in range(5)]
    row("opened by a new process", float(np.median(opened)), "s", "under 0.5 s")


def _opened(folder: Path) -> float:
    command = [sys.executable, "-c", OPEN, str(folder)]
    source = str(Path(__file__).parents[1] / "src")
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={"PYTHONPATH": source})
    return float(done.stdout)


def in_memory(documents: list[str], analyser: Analyser) -> None:
    for backend in ("bm25s", "rank-bm25"):
        begin = time.perf_counter()
        score_all = build_scores(backend, [analyser.terms(text) for text in documents], k1=K1, b=B)  # type: ignore[arg-type]
        row(f"{backend}: built", time.perf_counter() - begin, "s")
        asked = questions(30 if backend == "rank-bm25" else 200)
        calls = [
            lambda t=t, score=score_all: np.argpartition(-score(analyser.terms(t)), 20)[:20] for t in asked
        ]
        row(f"{backend}: p50", median_ms(calls), "ms")


def local_mode(documents: list[str], analyser: Analyser, folder: Path) -> None:
    from qdrant_client import QdrantClient

    warnings.simplefilter("ignore")
    client = ServerClient(ServerAddress("memory"), client=QdrantClient(":memory:"))
    collections = ServerCollections(client, folder)
    collections.create("c", DIMENSION)
    index = collections.index("c")
    begin = time.perf_counter()
    for batch in batches(points(documents, vectors(len(documents)), analyser), BATCH):
        index.upsert(batch)
    row(f"qdrant-client local mode, {len(documents):,}: written", time.perf_counter() - begin, "s")
    pairs = zip(vectors(20, seed=9), questions(20), strict=True)
    calls = [lambda v=v, t=t: hybrid(index, analyser, v, t) for v, t in pairs]  # type: ignore[arg-type]
    row(f"qdrant-client local mode, {len(documents):,}: hybrid p50", median_ms(calls), "ms")


def main(size: int) -> None:
    print(
        f"{size:,} chunks, {DIMENSION} dimensions, {platform.machine()}, Python {platform.python_version()}\n"
    )
    print("| what | found | must be |\n|---|---|---|")
    analyser = Analyser(language="english")
    documents = texts(size)
    with tempfile.TemporaryDirectory() as folder:
        embedded(Path(folder), documents, analyser)
        in_memory(documents, analyser)
        local_mode(documents[: size // 10], analyser, Path(folder))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
