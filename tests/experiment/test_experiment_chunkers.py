from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from strata_rag.config import Chunking, TypePolicy
from strata_rag.experiment.chunkers import said_chunking

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({}, {}),
        ({"strategy": "document", "size": 300, "overlap": 5}, {"strategy": "document"}),
        ({"strategy": "sentence"}, {"strategy": "sentence"}),
        ({"strategy": "sentence", "window": 5, "percentile": 50.0}, {"strategy": "sentence"}),
        ({"strategy": "sentence", "overlap_sentences": 1}, {"strategy": "sentence", "overlap_sentences": 1}),
        ({"strategy": "sentence-window", "window": 3}, {"strategy": "sentence-window", "window": 3}),
        (
            {"strategy": "markdown", "prepend_headings": True},
            {"strategy": "markdown", "prepend_headings": True},
        ),
        ({"strategy": "semantic", "percentile": 80.0}, {"strategy": "semantic", "percentile": 80.0}),
        ({"window": 9, "prepend_headings": True}, {}),
        ({"by_type": {"md": {}}}, {}),
        ({"by_type": {"md": {"strategy": "markdown"}}}, {"by_type": {"md": {"strategy": "markdown"}}}),
        ({"by_type": {"markdown": {"size": 900}}}, {"by_type": {"md": {"size": 900}}}),
        (
            {"strategy": "document", "by_type": {"txt": {"strategy": "window"}}},
            {"strategy": "document", "by_type": {"txt": {}}},
        ),
    ],
)
def test_only_used_keys_that_differ_from_their_default_make_another_collection(
    stated: dict[str, Any], said: dict[str, Any]
) -> None:
    types = {name: TypePolicy(**policy) for name, policy in stated.pop("by_type", {}).items()}
    assert said_chunking(Chunking(**stated, by_type=types)) == said


MODEL = {
    "config.json": {"hidden_size": 8, "num_hidden_layers": 1},
    "sentence_bert_config.json": {"max_seq_length": 12},
}
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
PAGE = f"# One\n\nThe first text of the page stands here. And here is more.\n\n## Two\n\n{TABLE}"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A corpus of three files and a model that is a tokenizer and nothing else."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    folder = tmp_path / "model"
    folder.mkdir()
    for name, content in MODEL.items():
        (folder / name).write_text(json.dumps(content))
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "page.md").write_text(PAGE)
    (docs / "note.txt").write_text("One sentence is here. " * 20)
    (docs / "again.txt").write_text("One sentence is here. " * 20)
    config = tmp_path / "test.yaml"
    config.write_text("corpus: {root: docs}\nembedding: {model: ./model}\n")
    return config


def inspected(strata: Run, config: Path, *stated: str) -> dict[str, Any]:
    settings = [part for pair in stated for part in ("--set", pair)]
    done = strata("inspect", config, "--chunks", "--json", *settings)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_inspect_shows_spans_tokens_headings_and_flags(strata: Run, project: Path) -> None:
    found = inspected(strata, project, "chunking.by_type={md: {strategy: markdown}}")
    one, two = (chunk for chunk in found["chunks"] if chunk["doc_id"] == "page.md")
    assert PAGE[one["start"] : one["end"]] == one["text"]
    assert (one["heading_path"], two["heading_path"]) == ("One", "One > Two")
    assert two["flags"] == ["too short", "over the model's limit"]
    assert two["tokens"] == 22
    assert found["max_tokens"] == 12
    [again, note] = [chunk for chunk in found["chunks"] if chunk["doc_id"] != "page.md"]
    assert "near-duplicate" not in again["flags"]
    assert "near-duplicate" in note["flags"]
    assert found["flags"]["near-duplicate"] == 1


def test_inspect_shows_one_document_on_request_and_names_the_nearest_id(strata: Run, project: Path) -> None:
    done = strata(
        "inspect", project, "--chunks", "--document", "page.md", "--set", "chunking.strategy=markdown"
    )
    assert done.returncode == 0
    assert "page.md\n" in done.stdout
    assert "note.txt" not in done.stdout
    assert "[One > Two]  !! too short" in done.stdout
    missing = strata("inspect", project, "--chunks", "--document", "pages.md")
    assert missing.returncode == 2
    assert "did you mean page.md?" in missing.stderr


def test_inspect_of_what_is_indexed_needs_an_ingest(strata: Run, project: Path) -> None:
    done = strata("inspect", project)
    assert done.returncode == 3
    assert "strata ingest" in done.stderr


def test_tokens_are_the_models_own_and_never_more_than_it_reads(strata: Run, project: Path) -> None:
    found = inspected(strata, project, "chunking.strategy=token", "chunking.overlap=3")
    assert max(chunk["tokens"] for chunk in found["chunks"]) == 12


def test_an_overlap_that_the_models_limit_does_not_allow_is_refused(strata: Run, project: Path) -> None:
    done = strata("ingest", project, "--dry-run", "--set", "chunking.strategy=token")
    assert done.returncode == 2
    assert "expected size >= 1 and 0 <= overlap < size, found size 12, overlap 150" in done.stderr


def test_a_dry_run_says_that_it_cannot_count_without_the_model(strata: Run, project: Path) -> None:
    done = strata("ingest", project, "--dry-run", "--json", "--set", "chunking.strategy=semantic")
    assert done.returncode == 0
    preview = json.loads(done.stdout)
    assert preview["totals"]["chunks"] is None
    assert preview["totals"]["documents"] == 3
    assert preview["warnings"][0].startswith(
        "chunks are not counted: chunking.strategy semantic needs the model"
    )
    shown = strata("ingest", project, "--dry-run", "--set", "chunking.strategy=semantic")
    assert "unknown chunks" in shown.stdout


def test_two_names_of_one_type_are_refused(strata: Run, project: Path) -> None:
    stated = "chunking.by_type={md: {size: 500}, markdown: {size: 400}}"
    done = strata("ingest", project, "--dry-run", "--set", stated)
    assert done.returncode == 2
    assert "expected each document type once, found markdown beside md" in done.stderr
