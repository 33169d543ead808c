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
DATA = ROOT / "data"
NOISE = {
    "harbor/drafts/heat-draft.html": "drafts",
    "harbor/policy/animals-old.html": "superseded copies",
    "atlas/sdk/index.html": "navigation pages",
    "atlas/sdk/build.log": "build logs",
    "harbor/site/contact.html": "the public site, which is furniture",
    "harbor/site/directions.html": "the public site, which is furniture",
    "harbor/site/opening.html": "the public site, which is furniture",
}


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
    assert document["truncated"] == 0
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
        assert all(recall(result, kind) < 1 for kind in ("code", "general", "name", "paraphrase"))
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


def test_every_file_of_the_sample_is_accounted_for_once(cli: CommandLine, sample: Path) -> None:
    manifest = cli("manifest", "show", sample, "--json").json
    rows = {row["path"]: row for row in manifest["files"]}
    files = {path.relative_to(DATA / "sample").as_posix() for path in (DATA / "sample").rglob("*.*")}
    assert len(manifest["files"]) == len(rows)
    assert set(rows) == files
    failed = {path: row["reason"] for path, row in rows.items() if row["status"] == "failed"}
    assert list(failed) == ["atlas/bulletins/sb-812.docx"]
    assert "damaged" in failed["atlas/bulletins/sb-812.docx"]
    assert manifest["coverage"]["empty_documents"] == ["atlas/turbines/nameplate-scan.pdf"]
    assert manifest["coverage"]["pages_without_text"] == 1


def test_each_planted_noise_is_left_out_by_the_rule_of_its_name(cli: CommandLine, sample: Path) -> None:
    rows = cli("manifest", "show", sample, "--json").json["files"]
    left_out = {row["path"]: row["reason"] for row in rows if row["status"] == "excluded"}
    assert set(left_out) == set(NOISE)
    for path, rule in NOISE.items():
        assert f"`{rule}`" in left_out[path]


@pytest.mark.parametrize(
    ("question", "filters", "found"),
    [
        ("Price of ATL-5172/c", ["family=atlas", "owner=stores"], "atlas/parts/price-list.xlsx"),
        ("How much is BD-6602?", ["family=harbor", "audience=everyone"], "harbor/permits/berth-dues.ods"),
        ("Minute", ["family=harbor", "year<2015"], "harbor/minutes/before-2015.zip/"),
    ],
)
def test_both_families_carry_the_values_of_their_rosters(
    cli: CommandLine, sample: Path, question: str, filters: list[str], found: str
) -> None:
    options = [option for one in filters for option in ("--filter", one)]
    search = ("--mode", "lexical", "--no-rerank", "--top-k", "100", "--json")
    hits = cli("query", sample, question, *options, *search).json["hits"]
    assert hits[0]["doc_id"].startswith(found)
    assert {hit["source"] for hit in hits} == {filters[0].removeprefix("family=")}
    other = ["--filter", "owner=nobody"]
    assert not cli("query", sample, question, *options, *other, *search).json["hits"]


def test_the_rosters_of_the_sample_lack_little(cli: CommandLine, sample: Path) -> None:
    outcome = cli("roster", "check", sample, "--json")
    assert outcome.code == 1
    atlas, harbor = (outcome.json["families"][name] for name in ("atlas", "harbor"))
    assert [row["key"] for row in atlas["missing_document"]] == ["atlas/parts/atl-4147-a.md"]
    assert [row["doc_id"] for row in atlas["missing_row"]] == [
        "atlas/sdk/panel-profile.json",
        "atlas/turbines/nameplate-scan.pdf",
    ]
    assert not any(harbor[part] for part in ("mismatch", "missing_row", "missing_document", "problems"))


def test_a_diff_tells_what_the_rules_of_the_sample_keep_out(cli: CommandLine, sample: Path) -> None:
    cli("ingest", sample, "--dry-run", "--set", "corpus.rules=null")
    changed = cli("manifest", "diff", sample, f"{sample}@dry-run", "--json").json["changed"]
    assert {row["path"] for row in changed if row["decided_otherwise"]} == set(NOISE)


def test_an_inspection_flags_the_scan_of_the_sample_and_no_other_language(
    cli: CommandLine, sample: Path
) -> None:
    inspection = cli("inspect", sample, "--json").json
    empty = [row["doc_id"] for row in inspection["documents"] if "empty" in row["flags"]]
    assert empty == ["atlas/turbines/nameplate-scan.pdf"]
    assert set(inspection["flags"]) == {"empty", "far longer"}


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
