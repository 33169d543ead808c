"""Measure every chunking strategy on the benchmark sets: nDCG@10 with its interval, chunks, index size.

python benchmarks/chunking_sweep.py [CONFIG ...]     (default: both files of benchmarks/configs)

Each strategy is one experiment of its own, ingested and evaluated by the command line with ``--set``. It runs offline
on all-MiniLM-L6-v2, hybrid without a reranker, and keeps its work in .strata of the current folder: a second run
embeds nothing. STRATA_BENCH_DATA names the folder that holds `beir/`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CONFIGS = [HERE / "configs" / "cranfield.yaml", HERE / "configs" / "anthropic-docs.yaml"]
SIZED = ["chunking.size=800", "chunking.overlap=150"]
STRATEGIES: dict[str, list[str]] = {
    "document": ["chunking.strategy=document"],
    "window 800/150": ["chunking.strategy=window", *SIZED],
    "token 200/32": ["chunking.strategy=token", "chunking.size=200", "chunking.overlap=32"],
    "sentence 800/150": ["chunking.strategy=sentence", *SIZED],
    "sentence-window 2": ["chunking.strategy=sentence-window", *SIZED],
    "markdown 800/150": ["chunking.strategy=markdown", *SIZED],
    "markdown 800/150, headings": ["chunking.strategy=markdown", *SIZED, "chunking.prepend_headings=true"],
    "semantic 800/150": ["chunking.strategy=semantic", *SIZED],
}


def strata(*arguments: str) -> dict[str, Any]:
    """Run one command of the package beside this file and return the JSON it prints."""
    variables = {**os.environ, "STRATA_OFFLINE": "1", "PYTHONPATH": str(HERE.parent / "src")}
    command = [sys.executable, "-m", "strata_rag", *arguments, "--json"]
    done = subprocess.run(command, env=variables, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}\n{done.stderr}")
    return dict(json.loads(done.stdout))


def measure(config: Path, stated: list[str]) -> tuple[str, ...]:
    settings = [part for pair in stated for part in ("--set", pair)]
    began = time.perf_counter()
    ingested = strata("ingest", str(config), *settings)
    seconds = time.perf_counter() - began
    run = strata("eval", str(config), "--mode", "hybrid", "--no-rerank", *settings)
    found = run["measures"]["nDCG@10"]
    home = Path(os.environ.get("STRATA_HOME") or ".strata")
    files = [path for path in (home / "collections" / ingested["collection"]).rglob("*") if path.is_file()]
    size = sum(path.stat().st_blocks * 512 for path in files) / 2**20
    return (
        f"{found['value']:.4f}",
        f"{found['low']:.3f} to {found['high']:.3f}",
        f"{ingested['chunks']:,}",
        f"{ingested['truncated'] or 0:,}",
        f"{size:.1f} MB",
        f"{ingested['embedded']:,} in {seconds:.0f} s",
    )


def main() -> None:
    for config in [Path(name) for name in sys.argv[1:]] or CONFIGS:
        print(f"\n{config.stem}, hybrid without reranker\n")
        print("| strategy | nDCG@10 | 95 % interval | chunks | truncated | index | embedded |")
        print("|---|---|---|---|---|---|---|", flush=True)
        for name, stated in STRATEGIES.items():
            print(f"| {name} | {' | '.join(measure(config, stated))} |", flush=True)


if __name__ == "__main__":
    main()
