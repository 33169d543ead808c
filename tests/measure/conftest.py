"""Runs on disk, made from rankings alone: no model, no collection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from strata_rag.evaluation import (
    GoldenRef,
    GoldenSet,
    Measure,
    Question,
    RankedItem,
    RunRecord,
    StoredRun,
    Timing,
    count_questions,
    evaluate,
    slices,
    summarise,
    write_run,
)

MEASURES = ("nDCG@10", "Recall@5", "MRR@10")
MakeRun = Callable[..., StoredRun]


def golden_of(questions: int, **changes: Any) -> GoldenSet:
    """Questions q0, q1, ... whose one relevant document is d0, d1, ..."""
    kinds = ("code", "name")
    made = [
        Question(f"q{i}", f"what is {i}?", {f"d{i}": 1.0}, kind=kinds[i % 2], **changes)
        for i in range(questions)
    ]
    return GoldenSet(tuple(made), origin="golden.yaml")


def at_ranks(ranks: Sequence[int], *, depth: int = 10) -> dict[str, list[str]]:
    """Rankings that put the relevant document of question i at the given rank; 0 leaves it out."""
    rankings = {}
    for i, rank in enumerate(ranks):
        others = [f"x{place}" for place in range(depth)]
        if rank:
            others[rank - 1] = f"d{i}"
        rankings[f"q{i}"] = others
    return rankings


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Write a run into the test's workspace: ``make_run([1, 2, 0])`` or with rankings of its own."""
    numbers = count(1)

    def make(
        ranks: Sequence[int] = (),
        *,
        rankings: Mapping[str, Sequence[str]] | None = None,
        golden: GoldenSet | None = None,
        measures: Sequence[str] = MEASURES,
        label: str | None = None,
        milliseconds: float = 5.0,
        **record: Any,
    ) -> StoredRun:
        number = next(numbers)
        found = rankings if rankings is not None else at_ranks(ranks)
        golden = golden or golden_of(len(ranks))
        per_query = evaluate([Measure.parse(name) for name in measures], found, golden)
        created = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=number)
        items = {
            query: [RankedItem(i, 1 / rank, f"{i}#0-9") for rank, i in enumerate(ids, 1)]
            for query, ids in found.items()
        }
        fields: dict[str, Any] = {
            "run_id": f"run{number}",
            "created": created,
            "label": label or f"system {number}",
            "name": "handbook",
            "collection": "handbook__minilm__01234567",
            "mode": "hybrid",
            "level": "document",
            "depth": 10,
            "seed": 0,
            "config": {"name": "handbook", "retrieval": {"mode": "hybrid", "top_k": number}},
            "config_digest": f"{number}" * 64,
            "code_version": "0.1.0",
            "corpus_digest": "d" * 64,
            "golden": GoldenRef.of(golden),
            "measures": summarise(per_query, seed=0),
            "slices": {"kind": slices(per_query, golden, by="kind")},
            "models": ({"role": "embedder", "id": "minilm"},),
            "libraries": {"numpy": "2"},
            "timings_ms": {"total": Timing(milliseconds, 2 * milliseconds)},
            "counts": count_questions(golden, items),
            **record,
        }
        made = RunRecord(**fields)
        folder = tmp_path / ".strata" / "runs" / made.run_id
        write_run(folder, made, golden, items, per_query)
        return StoredRun(folder, made)

    return make


@pytest.fixture
def runs_dir(tmp_path: Path) -> Path:
    return tmp_path / ".strata" / "runs"
