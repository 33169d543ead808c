from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.config import FusionWeights
from strata_rag.config.nodes import Node, Place, Source
from strata_rag.config.values import interpolate
from strata_rag.config.yaml_source import parse_yaml
from strata_rag.config.yaml_text import to_yaml

SOURCE = Source(1, "--set", Path("/folder"), has_lines=False)
writable = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def read(text: str) -> object:
    document = parse_yaml(text, SOURCE)
    assert not document.problems

    def value(node: Node) -> object:
        if isinstance(node.value, tuple):
            return tuple(value(item) for item in node.value)
        if isinstance(node.value, str):
            return interpolate(node.value, "key", Place(SOURCE), {})[0]
        return node.value

    assert document.root is not None
    return value(document.root)


scalars = (
    st.none() | st.booleans() | st.integers(-(10**30), 10**30) | st.floats(allow_nan=False) | writable
    | st.text("yesnoffull~0x1e-3:. ${}[],#'\"\\\n\u2028\ufeff😀", max_size=8)
)  # fmt: skip


@given(scalars | st.lists(scalars).map(tuple))
def test_what_is_written_reads_back_as_the_same_value_on_one_line(value: object) -> None:
    text = to_yaml(value)
    assert "\n" not in text
    assert read(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("all-MiniLM-L6-v2", "all-MiniLM-L6-v2"),
        (Path("/a b"), '"/a b"'),
        ("no", "no"),
        ("true", '"true"'),
        ("1e-3", '"1e-3"'),
        ("", '""'),
        (("nDCG@10", "Hit@5"), "[nDCG@10, Hit@5]"),
        (0.00001, "1e-05"),
        (FusionWeights(dense=2.0), "{dense: 2.0, lexical: 1.0}"),
    ],
)
def test_values_are_written_with_as_few_quotes_as_possible(value: object, text: str) -> None:
    assert to_yaml(value) == text
