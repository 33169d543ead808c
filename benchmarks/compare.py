"""Time comparisons of stored runs, and the statistics alone, against their targets.

python benchmarks/compare.py [RUNS] [QUERIES]
"""

from __future__ import annotations

import platform
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path

import numpy as np

from strata_rag.evaluation import (
    GoldenRef,
    GoldenSet,
    Measure,
    Question,
    RankedItem,
    RunRecord,
    StoredRun,
    bootstrap_columns,
    evaluate,
    pairwise_holm,
    sign_flip_tests,
    summarise,
    write_run,
)
from strata_rag.experiment import compare_runs

NAMES = ("nDCG@10", "nDCG@100", "Recall@5", "Recall@100", "Precision@5", "Hit@5", "MRR@10")
MEASURES = [Measure.parse(name) for name in NAMES]
DEPTH = 100
REPEATS = 3


def best(work: Callable[[], object]) -> str:
    """Seconds of the fastest of several runs, by the clock and of the processor."""
    times = []
    for _ in range(REPEATS):
        start, busy = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - start, time.process_time() - busy))
    return " s, ".join(f"{min(column):6.2f}" for column in zip(*times, strict=True)) + " s CPU"


def make_runs(folder: Path, runs: int, queries: int) -> list[StoredRun]:
    """Write runs whose systems find more, the later they come."""
    rng = np.random.Generator(np.random.PCG64(0))
    ids = [f"q{number}" for number in range(queries)]
    golden = GoldenSet(tuple(Question(q, q, {f"{q}-{place}": 1.0 for place in range(5)}) for q in ids))
    made = []
    for number in range(runs):
        rankings = {}
        for query in ids:
            items = [f"doc-{item}" for item in rng.integers(0, 100_000, DEPTH)]
            for place in range(5):
                if rng.random() < 0.5 + 0.02 * number:
                    items[int(rng.integers(0, DEPTH) * rng.random() ** 2)] = f"{query}-{place}"
            rankings[query] = [
                RankedItem(item, 1 / rank, f"{item}#0-800") for rank, item in enumerate(items, 1)
            ]
        per_query = evaluate(
            MEASURES, {q: [item.id for item in found] for q, found in rankings.items()}, golden
        )
        record = RunRecord(
            run_id=f"run{number}",
            created=datetime(2026, 1, 1, tzinfo=UTC),
            label=f"system {number}",
            name="benchmark",
            collection="none",
            mode="hybrid",
            level="document",
            depth=DEPTH,
            seed=0,
            config={},
            config_digest="",
            code_version="",
            corpus_digest="",
            golden=GoldenRef.of(golden),
            measures=summarise(per_query, seed=0, resamples=100),
        )
        write_run(folder / record.run_id, record, golden, rankings, per_query)
        made.append(StoredRun(folder / record.run_id, record))
    return made


def main(runs: int, queries: int) -> None:
    print(
        f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}, best of {REPEATS}"
    )
    for size in (queries, 2 * queries):
        with tempfile.TemporaryDirectory() as folder:
            made = make_runs(Path(folder), runs, size)
            seconds = best(lambda made=made: compare_runs(made))  # type: ignore[misc]
            print(f"{f'compare {runs} runs x {size} queries x {DEPTH} results':60s} {seconds}")
    rng = np.random.Generator(np.random.PCG64(0))
    for size in (1000, 5000):
        differences = rng.normal(0.05, 0.3, (size, len(MEASURES)))

        def both(differences: np.ndarray = differences) -> None:
            bootstrap_columns(differences, seed=0)
            sign_flip_tests(differences, seed=0)

        print(f"{f'10,000-fold bootstrap and randomisation, {size} x 7':60s} {best(both)}")
    values = rng.random((1000, 10))
    pairs = np.stack([values[:, b] - values[:, a] for a, b in combinations(range(10), 2)], axis=1)
    seconds = best(lambda: pairwise_holm(pairs, seed=0))
    print(f"{'45 pairs x 1,000 queries, Holm, draws grown':60s} {seconds}")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3] or ("10", "1000")))
