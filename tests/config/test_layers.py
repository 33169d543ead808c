from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.config.layers import merge
from strata_rag.config.nodes import Node, Place, Source

from .conftest import Load, Refuse

PLACE = Place(Source(1, "a.yaml", Path("/folder")))


def tree(value: Any) -> Node:
    if isinstance(value, dict):
        return Node({key: tree(item) for key, item in value.items()}, PLACE, PLACE)
    return Node(value, PLACE, PLACE)


def plain(node: Node) -> Any:
    if isinstance(node.value, Mapping):
        return {key: plain(item) for key, item in node.value.items()}
    return node.value


# As in the schema: a key is a section in every layer, or in none.
layer = st.fixed_dictionaries(
    {},
    optional={
        "a": st.integers(),
        "b": st.fixed_dictionaries(
            {}, optional={"c": st.integers(), "d": st.dictionaries(st.sampled_from("xy"), st.integers())}
        ),
    },
)


@given(layer, layer, layer)
def test_merging_is_associative(first: dict[str, Any], second: dict[str, Any], third: dict[str, Any]) -> None:
    a, b, c = tree(first), tree(second), tree(third)
    assert plain(merge(merge(a, b), c)) == plain(merge(a, merge(b, c)))


@given(layer, layer)
def test_what_the_upper_layer_states_wins_and_nothing_else_is_lost(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    def leaves(value: Any, prefix: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
        if not isinstance(value, dict):
            return {prefix: value}
        return {
            key: leaf for name, item in value.items() for key, leaf in leaves(item, (*prefix, name)).items()
        }

    assert leaves(plain(merge(tree(first), tree(second)))) == leaves(first) | leaves(second)


def test_lists_replace(load: Load, folder: Path) -> None:
    (folder / "base.yaml").write_text("evaluation: {measures: [MAP@1, MRR@1], seed: 3}")
    evaluation = load("extends: base.yaml\nevaluation: {measures: [Hit@1]}\n").config.evaluation
    assert (evaluation.measures, evaluation.seed) == (("Hit@1",), 3)


def test_bases_extend_bases_each_relative_to_itself(load: Load, folder: Path) -> None:
    (folder / "x" / "y").mkdir(parents=True)
    (folder / "x" / "y" / "ground.yaml").write_text("retrieval: {top_k: 1, candidate_k: 2, ef_search: 3}")
    (folder / "x" / "base.yaml").write_text("extends: y/ground.yaml\nretrieval: {top_k: 4, candidate_k: 5}")
    loaded = load("extends: ${DIR}/base.yaml\nretrieval: {top_k: 6}\n", environ={"DIR": "x"})
    retrieval = loaded.config.retrieval
    assert (retrieval.top_k, retrieval.candidate_k, retrieval.ef_search) == (6, 5, 3)
    assert loaded.origins["retrieval.top_k"] == "experiment.yaml:2:13"
    assert loaded.origins["retrieval.candidate_k"] == "x/base.yaml:2:23"
    assert loaded.origins["retrieval.ef_search"] == "x/y/ground.yaml:1:39"


def test_a_name_is_not_inherited(load: Load, folder: Path) -> None:
    (folder / "base.yaml").write_text("name: base-name")
    assert load("extends: base.yaml\n").config.name == "experiment"
    assert load("extends: base.yaml\nname: own\n").config.name == "own"


def test_an_empty_extends_extends_nothing(load: Load) -> None:
    assert load("extends:\n").config == load().config


@pytest.mark.parametrize(
    ("extends", "message"),
    [
        ("nope.yaml", "extends: nope.yaml: expected a YAML file, found no such file"),
        ("folder", "extends: folder: expected a YAML file, found a folder"),
        (
            "experiment.yaml",
            "extends: expected files without a cycle, found experiment.yaml -> experiment.yaml",
        ),
        ("[a.yaml]", "extends: expected the path of one file, found a list"),
        ("5", "extends: expected the path of one file, found 5"),
        ("${UNSET}", "extends: expected the variable UNSET to be set, found it unset"),
    ],
)
def test_a_base_that_cannot_be_read_is_a_fault_where_it_is_named(
    refuse: Refuse, folder: Path, extends: str, message: str
) -> None:
    (folder / "folder").mkdir()
    assert refuse(f"name: x\nextends: {extends}\n").lines == [f"experiment.yaml:2:10: {message}"]


def test_a_cycle_of_several_files_is_shown(refuse: Refuse, folder: Path) -> None:
    (folder / "b.yaml").write_text("extends: c.yaml")
    (folder / "c.yaml").write_text("extends: ./experiment.yaml")
    assert refuse("extends: b.yaml\n").lines == [
        "c.yaml:1:10: extends: expected files without a cycle, "
        "found experiment.yaml -> b.yaml -> c.yaml -> experiment.yaml"
    ]


def test_two_files_may_share_a_base_without_a_cycle(load: Load, folder: Path) -> None:
    (folder / "base.yaml").write_text("retrieval: {top_k: 9}")
    for name in ("a.yaml", "b.yaml"):
        assert load("extends: base.yaml\n", name=name).config.retrieval.top_k == 9


def test_each_source_is_stronger_than_the_one_below(load: Load, folder: Path) -> None:
    (folder / "base.yaml").write_text("retrieval: {top_k: 2}")
    environ: dict[str, str] = {}
    overrides: list[str] = []

    def found(text: str) -> tuple[int, str]:
        loaded = load(text, environ=environ, overrides=overrides)
        return loaded.config.retrieval.top_k, loaded.origins["retrieval.top_k"]

    assert found("") == (5, "default")
    assert found("extends: base.yaml\n") == (2, "base.yaml:1:13")
    text = "extends: base.yaml\nretrieval: {top_k: 3}\n"
    assert found(text) == (3, "experiment.yaml:2:13")
    environ["STRATA_RETRIEVAL__TOP_K"] = "4"
    assert found(text) == (4, "environment STRATA_RETRIEVAL__TOP_K")
    overrides.append("retrieval.top_k=6")
    assert found(text) == (6, "--set")
    overrides.append("retrieval.top_k=7")
    assert found(text) == (7, "--set")


def test_an_override_may_hold_a_map_a_list_or_nothing(load: Load) -> None:
    loaded = load(
        "retrieval: {fusion: {k: 9}, top_k: 9}\n",
        overrides=["evaluation.measures=[Hit@1, MAP@2]", "retrieval.rerank={scorer: none}"],
        environ={"STRATA_RETRIEVAL__FUSION": ""},
    )
    assert loaded.config.evaluation.measures == ("Hit@1", "MAP@2")
    assert loaded.config.retrieval.rerank.scorer == "none"
    assert loaded.config.retrieval.fusion.k == 60
    assert loaded.config.retrieval.top_k == 9


def test_an_override_may_hold_an_equals_sign_and_spaces(load: Load) -> None:
    assert load(overrides=[" embedding.device = cuda=0 "]).config.embedding.device == "cuda=0"


def test_variables_without_two_underscores_are_no_overrides(load: Load) -> None:
    environ = {"STRATA_HOME": "x", "STRATA_NAME": "y", "STRATA_TEST_QDRANT_URL": "z", "OTHER__TOP_K": "1"}
    assert load(environ=environ).config == load().config


@pytest.mark.parametrize(
    ("variable", "key", "hint"),
    [
        ("STRATA_RETREIVAL__TOP_K", "retreival.top_k", "did you mean `STRATA_RETRIEVAL__TOP_K`?"),
        (
            "STRATA_RETRIEVAL__FUSION__KK",
            "retrieval.fusion.kk",
            "did you mean `STRATA_RETRIEVAL__FUSION__K`?",
        ),
        ("STRATA__ZZZZZZ", "_zzzzzz", "unset it, or see docs/config.md"),
    ],
)
def test_an_unknown_key_in_the_environment_names_the_variable(
    refuse: Refuse, variable: str, key: str, hint: str
) -> None:
    error = refuse(environ={variable: "1"})
    assert error.lines == [f"environment {variable}: unknown key `{key}`"]
    assert error.hint == hint


@pytest.mark.parametrize(
    ("override", "message", "hint"),
    [
        ("top_k=3", "unknown key `top_k`", "did you mean `retrieval.top_k`?"),
        ("extends=a.yaml", "extends: expected in a file, found it as an override", ""),
        ("retrieval.top_k", 'expected key=value, found the text "retrieval.top_k"', ""),
        ("name.x=3", "unknown key `name.x`", ""),
        ("name=[a", "name: expected YAML, found a mistake", ""),
        ("name=!x y", "name: expected a value without the tag !x", "remove the tag"),
        (
            "retrieval.fusion={kk: 1}",
            "unknown key `retrieval.fusion.kk`",
            "did you mean `retrieval.fusion.k`?",
        ),
    ],
)
def test_a_faulty_override_is_refused(refuse: Refuse, override: str, message: str, hint: str) -> None:
    error = refuse(overrides=[override])
    (line,) = error.lines
    assert line.startswith(f"--set: {message}")
    assert hint in error.hint


@pytest.mark.parametrize("text", ["false", "no", "Off"])
def test_the_older_name_switches_reranking_off_with_a_note(load: Load, text: str) -> None:
    loaded = load("retrieval: {rerank: {scorer: late-interaction}}\n", environ={"RAGEVAL_USE_RERANK": text})
    assert loaded.config.retrieval.rerank.scorer == "none"
    assert loaded.origins["retrieval.rerank.scorer"] == "environment RAGEVAL_USE_RERANK"
    assert loaded.notes == ("RAGEVAL_USE_RERANK is an older name: use STRATA_RETRIEVAL__RERANK__SCORER=none",)


def test_the_older_name_with_a_yes_changes_nothing_but_is_noted(load: Load) -> None:
    loaded = load("retrieval: {rerank: {scorer: none}}\n", environ={"RAGEVAL_USE_RERANK": "yes"})
    assert loaded.config.retrieval.rerank.scorer == "none"
    assert loaded.notes == ("RAGEVAL_USE_RERANK is an older name: true changes nothing",)


def test_the_newer_name_is_stronger_than_the_older(load: Load) -> None:
    environ = {"RAGEVAL_USE_RERANK": "no", "STRATA_RETRIEVAL__RERANK__SCORER": "late-interaction"}
    assert load(environ=environ).config.retrieval.rerank.scorer == "late-interaction"


def test_the_older_name_takes_only_a_boolean(refuse: Refuse) -> None:
    assert refuse(environ={"RAGEVAL_USE_RERANK": "maybe"}).lines == [
        'environment RAGEVAL_USE_RERANK: expected true or false, found the text "maybe"'
    ]


@pytest.mark.parametrize("variable", ["RAGEVAL_USE_RERANK", "RAGEVAL_PLUGINS_DIR"])
def test_an_empty_or_other_older_name_is_ignored(load: Load, variable: str) -> None:
    assert load(environ={variable: ""}).notes == ()


def test_a_cycle_through_a_symbolic_link_is_seen_at_once(refuse: Refuse, folder: Path) -> None:
    (folder / "link.yaml").symlink_to("experiment.yaml")
    (line,) = refuse("extends: link.yaml\n").lines
    assert line.startswith("experiment.yaml:1:10: extends: expected files without a cycle")


def test_the_plugins_folder_of_the_environment_is_over_the_file_and_relative_to_the_current_folder(
    load: Load, folder: Path
) -> None:
    text = "corpus: {root: docs, plugins_dir: filed}\n"
    loaded = load(text, root=False)
    assert loaded.config.corpus.plugins_dir == folder / "filed"
    loaded = load(text, root=False, environ={"RAGEVAL_PLUGINS_DIR": "older"})
    assert loaded.config.corpus.plugins_dir == folder / "older"
    assert loaded.notes == ("RAGEVAL_PLUGINS_DIR is an older name: use STRATA_PLUGINS_DIR",)
    names = {"RAGEVAL_PLUGINS_DIR": "older", "STRATA_PLUGINS_DIR": "new: er"}
    loaded = load(text, root=False, environ=names)
    assert loaded.config.corpus.plugins_dir == folder / "new: er"
    assert loaded.origins["corpus.plugins_dir"] == "environment STRATA_PLUGINS_DIR"
    names["STRATA_CORPUS__PLUGINS_DIR"] = "exact"
    assert load(text, root=False, environ=names).config.corpus.plugins_dir == folder / "exact"
    overrides = ["corpus.plugins_dir=last"]
    assert (
        load(text, root=False, environ=names, overrides=overrides).config.corpus.plugins_dir
        == folder / "last"
    )


def test_an_empty_plugins_folder_of_the_environment_is_none(load: Load) -> None:
    environ = {"STRATA_PLUGINS_DIR": "", "RAGEVAL_PLUGINS_DIR": ""}
    assert load(environ=environ).config.corpus.plugins_dir is None
