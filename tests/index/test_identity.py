from __future__ import annotations

import pytest

from strata_rag.index import collection_name

SAYS = {"chunking": {"size": 800}, "corpus": {"root": "/docs", "format": "auto"}}


def name(experiment: str = "handbook", model: str = "acme/MiniLM-L6", says: object = SAYS) -> str:
    return collection_name(experiment, model, says)


def test_a_name_is_experiment_model_and_eight_digits() -> None:
    assert name().rsplit("__", 1)[0] == "handbook__minilm-l6"
    assert len(name().rsplit("__", 1)[1]) == 8


@pytest.mark.parametrize(
    "other",
    [
        name("Handbook"),
        name(model="other/MiniLM-L6"),
        name(says={**SAYS, "limit": 5}),
        name(says={**SAYS, "chunking": {"size": 801}}),
        name(says={**SAYS, "chunking": {"size": "800"}}),
        name(says={"corpus": SAYS["corpus"]}),
    ],
)
def test_whatever_the_config_says_moves_the_digest(other: str) -> None:
    assert other.rsplit("__", 1)[1] != name().rsplit("__", 1)[1]


def test_the_order_of_keys_does_not_matter_and_the_name_is_the_same_for_ever() -> None:
    assert name(says=dict(reversed(SAYS.items()))) == name()
    assert name() == "handbook__minilm-l6__58e0fd57"


@pytest.mark.parametrize(
    ("model", "slug"),
    [("a/B.c_D", "b-c-d"), ("/models/My Model", "my-model"), ("漢", "model"), ("x" * 60, "x" * 40)],
)
def test_the_slug_is_what_a_folder_can_hold(model: str, slug: str) -> None:
    assert name(model=model).split("__")[1] == slug
