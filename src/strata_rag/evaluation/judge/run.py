"""Judge many answers: a few calls at a time, each with a typed outcome, none lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from strata_rag.errors import LLMError
from strata_rag.evaluation.judge.measures import settled_severity, value_of
from strata_rag.evaluation.judge.messages import Asked, ask
from strata_rag.evaluation.judge.parse import Mismatch, Unparsable, parse_reply
from strata_rag.evaluation.judge.schemas import reply_schema
from strata_rag.evaluation.judge.verdicts import JudgeItem, JudgeMeasure, Judgement, Outcome, severity_of
from strata_rag.llm import Completion, CompletionStatus, LLMClient, Request, Watchdog, map_calls

ATTEMPTS = 2
"""Calls for one judgement at most: a reply that does not match what was asked is asked for once more."""

_NO_REPLY: dict[CompletionStatus, Outcome] = {
    "truncated": "truncated",
    "empty": "unparsable",
    "refused": "refused",
    "filtered": "refused",
    "prompt_cut": "prompt_cut",
}


@dataclass(frozen=True, slots=True)
class Task:
    """One judgement that is due."""

    item: JudgeItem
    measure: JudgeMeasure
    repetition: int


@dataclass(frozen=True, slots=True)
class JudgeRun:
    """What a judge made of some answers.

    Attributes:
        judgements: In the order of items, measures and repetitions; those that were not reached are missing.
        stopped: What ended the run early, or None.
    """

    judgements: tuple[Judgement, ...]
    stopped: LLMError | None = None


def tasks_of(items: Sequence[JudgeItem], measures: Sequence[JudgeMeasure], *, repeat: int) -> list[Task]:
    """Return what is to be judged, item by item."""
    return [
        Task(item, measure, repetition)
        for item in items
        for measure in measures
        for repetition in range(repeat)
    ]


def requests_of(tasks: Sequence[Task], *, key: bytes) -> Iterator[Request]:
    """Yield the requests that the tasks make if no reply has to be asked for again."""
    for task in tasks:
        asked = ask(task.measure, task.item, key=key)
        if asked.messages:
            yield Request(asked.messages, reply_schema(task.measure), task.repetition * ATTEMPTS)


def judge_all(
    client: LLMClient,
    tasks: Sequence[Task],
    *,
    key: bytes = b"",
    concurrency: int = 1,
    watchdog: Watchdog | None = None,
    on_done: Callable[[], None] = lambda: None,
) -> JudgeRun:
    """Judge every task; an error that later calls would meet too stops the run, with what is done.

    Args:
        client: The judge.
        tasks: See `tasks_of`.
        key: Secret of the workspace that markers are made with.
        concurrency: Most calls at once.
        watchdog: Told of the calls in flight.
        on_done: Called after each judgement.
    """
    calls = map_calls(
        lambda task: judge_one(client, task, key=key),
        tasks,
        concurrency=concurrency,
        on_result=lambda _: on_done(),
        watchdog=watchdog,
    )
    done = tuple(outcome.result for outcome in calls.outcomes if outcome.result is not None)
    return JudgeRun(done, calls.stopped)


def judge_one(client: LLMClient, task: Task, *, key: bytes = b"") -> Judgement:
    """Judge one answer under one measure.

    Raises:
        LLMError: An error that every later call would meet as well.
    """
    blank = Judgement(task.item.question_id, task.measure, "not_scorable", task.repetition)
    asked = ask(task.measure, task.item, key=key)
    if asked.value is not None:
        return replace(
            blank,
            outcome="scored",
            value=asked.value,
            severity=severity_of(asked.value),
            reason=asked.reason,
        )
    if not asked.messages:
        return replace(blank, reason=asked.reason)
    found = blank
    for attempt in range(ATTEMPTS):
        found = replace(_attempt(client, task, asked, blank, attempt), attempts=attempt + 1)
        if found.outcome not in ("mismatch", "unparsable"):
            break
    return found


def _attempt(client: LLMClient, task: Task, asked: Asked, blank: Judgement, attempt: int) -> Judgement:
    try:
        completion = client.complete(
            asked.messages,
            schema=reply_schema(task.measure),
            repetition=task.repetition * ATTEMPTS + attempt,
        )
    except LLMError as error:
        if error.ends_run:
            raise
        outcome: Outcome = "timeout" if error.kind == "timeout" else "failed"
        return replace(blank, outcome=outcome, reason=error.message)
    if completion.status != "complete":
        return replace(blank, outcome=_NO_REPLY[completion.status], reason=_why(completion))
    return _scored(task, asked, completion.text, blank)


def _scored(task: Task, asked: Asked, text: str, blank: Judgement) -> Judgement:
    try:
        reply = parse_reply(task.measure, text, things=asked.things, passages=task.item.context)
    except Unparsable as error:
        return replace(blank, outcome="unparsable", reason=str(error))
    except Mismatch as error:
        return replace(blank, outcome="mismatch", reason=str(error))
    value = value_of(task.measure, reply)
    severity, said = settled_severity(value, reply)
    return replace(
        blank,
        outcome="scored",
        value=value,
        raw=reply.raw,
        severity=severity,
        said=said,
        verdicts=reply.verdicts,
        reason=reply.reason,
    )


def _why(completion: Completion) -> str:
    stop = f" ({completion.stop_reason})" if completion.stop_reason else ""
    return f"the judge's reply is {completion.status.replace('_', ' ')}{stop}"
