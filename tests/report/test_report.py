from __future__ import annotations

import io
import json
import math
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from strata_rag.corpus import Manifest, ManifestRow
from strata_rag.evaluation import GoldenRef, Measure, RunRecord, StoredRun, Summary, Timing
from strata_rag.report import (
    DocumentChanges,
    DryRun,
    EvaluationResult,
    IngestResult,
    QueryResult,
    dry_run_document,
    evaluation_document,
    ingest_document,
    print_dry_run,
    print_evaluation,
    print_ingest,
    print_query,
    query_document,
)
from strata_rag.retrieval import Hit

MEASURES = [Measure("nDCG", 10), Measure("Recall", 5), Measure("MRR", 10)]
HITS = (
    Hit(
        "[bold]a.md#0-9",
        "[bold]a.md",
        0,
        9,
        "Some [red]text[/red] :smile: " + "that is long enough to be wrapped " * 20,
        "embed",
        {"source": "wiki", "project": "atlas"},
        {"dense": 0.75, "fused": 1 / 61},
        {"dense": 1, "fused": 1},
    ),
    Hit(
        "漢/é.md#5-6",
        "漢/é.md",
        5,
        6,
        "漢" * 90,
        "漢",
        scores={"lexical": math.nan, "rerank": -1.5},
        ranks={"lexical": 1, "rerank": 2},
    ),
)
QUERY = QueryResult("what?", "x__m__01234567", "hybrid", HITS, (("pump",), ()), ("a note",), {"total": 1.5})
MANIFEST = Manifest(
    (
        ManifestRow("[bold]a.md", "included", "", 1, 3, 1234, 90, ("chunk too long",)),
        ManifestRow("deep/" * 20 + "漢.md", "included", "", 1, 1, 5, None, ()),
        ManifestRow("b.pdf", "excluded", "not one of .md", 0, 0, 0, None, ()),
        ManifestRow("c.md", "failed", "can't be read", 0, 0, 0, None, ()),
    )
)
DRY_RUN = DryRun("x__m__01234567", MANIFEST, 1, ("a note",), 300.0, Path("manifest.json"))
INGEST = IngestResult(
    "x__m__01234567",
    DocumentChanges(added=1, changed=2, removed=3, unchanged=4),
    excluded=5,
    failed=6,
    chunks=70,
    written=30,
    embedded=20,
    rewritten=0,
    truncated=None,
    reasons=("model changed",),
    warnings=(),
    timings_ms={"read": 1500.0},
    manifest=Path("manifest.json"),
)


def run(name: str = "[bold]handbook", label: str = "hybrid", **changes: object) -> StoredRun:
    summaries = {
        MEASURES[0]: Summary(0.81234, 12, 0.7, 0.9),
        MEASURES[1]: Summary(math.nan, 0, math.nan, math.nan),
        MEASURES[2]: Summary(0.5, 1, math.nan, math.nan),
    }
    record = RunRecord(
        run_id="20260304T050607-handbook-0a1b2c",
        created=datetime(2026, 3, 4, tzinfo=UTC),
        label=label,
        name=name,
        collection="x__m__01234567",
        mode="hybrid",
        level="document",
        depth=10,
        seed=0,
        config={},
        config_digest="c",
        code_version="0",
        corpus_digest="d",
        golden=GoldenRef("golden.yaml", "g", 12, 30),
        measures=summaries,
        slices={"kind": {"code": summaries, "[red]rare": summaries}},
        timings_ms={"total": Timing(3.0, 4.0), "rerank": Timing(math.nan, math.nan)},
        counts={"questions": 12, "unanswerable": 1, "unlabelled": 0, "no_results": 2},
        warnings=("a note",),
        **changes,
    )
    return StoredRun(Path("runs/one"), record)


