"""The packaged MiniLM: the sample corpus as a new user meets it, and texts longer than the model reads."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench import ROOT, CommandLine, environment, write_config, write_files

pytestmark = pytest.mark.model

SAMPLE = ROOT / "configs/sample.yaml"


@pytest.fixture(scope="module")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of a real ``strata ingest configs/sample.yaml``."""
    home = tmp_path_factory.mktemp("sample") / ".strata"
    process = subprocess.run(
        [sys.executable, "-m", "strata_rag", "ingest", str(SAMPLE), "--json"],
        env=environment(STRATA_HOME=str(home), HF_HUB_OFFLINE="1"),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode == 0, process.stderr
    document = json.loads(process.stdout)
    assert document["documents"]["failed"] == 1  # one file is damaged on purpose
    return home


@pytest.fixture
def sample(sample_home: Path, tmp_path: Path) -> Path:
    shutil.copytree(sample_home, tmp_path / ".strata")
    return SAMPLE


def by_kind(cli: CommandLine, *arguments: str) -> dict[str, dict[str, Any]]:
    document = cli("eval", SAMPLE, "--json", *arguments).json
    return {"all": document["measures"], **document["slices"]["kind"]}


def recall(result: dict[str, dict[str, Any]], kind: str) -> float:
    return float(result[kind]["Recall@5"]["value"])


def test_hybrid_beats_dense_on_codes_and_lexical_on_paraphrases(cli: CommandLine, sample: Path) -> None:
    dense = by_kind(cli, "--mode", "dense", "--no-rerank")
    lexical = by_kind(cli, "--mode", "lexical", "--no-rerank")
    hybrid = by_kind(cli, "--no-rerank")
    assert recall(hybrid, "code") >= recall(dense, "code") + 0.3
    assert recall(hybrid, "paraphrase") >= recall(lexical, "paraphrase") + 0.3
    for result in (dense, lexical, hybrid):
        assert all(summary["value"] < 1 for summary in result["all"].values())
    assert len(list((Path.cwd() / ".strata/runs").iterdir())) == 3
    rows = cli("eval", SAMPLE, "--mode", "lexical", "--no-rerank").out
    for label in ("dense", "lexical", "hybrid"):
        assert label in rows


def test_a_question_is_answered_and_a_second_ingest_changes_nothing(cli: CommandLine, sample: Path) -> None:
    question = "Who has to agree before a spending limit may be exceeded?"
    assert len(cli("query", sample, question, "--json").json["hits"]) == 5
    again = cli("ingest", sample, "--json").json
    changes = {key: again["documents"][key] for key in ("added", "changed", "removed")}
    assert changes == {"added": 0, "changed": 0, "removed": 0}
    assert again["embedded"] == again["written"] == 0


@pytest.fixture
def case_22(tmp_path: Path, shared: Path) -> Path:
    folder = shared / "cases/22-embed-silent-truncation"
    write_files(tmp_path / "docs", {name: (folder / name).read_text() for name in ("a.txt", "b.txt")})
    return write_config(tmp_path / "c.yaml", "all-MiniLM-L6-v2")


def test_case_22_each_text_that_is_cut_is_named_with_its_counts(cli: CommandLine, case_22: Path) -> None:
    whole = ("--set", "chunking.strategy=document")
    preview = cli("ingest", case_22, "--dry-run", "--json", *whole).json
    outcome = cli("ingest", case_22, "--json", *whole)
    assert (outcome.code, outcome.json["truncated"]) == (0, 2)
    for row in preview["files"]:
        tokens = row["max_tokens"]
        assert tokens > 256
        said = f"has {tokens} tokens, the model reads 256: {tokens - 256} not embedded"
        assert any(said in w and row["path"] in w for w in outcome.json["warnings"])
        assert said in outcome.err
    cli("ingest", case_22, "--strict", *whole).tells(1, "--strict", "2 texts longer")


def test_case_22_default_chunks_fit_and_the_end_is_found(cli: CommandLine, case_22: Path) -> None:
    outcome = cli("ingest", case_22, "--json", "--strict")
    assert (outcome.code, outcome.json["truncated"]) == (0, 0)
    for mode in ("hybrid", "dense"):
        hits = cli("query", case_22, "melting point of zephyrium", "--mode", mode, "--json").json["hits"]
        last = max(hit["end"] for hit in hits if hit["doc_id"] == "a.txt")
        assert (hits[0]["doc_id"], hits[0]["end"]) == ("a.txt", last)
