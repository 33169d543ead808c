"""Ingest and evaluate the benchmark sets through the command line; print effectiveness and where the time went.

    python benchmarks/retrieval.py [--late-interaction]

Reads benchmarks/configs/{cranfield,anthropic-docs}.yaml; STRATA_BENCH_DATA names the folder that holds ``beir/``.
Everything is written into a temporary workspace, so that nothing comes from an earlier run's cache.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

CONFIGS = Path(__file__).parent / "configs"
SEARCHES = {
    "dense": ["--mode", "dense", "--no-rerank"],
    "lexical": ["--mode", "lexical", "--no-rerank"],
    "hybrid": ["--mode", "hybrid", "--no-rerank"],
}
LATE_INTERACTION = {"hybrid + late interaction": ["--mode", "hybrid"]}
MODEL_STAGES = {"embed"}
START_STAGES = {"load"}


def strata(home: str, *arguments: str) -> dict[str, Any]:
    environment = {**os.environ, "STRATA_HOME": home, "STRATA_OFFLINE": "1"}
    command = [sys.executable, "-m", "strata_rag", *arguments, "--json"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def cell(summary: dict[str, Any]) -> str:
    return f"{summary['value']:.3f} ({summary['low']:.2f}-{summary['high']:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--late-interaction", action="store_true", help="add the fourth row; takes minutes on a CPU"
    )
    options = parser.parse_args()
    searches = {**SEARCHES, **(LATE_INTERACTION if options.late_interaction else {})}
    with tempfile.TemporaryDirectory() as home:
        for name in ("cranfield", "anthropic-docs"):
            config = str(CONFIGS / f"{name}.yaml")
            ingested = strata(home, "ingest", config)
            stages = ingested["timings_ms"]
            model = sum(stages[stage] for stage in MODEL_STAGES)
            rest = sum(ms for stage, ms in stages.items() if stage not in MODEL_STAGES | START_STAGES)
            print(f"\n{name}: {ingested['chunks']} chunks; embedding {model / 1000:.1f} s, ", end="")
            print(f"all other work {rest / 1000:.1f} s ({rest / model:.1%}), loading the model apart\n")
            print("| search | nDCG@10 | Recall@5 | MRR@10 | n |\n|---|---|---|---|---|")
            for label, flags in searches.items():
                measures = strata(home, "eval", config, *flags)["measures"]
                cells = " | ".join(cell(measures[key]) for key in ("nDCG@10", "Recall@5", "MRR@10"))
                print(f"| {label} | {cells} | {measures['nDCG@10']['n']} |", flush=True)


if __name__ == "__main__":
    main()
