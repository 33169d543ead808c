"""Time our measures against pytrec_eval and ir-measures, on the same input in the same run.

python benchmarks/measures.py [QUERIES] [DEPTH]
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable

import ir_measures
import numpy as np
import pytrec_eval

from strata_rag.evaluation.golden import GoldenSet, Question
from strata_rag.evaluation.intervals import summarise
from strata_rag.evaluation.measures import Measure, evaluate

REPEATS = 5
MEASURES = {
    "nDCG@10": ("ndcg_cut_10", "nDCG@10"),
    "nDCG@100": ("ndcg_cut_100", "nDCG@100"),
    "Recall@5": ("recall_5", "R@5"),
    "Recall@100": ("recall_100", "R@100"),
    "Precision@5": ("P_5", "P@5"),
    "Hit@5": ("success_5", "Success@5"),
    "MAP@100": ("map_cut_100", "AP@100"),
}


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main(queries: int, depth: int) -> None:
    rng = np.random.Generator(np.random.PCG64(0))
    pool = [f"doc-{i}" for i in range(50_000)]
    rankings, qrels = {}, {}
    for q in range(queries):
        items = [pool[i] for i in rng.choice(len(pool), size=depth, replace=False)]
        judged = [items[i] for i in rng.choice(depth, size=min(10, depth), replace=False)]
        judged += [pool[i] for i in rng.choice(len(pool), size=10)]
        qrels[f"q{q}"] = {item: int(rng.integers(0, 4)) for item in judged}
        rankings[f"q{q}"] = items
    run = {q: {item: float(depth - r) for r, item in enumerate(items)} for q, items in rankings.items()}
    golden = GoldenSet(
        tuple(Question(q, q, {item: float(g) for item, g in judged.items()}) for q, judged in qrels.items())
    )
    ours = [Measure.parse(name) for name in MEASURES]
    trec = {name for name, _ in MEASURES.values()}
    irm = [ir_measures.parse_measure(name) for _, name in MEASURES.values()]
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, trec)

    seconds = {
        "pytrec_eval, qrels loaded beforehand": best(lambda: evaluator.evaluate(run)),
        "pytrec_eval, with its loading": best(
            lambda: pytrec_eval.RelevanceEvaluator(qrels, trec).evaluate(run)
        ),
        "ir-measures": best(lambda: list(ir_measures.iter_calc(irm, qrels, run))),
        "strata": best(lambda: evaluate(ours, rankings, golden)),
    }
    per_query = evaluate(ours, rankings, golden)
    bootstrap = best(lambda: summarise(per_query, seed=0))

    print(f"{queries} queries x {depth} results x {len(ours)} measures, best of {REPEATS}")
    print(f"Python {platform.python_version()}, numpy {np.__version__}, {platform.machine()}")
    for name, value in seconds.items():
        print(f"{name:40s} {value:7.3f} s")
    base = seconds["pytrec_eval, qrels loaded beforehand"]
    print(f"{'strata / pytrec_eval':40s} {seconds['strata'] / base:7.2f}")
    print(f"{'strata / ir-measures':40s} {seconds['strata'] / seconds['ir-measures']:7.2f}")
    print(f"{'10,000-fold bootstrap of all means':40s} {bootstrap:7.3f} s")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3] or ("5000", "100")))
