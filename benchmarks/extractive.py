"""Count what the extractive mode answers and refuses on the sample's golden set.

    python benchmarks/extractive.py

Hybrid search without a reranker, five hits a question; everything is written into a temporary workspace.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

from strata_rag.config import load_config
from strata_rag.evaluation import load_golden
from strata_rag.experiment import Experiment, SearchSettings, Workspace, ingest
from strata_rag.experiment.answer import answer_from_hits, build_answerer
from strata_rag.experiment.query import opened
from strata_rag.progress import Silent

ROOT = Path(__file__).parents[1]
OVERRIDES = ("generation.provider=extractive", "retrieval.rerank.scorer=none")
HITS = 5


def main() -> None:
    config = load_config(ROOT / "configs" / "sample.yaml", overrides=OVERRIDES, environ={}).config
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as home:
        experiment = Experiment(config, Workspace(home=Path(home), offline=True))
        ingest(experiment, recreate=False, progress=Silent())
        answerer, settings = build_answerer(experiment), SearchSettings.of(config)
        with opened(experiment, settings) as (_, index):
            retriever = experiment.retriever(index, settings, None)
            for question in load_golden(ROOT / "data" / "sample-golden.yaml", split="test").questions:
                hits = retriever.retrieve(question.text, HITS)
                answer = answer_from_hits(experiment, answerer, question.text, hits)
                kind = "unanswerable" if question.kind == "unanswerable" else "answerable"
                counts[f"{kind}: {answer.status}"] += 1
                cited = {citation.passage.doc_id for citation in answer.citations}
                counts[f"{kind}: cites a relevant document"] += bool(cited & set(question.relevant))
    for name, count in sorted(counts.items()):
        print(f"{name:45s} {count}")


if __name__ == "__main__":
    main()
