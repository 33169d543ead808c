"""Every provider through its real SDK against a server that speaks its wire format."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from strata_rag.errors import LLMError
from strata_rag.llm import (
    AnthropicClient,
    LLMClient,
    Message,
    ModelSettings,
    OllamaClient,
    OpenAIClient,
    TokenPrice,
    Usage,
)
from strata_rag.llm.settings import with_schema_in_words

from . import wire
from .wire import Answer, Wire

MESSAGES = [
    Message("system", "Answer in one line."),
    Message("user", "How high is the tower at the harbour?"),
]
SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}},
    "required": ["verdict"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class Provider:
    """One provider and how the server speaks its language."""

    name: str
    make: Callable[..., LLMClient]
    base: str
    path: str
    reply: Callable[..., Answer]
    stream: Callable[..., Answer]
    error: Callable[..., Answer]
    cut_reply: str
    hidden_error: Answer

    def client(self, server: Wire, **settings: Any) -> LLMClient:
        given: dict[str, Any] = {"api_key": "s3cret-key", "is_local": True, "timeout": 10.0, **settings}
        return self.make(ModelSettings("the-model", server.url + self.base, **given))


def _ollama_error(status: int, kind: str = "", message: str = "no", **more: Any) -> Answer:
    return Answer(status, {"error": message}, **more)


def _openai_error(status: int, kind: str = "", message: str = "no", **more: Any) -> Answer:
    return wire.openai_error(status, message, kind=kind, **more)


PROVIDERS = [
    Provider(
        "anthropic", AnthropicClient, "", wire.ANTHROPIC, wire.anthropic_reply, wire.anthropic_stream,
        wire.anthropic_error, "max_tokens",
        Answer(stream=[b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error"}}\n\n']),
    ),
    Provider(
        "openai", OpenAIClient, "/v1", wire.OPENAI, wire.openai_reply, wire.openai_stream, _openai_error, "length",
        Answer(stream=[b'data: {"error": {"message": "no", "type": "server_error", "code": null}}\n\n']),
    ),
    Provider(
        "ollama", OllamaClient, "", wire.OLLAMA, wire.ollama_reply, wire.ollama_stream, _ollama_error, "length",
        Answer(stream=[b'{"error": "the runner has died"}\n']),
    ),
]  # fmt: skip
every_provider = pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)


@pytest.fixture(scope="module")
def _server() -> Iterator[Wire]:
    with wire.serving() as server:
        yield server


@pytest.fixture
def server(_server: Wire) -> Wire:
    _server.answers, _server.received, _server.decide = [], [], None
    return _server


@every_provider
def test_a_reply_comes_with_tokens_cost_time_and_id(provider: Provider, server: Wire) -> None:
    server.answers = [provider.reply()]
    completion = provider.client(server, price=TokenPrice(3, 15)).complete(MESSAGES)
    assert (completion.text, completion.status) == ("Forty metres [1].", "complete")
    assert completion.usage == Usage(20, 7)
    assert completion.cost == pytest.approx((20 * 3 + 7 * 15) / 1e6)
    assert 0 < completion.latency_ms < 10_000
    assert completion.request_id
    assert not completion.cached
    (request,) = server.received
    assert request.path == provider.path
    assert request.headers["authorization"] == "Bearer s3cret-key"
    assert request.body["model"] == "the-model"
    assert provider.client(server).complete(MESSAGES).cost is None


@every_provider
def test_a_streamed_reply_is_shown_as_it_comes(provider: Provider, server: Wire) -> None:
    server.answers = [provider.stream(["Forty ", "metres", " [1]."])]
    pieces: list[str] = []
    completion = provider.client(server).complete(MESSAGES, on_text=pieces.append)
    assert pieces == ["Forty ", "metres", " [1]."]
    assert (completion.text, completion.status, completion.usage) == (
        "Forty metres [1].",
        "complete",
        Usage(20, 7),
    )
    assert server.received[0].body["stream"] is True


@every_provider
def test_a_stream_that_breaks_off_is_an_error_and_no_answer(provider: Provider, server: Wire) -> None:
    for more in ({"cut": True}, {}):
        server.answers = [provider.stream(["Forty "], end=False, **more)]
        with pytest.raises(LLMError) as caught:
            provider.client(server).complete(MESSAGES, on_text=lambda _: None)
        assert caught.value.kind == "connection"


@every_provider
def test_an_error_inside_a_stream_is_an_error(provider: Provider, server: Wire) -> None:
    server.answers = [provider.hidden_error]
    with pytest.raises(LLMError) as caught:
        provider.client(server).complete(MESSAGES, on_text=lambda _: None)
    assert caught.value.kind == ("overloaded" if provider.name == "anthropic" else "server")


@every_provider
def test_a_reply_cut_at_the_limit_is_truncated(provider: Provider, server: Wire) -> None:
    server.answers = [provider.reply("Forty", provider.cut_reply)]
    completion = provider.client(server).complete(MESSAGES)
    assert (completion.status, completion.stop_reason) == ("truncated", provider.cut_reply)
    server.answers = [provider.stream(["Forty"], provider.cut_reply)]
    assert provider.client(server).complete(MESSAGES, on_text=lambda _: None).status == "truncated"


@every_provider
@pytest.mark.parametrize("text", ["", " \n"])
def test_a_reply_without_text_is_empty(provider: Provider, server: Wire, text: str) -> None:
    server.answers = [provider.reply(text)]
    assert provider.client(server).complete(MESSAGES).status == "empty"


@every_provider
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "bad_request"),
        (401, "auth"),
        (402, "quota"),
        (403, "auth"),
        (404, "not_found"),
        (408, "timeout"),
        (413, "bad_request"),
        (422, "bad_request"),
        (429, "rate_limit"),
        (500, "server"),
        (503, "overloaded"),
        (529, "overloaded"),
    ],
)
def test_every_refusal_has_its_kind(provider: Provider, server: Wire, status: int, kind: str) -> None:
    server.answers = [provider.error(status, "some_error", "said so")]
    with pytest.raises(LLMError, match="said so") as caught:
        provider.client(server).complete(MESSAGES)
    assert caught.value.kind == kind
    assert str(status) in caught.value.message
    assert caught.value.hint
    assert len(server.received) == 1


@every_provider
def test_a_refusal_says_how_long_to_wait(provider: Provider, server: Wire) -> None:
    server.answers = [provider.error(429, headers={"Retry-After": "2"})]
    with pytest.raises(LLMError) as caught:
        provider.client(server).complete(MESSAGES)
    assert caught.value.retry_after == 2.0


@every_provider
def test_the_key_never_stands_in_an_error(provider: Provider, server: Wire) -> None:
    server.answers = [provider.error(401, message="wrong key s3cret-key given")]
    with pytest.raises(LLMError) as caught:
        provider.client(server, api_key_env="MY_KEY").complete(MESSAGES)
    assert "s3cret" not in caught.value.message + caught.value.hint
    assert "s3cret" not in "".join(traceback.format_exception(caught.value))
    assert "MY_KEY" in caught.value.hint


@every_provider
def test_a_server_that_is_silent_is_given_up(provider: Provider, server: Wire) -> None:
    server.answers = [replace(provider.reply(), hang=5)]
    with pytest.raises(LLMError, match=r"within 0\.2 s") as caught:
        provider.client(server, timeout=0.2).complete(MESSAGES)
    assert caught.value.kind == "timeout"


@every_provider
def test_a_server_that_drips_is_given_up_as_well(provider: Provider, server: Wire) -> None:
    pieces = [b" "] * 200
    for stream in (False, True):
        server.answers = [Answer(stream=pieces, headers={"Content-Type": "application/json"}, pause=0.02)]
        with pytest.raises(LLMError) as caught:
            provider.client(server, timeout=0.2).complete(MESSAGES, on_text=[].append if stream else None)
        assert caught.value.kind == "timeout"


@every_provider
@pytest.mark.parametrize("body", [b'{"id": "x", "cho', b"<html>proxy</html>", b"[]", b"{}", b"null"])
def test_an_answer_that_is_no_reply_is_an_error(provider: Provider, server: Wire, body: bytes) -> None:
    server.answers = [Answer(body=body)]
    with pytest.raises(LLMError) as caught:
        provider.client(server).complete(MESSAGES)
    assert caught.value.kind == "server"
    assert "base_url" in caught.value.hint


@every_provider
@pytest.mark.parametrize(
    "changes",
    [
        {"usage": None, "prompt_eval_count": None, "eval_count": None},
        {
            "usage": {
                "prompt_tokens": "x", "completion_tokens": -1, "input_tokens": "x", "output_tokens": float("nan")
            },
            "prompt_eval_count": "x", "eval_count": True,
        },
    ],
)  # fmt: skip
def test_counts_that_are_none_are_not_said(provider: Provider, server: Wire, changes: dict[str, Any]) -> None:
    reply = provider.reply()
    server.answers = [replace(reply, body={**reply.body, **changes})]
    completion = provider.client(server).complete(MESSAGES)
    assert (completion.status, completion.usage) == ("complete", Usage())


@every_provider
@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"choices": [null], "content": [null], "message": "x"}',
        b'{"choices": [{}], "content": "x", "message": []}',
        b'{"choices": {"0": 1}, "content": 7, "message": 7}',
    ],
)
def test_json_of_another_shape_is_an_error(provider: Provider, server: Wire, body: bytes) -> None:
    server.answers = [Answer(body=body)]
    with pytest.raises(LLMError, match="as JSON, found") as caught:
        provider.client(server).complete(MESSAGES)
    assert caught.value.kind == "server"


@every_provider
@pytest.mark.parametrize("stream", [False, True])
def test_a_body_that_can_not_be_unpacked_is_an_error(
    provider: Provider, server: Wire, *, stream: bool
) -> None:
    server.answers = [Answer(body=b"no gzip", headers={"Content-Encoding": "gzip"})]
    with pytest.raises(LLMError) as caught:
        provider.client(server).complete(MESSAGES, on_text=[].append if stream else None)
    assert caught.value.kind == "connection"


@every_provider
def test_a_reply_far_above_its_limit_is_not_read_to_its_end(provider: Provider, server: Wire) -> None:
    server.answers = [provider.reply("long " * 1_000_000)]
    with pytest.raises(LLMError, match="more than 4010000 bytes"):
        provider.client(server, max_tokens=10).complete(MESSAGES)


@every_provider
def test_half_a_character_is_replaced_since_nothing_can_print_it(provider: Provider, server: Wire) -> None:
    server.answers = [provider.reply("forty \ud83d metres, \ud83d\ude00")]
    assert provider.client(server).complete(MESSAGES).text == "forty \ufffd metres, \U0001f600"


def test_a_reply_in_parts_is_put_together(server: Wire) -> None:
    reply = wire.openai_reply()
    reply.body["choices"][0]["message"]["content"] = [
        {"type": "text", "text": "Forty "},
        {"type": "image_url"},
        {"type": "text", "text": "metres."},
    ]
    server.answers = [reply]
    client = OpenAIClient(ModelSettings("m", server.url + "/v1", is_local=True))
    assert client.complete(MESSAGES).text == "Forty metres."


@every_provider
def test_a_connection_lost_in_the_middle_is_an_error(provider: Provider, server: Wire) -> None:
    server.answers = [replace(provider.reply(), cut=True)]
    with pytest.raises(LLMError) as caught:
        provider.client(server).complete(MESSAGES)
    assert caught.value.kind == "connection"


@every_provider
def test_no_server_is_an_error_that_names_the_address(provider: Provider) -> None:
    client = provider.make(ModelSettings("m", "http://127.0.0.1:9", is_local=True))
    with pytest.raises(LLMError, match=r"127\.0\.0\.1:9") as caught:
        client.complete(MESSAGES)
    assert caught.value.kind == "connection"


@every_provider
def test_a_schema_is_enforced_by_the_provider(provider: Provider, server: Wire) -> None:
    server.answers = [provider.reply('{"verdict": "yes"}')]
    completion = provider.client(server).complete(MESSAGES, schema=SCHEMA)
    body = server.received[0].body
    sent = {
        "anthropic": lambda: body["output_config"]["format"]["schema"],
        "openai": lambda: body["response_format"]["json_schema"]["schema"],
        "ollama": lambda: body["format"],
    }[provider.name]()
    assert sent == SCHEMA
    assert not any("schema" in note for note in completion.notes)


@every_provider
def test_a_server_that_enforces_no_schema_is_asked_in_words_once_and_for_all(
    provider: Provider, server: Wire
) -> None:
    refusal = provider.error(400, "invalid_request_error", "response_format json_schema is not supported")
    server.answers = [refusal, provider.reply('{"verdict": "yes"}')]
    client = provider.client(server)
    completion = client.complete(MESSAGES, schema=SCHEMA)
    assert any("schema was asked for in words" in note for note in completion.notes)
    assert client.describe().notes[-1] == completion.notes[-1]
    client.complete(MESSAGES, schema=SCHEMA)
    assert len(server.received) == 3
    for request in server.received[1:]:
        assert not {"response_format", "output_config", "format"} & request.body.keys()
        assert json.dumps(SCHEMA) in request.body["messages"][-1]["content"]
    assert client.complete(MESSAGES).notes == completion.notes[:-1]


@every_provider
def test_a_refusal_that_no_change_mends_changes_nothing(provider: Provider, server: Wire) -> None:
    server.answers = [provider.error(400, "invalid_request_error", "json_schema: bad grammar")]
    client = provider.client(server)
    before = client.describe().notes
    with pytest.raises(LLMError):
        client.complete(MESSAGES, schema=SCHEMA)
    assert len(server.received) == 2
    assert client.describe().notes == before


@every_provider
def test_a_redirect_is_not_followed(provider: Provider, server: Wire) -> None:
    with wire.serving() as elsewhere:
        elsewhere.answers = [provider.reply()]
        server.answers = [Answer(307, {}, {"Location": elsewhere.url + provider.path})]
        with pytest.raises(LLMError, match=f"a redirect, .*{elsewhere.url}") as caught:
            provider.client(server).complete(MESSAGES)
        assert "base_url" in caught.value.hint
        assert elsewhere.received == []


@every_provider
def test_the_environment_redirects_nothing(
    provider: Provider, server: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    with wire.serving() as elsewhere:
        for name in (
            "OPENAI_BASE_URL",
            "ANTHROPIC_BASE_URL",
            "OLLAMA_HOST",
            "HTTP_PROXY",
            "ALL_PROXY",
            "http_proxy",
        ):
            monkeypatch.setenv(name, elsewhere.url)
        for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
            monkeypatch.setenv(name, "other")
        monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "other")
        server.answers = [provider.reply()]
        provider.client(server, api_key="").complete(MESSAGES)
        assert elsewhere.received == []
        assert "other" not in str(server.received[0].headers)


def test_anthropic_is_sent_no_temperature_and_says_so(server: Wire) -> None:
    server.answers = [wire.anthropic_reply()]
    client = PROVIDERS[0].client(server)
    completion = client.complete(MESSAGES)
    assert server.received[0].body.keys() == {"model", "max_tokens", "system", "messages"}
    assert (
        completion.notes == client.describe().notes == ("temperature was not sent: the provider takes none",)
    )


@pytest.mark.parametrize(
    ("stop", "status"),
    [
        ("end_turn", "complete"),
        ("stop_sequence", "complete"),
        ("refusal", "refused"),
        ("model_context_window_exceeded", "truncated"),
        ("pause_turn", "truncated"),
        ("something_new", "truncated"),
    ],
)
def test_only_a_turn_that_ended_is_an_answer_of_anthropic(server: Wire, stop: str, status: str) -> None:
    server.answers = [wire.anthropic_reply("Forty", stop)]
    assert PROVIDERS[0].client(server).complete(MESSAGES).status == status


def test_an_empty_account_is_told_from_a_limit_of_calls(server: Wire) -> None:
    empty = [
        (PROVIDERS[1], wire.openai_error(429, code="insufficient_quota", kind="insufficient_quota")),
        (PROVIDERS[1], wire.openai_error(403, code="billing_hard_limit_reached")),
        (PROVIDERS[0], wire.anthropic_error(400, "invalid_request_error", "Your credit balance is too low")),
        (PROVIDERS[0], wire.anthropic_error(402, "billing_error")),
    ]
    for provider, answer in empty:
        server.answers = [answer]
        with pytest.raises(LLMError) as caught:
            provider.client(server).complete(MESSAGES)
        assert caught.value.kind == "quota"
        assert caught.value.ends_run


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (wire.openai_reply(None, refusal="I can't help with that."), "refused"),
        (wire.openai_reply("Forty", "content_filter"), "filtered"),
        (wire.openai_reply("", "content_filter"), "filtered"),
        (wire.openai_error(400, "triggered our policy", code="content_filter"), "filtered"),
        (wire.openai_reply("Forty", None), "truncated"),
        (wire.openai_reply("Forty", "eos_token"), "complete"),
    ],
)
def test_what_openai_withholds_is_no_answer(server: Wire, answer: Answer, status: str) -> None:
    server.answers = [answer]
    completion = PROVIDERS[1].client(server).complete(MESSAGES)
    assert completion.status == status
    assert len(server.received) == 1


def test_a_model_that_refuses_a_temperature_is_asked_without_it_from_then_on(server: Wire) -> None:
    def decide(request: wire.Received) -> Answer:
        if "temperature" in request.body:
            return wire.openai_error(
                400,
                "Unsupported value: 'temperature' does not support 0",
                code="unsupported_value",
                param="temperature",
            )
        return wire.openai_reply()

    server.decide = decide
    client = PROVIDERS[1].client(server)
    assert client.describe().parameters["temperature"] == 0.0
    for _ in range(2):
        assert client.complete(MESSAGES).notes == ("temperature was not sent: the model refuses it",)
    assert len(server.received) == 3
    assert client.describe().parameters["temperature"] == 0.0
    assert client.describe().notes == ("temperature was not sent: the model refuses it",)


def test_the_limit_of_a_reply_is_sent_under_the_name_the_server_knows(server: Wire) -> None:
    def decide(request: wire.Received) -> Answer:
        if "max_tokens" in request.body:
            message = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
            return wire.openai_error(400, message, code="unsupported_parameter", param="max_tokens")
        if "temperature" in request.body:
            return wire.openai_error(400, "temperature?", param="temperature")
        return wire.openai_reply()

    server.decide = decide
    assert PROVIDERS[1].client(server, max_tokens=77).complete(MESSAGES).status == "complete"
    assert [request.body.get("max_completion_tokens") for request in server.received] == [None, 77, 77]


def test_a_prompt_that_a_server_may_have_cut_is_noted(server: Wire) -> None:
    server.answers = [wire.openai_reply()]
    client = PROVIDERS[1].client(server)
    completion = client.complete([Message("user", "word " * 5000)])
    assert completion.status == "complete"
    assert "context window may be too small" in completion.notes[0]
    assert client.complete([Message("user", "word " * 100)]).notes == ()


def test_the_schema_in_words_stands_in_the_last_turn() -> None:
    *before, last = with_schema_in_words(MESSAGES, "{}")
    assert before == MESSAGES[:-1]
    assert last.role == "user"
    assert last.content.startswith(MESSAGES[-1].content)
