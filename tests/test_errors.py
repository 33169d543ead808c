from __future__ import annotations

import pytest

from strata_rag import errors
from strata_rag.errors import ConfigError, Fault, StrataError

EXIT_CODES = {
    "StrataError": 5,
    "AnswerIsNo": 1,
    "InputError": 2,
    "ConfigError": 2,
    "PolicyError": 2,
    "RulesError": 2,
    "PluginError": 2,
    "CorpusError": 2,
    "GoldenError": 2,
    "Unavailable": 3,
    "CollectionError": 3,
    "CollectionBusy": 3,
    "ServerUnavailable": 3,
    "ModelUnavailable": 3,
    "LLMError": 3,
    "ExtraMissing": 3,
    "WriteFailed": 3,
    "NotMeasurable": 4,
}


def public_errors() -> dict[str, type[StrataError]]:
    return {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, StrataError) and not name.startswith("_")
    }


def test_every_error_has_the_exit_code_that_the_module_draws() -> None:
    assert {name: error.exit_code for name, error in public_errors().items()} == EXIT_CODES


def test_the_tree_at_the_top_of_the_module_names_every_error() -> None:
    assert all(f" {name} " in f"{errors.__doc__} " for name in EXIT_CODES)


@pytest.mark.parametrize(
    "name",
    [name for name in EXIT_CODES if name not in ("ConfigError", "PolicyError", "GoldenError", "RulesError")],
)
def test_an_error_carries_its_message_and_its_hint(name: str) -> None:
    error = public_errors()[name]("where: this, that", hint="do it")
    assert (str(error), error.message, error.hint) == ("where: this, that", "where: this, that", "do it")
    assert error.lines == ["where: this, that"]


def test_an_error_of_a_file_has_one_line_for_each_fault() -> None:
    faults = [Fault("a.yaml:1:2", "x: expected 1, found 2"), Fault("a.yaml:3:1", "y: unknown")]
    error = ConfigError(faults, hint="see the page")
    assert error.lines == ["a.yaml:1:2: x: expected 1, found 2", "a.yaml:3:1: y: unknown"]
    assert error.message == "; ".join(error.lines)
    assert error.faults == tuple(faults)


@pytest.mark.parametrize(
    ("kind", "ends_run"), [("auth", True), ("quota", True), ("budget", True), ("timeout", False)]
)
def test_a_model_error_says_whether_later_calls_would_fail_too(
    kind: errors.LLMErrorKind, ends_run: bool
) -> None:
    assert errors.LLMError("m", hint="h", kind=kind).ends_run is ends_run
