"""A refreshed collection can't be told from a fresh one, and only what is new is embedded."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from tiny_model import write_tiny_model
from workbench import (
    DOCUMENTS,
    assert_same,
    load,
    run_ingest,
    snapshot,
    write_config,
    write_files,
)

QUESTIONS = ("pump", "travel expenses limit", "ferry harbor crane", "AB-1234/x")


def changes(config: Path, *overrides: str, recreate: bool = False) -> tuple[int, int, int, int, int]:
    """Ingest; return documents added, changed, removed, unchanged, and texts embedded."""
    result = run_ingest(load(config, *overrides), recreate=recreate)
    documents = result.documents
    return documents.added, documents.changed, documents.removed, documents.unchanged, result.embedded


def assert_like_fresh(config: Path, fresh_home: Path, *overrides: str) -> None:
    """Assert that the collection equals one built from nothing, without any cache, in `fresh_home`."""
    shutil.rmtree(fresh_home, ignore_errors=True)
    fresh = load(config, *overrides, home=fresh_home)
    run_ingest(fresh)
    refreshed = load(config, *overrides)
    assert fresh.collection == refreshed.collection
    assert_same(snapshot(refreshed, *QUESTIONS), snapshot(fresh, *QUESTIONS))


def test_what_is_added_changed_removed_and_unchanged_is_counted(config: Path) -> None:
    docs = config.parent / "docs"
    assert changes(config) == (5, 0, 0, 0, 5)
    assert changes(config) == (0, 0, 0, 5, 0)
    write_files(docs, {"new.md": "A new text.", "readme.md": "Another text."})
    (docs / "harbor/log.txt").unlink()
    assert changes(config) == (1, 1, 1, 3, 2)
    assert changes(config) == (0, 0, 0, 4 + 1, 0)


def test_an_unchanged_corpus_writes_nothing(config: Path) -> None:
    run_ingest(load(config))
    folder = next((config.parent / ".strata/collections").glob("*__*/"))
    record = folder / "record.json"
    written = record.stat().st_mtime_ns
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    result = run_ingest(load(config))
    assert (result.written, result.rewritten) == (0, 0)
    assert record.stat().st_mtime_ns == written
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_renamed_document_takes_its_vectors_along(config: Path) -> None:
    changes(config)
    (config.parent / "docs/readme.md").rename(config.parent / "docs/about.md")
    assert changes(config) == (1, 0, 1, 4, 0)


def test_another_experiment_on_the_same_chunks_embeds_nothing(config: Path, tiny_model: Path) -> None:
    changes(config)
    other = write_config(config.parent / "other.yaml", tiny_model, retrieval={"lexical": {"k1": 0.9}})
    assert load(other).collection != load(config).collection
    assert changes(other) == (5, 0, 0, 0, 0)


def test_equal_texts_are_embedded_once(config: Path) -> None:
    write_files(config.parent / "docs", {"copy.md": DOCUMENTS["readme.md"]})
    result = run_ingest(load(config))
    assert (result.chunks, result.embedded) == (6, 5)


def test_recreate_builds_anew_from_the_cache(config: Path) -> None:
    changes(config)
    before = snapshot(load(config), *QUESTIONS)
    assert changes(config, recreate=True) == (5, 0, 0, 0, 0)
    assert_same(snapshot(load(config), *QUESTIONS), before)
    names = {path.name for path in (config.parent / ".strata/collections").iterdir()}
    assert names == {load(config).collection, f"{load(config).collection}.lock"}


@pytest.mark.parametrize("left", ["old only", "old and complete next", "old and unfinished next"])
def test_a_swap_cut_short_is_mended(config: Path, left: str) -> None:
    changes(config)
    folder = config.parent / ".strata/collections"
    name = load(config).collection
    (folder / name).rename(folder / f"{name}.old")
    if left != "old only":
        shutil.copytree(folder / f"{name}.old", folder / f"{name}.next")
    if left == "old and unfinished next":
        record = folder / f"{name}.next/record.json"
        record.write_text(record.read_text().replace('"complete": true', '"complete": false'))
    assert changes(config) == (0, 0, 0, 5, 0)
    assert {path.name for path in folder.iterdir()} == {name, f"{name}.lock"}


def test_other_weights_in_the_same_folder_replace_every_vector(tmp_path: Path) -> None:
    write_files(tmp_path / "docs", DOCUMENTS)
    model = write_tiny_model(tmp_path / "model", seed=1)
    config = write_config(tmp_path / "c.yaml", model)
    assert changes(config) == (5, 0, 0, 0, 5)
    write_tiny_model(model, seed=2)
    result = run_ingest(load(config))
    assert (result.documents.changed, result.embedded) == (5, 5)
    assert any("fingerprint" in reason for reason in result.reasons)
    assert_like_fresh(config, tmp_path / "fresh")


def test_a_move_of_the_average_length_rewrites_weights_without_embedding(config: Path) -> None:
    changes(config)
    write_files(config.parent / "docs", {"long.md": "pump valve crane ferry harbor night " * 20})
    result = run_ingest(load(config))
    assert (result.embedded, result.rewritten) == (1, 5)
    assert_like_fresh(config, config.parent / "fresh")


def test_a_document_that_becomes_empty_leaves_no_point(config: Path) -> None:
    changes(config)
    write_files(config.parent / "docs", {"readme.md": "  \n"})
    assert changes(config) == (0, 0, 1, 4, 0)
    assert_like_fresh(config, config.parent / "fresh")


def test_a_document_that_moves_a_chunk_border_is_changed_as_a_whole(config: Path) -> None:
    sizes = ("chunking.size=60", "chunking.overlap=10")
    write_files(config.parent / "docs", {"readme.md": "one two three four five six seven eight. " * 10})
    changes(config, *sizes)
    write_files(
        config.parent / "docs", {"readme.md": "zero " + "one two three four five six seven eight. " * 10}
    )
    added, changed, removed, unchanged, _ = changes(config, *sizes)
    assert (added, changed, removed, unchanged) == (0, 1, 0, 4)
    assert_like_fresh(config, config.parent / "fresh", *sizes)


@pytest.mark.parametrize("seed", range(3))
def test_any_sequence_of_edits_ends_like_a_fresh_build(config: Path, tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = ("chunking.size=80", "chunking.overlap=20")
    words = " ".join(DOCUMENTS.values()).split()
    docs = config.parent / "docs"
    for _ in range(4):
        for _ in range(int(rng.integers(1, 5))):
            path = docs / f"f{rng.integers(3)}/{rng.integers(4)}.md"
            if rng.random() < 0.3 and path.exists():
                path.unlink()
            else:
                length = int(rng.integers(0, 120))
                write_files(docs, {str(path.relative_to(docs)): " ".join(rng.choice(words, length))})
        run_ingest(load(config, *sizes))
    assert_like_fresh(config, tmp_path / "fresh", *sizes)


def test_case_43_idf_forgets_deleted_documents(tmp_path: Path, tiny_model: Path) -> None:
    texts = {f"{number}.md": "apple" if number < 3 else "banana" for number in range(6)}
    docs = write_files(tmp_path / "docs", texts)
    lexical = {"lexical": {"k1": 0.0, "language": None}}
    config = write_config(tmp_path / "c.yaml", tiny_model, retrieval=lexical)
    run_ingest(load(config))
    assert [score for _, score in snapshot(load(config), "apple").scores["apple"]] == pytest.approx(
        [0.693147] * 3, abs=1e-6
    )
    for number in (3, 4, 5):
        (docs / f"{number}.md").unlink()
    run_ingest(load(config))
    assert [score for _, score in snapshot(load(config), "apple").scores["apple"]] == pytest.approx(
        [0.133531] * 3, abs=1e-6
    )
    other = write_config(tmp_path / "other.yaml", tiny_model, retrieval=lexical)
    run_ingest(load(other))
    assert load(other).collection != load(config).collection
    assert_like_fresh(config, tmp_path / "fresh")