EVALUATION = EvaluationResult(run(), (run("other", "dense"),))
DOCUMENTS = {
    "query": lambda: query_document(QUERY),
    "ingest": lambda: ingest_document(INGEST),
    "dry run": lambda: dry_run_document(DRY_RUN),
    "evaluation": lambda: evaluation_document(EVALUATION),
}
PRINTERS = {
    "query": lambda: print_query(QUERY, explain=True),
    "ingest": lambda: print_ingest(INGEST),
    "dry run": lambda: print_dry_run(DRY_RUN),
    "evaluation": lambda: print_evaluation(EVALUATION),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_is_json_without_nan(name: str) -> None:
    text = json.dumps(DOCUMENTS[name](), allow_nan=False)
    assert json.loads(text) == DOCUMENTS[name]()


def test_a_query_document_gives_every_stage_and_null_where_one_did_not_run() -> None:
    document = query_document(QUERY)
    assert {"question", "collection", "mode", "hits", "timings_ms"} <= set(document)
    first, second = document["hits"]
    assert {"rank", "chunk_id", "doc_id", "start", "end", "text", "scores", "ranks"} <= set(first)
    assert first["scores"] == {"dense": 0.75, "lexical": None, "fused": 1 / 61, "rerank": None}
    assert first["ranks"] == {"dense": 1, "lexical": None, "fused": 1, "rerank": None}
    assert second["scores"] == {"dense": None, "lexical": None, "fused": None, "rerank": -1.5}
    assert (first["rank"], second["rank"]) == (1, 2)
    assert (first["matched_terms"], first["source"], second["project"]) == (["pump"], "wiki", "")


def test_an_evaluation_document_gives_value_number_and_interval_of_each_measure() -> None:
    document = evaluation_document(EVALUATION)
    assert {"run_id", "label", "collection", "mode", "queries", "measures", "timings_ms"} <= set(document)
    assert document["queries"] == 12
    assert document["measures"] == {
        "nDCG@10": {"value": 0.81234, "n": 12, "low": 0.7, "high": 0.9},
        "Recall@5": {"value": None, "n": 0, "low": None, "high": None},
        "MRR@10": {"value": 0.5, "n": 1, "low": None, "high": None},
    }
    assert document["timings_ms"]["rerank"] == {"p50": None, "p95": None}


def test_an_ingest_document_counts_documents_by_what_became_of_them() -> None:
    document = ingest_document(INGEST)
    assert document["documents"] == {
        "added": 1,
        "changed": 2,
        "removed": 3,
        "unchanged": 4,
        "excluded": 5,
        "failed": 6,
    }
    assert {"collection", "chunks", "truncated", "redactions", "warnings"} <= set(document)
    assert document["truncated"] is None


def test_a_dry_run_document_lists_every_file_and_totals() -> None:
    document = dry_run_document(DRY_RUN)
    assert [file["status"] for file in document["files"]] == ["included", "included", "excluded", "failed"]
    assert document["totals"]["characters"] == 1239
    assert document["manifest"] == "manifest.json"


@pytest.mark.parametrize("name", PRINTERS)
def test_text_is_printed_where_only_ascii_can_be(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, encoding="ascii", errors="backslashreplace")
    monkeypatch.setattr(sys, "stdout", stdout)
    PRINTERS[name]()
    stdout.flush()
    assert raw.getvalue().isascii()
    assert b"\x1b" not in raw.getvalue()


@pytest.mark.parametrize("name", ["query", "dry run", "evaluation"])
def test_what_looks_like_markup_is_printed_as_it_is(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    PRINTERS[name]()
    assert "[bold]" in capsys.readouterr().out


def on_terminal(print_it, columns: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what is printed on a terminal of `columns`."""
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "dumb")
    with open(child, "w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        print_it()
        stdout.flush()
        monkeypatch.undo()
        out = b""
        os.set_blocking(parent, False)
        try:
            while part := os.read(parent, 65536):
                out += part
        except BlockingIOError:
            pass
    os.close(parent)
    return out.decode().replace("\r\n", "\n")


def test_tables_keep_every_figure_on_a_terminal_of_sixty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    out = on_terminal(PRINTERS["evaluation"], 60, monkeypatch)
    table = out.split("\n\n")[1]
    assert max(map(len, table.splitlines())) <= 60
    for figure in ("nDCG@10", "Recall@5", "MRR@10", "0.812", "0.70-0.90", "0.500", "-"):
        assert figure in table
    assert "…" not in out


def test_the_manifest_keeps_every_figure_on_a_terminal_of_sixty_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = on_terminal(PRINTERS["dry run"], 60, monkeypatch)
    assert "1,234" in out
    assert "1,239 characters, longest chunk 90 tokens" in out
    assert "…" not in out


def test_snippets_keep_to_sixty_columns_and_four_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    out = on_terminal(PRINTERS["query"], 60, monkeypatch)
    first = out.split("\n\n")[0].splitlines()
    assert first[0] == "1. [bold]a.md#0-9"
    assert first[1] == "   dense 0.7500 (rank 1), lexical -, fused 0.0164 (rank 1), rerank -"
    assert first[2] == "   terms: pump"
    assert len(first) == 7
    assert max(map(len, first[3:])) <= 60 + len(" ...")


def test_no_hits_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    print_query(QueryResult("?", "c", "dense", (), (), (), {}), explain=False)
    assert capsys.readouterr().out == "no hits\n"


def test_the_text_of_an_ingest_counts_what_was_cached(capsys: pytest.CaptureFixture[str]) -> None:
    print_ingest(INGEST)
    out = capsys.readouterr().out
    assert "1 added, 2 changed, 3 removed, 4 unchanged; files: 5 excluded, 6 failed" in out
    assert "70 stored; 30 written, of which 20 embedded and 10 from the cache" in out


def test_an_evaluation_names_what_the_means_leave_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_evaluation(EVALUATION)
    out = capsys.readouterr().out
    assert "12 questions ranked to 10 documents; 1 unanswerable left out of the means; 2 found nothing" in out
    assert "other: dense" in out
