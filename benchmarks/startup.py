"""Time what must be quick: ``strata --help``, and a dry run over 10,000 small files.

python benchmarks/startup.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILES = 10_000


def seconds(*arguments: str, home: str) -> float:
    begin = time.perf_counter()
    environment = {**os.environ, "STRATA_HOME": home, "STRATA_OFFLINE": "1"}
    command = [sys.executable, "-m", "strata_rag", *arguments]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print(f"strata --help: best of 5 {min(seconds('--help', home=folder) for _ in range(5)):.2f} s")
        root = Path(folder, "documents")
        for number in range(FILES):
            path = root / f"source{number % 7}" / f"project{number % 31}" / f"note-{number}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"# Note {number}\n\n" + f"Pump {number} was checked and found in order. " * 12)
        config = Path(folder, "many.yaml")
        config.write_text("corpus: {root: documents}\nembedding: {model: all-MiniLM-L6-v2}\n")
        taken = seconds("ingest", str(config), "--dry-run", home=folder)
        print(f"strata ingest --dry-run, {FILES:,} files: {taken:.1f} s")


if __name__ == "__main__":
    main()
