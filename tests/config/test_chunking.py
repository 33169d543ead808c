from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
import yaml

from strata_rag.config.chunking import Chunking, Strategy, TypePolicy
from strata_rag.config.yaml_text import to_yaml

from .conftest import Load, Refuse

RULE = "expected size >= 1, overlap >= 0 and overlap < size"


def test_a_type_states_what_differs_and_has_the_rest_from_the_section(load: Load) -> None:
    chunking = load(
        "chunking: {size: 500, overlap: 50, by_type: {md: {strategy: markdown}, txt: {size: 60}}}"
    )
    policies = chunking.config.chunking.policies()
    assert {name: (one.strategy, one.size, one.overlap) for name, one in policies.items()} == {
        "md": ("markdown", 500, 50),
        "txt": ("window", 60, 50),
    }


def test_a_type_has_every_key_of_the_section_but_types_of_its_own() -> None:
    assert set(TypePolicy.model_fields) == set(Chunking.model_fields) - {"by_type"}


@pytest.mark.parametrize(
    ("stated", "line"),
    [
        ("md: {size: 100}", f"chunking.by_type.md: {RULE}, found size 100 and overlap 150"),
        ("md: {size: 9, overlap: 9}", f"chunking.by_type.md: {RULE}, found size 9 and overlap 9"),
        ("md: {overlap: 800}", f"chunking.by_type.md: {RULE}, found size 800 and overlap 800"),
        ("md: {size: 0}", "chunking.by_type.md.size: expected a whole number of at least 1, found 0"),
        (
            "md: markdown",
            'chunking.by_type.md: expected a map of keys of chunking, found the text "markdown"',
        ),
        ("md: {sizes: 5}", "unknown key `chunking.by_type.md.sizes`"),
        ("md: {by_type: {}}", "unknown key `chunking.by_type.md.by_type`"),
        (
            ".md: {size: 900}",
            "chunking.by_type: expected a document type such as md, pdf or html, in small letters without a stop, "
            'found the text ".md"',
        ),
    ],
)
def test_a_fault_in_a_type_names_it_and_its_line(refuse: Refuse, stated: str, line: str) -> None:
    error = refuse(f"chunking:\n  by_type:\n    {stated}\n")
    (fault,) = error.faults
    assert fault.problem == line
    assert fault.where.startswith("experiment.yaml:3:")
    assert error.hint


def test_a_strategy_no_type_knows_is_refused_with_the_known_ones(refuse: Refuse) -> None:
    (fault,) = refuse(overrides=["chunking.by_type={md: {strategy: markdwon}}"]).faults
    assert fault.problem.startswith("chunking.by_type.md.strategy: expected one of window, document, token")
    assert fault.where == "--set"


def test_types_are_written_as_yaml_that_reads_back(load: Load) -> None:
    chunking = load("chunking: {by_type: {md: {strategy: markdown}}}").config.chunking
    read = yaml.safe_load(to_yaml(chunking.by_type))
    assert Chunking(by_type={name: TypePolicy(**policy) for name, policy in read.items()}) == chunking
    assert hash(chunking) == hash(chunking.model_copy())


@pytest.mark.parametrize("strategy", get_args(Strategy))
def test_case_13_every_strategy_refuses_an_overlap_that_is_not_less_than_the_size(
    refuse: Refuse, load: Load, shared: Path, strategy: str
) -> None:
    cases = yaml.safe_load((shared / "cases/13-overlap-not-less-than-size/bad_configs.yaml").read_text())
    sized = [case for case in cases if "size" in case]
    for case in sized:
        stated = [f"chunking.{name}={case[name]}" for name in ("size", "overlap")]
        options = {"overrides": [f"chunking.strategy={strategy}", *stated]}
        if 0 <= case["overlap"] < case["size"]:
            load(**options)
            continue
        (fault,) = refuse(**options).faults
        assert RULE in fault.problem
        assert str(case["size"]) in fault.problem
        assert str(case["overlap"]) in fault.problem


def test_case_13_a_window_below_zero_is_refused(refuse: Refuse) -> None:
    (fault,) = refuse("chunking: {strategy: sentence-window, window: -1}").faults
    assert fault.problem == "chunking.window: expected a whole number of at least 0, found -1"
