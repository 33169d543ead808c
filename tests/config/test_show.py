from __future__ import annotations

import json

import pytest

from strata_rag.config import show_json, show_lines, show_rows
from strata_rag.config.keys import all_keys

from .conftest import Load


def test_rows_stand_in_schema_order_with_value_and_origin(load: Load) -> None:
    rows = show_rows(load("retrieval: {top_k: 7}\n"))
    order = list(all_keys())
    positions = [order.index(row.key) for row in rows]
    assert positions == sorted(positions)
    by_key = {row.key: (row.value, row.origin) for row in rows}
    assert by_key["retrieval.top_k"] == ("7", "experiment.yaml:1:13")
    assert by_key["retrieval.mode"] == ("hybrid", "default")
    assert by_key["evaluation.golden"] == ("null", "default")


@pytest.mark.parametrize("weights", ["null", "{dense: 2, lexical: 0.5}"])
def test_what_is_shown_gives_the_same_config_when_set(load: Load, weights: str) -> None:
    loaded = load(overrides=[f"retrieval.fusion.weights={weights}"])
    again = load("name: other\n", overrides=[f"{row.key}={row.value}" for row in show_rows(loaded)])
    assert again.config == loaded.config
    assert set(again.origins.values()) == {"--set"}


def test_lines_are_aligned(load: Load) -> None:
    lines = show_lines(show_rows(load()))
    short = [line for line in lines if not any(wide in line for wide in ("measures", "root", "entities"))]
    assert len({line.index("# ") for line in short}) == 1
    assert lines[0].split() == ["name:", "experiment", "#", "default"]


def test_the_json_form_is_plain_json(load: Load) -> None:
    shown = show_json(load(environ={"RAGEVAL_USE_RERANK": "no"}))
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert shown["config"]["evaluation"]["measures"][0] == "nDCG@10"
    assert shown["origins"]["retrieval.rerank.scorer"] == "environment RAGEVAL_USE_RERANK"
    assert len(shown["notes"]) == 1
