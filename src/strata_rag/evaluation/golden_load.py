"""The one door to golden sets on disk."""

from __future__ import annotations

from pathlib import Path

import yaml

from strata_rag.errors import Fault, GoldenError
from strata_rag.evaluation.golden import LEVELS, GoldenSet
from strata_rag.evaluation.golden_beir import load_beir
from strata_rag.evaluation.golden_csv import load_csv
from strata_rag.evaluation.golden_nodes import compose_yaml, read_source
from strata_rag.evaluation.golden_trec import is_trec_folder, load_trec
from strata_rag.evaluation.golden_yaml import load_json_lines, load_yaml


def load_golden(path: str | Path, *, split: str = "test", level: str = "document") -> GoldenSet:
    """Read a golden set whole, or not at all.

    Args:
        path: YAML (``.yaml``, ``.yml``), JSON lines (``.jsonl``), CSV (``.csv``), a BEIR folder or a TREC folder.
        split: Which ``qrels/<split>.tsv`` of a BEIR folder, ``qrels.<split>*`` of a TREC folder.
        level: What item ids name, unless the file or a question says otherwise.

    Raises:
        GoldenError: With every fault found, each at ``file:line:column``.
    """
    if level not in LEVELS:
        raise ValueError(f"level: one of {', '.join(LEVELS)} was expected, found {level!r}")
    path = Path(path)
    if path.is_dir() and not (path / "queries.jsonl").exists() and is_trec_folder(path):
        return load_trec(path, split=split, level=level)
    if path.is_dir():
        return load_beir(path, split=split, level=level)
    suffix = path.suffix.lower()
    if suffix in (".yaml", ".yml"):
        return load_yaml(path, level=level)
    if suffix == ".jsonl":
        return load_json_lines(path, level=level)
    if suffix == ".csv":
        return load_csv(path, level=level)
    expected = "a .yaml, .yml, .jsonl or .csv file or a BEIR or TREC folder was expected"
    found = f"a {suffix or 'suffixless'} file" if path.exists() else "nothing there"
    raise GoldenError(
        [Fault(str(path), f"{expected}, found {found}")], hint="see docs/evaluation.md for the formats"
    )


def is_golden_file(path: Path) -> bool:
    """Tell a golden set from a config: a folder, JSON lines, a YAML list, or a YAML map with ``questions``.

    What is no YAML at all counts as a config, whose loader says what is wrong.
    """
    if path.is_dir() or path.suffix.lower() in (".jsonl", ".csv"):
        return True
    try:
        root = compose_yaml(read_source(path))
    except GoldenError:
        return False
    if isinstance(root, yaml.MappingNode):
        return any(getattr(key, "value", None) == "questions" for key, _ in root.value)
    return isinstance(root, yaml.SequenceNode)
