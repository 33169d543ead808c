from __future__ import annotations

from email.utils import formatdate

import pytest

from strata_rag.llm import ModelSettings
from strata_rag.llm.failures import Refusal, failure, read_retry_after

NOW = 1_800_000_000.0
SETTINGS = ModelSettings("m", "http://127.0.0.1:1/v1", api_key="s3cret")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": formatdate(NOW + 30, usegmt=True)}, 30.0),
        ({"retry-after": formatdate(NOW - 30, usegmt=True)}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_the_wait_is_read_in_seconds_milliseconds_and_as_a_date(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert read_retry_after(headers, today=NOW) == seconds


@pytest.mark.parametrize(
    "body", [None, "text", [], 5, {"error": "text"}, {"error": None}, {"detail": []}, {"error": {}}]
)
def test_any_body_makes_an_error(body: object) -> None:
    error = failure(SETTINGS, Refusal.of(500, body, {}, today=NOW))
    assert error.kind == "server"
    assert "127.0.0.1:1" in error.message


def test_what_a_server_says_is_one_short_line_without_the_key() -> None:
    said = "bad\n  key s3cret\x0b" + "x" * 1000
    error = failure(SETTINGS, Refusal(400, message=said))
    assert "bad key *** " in error.message
    assert len(error.message) < 500
    assert "\n" not in error.message


def test_a_prompt_that_is_too_long_is_told_what_to_lower() -> None:
    refusal = Refusal(400, code="context_length_exceeded", message="maximum context length is 8192 tokens")
    assert "retrieval.top_k" in failure(SETTINGS, refusal).hint


def test_too_many_calls_a_minute_is_no_empty_account() -> None:
    said = "You exceeded your current quota, please check your plan. Please retry in 30 s."
    assert Refusal(429, code="429", type="RESOURCE_EXHAUSTED", message=said).kind == "rate_limit"
