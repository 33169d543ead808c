"""A judge behind the OpenAI wire format: replies in the form that each prompt asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from llm.wire import Answer, Received, Wire, openai_error, openai_reply, serving
from strata_rag.evaluation.judge import JUDGE_MEASURES, JudgeMeasure, load_prompt

Decide = Callable[[Received], Answer]


def measure_of(request: Received) -> JudgeMeasure | None:
    """Return which prompt a request carries; None for a question to the generator."""
    system = request.body["messages"][0]["content"]
    return next((m for m in JUDGE_MEASURES if system.startswith(load_prompt(m).parts["system"][:60])), None)


def material(request: Received) -> str:
    return str(request.body["messages"][-1]["content"])


def good_verdicts(request: Received, *, holds: bool = True, score: int = 5) -> dict[str, Any]:
    """Return a reply that matches what was asked: every statement or passage holds, or none does."""
    measure, text = measure_of(request), material(request)
    reply: dict[str, Any] = {
        "score": score,
        "severity": "none" if score == 5 else "major",
        "reason": "as told",
    }
    if measure == "AnswerRelevance":
        return reply
    if measure == "ContextPrecision":
        numbers = [int(n) for n in re.findall(r"^\[\S+ passage (\d+)\]$", text, re.MULTILINE)]
        return {"verdicts": [{"id": n, "relevant": holds} for n in numbers], **reply}
    numbers = [int(n) for n in re.findall(r"^\[\S+ statement (\d+)\]$", text, re.MULTILINE)]
    passage = int(re.findall(r"^\[\S+ passage (\d+)\]$", text, re.MULTILINE)[0])
    support = {"passages": [passage] if holds else [], "quote": ""}
    return {"verdicts": [{"id": n, "supported": holds, **support} for n in numbers], **reply}


def replied(request: Received, text: str, **more: Any) -> Answer:
    """Return a reply whose usage is that of the whole prompt: one that says less was cut."""
    answer = openai_reply(text, **more)
    read = sum(len(message["content"]) for message in request.body["messages"]) // 4
    answer.body["usage"] = {"prompt_tokens": read, "completion_tokens": 7, "total_tokens": read + 7}
    return answer


def judging(**said: Any) -> Decide:
    """Return a judge that always replies in good form."""
    return lambda request: replied(request, json.dumps(good_verdicts(request, **said)))


def answering(text: str, judge: Decide | None = None) -> Decide:
    """Return a model that answers questions with `text`, and judges in good form."""
    judge = judge or judging()
    return lambda request: replied(request, text) if measure_of(request) is None else judge(request)


def failing_at(number: int, answer: Answer, wire: Wire, otherwise: Decide) -> Decide:
    """Return a judge whose `number`-th request of all meets `answer`."""

    def decide(request: Received) -> Answer:
        return answer if len(wire.received) == number else otherwise(request)

    return decide


def bodies(wire: Wire) -> list[str]:
    """Return what was asked, request by request, without what a provider is told beside it."""
    return [json.dumps(request.body["messages"], sort_keys=True) for request in wire.received]


UNAUTHORISED = openai_error(401, "bad key", code="invalid_api_key")
QUOTA = openai_error(429, "no money", code="insufficient_quota")
BAD_REQUEST = openai_error(400, "no", code="bad")

GOLDEN = """
- {id: q1, question: Where does the red pump stand?, relevant: [atlas/parts/pump.md], reference_answer: In hall four.}
- {id: q2, question: Which part is CD-77?, relevant: [atlas/parts/valve.md], expected: [spare part]}
- {id: q3, question: Who approves travel expenses?, relevant: [atlas/notes/travel.md]}
- {id: q4, question: What does the moon weigh?, kind: unanswerable}
- {id: q5, question: Which vessel left late?, relevant: [harbor/log.txt]}
"""


@pytest.fixture
def wire() -> Iterator[Wire]:
    """A judge on loopback that replies in good form."""
    with serving() as server:
        server.decide = judging()
        yield server


@pytest.fixture
def judged(ingested: Path, wire: Wire) -> Path:
    """A config that answers by extraction and has a judge on loopback."""
    (ingested.parent / "golden.yaml").write_text(GOLDEN)
    judge = {"provider": "openai", "model": "judge-1", "base_url": f"{wire.url}/v1", "concurrency": 1}
    judge |= {"price": {"input": 1, "output": 2}, "retry_for": 0}
    evaluation = {"golden": "golden.yaml", "measures": ["Hit@5"], "judge": judge}
    change(ingested, evaluation=evaluation, generation={"provider": "extractive"})
    return ingested


def change(config: Path, **sections: Any) -> None:
    """Write sections over those of a config; ``judge`` means that of the evaluation."""
    values = json.loads(config.read_text())
    values |= {
        name: {**values.get(name, {}), **section} for name, section in sections.items() if name != "judge"
    }
    if "judge" in sections:
        values["evaluation"]["judge"] |= sections["judge"]
    config.write_text(json.dumps(values))
