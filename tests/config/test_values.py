from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.config.keys import all_keys
from strata_rag.config.nodes import Node, Place, Source
from strata_rag.config.values import ValueReader, interpolate

from .conftest import Load, Refuse

PLACE = Place(Source(1, "a.yaml", Path("/folder")), 3, 4)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("plain $HOME $ {X}", "plain $HOME $ {X}"),
        ("${SET}", "value"),
        ("a-${SET}-${SET}-b", "a-value-value-b"),
        ("${SET:-other}", "value"),
        ("${UNSET:-other}", "other"),
        ("${UNSET:-}", ""),
        ("${EMPTY:-other}", "other"),
        ("${EMPTY}", ""),
        ("$${SET}", "${SET}"),
        ("$$${SET}", "$${SET}"),
        ("${NESTED}", "${SET}"),
    ],
)
def test_variables_are_put_into_texts_once(text: str, result: str) -> None:
    environ = {"SET": "value", "EMPTY": "", "NESTED": "${SET}"}
    assert interpolate(text, "key", PLACE, environ) == (result, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("${UNSET}", "a.yaml:3:4: key: expected the variable UNSET to be set, found it unset"),
        ("${a-b}", "a.yaml:3:4: key: expected ${NAME} or ${NAME:-default}, found ${a-b}"),
        ("${}", "a.yaml:3:4: key: expected ${NAME} or ${NAME:-default}, found ${}"),
        ("${OPEN", "a.yaml:3:4: key: expected ${NAME} or ${NAME:-default}, found ${OPEN"),
    ],
)
def test_an_unset_or_misspelt_variable_is_a_fault_at_its_place(text: str, message: str) -> None:
    _, problem = interpolate(text, "key", PLACE, {})
    assert problem is not None
    assert str(problem.fault) == message
    assert problem.hint


@given(st.text() | st.text("${}a"))
def test_an_escaped_text_comes_back_as_it_was(text: str) -> None:
    assert interpolate(text.replace("${", "$${"), "key", PLACE, {}) == (text, None)


def test_an_unquoted_variable_is_read_as_the_key_needs_it(load: Load) -> None:
    text = "name: ${NUMBER}\nretrieval:\n  top_k: ${NUMBER}\n  candidate_k: ${UNSET:-30}\n"
    config = load(
        text + "corpus: {root: x, follow_symlinks: '${YES}'}",
        root=False,
        environ={"NUMBER": "7", "YES": "yes"},
    ).config
    assert (config.name, config.retrieval.top_k, config.retrieval.candidate_k) == ("7", 7, 30)
    assert config.corpus.follow_symlinks is True


def test_an_unset_variable_is_one_fault_even_where_a_number_was_due(refuse: Refuse) -> None:
    error = refuse("retrieval:\n  top_k: ${UNSET}\n  mode: ${UNSET}\n")
    assert error.lines == [
        "experiment.yaml:2:10: retrieval.top_k: expected the variable UNSET to be set, found it unset",
        "experiment.yaml:3:9: retrieval.mode: expected the variable UNSET to be set, found it unset",
    ]


@pytest.mark.parametrize(("key", "read"), [("api_key_env", "${SECRET}"), ("api_key", "hush")])
def test_a_key_that_names_a_secrets_variable_never_holds_the_secret(key: str, read: str) -> None:
    keys = {key: replace(all_keys()["embedding.device"], path=key)}
    reader = ValueReader({"SECRET": "hush"}, keys)
    assert reader.read(Node({key: Node("${SECRET}", PLACE, PLACE)}, PLACE, PLACE)) == {key: read}


def test_paths_are_relative_to_the_file_that_states_them(load: Load, folder: Path) -> None:
    (folder / "bases").mkdir()
    (folder / "bases" / "base.yaml").write_text("corpus: {root: ../docs/./x}\nembedding: {model: ./m}\n")
    (folder / "own").mkdir()
    config = load(
        "extends: ../bases/base.yaml\nevaluation: {golden: g.yaml}\n", root=False, name="own/e.yaml"
    ).config
    assert config.corpus.root == folder / "docs" / "x"
    assert config.embedding.model == str(folder / "bases" / "m")
    assert config.evaluation.golden == folder / "own" / "g.yaml"


def test_paths_in_overrides_are_relative_to_the_current_folder(load: Load, folder: Path) -> None:
    (folder / "own").mkdir()
    loaded = load(
        name="own/e.yaml",
        overrides=["corpus.root=a"],
        environ={"STRATA_EVALUATION__GOLDEN": "b"},
    )
    assert (loaded.config.corpus.root, loaded.config.evaluation.golden) == (folder / "a", folder / "b")


@pytest.mark.parametrize("name", ["all-MiniLM-L6-v2", "org/model", ".hidden", "a/../b"])
def test_a_models_name_is_no_path(load: Load, name: str) -> None:
    config = load(overrides=[f"embedding.model={name}", f"retrieval.rerank.model={name}"]).config
    assert (config.embedding.model, config.retrieval.rerank.model) == (name, name)


@pytest.mark.parametrize(
    ("stated", "read"),
    [
        ("./m", "{folder}/m"),
        ("../m", "{folder}/../m"),
        ("/m/../n", "/n"),
        ("~/m", "/home/me/m"),
        ("'~'", "/home/me"),
    ],
)
def test_a_models_folder_is_a_path(load: Load, folder: Path, stated: str, read: str) -> None:
    config = load(f"retrieval: {{rerank: {{model: {stated}}}}}\n", environ={"HOME": "/home/me"}).config
    assert config.retrieval.rerank.model == os.path.abspath(read.format(folder=folder))


def test_the_home_folder_comes_from_the_given_environment(load: Load, refuse: Refuse) -> None:
    text = "corpus: {root: ~/docs}"
    assert load(text, root=False, environ={"HOME": "/home/me"}).config.corpus.root == Path("/home/me/docs")
    assert refuse(text, root=False).lines == [
        "experiment.yaml:1:16: corpus.root: expected a path, found ~/docs with no home folder known for it"
    ]


def test_symbolic_links_in_paths_are_kept(load: Load, folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "docs").symlink_to("real")
    assert load().config.corpus.root == folder / "docs"


def test_a_section_with_nothing_in_it_means_its_defaults(load: Load) -> None:
    config = load("retrieval:\nindex: {hnsw: ~}\nevaluation: null\n").config
    assert config == load().config


def test_a_quoted_variable_stays_text(refuse: Refuse) -> None:
    assert refuse("retrieval: {top_k: '${K}'}", environ={"K": "7"}).lines == [
        'experiment.yaml:1:20: retrieval.top_k: expected a whole number from 1 to 1000000, found the text "7"'
    ]
