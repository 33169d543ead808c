"""Read mutated files: bytes flipped, cut short, endings swapped; each must get its row, and none may stop the run.

    python benchmarks/fuzz_formats.py FOLDER [--files 2000] [--seed 0] [--seconds 10]

FOLDER holds real files of many formats. Prints what became of the mutants; ends with 1 if a row is missing, a
reader met what it does not know, or the run took longer than its limits allow.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from strata_rag.corpus import FilesAdapter, Limits, Options
from strata_rag.corpus.walk import walk_files

MOST_BYTES = 300_000


def mutants(folder: Path, count: int, seed: int) -> list[tuple[str, bytes]]:
    """Return names and bytes of `count` files made from those in `folder`; the same for the same seed."""
    draw = random.Random(seed)
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size <= MOST_BYTES)
    originals = [(path.suffix, path.read_bytes()) for path in files]
    made = []
    for number in range(count):
        suffix, raw = draw.choice(originals)
        kind = draw.choice(("flipped", "cut", "swapped", "spliced"))
        if kind == "flipped":
            raw = _flipped(raw, draw)
        elif kind == "cut":
            raw = raw[: draw.randrange(len(raw) + 1)]
        elif kind == "swapped":
            suffix = draw.choice(originals)[0]
        else:
            other = draw.choice(originals)[1]
            raw = raw[: draw.randrange(len(raw) + 1)] + other[draw.randrange(len(other) + 1) :]
        made.append((f"{number:05}-{kind}{suffix}", raw))
    return made


def _flipped(raw: bytes, draw: random.Random) -> bytes:
    changed = bytearray(raw)
    for _ in range(draw.choice((1, 4, 32, 256)) if changed else 0):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def read_all(folder: Path, limits: Limits) -> tuple[Counter[str], list[str], float]:
    """Read a folder; return how many files have which status, what a reader did not expect, and the seconds."""
    adapter = FilesAdapter(
        folder, lambda: walk_files(folder, follow_symlinks=False), options=Options(zip=True), limits=limits
    )
    begin = time.monotonic()
    for document in adapter.discover():
        document.text.encode("utf-8")
    seconds = time.monotonic() - begin
    unexpected = [
        f"{outcome.path}: {outcome.reason}"
        for outcome in adapter.outcomes
        if outcome.reason.startswith(("its reader", "took longer", "needs more memory"))
    ]
    return Counter(outcome.status for outcome in adapter.outcomes), unexpected, seconds


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, raw in mutants(given.folder, given.files, given.seed):
            (folder / file).write_bytes(raw)
        statuses, unexpected, seconds = read_all(folder, Limits(seconds=given.seconds))
    for line in unexpected:
        print(line)
    print(f"{given.files} files, seed {given.seed}: {dict(sorted(statuses.items()))} in {seconds:.1f} s")
    print(f"{len(unexpected)} ended by a limit, a crash or an error that no reader expected")
    return 0 if statuses.total() == given.files and not unexpected else 1


if __name__ == "__main__":
    sys.exit(main())
