"""Bias: a judge asked again about answers that differ in what should not count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from strata_rag.errors import InputError
from strata_rag.evaluation import (
    BiasCheck,
    Measure,
    StoredAnswer,
    StoredRun,
    compare_pairs,
    find_run,
    judged_value,
    position_tasks,
    read_answers,
    read_per_query,
    self_preference,
    verbosity_tasks,
)
from strata_rag.evaluation.judge import JUDGE_MEASURES, JudgeMeasure, judge_all, requests_of
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.judge_client import judge_of, judge_section, redacted_item, stopped_with
from strata_rag.experiment.llm import fence_key
from strata_rag.experiment.llm_estimate import estimate_calls, said_cost
from strata_rag.llm import Budget, Watchdog
from strata_rag.progress import Progress

CHECKS = ("position", "verbosity")
_REFERENCE = Measure("TokenF1")


def check_bias(
    experiment: Experiment,
    ref: str,
    *,
    checks: Sequence[str] = CHECKS,
    other: str | None = None,
    sample: int = 50,
    max_cost: float | None = None,
    max_calls: int | None = None,
    announce: Callable[[str], None] = lambda _: None,
    progress: Progress,
) -> list[BiasCheck]:
    """Ask the config's judge about a run's answers, as they are and changed.

    Args:
        experiment: The components; its judge is asked.
        ref: A run with answers.
        checks: ``position``: passages in reverse order. ``verbosity``: answers with sentences that add nothing.
        other: A run over the same questions by another generator, judged by the same judge, for self-preference;
            that takes no call.
        sample: Answers to ask about, drawn with the config's seed.
        max_cost: Most US dollars.
        max_calls: Most calls.
        announce: Told of the cost beforehand.
        progress: Shown the phases.

    Raises:
        InputError: A run can't be found or has no answers, or the runs can't be compared.
        LLMError: A language model failed in a way that every later call would meet too.
    """
    run = find_run(experiment.workspace.runs, ref)
    seed = experiment.config.evaluation.seed
    answers = read_answers(run.path)
    preference = _preference(experiment, run, answers, other, seed) if other is not None else []
    if not checks:
        return preference
    budget, watchdog = Budget(max_cost=max_cost, max_calls=max_calls), Watchdog(announce)
    judge = judge_of(experiment, budget, watchdog)
    items = [redacted_item(experiment, answer.item) for answer in _drawn(answers, sample, seed)]
    makers = {"position": position_tasks, "verbosity": verbosity_tasks}
    named = [(check, pair) for check in checks for pair in makers[check](items)]
    tasks = [task for _, pair in named for task in pair]
    key = fence_key(experiment.workspace)
    section = judge_section(experiment)
    found = estimate_calls(judge, [*requests_of(tasks, key=key)], cache=experiment.cache, section=section)
    announce(f"judging: {said_cost(found)}")
    progress.phase("judging", len(tasks))
    judged = judge_all(
        judge,
        tasks,
        key=key,
        concurrency=section.concurrency,
        watchdog=watchdog,
        on_done=progress.advance,
    )
    progress.close()
    if judged.stopped is not None:
        raise stopped_with(judged.stopped, f"{len(judged.judgements)} of {len(tasks)} judgements")
    pairs = list(zip(judged.judgements[::2], judged.judgements[1::2], strict=True))
    by_check = {
        check: [pair for (name, _), pair in zip(named, pairs, strict=True) if name == check]
        for check in checks
    }
    return [one for check in checks for one in compare_pairs(check, by_check[check], seed=seed)] + preference


def _drawn(answers: Sequence[StoredAnswer], size: int, seed: int) -> list[StoredAnswer]:
    """Draw answers that can be judged, in the order of the run."""
    able = [answer for answer in answers if answer.item.answer.strip() and answer.item.context]
    rng = np.random.Generator(np.random.PCG64(seed))
    kept = sorted(rng.permutation(len(able))[:size].tolist())
    return [able[place] for place in kept]


def _preference(
    experiment: Experiment, run: StoredRun, answers: Sequence[StoredAnswer], ref: str, seed: int
) -> list[BiasCheck]:
    rival = find_run(experiment.workspace.runs, ref)
    records = [one.record.answers for one in (run, rival)]
    mine, theirs = records
    if mine is None or theirs is None or mine.judge is None or theirs.judge is None:
        raise InputError(
            "--other: expected two runs with judged answers, found one without",
            hint="evaluate both with --judge",
        )
    judges = [(record.judge or {}).get("model") for record in (mine, theirs)]
    if judges[0] != judges[1] or mine.prompts != theirs.prompts:
        raise InputError(
            f"--other: expected runs of one judge with the same prompts, found {judges[0]} and {judges[1]}",
            hint="judge both runs with the same evaluation.judge",
        )
    if not mine.same_model or theirs.same_model:
        raise InputError(
            "--other: expected RUN answered by the judge's own model and the other run by another one",
            hint="name first the run whose generator is the judge",
        )
    values, others = read_per_query(run), read_per_query(rival)
    if _REFERENCE not in values.measures or _REFERENCE not in others.measures:
        raise InputError(
            f"--other: expected runs with {_REFERENCE}, which self-preference is held against, found none",
            hint="add reference answers to the golden set",
        )
    theirs_by_id = dict(zip(others.query_ids, others.column(_REFERENCE).tolist(), strict=True))
    better = {
        query_id: value - theirs_by_id[query_id]
        for query_id, value in zip(values.query_ids, values.column(_REFERENCE).tolist(), strict=True)
        if query_id in theirs_by_id
    }
    return self_preference(_values(answers), _values(read_answers(rival.path)), better, seed=seed)


def _values(answers: Sequence[StoredAnswer]) -> dict[str, Mapping[JudgeMeasure, float]]:
    return {
        answer.item.question_id: {m: judged_value(answer.judgements, m) for m in JUDGE_MEASURES}
        for answer in answers
    }
