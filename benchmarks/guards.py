"""Count what the scan for instructions says about honest documents, and how fast it reads them.

    python benchmarks/guards.py

STRATA_BENCH_DATA names the folder that holds ``beir/``; the sample corpus comes with the project.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from strata_rag.config import load_config
from strata_rag.experiment import Experiment, Workspace
from strata_rag.generation import scan

ROOT = Path(__file__).parents[1]
SETS = ("anthropic-docs", "cranfield", "xquad-en", "xquad-de")


def collection(folder: Path) -> Iterator[str]:
    with (folder / "corpus.jsonl").open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            document = json.loads(line)
            yield f"{document.get('title', '')}\n\n{document['text']}"


def main() -> None:
    data = Path(os.environ["STRATA_BENCH_DATA"]) / "beir"
    sets = {name: list(collection(data / name)) for name in SETS}
    config = load_config(ROOT / "configs" / "sample.yaml", environ={}).config
    sample = Experiment(config, Workspace(home=Path(), offline=True)).raw_source()
    sets["data/sample"] = [document.text for document in sample.discover()]
    print(f"{'set':16s} {'texts':>6s} {'low':>5s} {'medium':>7s} {'high':>5s} {'MB/s':>6s}")
    for name, texts in sets.items():
        begin = time.process_time()
        severities: Counter[str] = Counter()
        for text in texts:
            severities.update({finding.severity for finding in scan(text)})
        speed = sum(map(len, texts)) / 1e6 / (time.process_time() - begin)
        low, medium, high = (severities[severity] for severity in ("low", "medium", "high"))
        print(f"{name:16s} {len(texts):6d} {low:5d} {medium:7d} {high:5d} {speed:6.1f}")


if __name__ == "__main__":
    main()
