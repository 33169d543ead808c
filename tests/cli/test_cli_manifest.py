"""Dry run, ingest and ``strata manifest``: the same counts everywhere, and what changed between two."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from strata_rag.experiment.reconcile import TOKENS
from workbench import CommandLine, load, write_config, write_files


def test_the_dry_run_the_ingest_and_the_collection_count_the_same(cli: CommandLine, config: Path) -> None:
    write_files(config.parent / "docs", {"atlas/parts/empty.md": "", "atlas/parts/long.md": "word " * 900})
    (config.parent / "docs/scan.png").write_bytes(b"\x89PNG")
    preview = cli("ingest", config, "--dry-run", "--json").json
    result = cli("ingest", config, "--json").json
    saved = Path(result["manifest"]).read_bytes()
    assert saved == Path(preview["manifest"]).read_bytes()
    totals = json.loads(saved)["totals"]
    assert totals == preview["totals"]
    with load(config).collections.reading(result["collection"]) as (record, index):
        stored = [payload for _, payload in index.scroll(["doc_id", TOKENS])]
    assert totals["chunks"] == record.chunks == len(stored)
    assert totals["tokens"] == sum(payload[TOKENS] for payload in stored)
    for file in preview["files"]:
        of_file = [payload[TOKENS] for payload in stored if payload["doc_id"] == file["path"]]
        assert (file["chunks"], file["tokens"] or 0) == (len(of_file), sum(of_file))


def test_a_second_ingest_writes_the_same_manifest(cli: CommandLine, ingested: Path) -> None:
    saved = Path(cli("ingest", ingested, "--json").json["manifest"])
    first = saved.read_bytes()
    cli("ingest", ingested, "--recreate")
    assert saved.read_bytes() == first
    assert not (saved.parent / "earlier").exists()


def test_a_diff_tells_what_the_next_ingest_would_change_and_what_the_last_one_did(
    cli: CommandLine, config: Path
) -> None:
    cli("ingest", config)
    docs = config.parent / "docs"
    (docs / "harbor/log.txt").rename(docs / "harbor/logbook.txt")
    (docs / "readme.md").write_text("Now about something else, for a@example.org.", encoding="utf-8")
    (docs / "atlas/parts/pump.md").rename(docs / "atlas/parts/pump.bin")
    (docs / "atlas/notes/travel.md").unlink()
    write_files(docs, {"atlas/notes/new.md": "New."})
    cli("ingest", config, "--dry-run")
    would = cli("manifest", "diff", config, f"{config}@dry-run", "--json").json
    cli("ingest", config)
    did = cli("manifest", "diff", f"{config}~1", config, "--json").json
    assert did["before"]["totals"] == would["before"]["totals"]
    for found in (would, did):
        assert not found["equal"]
        assert [row["path"] for row in found["added"]] == ["atlas/notes/new.md", "atlas/parts/pump.bin"]
        assert [row["path"] for row in found["removed"]] == ["atlas/notes/travel.md", "atlas/parts/pump.md"]
        assert found["moved"] == [{"before": "harbor/log.txt", "after": "harbor/logbook.txt"}]
        [changed] = found["changed"]
        assert changed["path"] == "readme.md"
        assert changed["counts"]["redactions"] == {"before": 0, "after": 1}
        assert found["totals"]["redactions"] == {"before": 0, "after": 1}
        assert any(one["name"] == ".bin" for one in found["coverage"]["shares"])


def test_the_diff_reads_at_80_columns(
    cli: CommandLine, ingested: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    (ingested.parent / "docs/atlas/parts/pump.md").unlink()
    cli("ingest", ingested, "--dry-run")
    shown = cli("manifest", "diff", ingested, f"{ingested}@dry-run")
    assert shown.code == 0
    assert "1 removed\n  atlas/parts/pump.md: included" in shown.out
    below = shown.out.split("\n\n", 1)[1]
    assert max(map(len, below.splitlines())) <= 80
    assert "no difference" in cli("manifest", "diff", ingested, ingested).out


def test_a_saved_manifest_is_shown(cli: CommandLine, ingested: Path) -> None:
    shown = cli("manifest", "show", ingested)
    for part in ("atlas/parts/pump.md", "5 files: 5 included", ".txt", "atlas/notes"):
        assert part in shown.out
    document = cli("manifest", "show", ingested, "--json").json
    assert document["totals"]["files"] == 5
    assert Path(document["manifest"]).is_file()


@pytest.mark.parametrize("command", ["show", "diff"])
def test_a_manifest_that_is_not_there_is_an_error(cli: CommandLine, config: Path, command: str) -> None:
    again = ["nothing"] if command == "diff" else []
    cli("manifest", command, config, *again).tells(2, "manifest", f"strata ingest {config}")
    cli("manifest", command, "nothing", *again).tells(2, "found 'nothing'")
    (config.parent / "damaged.json").write_text("{")
    again = ["damaged.json"] if command == "diff" else []
    cli("manifest", command, "damaged.json", *again).tells(2, "damaged.json", "no JSON")


def test_a_corpus_without_text_ends_every_command_with_the_same_reason(
    cli: CommandLine, tmp_path: Path, tiny_model: Path
) -> None:
    write_files(tmp_path / "docs", {"blank.md": " \n", "notes.xyz": "text"})
    write_files(tmp_path, {"golden.yaml": "- {id: a, question: What is it?, relevant: [gone.md]}\n"})
    config = write_config(tmp_path / "c.yaml", tiny_model, evaluation={"golden": "golden.yaml"})
    said = "expected documents with text, found none"
    checked = cli("check", config)
    assert checked.code == 1
    assert said in checked.out
    cli("ingest", config, "--dry-run").tells(1, said)
    cli("ingest", config).tells(1, said)
    preview = cli("ingest", config, "--dry-run", "--json")
    assert (preview.code, preview.json["exit_code"]) == (1, 1)
    assert [file["path"] for file in preview.json["files"]] == ["blank.md", "notes.xyz"]
    assert said in preview.json["error"]
