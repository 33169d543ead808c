"""What is given wrongly is refused in two lines, and nothing is lost by it."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest
import yaml

from strata_rag.chunking import CHUNKING_VERSION
from workbench import (
    DOCUMENTS,
    CommandLine,
    assert_same,
    load,
    run_ingest,
    snapshot,
    write_config,
    write_files,
)

CASE_13 = "size >= 1, overlap >= 0 and overlap < size"


def test_a_missing_config_is_refused_with_the_nearest_name(cli: CommandLine, config: Path) -> None:
    outcome = cli("ingest", "d.yaml")
    outcome.tells(2, "d.yaml", "expected")
    assert "c.yaml" in outcome.err


def test_a_directory_is_no_config(cli: CommandLine, config: Path) -> None:
    cli("query", "docs", "pump").tells(2, "docs", "folder")


def test_an_unknown_key_is_refused_with_place_and_suggestion(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("corpus: {root: docs}\nretrieval:\n  topk: 3\n")
    outcome = cli("eval", "c.yaml")
    outcome.tells(2, "c.yaml:3:3", "topk")
    assert "top_k" in outcome.err


def test_a_wrong_type_is_refused_with_place(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("corpus: {root: docs}\nretrieval:\n  top_k: many\n")
    cli("query", "c.yaml", "pump").tells(2, "c.yaml:3:", "top_k", "many")


def test_every_fault_gets_a_line_of_its_own(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("corpus: {root: docs}\nretrieval: {topk: 3, mode: fast}\n")
    outcome = cli("ingest", "c.yaml")
    assert outcome.code == 2
    assert [line.split(":")[0] for line in outcome.err.splitlines()] == ["error", "error", "hint"]


@pytest.mark.parametrize("number", range(5))
def test_case_13_overlaps_that_never_end_are_refused_before_any_work(
    cli: CommandLine, config: Path, shared: Path, number: int
) -> None:
    cases = yaml.safe_load((shared / "cases/13-overlap-not-less-than-size/bad_configs.yaml").read_text())
    size, overlap = cases[number]["size"], cases[number]["overlap"]
    outcome = cli("ingest", config, "--set", f"chunking.size={size}", "--set", f"chunking.overlap={overlap}")
    assert outcome.code == 2
    assert str(overlap if size > 0 else size) in outcome.err
    assert CASE_13 in outcome.err or ">= 1" in outcome.err or ">= 0" in outcome.err
    assert not (config.parent / ".strata").exists()


@pytest.mark.parametrize(("size", "overlap"), [(100, 99), (1, 0)])
def test_case_13_overlaps_just_below_the_size_run(
    cli: CommandLine, config: Path, size: int, overlap: int
) -> None:
    sizes = ("--set", f"chunking.size={size}", "--set", f"chunking.overlap={overlap}")
    outcome = cli("ingest", config, "--dry-run", "--json", *sizes)
    assert outcome.code == 0
    assert outcome.json["totals"]["chunks"] >= len(DOCUMENTS)


def test_a_missing_corpus_root_is_refused(cli: CommandLine, config: Path) -> None:
    cli("ingest", config, "--set", "corpus.root=elsewhere").tells(2, "elsewhere", "folder", "nothing")
    cli("ingest", config, "--dry-run", "--set", "corpus.root=elsewhere").tells(2, "elsewhere")


def test_an_empty_corpus_root_is_answered_with_1(cli: CommandLine, config: Path) -> None:
    (config.parent / "empty").mkdir()
    cli("ingest", config, "--set", "corpus.root=empty").tells(1, "empty", "expected documents", "found none")


def test_files_that_vanish_leave_the_collection_as_it_was(cli: CommandLine, ingested: Path) -> None:
    before = snapshot(load(ingested), "pump")
    shutil.rmtree(ingested.parent / "docs")
    (ingested.parent / "docs").mkdir()
    cli("ingest", ingested).tells(1, "5 chunks", "left as they are")
    shutil.rmtree(ingested.parent / "docs")
    cli("ingest", ingested).tells(2, "docs")
    assert_same(snapshot(load(ingested), "pump"), before)
    hits = cli("query", ingested, "pump", "--mode", "lexical", "--json").json["hits"]
    assert {hit["doc_id"] for hit in hits} == {"atlas/parts/pump.md", "atlas/parts/valve.md", "readme.md"}


def test_recreate_without_files_leaves_the_collection_as_it_was(cli: CommandLine, ingested: Path) -> None:
    shutil.rmtree(ingested.parent / "docs")
    (ingested.parent / "docs").mkdir()
    cli("ingest", ingested, "--recreate").tells(1, "found none")
    assert cli("query", ingested, "pump", "--mode", "lexical").code == 0


def test_a_binary_file_is_counted_and_named_and_strict_says_no(cli: CommandLine, config: Path) -> None:
    (config.parent / "docs" / "photo.md").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF")
    outcome = cli("ingest", config, "--json")
    assert outcome.code == 0
    assert outcome.json["documents"]["failed"] == 1
    assert any("photo.md" in warning for warning in outcome.json["warnings"])
    cli("ingest", config, "--strict").tells(1, "--strict", "1 failed files")
    cli("ingest", config, "--strict", "--dry-run").tells(1, "--strict", "1 failed files")


def test_a_strict_refusal_is_part_of_the_one_json_document(cli: CommandLine, config: Path) -> None:
    (config.parent / "docs" / "photo.md").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF")
    for arguments in (["--dry-run"], []):
        outcome = cli("ingest", config, "--strict", "--json", *arguments)
        outcome.tells(1, "--strict")
        assert outcome.json["exit_code"] == 1
        assert outcome.json["error"].startswith("--strict")
        assert outcome.json["collection"].startswith("c__")


def test_a_link_out_of_the_root_is_counted_and_not_followed(cli: CommandLine, config: Path) -> None:
    (config.parent / "docs" / "mem.md").symlink_to("/proc/self/mem")
    outcome = cli("ingest", config, "--dry-run", "--json", "--set", "corpus.follow_symlinks=true")
    [row] = [row for row in outcome.json["files"] if row["path"] == "mem.md"]
    assert (outcome.code, row["status"]) == (0, "excluded")
    assert row["reason"] == "symbolic link that leads out of the corpus root"


def test_duplicate_ids_are_refused_with_both_lines(cli: CommandLine, config: Path) -> None:
    rows = [{"_id": "d1", "text": "one"}, {"_id": "d2", "text": "two"}, {"_id": "d1", "text": "three"}]
    (config.parent / "docs" / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    cli("ingest", config).tells(2, "corpus.jsonl:3", "'d1'", "line 1")


def test_a_model_that_is_nowhere_is_named_with_ways_to_provide_it(cli: CommandLine, config: Path) -> None:
    for arguments in (["ingest", config], ["query", config, "pump"]):
        outcome = cli(*arguments, "--set", "embedding.model=no-such-model")
        if arguments[0] == "ingest":
            outcome.tells(3, "sentence-transformers/no-such-model", "STRATA_OFFLINE", "STRATA_MODELS_DIR")
        else:
            outcome.tells(3, "ingest")
    outcome = cli("ingest", config, "--dry-run", "--json", "--set", "embedding.model=no-such-model")
    assert outcome.code == 0
    assert outcome.json["totals"]["max_tokens"] is None
    assert "no-such-model" in outcome.json["warnings"][0]


def test_a_missing_reranker_is_named(cli: CommandLine, ingested: Path) -> None:
    rerank = ("--set", "retrieval.rerank.scorer=cross-encoder", "--set", "retrieval.rerank.model=no-such-one")
    cli("query", ingested, "pump", *rerank).tells(3, "no-such-one")
    assert cli("query", ingested, "pump", "--no-rerank", *rerank).code == 0


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_an_empty_question_is_refused(cli: CommandLine, config: Path, question: str) -> None:
    cli("query", config, question).tells(2, "QUESTION", "empty")


def test_no_hits_are_a_result(cli: CommandLine, ingested: Path) -> None:
    outcome = cli("query", ingested, "zzzzz", "--mode", "lexical")
    assert (outcome.code, outcome.out) == (0, "no hits\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["query", "c.yaml", "pump", "--top-k", "0"],
        ["query", "c.yaml", "pump", "--top-k", "many"],
        ["query", "c.yaml", "pump", "--set", "retrieval.top_k"],
        ["query", "c.yaml", "pump", "--set", "retrieval.top_k=0"],
        ["query", "c.yaml", "pump", "--filter", "source"],
        ["query", "c.yaml", "pump", "--filter", "=atlas"],
        ["query", "c.yaml", "pump", "--mode", "fast"],
        ["query", "c.yaml"],
        ["query", "c.yaml", "pump", "--colour"],
        ["eval", "c.yaml", "--limit", "0"],
        ["ingest", "c.yaml", "--limit", "-1"],
        ["ingst", "c.yaml"],
        ["config", "shw", "c.yaml"],
        ["ingest"],
    ],
)
def test_wrong_arguments_are_refused_in_two_lines(
    cli: CommandLine, config: Path, arguments: list[str]
) -> None:
    outcome = cli(*arguments)
    outcome.tells(2, "expected" if "--set" in arguments else "")
    assert outcome.out == ""


def test_an_unknown_filter_field_is_refused_with_those_there_are(cli: CommandLine, ingested: Path) -> None:
    cli("query", ingested, "pump", "--mode", "lexical", "--filter", "sorce=atlas").tells(2, "sorce", "source")


def test_filters_narrow_the_hits(cli: CommandLine, ingested: Path) -> None:
    outcome = cli(
        "query", ingested, "pump", "--filter", "source=atlas", "--filter", "project=parts", "--json"
    )
    assert {hit["doc_id"] for hit in outcome.json["hits"]} == {"atlas/parts/pump.md", "atlas/parts/valve.md"}


@pytest.mark.parametrize("mode", ["dense", "lexical", "hybrid"])
@pytest.mark.parametrize("top_k", [10, 1000, 10**9])
def test_case_40_more_hits_than_there_are_chunks_gives_all(
    cli: CommandLine, tmp_path: Path, tiny_model: Path, mode: str, top_k: int
) -> None:
    write_files(tmp_path / "docs", {"a/one.md": "alpha note on pumps", "b/two.md": "alpha note on valves"})
    config = write_config(tmp_path / "c.yaml", tiny_model)
    assert cli("ingest", config).code == 0
    asked = ("query", config, "alpha", "--mode", mode, "--top-k", top_k, "--json")
    assert len(cli(*asked).json["hits"]) == 2
    assert len(cli(*asked, "--filter", "source=a").json["hits"]) == 1


@pytest.mark.parametrize(
    ("texts", "question", "warned"),
    [
        (["Насос стоит в третьем зале.", "Командировки согласует директор."], "насос", False),
        (["水泵在第三大厅。每月加油一次。", "差旅费用需要财务主管批准。"], "水泵", True),
    ],
)
def test_corpora_in_other_scripts_are_found(
    cli: CommandLine, tmp_path: Path, tiny_model: Path, texts: list[str], question: str, warned: bool
) -> None:
    write_files(tmp_path / "docs", {f"{number}.md": text for number, text in enumerate(texts)})
    config = write_config(tmp_path / "c.yaml", tiny_model)
    plain = cli("ingest", config)
    assert plain.code == 0
    assert ("retrieval.lexical.tokenizer to multilingual" in plain.err) is warned
    multilingual = (
        "--set",
        "retrieval.lexical.tokenizer=multilingual",
        "--set",
        "retrieval.lexical.language=null",
    )
    again = cli("ingest", config, *multilingual)
    assert again.code == 0
    assert "multilingual" not in again.err
    outcome = cli("query", config, question, "--mode", "lexical", "--json", *multilingual)
    assert [hit["doc_id"] for hit in outcome.json["hits"]] == ["0.md"]


def test_a_missing_collection_names_the_command(cli: CommandLine, config: Path) -> None:
    for command in (["query", config, "pump"], ["query", config, "pump", "--mode", "lexical"]):
        outcome = cli(*command)
        outcome.tells(3, "c__tiny__", "found none")
        assert f"hint: run `strata ingest {config}` first" in outcome.err
    golden = config.parent / "golden.yaml"
    golden.write_text("- {id: q1, question: Where?, relevant: [readme.md]}\n")
    cli("eval", config, "--set", f"evaluation.golden={golden}").tells(3, "found none", "strata ingest")


def test_a_collection_of_another_config_is_another_collection(cli: CommandLine, ingested: Path) -> None:
    cli("query", ingested, "pump", "--set", "chunking.size=300", "--set", "chunking.overlap=0").tells(
        3, "c__tiny__", "found none", "strata ingest"
    )


def test_an_incomplete_collection_is_not_answered_from(cli: CommandLine, ingested: Path) -> None:
    [path] = (ingested.parent / ".strata/collections").glob("*/record.json")
    path.write_text(path.read_text().replace('"complete": true', '"complete": false'))
    cli("query", ingested, "pump").tells(3, "complete", "cut short", "strata ingest")
    assert cli("ingest", ingested, "--json").json["embedded"] == 0
    assert cli("query", ingested, "pump").code == 0


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("chunking", f'"chunking": {CHUNKING_VERSION}', '"chunking": 99'),
        ("fingerprint", '"fingerprint": "', '"fingerprint": "00'),
    ],
)
def test_a_collection_made_by_something_else_says_what_differs(
    cli: CommandLine, ingested: Path, key: str, old: str, new: str
) -> None:
    [path] = (ingested.parent / ".strata/collections").glob("*/record.json")
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    cli("query", ingested, "pump").tells(3, "c__tiny__", key, "strata ingest")
    assert cli("ingest", ingested).code == 0
    assert cli("query", ingested, "pump").code == 0


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"format": 99}'])
def test_a_damaged_record_is_named_and_recreate_mends_it(
    cli: CommandLine, ingested: Path, damage: str
) -> None:
    [path] = (ingested.parent / ".strata/collections").glob("*/record.json")
    path.write_text(damage)
    cli("query", ingested, "pump").tells(3, "record.json", "--recreate")
    cli("ingest", ingested).tells(3, "record.json", "--recreate")
    assert cli("ingest", ingested, "--recreate").code == 0
    assert cli("query", ingested, "pump").code == 0


def test_a_damaged_shard_is_named_and_recreate_mends_it(cli: CommandLine, ingested: Path) -> None:
    [shard] = (ingested.parent / ".strata/collections").glob("*/shard")
    shutil.rmtree(shard)
    cli("query", ingested, "pump").tells(3, "shard", "--recreate")
    cli("ingest", ingested).tells(3, "shard", "--recreate")
    assert cli("ingest", ingested, "--recreate").code == 0


def test_a_cache_that_is_no_database_is_named(cli: CommandLine, config: Path) -> None:
    (config.parent / ".strata").mkdir()
    cache = config.parent / ".strata/cache.sqlite"
    cache.write_bytes(b"this is no database at all" * 100)
    cli("ingest", config).tells(3, "cache.sqlite", "move the file away")
    cache.unlink()
    assert cli("ingest", config).code == 0


def test_a_cache_with_a_damaged_page_is_named(cli: CommandLine, ingested: Path) -> None:
    cache = ingested.parent / ".strata/cache.sqlite"
    with sqlite3.connect(cache) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = database.execute("PRAGMA page_size").fetchone()[0]
    database.close()
    raw = bytearray(cache.read_bytes())
    raw[size:] = b"\xff" * (len(raw) - size)
    cache.write_bytes(raw)
    cli("query", ingested, "pump").tells(3, "cache.sqlite")


@pytest.mark.parametrize("home", ["file", "file/below"])
def test_a_workspace_that_is_a_file_is_named(
    cli: CommandLine, config: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    (config.parent / "file").write_text("in the way")
    monkeypatch.setenv("STRATA_HOME", str(config.parent / home))
    cli("ingest", config).tells(3, "file", "STRATA_HOME")
    cli("ingest", config, "--dry-run").tells(3, "file", "STRATA_HOME")
    cli("query", config, "pump", "--mode", "lexical").tells(3, "file")
    assert (config.parent / "file").read_text() == "in the way"


def test_a_workspace_that_can_not_be_written_is_named(
    cli: CommandLine, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not os.path.isdir("/proc/self"):
        pytest.skip("needs /proc, where even root makes no folder")
    monkeypatch.setenv("STRATA_HOME", "/proc/strata")
    cli("ingest", config).tells(3, "/proc/strata", "STRATA_HOME")
    cli("ingest", config, "--dry-run").tells(3, "/proc/strata", "STRATA_HOME")


def test_an_error_is_one_json_document_too(cli: CommandLine, config: Path) -> None:
    outcome = cli("query", config, "pump", "--json")
    outcome.tells(3, "found none")
    assert outcome.json["exit_code"] == 3
    assert set(outcome.json) == {"error", "hint", "exit_code"}
    assert outcome.err == f"error: {outcome.json['error']}\nhint: {outcome.json['hint']}\n"


def test_a_traceback_comes_only_with_debug(cli: CommandLine, config: Path) -> None:
    assert "Traceback" in cli("query", config, "pump", "--debug").err
    assert "Traceback" not in cli("query", config, "pump").err


def test_the_corpus_is_never_written_to(cli: CommandLine, config: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (config.parent / "docs").rglob("*")}
    experiment = load(config)
    run_ingest(experiment)
    assert {path: path.stat().st_mtime_ns for path in (config.parent / "docs").rglob("*")} == before
