"""From a config to a language model that may be asked, and what check, doctor, query and eval make of it."""

from __future__ import annotations

import json
import re
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from llm import wire
from strata_rag.cache import Cache
from strata_rag.config import LanguageModel
from strata_rag.errors import InputError, LLMError, ModelUnavailable
from strata_rag.experiment import Workspace
from strata_rag.experiment.llm import build_llm, fence_key
from strata_rag.llm import Budget, Message
from workbench import CommandLine, write_config, write_files

MESSAGES = [Message("user", "How high is the tower?")]
REMOTE = "https://models.example.org/v1"


@pytest.fixture
def server() -> Iterator[wire.Wire]:
    with wire.serving() as server:
        yield server


def model(**keys: Any) -> LanguageModel:
    return LanguageModel(**{"provider": "openai", "model": "m", **keys})


def workspace(tmp_path: Path, **environ: str) -> Workspace:
    return Workspace(tmp_path / ".strata", environ=environ)


def build(tmp_path: Path, section: LanguageModel, said: list[str] | None = None, **environ: str) -> Any:
    place = workspace(tmp_path, **environ)
    return build_llm(section, place, Cache(place.cache), (said if said is not None else []).append)


@pytest.mark.parametrize("url", [None, REMOTE, "http://192.168.1.7:11434", "http://localhost.evil.org/v1"])
@pytest.mark.parametrize("provider", ["anthropic", "openai", "ollama"])
def test_nothing_leaves_the_machine_unless_the_config_allows_it(
    tmp_path: Path, provider: str, url: str | None
) -> None:
    if provider == "ollama" and url is None:
        return
    with pytest.raises(InputError, match=r"generation\.allow_remote: expected true") as caught:
        build(tmp_path, model(provider=provider, base_url=url), OPENAI_API_KEY="k", ANTHROPIC_API_KEY="k")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("section", "variable"),
    [
        (model(provider="openai"), "OPENAI_API_KEY"),
        (model(provider="anthropic"), "ANTHROPIC_API_KEY"),
        (model(base_url=REMOTE, api_key_env="MY_KEY"), "MY_KEY"),
    ],
)
def test_a_key_that_is_not_set_is_named(tmp_path: Path, section: LanguageModel, variable: str) -> None:
    allowed = section.model_copy(update={"allow_remote": True})
    for environ in ({}, {variable: ""}):
        with pytest.raises(ModelUnavailable, match=variable) as caught:
            build(tmp_path, allowed, **environ)
        assert caught.value.exit_code == 3
    build(tmp_path, allowed, **{variable: "k"})


def test_the_providers_own_key_goes_to_no_other_server(tmp_path: Path, server: wire.Wire) -> None:
    server.answers = [wire.openai_reply()]
    section = model(base_url=f"{server.url}/v1")
    build(tmp_path, section, OPENAI_API_KEY="s3cret").complete(MESSAGES)
    assert "s3cret" not in str(server.received[0].headers)
    named = section.model_copy(update={"api_key_env": "LOCAL_KEY", "max_tokens": 9})
    build(tmp_path, named, LOCAL_KEY="l0cal").complete(MESSAGES)
    assert server.received[1].headers["authorization"] == "Bearer l0cal"


@pytest.mark.parametrize(
    ("section", "found"),
    [
        (model(provider="none"), "generation.provider: expected a language model"),
        (model(model=None), "generation.model: expected the provider's name"),
        (model(base_url="localhost:8080"), "generation.base_url: expected an address"),
        (model(base_url="ftp://localhost/v1"), "generation.base_url: expected an address"),
        (model(provider="replay"), "generation.replay: expected a file"),
    ],
)
def test_a_section_that_names_no_model_says_what_is_missing(
    tmp_path: Path, section: LanguageModel, found: str
) -> None:
    with pytest.raises(InputError, match=re.escape(found)):
        build(tmp_path, section)


