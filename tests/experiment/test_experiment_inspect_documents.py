from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench import CommandLine, load, run_ingest, write_config, write_files

ENGLISH = (
    "The pump in the north hall was replaced in spring because its bearings had worn out after nine years of use. "
    "Nobody had looked at them since they were fitted, and the log says that the oil was never changed in time.\n\n\n"
)
GERMAN = (
    "Die Pumpe in der Nordhalle wurde im Frühjahr ersetzt, weil ihre Lager nach neun Jahren verschlissen waren. "
    "Niemand hatte sie seit dem Einbau angesehen, und nach dem Protokoll wurde das Öl nie rechtzeitig gewechselt."
)
NOISY = {
    "atlas/parts/pump.md": ENGLISH,
    "atlas/parts/pump-copy.md": ENGLISH + "Checked.",
    "atlas/notes/pumpe.md": GERMAN,
    "atlas/notes/blank.md": " \n",
    "harbor/figures.txt": "\n\n" + "12.5 13.7 0.88 | 1024 x\n" * 20,
    "harbor/scan.bin": "",
}


@pytest.fixture
def noisy(tmp_path: Path, tiny_model: Path) -> Path:
    write_files(tmp_path / "docs", NOISY)
    return write_config(tmp_path / "c.yaml", tiny_model)


def documents(found: Any) -> dict[str, dict[str, Any]]:
    return {one["doc_id"]: one for one in found["documents"]}


@pytest.mark.parametrize(
    "chunking",
    [
        {"strategy": "document"},
        {"size": 40, "overlap": 15},
        {"strategy": "sentence", "size": 80, "overlap": 0},
        {"strategy": "sentence-window"},
    ],
)
def test_documents_are_looked_at_as_they_are_stored(
    cli: CommandLine, tmp_path: Path, tiny_model: Path, chunking: dict[str, object]
) -> None:
    write_files(tmp_path / "docs", NOISY)
    config = write_config(tmp_path / "c.yaml", tiny_model, chunking=chunking)
    cli("ingest", config)
    found = cli("inspect", config, "--json").json
    each = documents(found)
    assert {doc_id: one["flags"] for doc_id, one in each.items()} == {
        "atlas/notes/blank.md": ["empty"],
        "atlas/notes/pumpe.md": ["other language"],
        "atlas/parts/pump-copy.md": [],
        "atlas/parts/pump.md": ["near-duplicate"],
        "harbor/figures.txt": ["few letters"],
    }
    assert each["atlas/parts/pump.md"]["near_duplicate_of"]["first"] == "atlas/parts/pump-copy.md"
    assert each["harbor/figures.txt"]["project"] == ""
    assert each["atlas/notes/pumpe.md"]["language"] == "german"
    assert found["expected_language"] == "english"
    assert found["flags"] == {"empty": 1, "near-duplicate": 1, "other language": 1, "few letters": 1}
    assert found["coverage"]["empty_documents"] == ["atlas/notes/blank.md"]
    assert set(found["flags"]) <= set(found["rules"])


def test_the_text_reads_at_80_columns(cli: CommandLine, noisy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    cli("ingest", noisy)
    for options in ((), ("--documents",)):
        shown = cli("inspect", noisy, *options)
        assert shown.code == 0
        assert "near-duplicate" in shown.out
        assert "pump-copy.md" in shown.out
        assert max(map(len, shown.out.splitlines())) <= 100
    assert "german" in shown.out


def test_one_document_is_shown_with_the_flags_it_has_among_all(cli: CommandLine, noisy: Path) -> None:
    cli("ingest", noisy)
    [one] = cli("inspect", noisy, "--document", "atlas/parts/pump.md", "--json").json["documents"]
    assert one["flags"] == ["near-duplicate"]
    shown = " ".join(cli("inspect", noisy, "--document", "atlas/parts/pump.md").out.split())
    assert "!! near-duplicate of atlas/parts/pump-copy.md" in shown
    assert "source atlas, project parts language english" in shown
    cli("inspect", noisy, "--document", "atlas/parts/pumps.md").tells(2, "--document", "did you mean")


def test_without_an_ingest_the_command_to_run_is_named(cli: CommandLine, noisy: Path) -> None:
    cli("inspect", noisy).tells(3, "strata ingest")
    assert cli("inspect", noisy, "--chunks").code == 0


def test_chunks_and_documents_exclude_each_other(cli: CommandLine, noisy: Path) -> None:
    cli("inspect", noisy, "--chunks", "--documents").tells(2, "--chunks and --documents")


def test_a_corpus_that_has_changed_or_a_manifest_that_is_gone_is_said(cli: CommandLine, noisy: Path) -> None:
    experiment = load(noisy)
    run_ingest(experiment)
    (experiment.workspace.manifests / f"{experiment.collection}.json").unlink()
    (noisy.parent / "docs/harbor/new.txt").write_text("new")
    found = cli("inspect", noisy, "--json")
    assert found.json["coverage"] is None
    said = " ".join(found.json["warnings"])
    assert "the corpus files have changed" in said
    assert "no coverage" in said
    assert "warning: no coverage" in found.err
