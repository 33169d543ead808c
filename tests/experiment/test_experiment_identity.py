"""Which keys name a collection, and which don't."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from strata_rag.errors import CollectionError
from tiny_model import write_tiny_model
from workbench import DOCUMENTS, load, run_ingest, write_config, write_files


@pytest.mark.parametrize(
    "override",
    [
        "name=other",
        "name=C",
        "retrieval.lexical.k1=0.9",
        "retrieval.lexical.b=0.4",
        "index.hnsw.m=32",
        "index.hnsw.ef_construct=200",
        "retrieval.lexical.language=german",
        "retrieval.lexical.language=null",
        "retrieval.lexical.tokenizer=multilingual",
        "chunking.strategy=document",
        "chunking.size=700",
        "chunking.overlap=100",
        "corpus.limit=3",
        "corpus.format=files",
        "corpus.root=elsewhere",
        "corpus.follow_symlinks=true",
        "embedding.model=all-MiniLM-L6-v2",
        "embedding.revision=abc",
    ],
)
def test_what_shapes_the_points_names_the_collection(config: Path, override: str) -> None:
    assert load(config, override).collection != load(config).collection


@pytest.mark.parametrize(
    "override",
    [
        "retrieval.mode=dense",
        "retrieval.top_k=9",
        "retrieval.candidate_k=90",
        "retrieval.ef_search=200",
        "retrieval.fusion.k=10",
        "retrieval.rerank.scorer=late-interaction",
        "retrieval.rerank.floor=0.5",
        "evaluation.measures=[Recall@1]",
        "evaluation.seed=7",
        "embedding.batch_size=8",
        "index.lock_timeout=1",
        "retrieval.lexical.k1=1.2",
        "chunking.size=800",
    ],
)
def test_search_settings_and_defaults_share_the_collection(config: Path, override: str) -> None:
    assert load(config, override).collection == load(config).collection


def test_unused_sizes_do_not_name_a_collection_of_whole_documents(config: Path) -> None:
    whole = "chunking.strategy=document"
    assert load(config, whole, "chunking.size=500").collection == load(config, whole).collection


def test_the_name_needs_no_model(tmp_path: Path) -> None:
    config = write_config(tmp_path / "c.yaml", "nowhere/no-such-model")
    assert load(config).collection.startswith("c__no-such-model__")
    assert not (tmp_path / ".strata").exists()


def test_a_folder_that_moves_keeps_its_collection(tmp_path: Path) -> None:
    here = tmp_path / "here"
    write_files(here / "docs", DOCUMENTS)
    write_tiny_model(here / "model")
    config = write_config(here / "c.yaml", "./model")
    run_ingest(load(config))
    name = load(config).collection
    there = tmp_path / "a folder with spaces" / "there"
    there.parent.mkdir()
    shutil.move(here, there)
    moved = load(there / "c.yaml")
    assert moved.collection == name
    result = run_ingest(moved)
    assert (result.documents.unchanged, result.written, result.embedded) == (5, 0, 0)


def test_the_same_folder_named_in_other_ways_is_the_same_corpus(config: Path, tiny_model: Path) -> None:
    name = load(config).collection
    (config.parent / "link").symlink_to("docs")
    for root in ("./docs", "docs/", "link", str(config.parent / "docs"), "docs/../docs"):
        assert load(write_config(config, tiny_model, corpus={"root": root})).collection == name


def test_a_collection_of_another_config_under_the_same_name_is_left_alone(
    config: Path, tiny_model: Path
) -> None:
    run_ingest(load(config))
    experiment = load(config)
    path = experiment.workspace.collections / experiment.collection / "record.json"
    record = json.loads(path.read_text())
    record["says"]["chunking"] = {"size": 77}
    path.write_text(json.dumps(record))
    with pytest.raises(CollectionError, match="made by another that has the same name"):
        run_ingest(load(config))
    assert json.loads(path.read_text()) == record
