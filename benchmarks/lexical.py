"""Build time, memory and latency of the three lexical backends: python benchmarks/lexical.py [1000 10000 100000].

Each backend and size runs in a process of its own, on the same synthetic texts (see synthetic.py). Building begins with
texts already in memory and includes analysing them; memory is what the process holds more than before it began.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from synthetic import K1, B, batches, median_ms, peak_mb, points, texts

from strata_rag.index import Analyser, EmbeddedIndex, sparse_counts
from strata_rag.retrieval import build_scores

BACKENDS = ("sparse", "bm25s", "rank-bm25")
SIZES = (1_000, 10_000, 100_000)


def measure(backend: str, file: Path) -> dict[str, float]:
    documents = file.read_text().splitlines()
    size = len(documents)
    asked = [" ".join(text.split()[:6]) for text in documents[: 60 if backend == "rank-bm25" else 200]]
    analyser = Analyser(language="english")
    before = peak_mb()
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        if backend == "sparse":
            index = EmbeddedIndex.create(Path(folder) / "shard", dimension=2, m=16, ef_construct=100)
            flat = np.ones((size, 2), np.float32) / np.sqrt(2)
            for batch in batches(points(documents, flat, analyser), 256):
                index.upsert(batch)
            index.optimize()
            built = time.perf_counter() - begin
            calls = [
                lambda text=text: index.search_lexical(sparse_counts(analyser.counts(text)), 20)
                for text in asked
            ]
        else:
            terms = [analyser.terms(text) for text in documents]
            score_all = build_scores(backend, terms, k1=K1, b=B)  # type: ignore[arg-type]
            built = time.perf_counter() - begin
            calls = [
                lambda text=text: np.argpartition(-score_all(analyser.terms(text)), 20)[:20] for text in asked
            ]
        latency = median_ms(calls)
    return {"build_s": built, "memory_mb": peak_mb() - before, "p50_ms": latency}


def main(sizes: list[int]) -> None:
    print("| chunks | backend | build, s | memory, MB | p50, ms |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            file = Path(folder) / f"{size}.txt"
            # Made in a process of its own: what making them takes must not hide what a backend takes.
            file.write_text("\n".join(texts(size)))
            compare(size, file)


def compare(size: int, file: Path) -> None:
    for backend in BACKENDS:
        command = [sys.executable, __file__, "--one", backend, str(file)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        figures = f"{found['build_s']:.1f} | {found['memory_mb']:.0f} | {found['p50_ms']:.2f}"
        print(f"| {size:,} | `{backend}` | {figures} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[3]))))
    else:
        main([int(size) for size in sys.argv[1:]] or list(SIZES))
