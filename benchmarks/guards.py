"""Count what the scan for instructions says about honest documents, and how fast it reads them.

    python benchmarks/guards.py [FOLDER ...]

STRATA_BENCH_DATA names the folder that holds ``beir/``; the sample corpus comes with the project. With folders only
these are read: their .md, .rst and .txt files, and the docstrings of each .py file as one text. Such a folder is the
``site-packages`` of a virtual environment. Texts with a finding of medium or above are named.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import time
import warnings
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


def documentation(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield name and text of every file that documents software, the project's own left out."""
    for path in sorted(folder.rglob("*.*")):
        if (
            path.suffix in (".md", ".rst", ".txt", ".py")
            and path.is_file()
            and "strata_rag" not in path.parts
        ):
            text = path.read_text(encoding="utf-8", errors="replace")
            if path.suffix == ".py":
                text = docstrings(text)
            if text.strip():
                yield str(path.relative_to(folder)), text


def docstrings(code: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return ""
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = (ast.get_docstring(node) for node in ast.walk(tree) if isinstance(node, holders))
    return "\n\n".join(filter(None, found))


def own_sets() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    data = Path(os.environ["STRATA_BENCH_DATA"]) / "beir"
    for name in SETS:
        yield name, [("", text) for text in collection(data / name)]
    config = load_config(ROOT / "configs" / "sample.yaml", environ={}).config
    sample = Experiment(config, Workspace(home=Path(), offline=True)).raw_source()
    yield "data/sample", [(document.doc_id, document.text) for document in sample.discover()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    folders = parser.parse_args().folders
    sets = ((folder.name, list(documentation(folder))) for folder in folders) if folders else own_sets()
    serious: list[str] = []
    print(f"{'set':16s} {'texts':>6s} {'low':>5s} {'medium':>7s} {'high':>5s} {'MB/s':>6s}")
    for name, texts in sets:
        begin = time.process_time()
        severities: Counter[str] = Counter()
        for path, text in texts:
            findings = scan(text)
            severities.update({finding.severity for finding in findings})
            serious += [
                f"{name}: {path}: {one.severity}, {one.text!r}" for one in findings if one.severity != "low"
            ]
        speed = sum(len(text) for _, text in texts) / 1e6 / (time.process_time() - begin)
        low, medium, high = (severities[severity] for severity in ("low", "medium", "high"))
        print(f"{name:16s} {len(texts):6d} {low:5d} {medium:7d} {high:5d} {speed:6.1f}", flush=True)
    print(*serious, sep="\n")


if __name__ == "__main__":
    main()
