"""The JSON that others rely on, and the manifest behind it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench import DOCUMENTS, CommandLine, load, snapshot, write_files

STAGES = {"dense", "lexical", "fused", "rerank"}


def test_query(cli: CommandLine, ingested: Path) -> None:
    document = cli("query", ingested, "red pump", "--json").json
    assert document.keys() >= {"question", "collection", "mode", "hits", "timings_ms"}
    assert (document["question"], document["mode"]) == ("red pump", "hybrid")
    assert document["collection"] == load(ingested).collection
    assert [hit["rank"] for hit in document["hits"]] == [1, 2, 3, 4, 5]
    for hit in document["hits"]:
        assert hit["chunk_id"] == f"{hit['doc_id']}#{hit['start']}-{hit['end']}"
        assert hit["text"] == DOCUMENTS[hit["doc_id"]][hit["start"] : hit["end"]]
        assert hit["scores"].keys() == hit["ranks"].keys() == STAGES
        assert hit["scores"]["rerank"] is None
        assert hit["scores"]["fused"] is not None


@pytest.mark.parametrize(("mode", "ran"), [("dense", "dense"), ("lexical", "lexical")])
def test_stages_that_did_not_run_are_null(cli: CommandLine, ingested: Path, mode: str, ran: str) -> None:
    for hit in cli("query", ingested, "red pump", "--mode", mode, "--json").json["hits"]:
        assert {stage for stage, score in hit["scores"].items() if score is not None} == {ran}
        assert {stage for stage, rank in hit["ranks"].items() if rank is not None} == {ran}
        assert hit["ranks"][ran] == hit["rank"]


def test_eval(cli: CommandLine, ingested: Path) -> None:
    (ingested.parent / "g.yaml").write_text("- {id: q1, question: red pump, relevant: [readme.md]}\n")
    document = cli(
        "eval", ingested, "--json", "--set", f"evaluation.golden={ingested.parent / 'g.yaml'}"
    ).json
    keys = {"run_id", "label", "collection", "mode", "queries", "measures", "timings_ms"}
    assert document.keys() >= keys
    assert document["queries"] == 1
    assert set(document["measures"]) == {"nDCG@10", "Recall@5", "Precision@5", "Hit@5", "MRR@10"}
    for summary in document["measures"].values():
        assert set(summary) == {"value", "n", "low", "high"}
    assert (ingested.parent / ".strata/runs" / document["run_id"] / "run.json").exists()


def test_ingest(cli: CommandLine, config: Path) -> None:
    document = cli("ingest", config, "--json").json
    assert document.keys() >= {"collection", "documents", "chunks", "truncated", "redactions", "warnings"}
    assert document["documents"] == {
        "added": 5,
        "changed": 0,
        "removed": 0,
        "unchanged": 0,
        "excluded": 0,
        "failed": 0,
    }
    assert (document["chunks"], document["truncated"]) == (5, 0)


def mixed_corpus(config: Path) -> None:
    """Put every kind of file beside the documents."""
    docs = config.parent / "docs"
    write_files(
        docs,
        {
            "long.md": "pump valve crane ferry harbor night " * 60,
            "sheet.csv": "a,b",
            ".hidden/secret.md": "hidden",
            "venv/pyvenv.cfg": "",
            "venv/lib/readme.md": "not a document",
            "blank.md": " \n",
        },
    )
    (docs / "bad.txt").write_bytes(b"\xff\xfe\x00")
    (docs / "link.md").symlink_to("readme.md")


def test_a_dry_run_lists_each_file_once_with_its_fate(cli: CommandLine, config: Path) -> None:
    mixed_corpus(config)
    document = cli("ingest", config, "--dry-run", "--json").json
    docs = config.parent / "docs"
    files = sorted(path.relative_to(docs).as_posix() for path in docs.rglob("*") if not path.is_dir())
    assert sorted(row["path"] for row in document["files"]) == files
    keys = {"path", "status", "reason", "documents", "chunks", "characters", "max_tokens", "redactions"}
    for row in document["files"]:
        assert row.keys() >= keys | {"secrets", "warnings"}
        assert row["status"] in ("included", "excluded", "failed")
        assert bool(row["reason"]) is (row["status"] != "included"), row
    fates = {row["path"]: row["status"] for row in document["files"]}
    assert [path for path, status in fates.items() if status == "failed"] == ["bad.txt"]
    assert {path for path, status in fates.items() if status == "included"} == {
        *DOCUMENTS,
        "long.md",
        "sheet.csv",
        "blank.md",
    }
    assert document["totals"]["files"] == len(files)
    assert not (config.parent / ".strata/collections").exists()


def test_a_dry_run_counts_what_is_then_indexed(cli: CommandLine, config: Path) -> None:
    mixed_corpus(config)
    preview = cli("ingest", config, "--dry-run", "--json").json
    saved = json.loads(Path(preview["manifest"]).read_text())
    assert {"files": preview["files"], "totals": preview["totals"]} == saved
    manifest = Path(preview["manifest"]).read_bytes()
    result = cli("ingest", config, "--json").json
    assert Path(result["manifest"]).read_bytes() == manifest
    stored: dict[str, list[dict[str, Any]]] = {}
    for payload in snapshot(load(config)).payloads.values():
        stored.setdefault(payload["doc_id"], []).append(payload)
    for row in preview["files"]:
        points = stored.pop(row["path"], [])
        assert row["chunks"] == len(points)
        assert row["max_tokens"] == max((point["_tokens"] for point in points), default=None)
    assert stored == {}
    assert preview["totals"]["chunks"] == result["chunks"]
    assert preview["truncated"] == result["truncated"]


def test_texts_longer_than_the_model_reads_are_counted_with_a_size_that_fits(
    cli: CommandLine, config: Path
) -> None:
    write_files(config.parent / "docs", {"long.md": "pumpvalve " * 200})
    whole = ("--set", "chunking.size=2000")
    outcome = cli("ingest", config, "--json", *whole)
    assert outcome.json["truncated"] == 1
    advice = outcome.json["warnings"][0]
    assert "1 of 6 chunks are longer than the 512 tokens" in advice
    cli("ingest", config, "--strict", *whole).tells(1, "--strict", "1 texts longer")
    fitting = advice.split("chunking.size ")[1].split()[0]
    sizes = ("--set", f"chunking.size={fitting}", "--set", "chunking.overlap=0")
    assert cli("ingest", config, "--json", "--dry-run", *sizes).json["truncated"] == 0


def test_explain_shows_every_stage_and_the_matched_terms(cli: CommandLine, ingested: Path) -> None:
    late = ("--set", "retrieval.rerank.scorer=late-interaction")
    out = cli("query", ingested, "red pump AB-1234/x", "--explain", *late).out
    _, stages, terms, *_ = out.splitlines()
    assert all(f"{stage} " in stages for stage in STAGES)
    assert stages.count("(rank ") >= 3
    assert "terms:" in terms
    assert "pump" in terms
    assert "rerank -" in cli("query", ingested, "red pump", "--explain").out


def test_config_show_gives_each_value_and_its_origin(cli: CommandLine, config: Path) -> None:
    out = cli("config", "show", config, "--set", "retrieval.top_k=9").out
    [line] = [line for line in out.splitlines() if "top_k" in line]
    assert "9" in line
    assert "--set" in line


def test_ingest_limit_takes_the_first_documents(cli: CommandLine, config: Path) -> None:
    outcome = cli("ingest", config, "--limit", "2", "--json")
    assert outcome.json["documents"]["added"] == 2
    assert cli("query", config, "pump", "--set", "corpus.limit=2").code == 0
    cli("query", config, "pump").tells(3, "found none")
