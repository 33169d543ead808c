"""A reader that has had enough is no failure (case 94)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from workbench import DOCUMENTS, environment, load, many_documents, run_ingest, write_config, write_files

KINDS = ("paraphrase", "code", "name", "general")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Path:
    """A collection with a golden set, and a second corpus of thousands of files."""
    folder = tmp_path_factory.mktemp("pipes")
    write_files(folder / "docs", {**DOCUMENTS, "long.md": "pump valve crane ferry " * 5000})
    questions = [
        {
            "id": f"q{number}",
            "question": f"red pump {number}",
            "relevant": ["readme.md"],
            "kind": KINDS[number % len(KINDS)],
        }
        for number, kind in enumerate(KINDS)
    ]
    (folder / "golden.yaml").write_text(json.dumps(questions))
    config = write_config(
        folder / "c.yaml",
        tiny_model,
        chunking={"size": 300, "overlap": 0},
        retrieval={"mode": "lexical"},
        evaluation={"golden": "golden.yaml"},
    )
    write_files(folder / "many", many_documents(3000))
    write_config(folder / "many.yaml", tiny_model, corpus={"root": "many"})
    run_ingest(load(config))
    return folder


COMMANDS: dict[str, Sequence[str]] = {
    "help": ["--help"],
    "help of a command": ["ingest", "--help"],
    "version": ["--version"],
    "query": ["query", "c.yaml", "pump", "--top-k", "400"],
    "query as JSON": ["query", "c.yaml", "pump", "--top-k", "400", "--json"],
    "eval": ["eval", "c.yaml"],
    "eval as JSON": ["eval", "c.yaml", "--json"],
    "config show": ["config", "show", "c.yaml"],
    "config show as JSON": ["config", "show", "c.yaml", "--json"],
    "ingest": ["ingest", "c.yaml"],
    "dry run": ["ingest", "many.yaml", "--dry-run"],
    "dry run as JSON": ["ingest", "many.yaml", "--dry-run", "--json"],
}


PROGRESS = re.compile(r"^[a-z ]+(?: \d+)? \.\.\.\n|^[a-z ]+: \d+.*/s.*\n", re.MULTILINE)
"""What a slow machine makes visible: work of more than two seconds says on stderr how far it is."""


def piped(folder: Path, arguments: Sequence[str], *, lines: int) -> tuple[bytes, str, int]:
    """Run a command whose reader takes that many lines and goes; return them, stderr and the status."""
    variables = environment(PYTHONUNBUFFERED="1", STRATA_HOME=str(folder / ".strata"))
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "strata_rag", *arguments],
        cwd=folder,
        env=variables,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        read = b"".join(pipe.readline() for _ in range(lines))
    _, err = process.communicate(timeout=60)
    return read, PROGRESS.sub("", err), process.returncode


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_that_never_reads(folder: Path, command: str) -> None:
    _, err, code = piped(folder, COMMANDS[command], lines=0)
    assert (err, code) == ("", 141)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_of_one_line(folder: Path, command: str) -> None:
    read, err, code = piped(folder, COMMANDS[command], lines=1)
    assert read.endswith(b"\n")
    assert err == ""
    assert code in (0, 141)


def test_a_run_whose_reader_went_is_whole_on_disk(folder: Path) -> None:
    before = set((folder / ".strata/runs").glob("*"))
    piped(folder, COMMANDS["eval"], lines=0)
    [run] = set((folder / ".strata/runs").glob("*")) - before
    assert {path.name for path in run.iterdir()} >= {"run.json", "ranking.trec", "per_query.jsonl"}


def test_a_failure_no_one_listens_to_keeps_its_exit_code(folder: Path) -> None:
    process = subprocess.run(
        ["sh", "-c", f"'{sys.executable}' -m strata_rag query none.yaml pump --json >&- 2>&-"],
        cwd=folder,
        env=environment(),
        check=False,
        timeout=60,
    )
    assert process.returncode == 2
