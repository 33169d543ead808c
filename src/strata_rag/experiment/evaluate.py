"""Evaluate: an experiment's rankings over a golden set, measured and recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from strata_rag.errors import NotMeasurable
from strata_rag.evaluation import (
    RunRecord,
    StoredRun,
    beside,
    list_runs,
    summarise,
    write_run,
)
from strata_rag.experiment.answering import Answering, AnswerOptions
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.rank import golden_set, rank
from strata_rag.experiment.run_record import run_record, with_answers
from strata_rag.experiment.settings import SearchSettings
from strata_rag.progress import Progress
from strata_rag.report import EvaluationResult


def evaluate_experiment(
    experiment: Experiment,
    settings: SearchSettings,
    *,
    kind: str | None = None,
    limit: int | None = None,
    created: datetime,
    token: str,
    progress: Progress,
    answers: AnswerOptions | None = None,
    announce: Callable[[str], None] = lambda _: None,
) -> EvaluationResult:
    """Rank every question of the golden set, measure, and write a run.

    Args:
        experiment: The components.
        settings: The effective settings of the search.
        kind: Only questions of this kind, or None for all.
        limit: Only the first questions, or None for all.
        created: When the run was made, with its time zone.
        token: Six hexadecimal digits that tell runs of one second apart.
        progress: Shown the phases.
        answers: What is asked of answers and judge; None leaves both out.
        announce: Told what answers and judge would cost, before they are asked.

    Returns:
        The run. Where more answers or judgements are missing than the config allows, it is written all the same, and
        `EvaluationResult.failure` says so.

    Raises:
        InputError: There is no golden set, no question of that kind, or nothing to answer or judge with.
        GoldenError: The golden set has faults; nothing is evaluated.
        CollectionError: The collection is missing, incomplete, or made by something else.
        LLMError: A language model failed in a way that every later call would meet too. No run is written; what was
            answered is kept, and the same command continues from there.
    """
    experiment.timer.restart()
    golden = golden_set(experiment, kind=kind, limit=limit)
    answering = Answering.prepare(experiment, answers, announce) if answers is not None else None
    ranked = rank(experiment, settings, golden, progress, top_k=answers is not None)
    golden, per_query = ranked.golden, ranked.values
    seed = experiment.config.evaluation.seed
    stage = None
    if answering is not None:
        stage = answering.run(golden, ranked.hits, summarise(per_query, seed=seed), progress)
        per_query = beside(per_query, stage.table)
    run = run_record(experiment, settings, ranked, per_query, created=created, token=token)
    if stage is not None:
        run = with_answers(run, experiment, stage)
    folder = experiment.workspace.runs / run.run_id
    write_run(folder, run, golden, ranked.rankings, per_query, stage.answered if stage else ())
    stored = StoredRun(folder, run)
    runs, broken = list_runs(experiment.workspace.runs)
    damaged = tuple(f"an earlier run is left out: {message}" for _, message in broken)
    failure = (stage.failure if stage else None) or _nothing_measured(run)
    return EvaluationResult(stored, _earlier(runs, stored), damaged, failure)


def _nothing_measured(run: RunRecord) -> NotMeasurable | None:
    """Return what to say of a run none of whose measures has a question to go by."""
    if any(summary.n for summary in run.measures.values()):
        return None
    return NotMeasurable(
        f"{run.name}: expected a question with relevant documents, found none: no measure has a value",
        hint="judge some questions; `strata eval CONFIG --answers` measures what unanswerable ones are refused",
    )


def _earlier(runs: Sequence[StoredRun], current: StoredRun) -> tuple[StoredRun, ...]:
    mine = current.record
    latest: dict[tuple[str, str], StoredRun] = {}
    for run in runs:
        other = run.record
        same_questions = (other.golden.digest, other.level) == (mine.golden.digest, mine.level)
        if same_questions and (other.name, other.label) != (mine.name, mine.label):
            latest.setdefault((other.name, other.label), run)
    return tuple(latest.values())
