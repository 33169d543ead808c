from __future__ import annotations

import pytest

from strata_rag.errors import LLMError
from strata_rag.llm import Completion, Message, ScriptedClient

QUESTION = [Message("user", "How high is it?")]


def test_the_fake_replies_in_order_and_keeps_the_calls() -> None:
    client = ScriptedClient(["one", Completion("tw", status="truncated")])
    assert client.complete(QUESTION).text == "one"
    assert client.complete(QUESTION).status == "truncated"
    assert client.calls == [tuple(QUESTION), tuple(QUESTION)]


def test_the_fake_raises_a_scripted_error_and_counts_the_call() -> None:
    client = ScriptedClient([LLMError("down", hint="wait", kind="overloaded"), "up"])
    with pytest.raises(LLMError, match="down"):
        client.complete(QUESTION)
    assert client.complete(QUESTION).text == "up"


def test_the_fake_replies_by_a_function_of_messages_and_schema() -> None:
    client = ScriptedClient(lambda messages, schema: f"{messages[-1].content} {schema}")
    assert client.complete(QUESTION, schema={"type": "object"}).text == "How high is it? {'type': 'object'}"


def test_the_fake_streams_its_text() -> None:
    pieces: list[str] = []
    ScriptedClient(["one"]).complete(QUESTION, on_text=pieces.append)
    assert "".join(pieces) == "one"


def test_a_call_too_many_names_the_number_of_replies() -> None:
    with pytest.raises(LLMError, match="at most 0 calls"):
        ScriptedClient([]).complete(QUESTION)
