"""A model folder whose contents were swapped for another dimension (case 31)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiny_model import write_tiny_model
from workbench import DOCUMENTS, CommandLine, assert_same, load, snapshot, write_config, write_files


@pytest.fixture
def swapped(tmp_path: Path, cli: CommandLine) -> Path:
    """A config whose collection was built with dimension 8 and whose model folder now holds one of 4."""
    write_files(tmp_path / "docs", DOCUMENTS)
    model = write_tiny_model(tmp_path / "model", dimension=8)
    (tmp_path / "golden.yaml").write_text("- {id: q1, question: red pump, relevant: [readme.md]}\n")
    config = write_config(tmp_path / "c.yaml", model, evaluation={"golden": "golden.yaml"})
    assert cli("ingest", config).code == 0
    write_tiny_model(model, dimension=4)
    return config


@pytest.mark.parametrize("command", ["ingest", "query", "eval"])
def test_case_31_every_command_stops_at_its_start(swapped: Path, cli: CommandLine, command: str) -> None:
    name = load(swapped).collection
    question = ["red pump"] if command == "query" else []
    outcome = cli(command, swapped, *question)
    outcome.tells(3, name, "dimension 8", "dimension 4", "new name", "--recreate")
    assert not (swapped.parent / ".strata/runs").exists()


def test_case_31_the_old_points_serve_the_old_model(swapped: Path, cli: CommandLine) -> None:
    model = swapped.parent / "model"
    cli("ingest", swapped).tells(3)
    write_tiny_model(model, dimension=8)
    before = snapshot(load(swapped), "pump")
    assert {len(vector) for vector in before.dense.values()} == {8}
    assert cli("query", swapped, "red pump").code == 0
    assert cli("ingest", swapped, "--json").json["written"] == 0
    assert_same(snapshot(load(swapped), "pump"), before)


def test_case_31_recreate_replaces_them_when_asked(swapped: Path, cli: CommandLine) -> None:
    assert cli("ingest", swapped, "--recreate").code == 0
    assert {len(vector) for vector in snapshot(load(swapped)).dense.values()} == {4}
    assert cli("query", swapped, "red pump").code == 0


def test_lexical_search_does_not_ask_for_the_model(swapped: Path, cli: CommandLine) -> None:
    assert cli("query", swapped, "red pump", "--mode", "lexical").code == 0
