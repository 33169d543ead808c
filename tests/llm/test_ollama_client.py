"""Case 55: the context window is asked for, and a prompt that was cut is no answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from strata_rag.llm import Message, ModelSettings, OllamaClient, estimate_prompt, estimate_tokens
from strata_rag.llm.tokens import ample

from . import wire

CHUNK = " ".join(f"word{number % 7}" for number in range(1500))
LONG = [Message("system", "Answer from the passages."), Message("user", "\n\n".join([CHUNK] * 10))]
SHORT = [Message("user", "How high is the tower?")]


@pytest.fixture
def server() -> Iterator[wire.Wire]:
    with wire.serving() as server:
        yield server


def client(server: wire.Wire, said: list[str] | None = None, **settings: int) -> OllamaClient:
    given = ModelSettings("m", server.url, is_local=True, max_tokens=512, **settings)  # type: ignore[arg-type]
    return OllamaClient(given, (said if said is not None else []).append)


def test_the_window_that_prompt_and_reply_need_is_asked_for(server: wire.Wire) -> None:
    server.answers = [wire.ollama_reply(read=15_750)]
    completion = client(server).complete(LONG)
    options = server.received[0].body["options"]
    assert options["num_ctx"] >= estimate_prompt(LONG) + 512
    assert options["num_predict"] == 512
    assert options["temperature"] == 0
    assert completion.status == "complete"


def test_a_prompt_that_the_server_cut_is_no_answer(server: wire.Wire) -> None:
    server.answers = [wire.ollama_reply(read=2051)]
    completion = client(server).complete(LONG)
    assert completion.status == "prompt_cut"
    assert completion.usage.input_tokens == 2051


def test_a_window_of_the_config_that_is_too_small_is_said_before_anything_is_sent(server: wire.Wire) -> None:
    said: list[str] = []
    seen_at_arrival: list[int] = []

    def decide(request: wire.Received) -> wire.Answer:
        seen_at_arrival.append(len(said))
        return wire.ollama_reply(read=4096)

    server.decide = decide
    asking = client(server, said, context=4096)
    for _ in range(2):
        assert asking.complete(LONG).status == "prompt_cut"
    assert seen_at_arrival == [1, 1]
    assert said[0].startswith("generation.context: expected at least")
    assert "found 4096" in said[0]
    assert [request.body["options"]["num_ctx"] for request in server.received] == [4096, 4096]


def test_the_window_only_grows_since_each_change_loads_the_model_anew(server: wire.Wire) -> None:
    server.answers = [wire.ollama_reply(read=None)]
    asking = client(server)
    for messages in (SHORT, LONG, SHORT):
        asking.complete(messages)
    windows = [request.body["options"]["num_ctx"] for request in server.received]
    assert windows[0] == 4096
    assert windows[0] < windows[1] == windows[2]


def test_the_config_decides_the_request_and_not_the_window_that_came_of_it(server: wire.Wire) -> None:
    server.answers = [wire.ollama_reply(read=None)]
    asking = client(server)
    before = asking.describe()
    asking.complete(LONG)
    assert asking.describe() == before


def test_a_server_that_does_not_count_is_believed(server: wire.Wire) -> None:
    server.answers = [wire.ollama_reply(read=None)]
    assert client(server).complete(LONG).status == "complete"


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/api"])
def test_the_address_may_be_that_of_another_api_of_the_server(server: wire.Wire, suffix: str) -> None:
    server.answers = [wire.ollama_reply()]
    asking = OllamaClient(ModelSettings("m", server.url + suffix, is_local=True))
    assert asking.complete(SHORT).status == "complete"
    assert server.received[0].path == "/api/chat"


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("tower", 2), ("a" * 400, 100), ("a" + " " * 399, 1), ("塔" * 30, 20), ("вышка", 4)],
)
def test_tokens_are_estimated_without_a_tokenizer(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


def test_an_ample_window_is_half_as_much_again() -> None:
    assert ample(1000) == 1756