def test_a_limited_cost_needs_a_price(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    section = model(base_url="http://localhost:1/v1")
    with pytest.raises(InputError, match=r"generation\.price"):
        build_llm(section, place, Cache(place.cache), budget=Budget(max_cost=1.0))


def test_where_texts_go_is_said_before_the_first_leaves_and_once(tmp_path: Path, server: wire.Wire) -> None:
    server.answers = [wire.openai_reply()]
    said: list[str] = []
    local = build(tmp_path, model(base_url=f"{server.url}/v1"), said)
    local.complete(MESSAGES)
    assert said == []
    ollama = build(tmp_path, model(base_url="http://localhost:11434/v1", retry_for=0), said)
    with pytest.raises(LLMError):
        ollama.complete(MESSAGES)
    assert "provider to ollama" in said[0]


def test_a_reply_is_cached_and_its_key_stands_nowhere(tmp_path: Path, server: wire.Wire) -> None:
    server.answers = [wire.openai_reply()]
    section = model(base_url=f"{server.url}/v1", api_key_env="LOCAL_KEY", record=tmp_path / "r.jsonl")
    for expected in (False, True):
        completion = build(tmp_path, section, LOCAL_KEY="l0cal").complete(MESSAGES)
        assert completion.cached is expected
    assert len(server.received) == 1
    with sqlite3.connect(tmp_path / ".strata/cache.sqlite") as database:
        dump = str(list(database.execute("SELECT * FROM entries")))
    assert "Forty metres" in dump
    assert "l0cal" not in dump + (tmp_path / "r.jsonl").read_text()
    replayed = build(tmp_path, model(provider="replay", replay=tmp_path / "r.jsonl")).complete(MESSAGES)
    assert replayed.text == "Forty metres [1]."


def test_a_run_ends_at_its_deadline(tmp_path: Path, server: wire.Wire) -> None:
    server.answers = [wire.openai_error(503)]
    place = workspace(tmp_path)
    section = model(base_url=f"{server.url}/v1", run_for=0.05)
    client = build_llm(section, place, Cache(place.cache))
    with pytest.raises(LLMError, match="given up"):
        client.complete(MESSAGES)
    assert len(server.received) == 1


def test_the_fence_key_is_secret_and_stays(tmp_path: Path) -> None:
    key = fence_key(workspace(tmp_path))
    path = tmp_path / ".strata" / "fence.key"
    assert len(key) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert fence_key(workspace(tmp_path)) == key
    assert fence_key(workspace(tmp_path / "other")) != key
    assert [file.name for file in path.parent.iterdir()] == ["fence.key"]


def configured(tmp_path: Path, tiny_model: Path, **sections: Any) -> Path:
    write_files(
        tmp_path / "docs",
        {f"{name}.md": f"The {name} stands in hall four." for name in ("pump", "valve", "crane", "ferry")},
    )
    (tmp_path / "golden.yaml").write_text("- {id: q1, question: crane in hall four, relevant: [crane.md]}\n")
    return write_config(tmp_path / "c.yaml", tiny_model, evaluation={"golden": "golden.yaml"}, **sections)


def last_first(request: wire.Received) -> wire.Answer:
    count = len(re.findall(r"\[/strata-\w+ \d+\]", request.body["messages"][-1]["content"]))
    return wire.openai_reply(json.dumps({"ranking": list(range(count, 0, -1))}))


def test_query_and_eval_rerank_with_a_language_model_and_tell_its_cost(
    tmp_path: Path, tiny_model: Path, server: wire.Wire, cli: CommandLine
) -> None:
    server.decide = last_first
    asked = {
        "provider": "openai", "model": "m", "base_url": f"{server.url}/v1", "price": {"input": 1.0, "output": 10.0},
    }  # fmt: skip
    config = configured(
        tmp_path, tiny_model, retrieval={"mode": "lexical", "rerank": {"scorer": "llm"}}, generation=asked
    )
    assert cli("ingest", config).code == 0
    plain = cli("query", config, "crane in hall four", "--no-rerank", "--json").json
    reranked = cli("query", config, "crane in hall four", "--json").json
    assert [hit["doc_id"] for hit in reranked["hits"]] == [hit["doc_id"] for hit in plain["hits"]][::-1]
    assert plain["reranking"] is None
    assert reranked["reranking"] == {
        "calls": 1, "cached": 0, "input_tokens": 20, "output_tokens": 7, "cost": pytest.approx(90e-6),
        "fallbacks": 0, "cut": 0,
    }  # fmt: skip
    assert "reranker: 0 calls, 1 from the cache" in cli("query", config, "crane in hall four").out
    evaluated = cli("eval", config, "--json")
    scorer = next(model for model in evaluated.json["models"] if model["role"] == "scorer")
    assert (scorer["kind"], scorer["model_id"]) == ("llm", "openai/m")
    assert scorer["use"]["cached"] == 1
    assert len(server.received) == 1
    cli("query", config, "crane of ann@example.com in hall four")
    assert "ann@example.com" not in str(server.received[1].body)


def test_a_budget_holds_a_language_model_that_only_reranks(
    tmp_path: Path, tiny_model: Path, server: wire.Wire, cli: CommandLine
) -> None:
    server.decide = last_first
    asked = {"provider": "openai", "model": "m", "base_url": f"{server.url}/v1"}
    config = configured(
        tmp_path, tiny_model, retrieval={"mode": "lexical", "rerank": {"scorer": "llm"}}, generation=asked
    )
    assert cli("ingest", config).code == 0
    for command in (("query", config, "crane in hall four"), ("eval", config)):
        cli(*command, "--max-calls", 0).tells(3, "expected at most 0 calls")
        cli(*command, "--max-cost", 1).tells(2, "generation.price")
    assert not server.received
    assert cli("query", config, "crane in hall four", "--max-calls", 1).code == 0
    assert cli("eval", config, "--max-calls", 0).code == 0, "the reply is in the cache"
    cli("query", config, "crane in hall five", "--answer", "--max-calls", 1).tells(3, "at most 1 calls")
    cli("eval", config, "--stop-if", "Hit@5<1").tells(2, "--stop-if: expected --answers or --judge")


def test_a_language_model_of_its_own_reranks(
    tmp_path: Path, tiny_model: Path, server: wire.Wire, cli: CommandLine
) -> None:
    server.answers = [wire.ollama_reply('{"ranking": "none"}')]
    rerank = {"scorer": "llm", "llm": {"provider": "ollama", "model": "m", "base_url": server.url}}
    config = configured(tmp_path, tiny_model, retrieval={"mode": "lexical", "rerank": rerank})
    assert cli("ingest", config).code == 0
    done = cli("query", config, "crane in hall four")
    assert "1 questions kept the first stage's order" in done.out
    assert done.code == 0


def test_without_a_model_to_rerank_with_the_missing_key_is_named(
    tmp_path: Path, tiny_model: Path, cli: CommandLine
) -> None:
    config = configured(tmp_path, tiny_model, retrieval={"mode": "lexical", "rerank": {"scorer": "llm"}})
    assert cli("ingest", config).code == 0
    cli("query", config, "crane").tells(2, "generation.provider: expected a language model")
    assert cli("check", config).code == 2


def findings(done: Any, area: str) -> list[dict[str, Any]]:
    return [finding for finding in done.json["findings"] if finding["area"] == area]


def test_doctor_makes_one_real_call_and_says_what_it_took(
    tmp_path: Path, tiny_model: Path, server: wire.Wire, cli: CommandLine
) -> None:
    server.answers = [wire.openai_reply("ready")]
    asked = {"provider": "openai", "model": "m", "base_url": f"{server.url}/v1"}
    config = configured(tmp_path, tiny_model, generation=asked)
    for number in (1, 2):
        done = cli("doctor", config, "--llm", "--server", "http://127.0.0.1:9", "--json")
        (found,) = findings(done, "llm")
        assert found["status"] == "ok"
        assert re.search(
            r"openai m at .* answers 'ready': \d+ ms, 20 tokens read, 7 written", found["message"]
        )
        assert "cost unknown" in found["message"]
        assert len(server.received) == number
    priced = cli(
        "doctor", config, "--llm", "--set", "generation.price={input: 1, output: 10}", "--server", "http://127.0.0.1:9"
    )  # fmt: skip
    assert "cost $0.000090" in priced.out


def test_doctor_says_why_a_model_does_not_answer(
    tmp_path: Path, tiny_model: Path, server: wire.Wire, cli: CommandLine
) -> None:
    asked = {"provider": "openai", "model": "m", "base_url": f"{server.url}/v1"}
    config = configured(tmp_path, tiny_model, generation=asked)
    arguments = ("doctor", config, "--llm", "--server", "http://127.0.0.1:9", "--json")
    server.answers = [wire.openai_error(401)]
    done = cli(*arguments)
    assert done.code == 3
    assert "refused the key (401)" in findings(done, "llm")[0]["message"]
    server.answers = [wire.openai_reply("re", "length")]
    done = cli(*arguments)
    assert done.code == 3
    assert "truncated (length)" in findings(done, "llm")[0]["message"]
    done = cli(*arguments, "--set", "generation.provider=none")
    assert done.code == 2
    cli("doctor", "--llm").tells(2, "--llm: expected the config")


@pytest.mark.parametrize(
    ("answer", "status", "code", "found"),
    [
        (wire.Answer(body={"data": [{"id": "m"}]}), "ok", 0, "openai m at"),
        (wire.Answer(body={"data": [{"id": "other"}]}), "problem", 3, "expected the model m, found other"),
        (wire.Answer(404, {"error": "no"}), "ok", 0, "openai m at"),
        (wire.openai_error(401), "problem", 3, "refused the key"),
    ],
)
def test_check_asks_a_server_for_its_models_and_for_nothing_that_costs(
    tmp_path: Path, tiny_model: Path, server: wire.Wire, cli: CommandLine,
    answer: wire.Answer, status: str, code: int, found: str,
) -> None:  # fmt: skip
    server.answers = [answer]
    asked = {"provider": "openai", "model": "m", "base_url": f"{server.url}/v1"}
    done = cli("check", configured(tmp_path, tiny_model, generation=asked), "--json")
    assert done.code == code
    last = findings(done, "generation")[-1]
    assert last["status"] == status
    assert found in last["message"]
    assert [request.path for request in server.received] == ["/v1/models"]


def test_check_tells_of_a_server_that_is_not_there(
    tmp_path: Path, tiny_model: Path, cli: CommandLine
) -> None:
    asked = {"provider": "ollama", "model": "m", "base_url": "http://127.0.0.1:9"}
    done = cli("check", configured(tmp_path, tiny_model, generation=asked), "--json")
    assert done.code == 3
    assert "127.0.0.1:9" in findings(done, "generation")[-1]["message"]


def test_check_of_a_config_without_a_model_says_so(
    tmp_path: Path, tiny_model: Path, cli: CommandLine
) -> None:
    done = cli("check", configured(tmp_path, tiny_model), "--json")
    assert findings(done, "generation")[0]["message"] == "none: no language model"
