"""Draft: golden questions from the stored chunks of a collection, for people to review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from strata_rag.errors import InputError, NotMeasurable
from strata_rag.evaluation import GoldenSet, SourcePassage, draft_question, draft_request, draw_passages
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.judge_client import stopped_with
from strata_rag.experiment.llm import fence_key
from strata_rag.experiment.llm_estimate import estimate_calls, said_cost
from strata_rag.experiment.query import opened
from strata_rag.experiment.settings import SearchSettings
from strata_rag.llm import Budget, Watchdog, map_calls
from strata_rag.progress import Progress


@dataclass(frozen=True, slots=True)
class GoldenDraft:
    """Drafted questions.

    Attributes:
        golden: The questions, none reviewed.
        asked: Passages that were asked about.
        dropped: Reason -> passages without a question.
    """

    golden: GoldenSet
    asked: int
    dropped: Mapping[str, int]


def draft_golden(
    experiment: Experiment,
    *,
    size: int,
    seed: int = 0,
    max_cost: float | None = None,
    max_calls: int | None = None,
    announce: Callable[[str], None] = lambda _: None,
    progress: Progress,
) -> GoldenDraft:
    """Draft questions from stored chunks with the model of `generation`.

    Raises:
        InputError: The config names no language model, or no chunk is long enough.
        CollectionError: The collection is missing, incomplete, or made by something else.
        LLMError: The model failed in a way that every later call would meet too.
        NotMeasurable: No passage gave a question.
    """
    section = experiment.config.generation
    if section.provider in ("none", "extractive"):
        raise InputError(
            f"generation.provider: expected a language model to draft questions with, found {section.provider}",
            hint="set generation.provider and generation.model",
        )
    budget = experiment.budget = Budget(max_cost=max_cost, max_calls=max_calls)
    watchdog = Watchdog(announce)
    client = experiment.llm(budget=budget, watchdog=watchdog)
    with opened(experiment, SearchSettings("lexical", rerank=False)) as (_, index):
        passages = [
            SourcePassage(
                f"{payload['doc_id']}#{payload['start']}-{payload['end']}",
                str(payload["doc_id"]),
                str(payload["text"]),
            )
            for _, payload in index.scroll(["doc_id", "start", "end", "text"])
        ]
    drawn = draw_passages(passages, size=size, seed=seed)
    if not drawn:
        raise InputError(
            f"{experiment.collection}: expected chunks of 200 characters or more, found none",
            hint="questions need something to ask about; ingest longer documents",
        )
    key = fence_key(experiment.workspace)
    requests = [draft_request(passage, key=key) for passage in drawn]
    announce(
        f"drafting: {said_cost(estimate_calls(client, requests, cache=experiment.cache, section=section))}"
    )
    progress.phase("drafting", len(drawn))
    calls = map_calls(
        lambda passage: draft_question(client, passage, key=key),
        drawn,
        concurrency=section.concurrency,
        on_result=lambda _: progress.advance(),
        watchdog=watchdog,
    )
    progress.close()
    drafts = [outcome.result for outcome in calls.outcomes if outcome.result is not None]
    if calls.stopped is not None:
        raise stopped_with(calls.stopped, f"{len(drafts)} of {len(drawn)} questions")
    questions = {one.question.id: one.question for one in drafts if one.question is not None}
    dropped = Counter(one.reason for one in drafts if one.question is None)
    if not questions:
        reasons = "; ".join(f"{count}: {reason}" for reason, count in dropped.items())
        raise NotMeasurable(
            f"expected questions from {len(drawn)} passages, found none ({reasons})",
            hint="try another model, or another --seed",
        )
    return GoldenDraft(GoldenSet(tuple(questions.values())), len(drawn), dict(dropped))
