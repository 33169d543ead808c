"""Time the extraction of PDFs and Word documents beside markitdown, unstructured and pypdf, in one run.

    python benchmarks/extraction.py FOLDER --peers PYTHON [--passes 3]

FOLDER holds the files. PYTHON is an interpreter with the peers installed (``pip install 'markitdown[pdf,docx]'
'unstructured[pdf,docx]' pypdf``, and the spaCy model en_core_web_sm that unstructured wants); each runs in a
process of its own, imports and one warm-up file not counted. Of each, the fastest of the passes counts. Also
times 5,000 small files through the folder adapter, processes' start included. Ends with 1 if one of the two
goals is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

KINDS = ("pdf", "docx")
READERS = ("strata", "pypdf", "markitdown", "unstructured")
SMALL_FILES = 5000
MOST_SECONDS = 10.0


def reader_of(name: str):
    """Return a function from a path to its text."""
    if name == "strata":
        from strata_rag.corpus import extract

        return lambda path: extract(path).text
    if name == "pypdf":
        from pypdf import PdfReader

        def read(path: str) -> str:
            reader = PdfReader(path)
            if reader.is_encrypted:
                reader.decrypt("")
            return "\n".join(page.extract_text() for page in reader.pages)

        return read
    if name == "markitdown":
        from markitdown import MarkItDown

        converter = MarkItDown(enable_plugins=False)
        return lambda path: converter.convert(path).text_content
    from unstructured.partition.docx import partition_docx
    from unstructured.partition.pdf import partition_pdf

    def partition(path: str) -> str:
        if path.endswith(".pdf"):
            return "\n".join(map(str, partition_pdf(path, strategy="fast")))
        return "\n".join(map(str, partition_docx(path)))

    return partition


def measure(name: str, files: list[str], passes: int) -> dict[str, float | int]:
    """Return the seconds of the fastest pass, and how many files gave text in it."""
    read = reader_of(name)
    with contextlib.suppress(Exception):
        read(files[0])
    best, given = float("inf"), 0
    for _ in range(passes):
        begin = time.perf_counter()
        given = 0
        for file in files:
            try:
                given += bool(read(file).strip())
            except Exception:
                continue
        best = min(best, time.perf_counter() - begin)
    return {"seconds": best, "with_text": given}


def measured_apart(name: str, files: list[str], passes: int, python: str) -> dict[str, float | int] | None:
    if name == "pypdf" and files[0].endswith(".docx"):
        return None
    done = subprocess.run(
        [python, __file__, "--one", name, "--passes", str(passes), *files],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        print(f"{name}: {done.stderr.strip().splitlines()[-1:]}")
        return None
    return json.loads(lines[-1])


def small_files() -> float:
    """Return the seconds that 5,000 small files of five formats take."""
    from strata_rag.corpus import open_corpus

    texts = {
        "md": "# Pump {0}\n\nThe pump {0} is oiled every month.\n",
        "txt": "Note {0}: the valve closes clockwise.\n",
        "csv": "name,price\npump {0},{0}\nvalve,3\n",
        "json": '{{"name": "pump {0}", "parts": [1, 2]}}',
        "html": "<html><title>Pump</title><p>Page {0}</p></html>",
    }
    with tempfile.TemporaryDirectory() as name:
        for number in range(SMALL_FILES):
            suffix = list(texts)[number % len(texts)]
            text = texts[suffix].format(number)
            Path(name, f"{number:05}.{suffix}").write_text(text, encoding="utf-8")
        begin = time.perf_counter()
        count = sum(1 for _ in open_corpus(Path(name)).discover())
        assert count == SMALL_FILES
        return time.perf_counter() - begin


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--peers", default=sys.executable)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--one", choices=READERS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.one, given.paths, given.passes)))
        return 0
    missed = False
    for kind in KINDS:
        files = sorted(map(str, Path(given.paths[0]).glob(f"*.{kind}")))
        size = sum(Path(file).stat().st_size for file in files) / 1e6
        print(f"{len(files)} {kind} files, {size:.2f} MB")
        rates = {}
        for name in READERS:
            python = sys.executable if name == "strata" else given.peers
            found = measured_apart(name, files, given.passes, python)
            if found is not None:
                rates[name] = len(files) / found["seconds"]
                speed = f"{rates[name]:9.1f} files/s {size / found['seconds']:8.2f} MB/s"
                print(f"  {name:14}{found['seconds']:8.3f} s {speed}   text from {found['with_text']}")
        missed |= max(rates, key=rates.__getitem__) != "strata"
    seconds = small_files()
    print(f"{SMALL_FILES} small files: {seconds:.2f} s")
    return 1 if missed or seconds > MOST_SECONDS else 0


if __name__ == "__main__":
    sys.exit(main())
