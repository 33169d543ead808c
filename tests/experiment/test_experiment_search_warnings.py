from __future__ import annotations

import os
from pathlib import Path

from strata_rag.experiment import SearchSettings, query
from workbench import load, run_ingest

LEXICAL = {"mode": "lexical", "no_rerank": True}


def warnings(config: Path, question: str, **flags: object) -> tuple[str, ...]:
    experiment = load(config)
    settings = SearchSettings.of(experiment.config, **flags)  # type: ignore[arg-type]
    return query(experiment, question, settings, top_k=3).warnings


def test_a_corpus_that_changed_since_the_ingest_is_told_until_it_is_ingested(
    config: Path, tiny_model: Path
) -> None:
    run_ingest(load(config))
    assert warnings(config, "pump", **LEXICAL) == ()
    page = load(config).config.corpus.root / "readme.md"
    page.write_text("Everything is different now.")
    [told] = warnings(config, "pump", **LEXICAL)
    assert "have changed since the last ingest" in told
    run_ingest(load(config))
    assert warnings(config, "pump", **LEXICAL) == ()


def test_a_new_file_is_told_and_one_that_is_no_document_is_not(config: Path, tiny_model: Path) -> None:
    run_ingest(load(config))
    root = load(config).config.corpus.root
    (root / "picture.png").write_bytes(b"x")
    assert warnings(config, "pump", **LEXICAL) == ()
    (root / "new.md").write_text("A new page.")
    assert len(warnings(config, "pump", **LEXICAL)) == 1


def test_a_root_that_is_not_there_is_no_change(config: Path, tiny_model: Path) -> None:
    run_ingest(load(config))
    root = load(config).config.corpus.root
    os.rename(root, root.with_name("away"))
    assert warnings(config, "pump", **LEXICAL) == ()


def test_a_question_longer_than_the_model_reads_is_told(config: Path, tiny_model: Path) -> None:
    run_ingest(load(config))
    long = "pump " * 5000
    assert any("longer than the" in told for told in warnings(config, long, dense_only=True))
    assert warnings(config, long, **LEXICAL) == ()
    assert warnings(config, "pump", dense_only=True) == ()
