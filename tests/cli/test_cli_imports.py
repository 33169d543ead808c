"""Which packages a command leaves alone."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from workbench import DOCUMENTS, ROOT, environment, load, run_ingest, write_config, write_files

HEAVY = {
    "anthropic",
    "openai",
    "presidio_analyzer",
    "qdrant_client",
    "scipy",
    "sentence_transformers",
    "spacy",
    "torch",
    "transformers",
}
MODEL_LIBRARIES = {"sentence_transformers", "torch", "transformers"}
RUNNER = """
import json, sys
from strata_rag.cli.app import app
code = app(sys.argv[1:], standalone_mode=False)
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Path:
    folder = tmp_path_factory.mktemp("imports")
    write_files(folder / "docs", DOCUMENTS)
    (folder / "golden.yaml").write_text("- {id: q1, question: red pump, relevant: [readme.md]}\n")
    rerank = {"rerank": {"scorer": "late-interaction"}}
    config = write_config(
        folder / "c.yaml", tiny_model, retrieval=rerank, evaluation={"golden": "golden.yaml"}
    )
    run_ingest(load(config))
    return folder


def imported(folder: Path, arguments: Sequence[str]) -> tuple[int, set[str]]:
    """Return the exit code of a command and the packages its process has imported at the end."""
    process = subprocess.run(
        [sys.executable, "-c", RUNNER, *arguments],
        cwd=folder,
        env=environment(STRATA_HOME=str(folder / ".strata")),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    code, modules = json.loads(process.stderr.splitlines()[-1])
    return code, set(modules)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--help"], 0),
        (["--version"], 0),
        (["ingest", "c.yaml", "--dry-run"], 0),
        (["config", "show", "c.yaml"], 0),
        (["ingest", "none.yaml"], 2),
        (["query", "c.yaml", "pump", "--set", "name=other"], 3),
        (["ingest", "c.yaml", "--set", "embedding.model=no-such-model"], 3),
    ],
)
def test_light_commands_import_no_heavy_package(
    folder: Path, arguments: Sequence[str], expected: int
) -> None:
    code, modules = imported(folder, arguments)
    assert code == expected
    assert modules & HEAVY == set()


def test_help_imports_neither_arrays_nor_the_schema(folder: Path) -> None:
    _, modules = imported(folder, ["--help"])
    assert modules & {"numpy", "pydantic", "qdrant_edge", "rich", "yaml"} == set()


def test_what_is_cached_is_answered_without_the_model_library(folder: Path) -> None:
    for arguments in (["ingest", "c.yaml"], ["query", "c.yaml", "pump", "--mode", "lexical", "--no-rerank"]):
        code, modules = imported(folder, arguments)
        assert (code, modules & HEAVY) == (0, set())
    first, modules = imported(folder, ["eval", "c.yaml"])
    assert (first, modules >= MODEL_LIBRARIES) == (0, True)
    second, modules = imported(folder, ["eval", "c.yaml"])
    assert (second, modules & HEAVY) == (0, set())


def test_the_package_runs_as_a_module(folder: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "strata_rag", "--version"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    version: dict[str, str] = {}
    exec((ROOT / "src/strata_rag/version.py").read_text(), version)
    assert process.stdout == f"strata {version['__version__']}\n"
