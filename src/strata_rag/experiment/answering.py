"""The paid part of an evaluation: answers to every question, what they are worth, and what a judge says of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from strata_rag.config import LanguageModel
from strata_rag.errors import InputError, LLMError, NotMeasurable
from strata_rag.evaluation import (
    AnsweredQuestion,
    AnswersRecord,
    CallEstimate,
    GoldenSet,
    Measure,
    PerQuery,
    Question,
    StopRule,
    Summary,
    answer_table,
    answer_values,
    summarise,
)
from strata_rag.evaluation.judge import (
    JudgeMeasure,
    Judgement,
    Task,
    compute_gate,
    judge_all,
    requests_of,
    tasks_of,
)
from strata_rag.experiment.answer import answer_from_hits, build_answerer, build_context
from strata_rag.experiment.answer_similarity import similarities
from strata_rag.experiment.answer_summary import call_use, generated_record, judged_record, shortfall
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.judge_client import (
    judge_of,
    judge_policy,
    judge_section,
    redacted_item,
    stopped_with,
)
from strata_rag.experiment.llm import fence_key
from strata_rag.experiment.llm_estimate import estimate_calls, requests_made, said_cost
from strata_rag.generation import Answer, Answerer
from strata_rag.llm import Budget, LLMClient, Request, Watchdog, map_calls
from strata_rag.progress import Progress
from strata_rag.retrieval import Hit

_TYPICAL = "This stands for an answer that is not written yet, about as long as most answers are. " * 3


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """What the command line asks of the paid part.

    Attributes:
        judge: Whether answers are judged.
        repeat: How often each is judged; None goes by the config.
        stop_if: Conditions that skip what is still to be paid for.
        max_cost: Most US dollars, or None.
        max_calls: Most calls to language models, or None.
    """

    judge: bool = False
    repeat: int | None = None
    stop_if: tuple[StopRule, ...] = ()
    max_cost: float | None = None
    max_calls: int | None = None


@dataclass(frozen=True, slots=True)
class AnswerStage:
    """What the paid part gave.

    Attributes:
        answered: A question each, in the order of the golden set; empty where it was skipped.
        table: Their values, a row each.
        record: What the run record says of it.
        notes: What a reader of the figures should know.
        failure: Why the run could not be measured, or None.
    """

    answered: tuple[AnsweredQuestion, ...]
    table: PerQuery
    record: AnswersRecord
    notes: tuple[str, ...] = ()
    failure: NotMeasurable | None = None


@dataclass(slots=True)
class Answering:
    """Generator and judge of one run, sharing one budget; made before anything is ranked: a missing key ends it first.

    Attributes:
        experiment: The components.
        options: What was asked for.
        answerer: What answers.
        generator: The language model that answers; None where none does.
        judge: The judge, or None.
        budget: What both may spend, and have spent.
        watchdog: Told of the calls in flight.
        announce: Told of costs before they arise.
    """

    experiment: Experiment
    options: AnswerOptions
    answerer: Answerer
    generator: LLMClient | None
    judge: LLMClient | None
    budget: Budget
    watchdog: Watchdog
    announce: Callable[[str], None]
    _estimates: dict[str, CallEstimate] = field(default_factory=dict)
    _notes: list[str] = field(default_factory=list)

    @classmethod
    def prepare(
        cls, experiment: Experiment, options: AnswerOptions, announce: Callable[[str], None]
    ) -> Answering:
        """Make generator and judge.

        Raises:
            InputError: The config names nothing to answer or to judge with, or a condition is on a measure that is
                not evaluated.
            ModelUnavailable: A key is missing.
        """
        evaluated = set(experiment.config.evaluation.measures)
        for rule in options.stop_if:
            if not rule.measure.of_answers and str(rule.measure) not in evaluated:
                raise InputError(
                    f"--stop-if: expected one of {', '.join(sorted(evaluated))}, found {rule.measure}",
                    hint=f"add {rule.measure} to evaluation.measures",
                )
        budget = experiment.budget = Budget(max_cost=options.max_cost, max_calls=options.max_calls)
        watchdog = Watchdog(announce)
        generation = experiment.config.generation
        generator = None
        if generation.provider not in ("none", "extractive"):
            generator = experiment.llm(budget=budget, watchdog=watchdog)
        answerer = build_answerer(experiment, client=generator)
        judge = judge_of(experiment, budget, watchdog) if options.judge else None
        return cls(experiment, options, answerer, generator, judge, budget, watchdog, announce)

    @property
    def repeat(self) -> int:
        """How often each answer is judged."""
        return self.options.repeat or self.experiment.config.evaluation.judge.repeat

    @property
    def judged(self) -> tuple[JudgeMeasure, ...]:
        """What is judged."""
        return self.experiment.config.evaluation.judge.measures if self.judge else ()

    def run(
        self,
        golden: GoldenSet,
        hits: Mapping[str, Sequence[Hit]],
        ranked: Mapping[Measure, Summary],
        progress: Progress,
    ) -> AnswerStage:
        """Answer every question, value the answers, and have them judged.

        Args:
            golden: The questions.
            hits: Question id -> what its answer may rest on, best first.
            ranked: What the rankings are worth; conditions look at it first.
            progress: Shown the phases.

        Raises:
            LLMError: An error that every later call would meet too; what was answered before is in the cache.
        """
        if reason := self._stopped_by(ranked):
            return self._skipped((), golden, f"answers were skipped: {reason}")
        before = self.budget.spent
        self._announce_costs(golden, hits)
        answers = self._answers(golden, hits, progress)
        generating = self.budget.spent
        answered = self._valued(golden, answers)
        record = generated_record(
            answered,
            provider=self.experiment.config.generation.provider,
            generator=self.generator.describe() if self.generator else None,
            use=call_use(generating, before),
            estimates=self._estimates,
        )
        table = answer_table(answered, ())
        if self.judge is None:
            return self._finished(answered, table, record)
        means = summarise(table, seed=self.experiment.config.evaluation.seed)
        if reason := self._stopped_by(means):
            return self._finished(
                answered, table, replace(record, skipped=f"the judge was skipped: {reason}")
            )
        judged = self._judged(answered, progress)
        record = judged_record(
            record,
            judged,
            judge=self.judge.describe(),
            generator=self.generator.describe() if self.generator else None,
            measures=self.judged,
            repeat=self.repeat,
            policy=judge_policy(self.experiment, self.judged),
            use=call_use(self.budget.spent, generating),
            estimates=self._estimates,
        )
        return self._finished(judged, answer_table(judged, self.judged), record)

    def _stopped_by(self, means: Mapping[Measure, Summary]) -> str:
        found = (rule.stops(means) for rule in self.options.stop_if if rule.measure in means)
        return next((reason for reason in found if reason), "")

    def _skipped(self, answered: tuple[AnsweredQuestion, ...], golden: GoldenSet, reason: str) -> AnswerStage:
        ids = tuple(question.id for question in golden.questions)
        empty = PerQuery(ids, (), np.empty((len(ids), 0)))
        self.announce(reason)
        return AnswerStage(answered, empty, AnswersRecord(skipped=reason), (reason,))

    def _announce_costs(self, golden: GoldenSet, hits: Mapping[str, Sequence[Hit]]) -> None:
        """Say what the whole run would take, before the first call."""
        if self.generator is not None:
            requests = self._answer_requests(golden, hits)
            self._estimate("generating", self.generator, requests, self.experiment.config.generation)
        if self.judge is not None:
            typical = [
                AnsweredQuestion(question, self._typical(question, hits[question.id]))
                for question in golden.questions
            ]
            self._estimate("judging", self.judge, self._judge_requests(typical), self._judge_section)

    def _estimate(
        self, what: str, client: LLMClient, requests: Sequence[Request], section: LanguageModel
    ) -> None:
        found = estimate_calls(client, requests, cache=self.experiment.cache, section=section)
        self._estimates[what] = found
        self.announce(f"{what}: {said_cost(found)}")

    def _answer_requests(self, golden: GoldenSet, hits: Mapping[str, Sequence[Hit]]) -> list[Request]:
        """Return the requests that answering would make, by answering with a client that sends nothing."""

        def answer_all(client: LLMClient) -> None:
            answerer = build_answerer(self.experiment, client=client)
            for question in golden.questions:
                answer_from_hits(self.experiment, answerer, question.text, hits[question.id])

        return requests_made(answer_all)

    def _typical(self, question: Question, hits: Sequence[Hit]) -> Answer:
        context = build_context(hits, max_tokens=self.experiment.config.generation.context_tokens)
        if not context.passages:
            return Answer(question.text, "", "no_context")
        return Answer(question.text, _TYPICAL, "answered", passages=context.passages)

    def _answers(
        self, golden: GoldenSet, hits: Mapping[str, Sequence[Hit]], progress: Progress
    ) -> list[Answer]:
        def answer(question: Question) -> Answer:
            return answer_from_hits(self.experiment, self.answerer, question.text, hits[question.id])

        progress.phase("answering", len(golden.questions))
        calls = map_calls(
            answer,
            golden.questions,
            concurrency=self.experiment.config.generation.concurrency if self.generator else 1,
            on_result=lambda _: progress.advance(),
            watchdog=self.watchdog,
            name=lambda question: f"answer to {question.id}",
        )
        progress.close()
        done = sum(outcome.result is not None for outcome in calls.outcomes)
        if calls.stopped is not None:
            raise stopped_with(calls.stopped, f"{done} of {len(golden.questions)} answers")
        return [outcome.result or _failed(outcome.item, outcome.error) for outcome in calls.outcomes]

    def _valued(self, golden: GoldenSet, answers: Sequence[Answer]) -> tuple[AnsweredQuestion, ...]:
        near, note = similarities(self.experiment, golden, answers)
        if note:
            self._notes.append(note)
        level = self.experiment.config.evaluation.level
        return tuple(
            AnsweredQuestion(
                question, answer, answer_values(question, answer, level=level, similarity=similarity)
            )
            for question, answer, similarity in zip(golden.questions, answers, near, strict=True)
        )

    def _judged(
        self, answered: Sequence[AnsweredQuestion], progress: Progress
    ) -> tuple[AnsweredQuestion, ...]:
        assert self.judge is not None
        self._estimate("judging", self.judge, self._judge_requests(answered), self._judge_section)
        tasks = self._tasks(answered)
        progress.phase("judging", len(tasks))
        run = judge_all(
            self.judge,
            tasks,
            key=fence_key(self.experiment.workspace),
            concurrency=self._judge_section.concurrency,
            watchdog=self.watchdog,
            on_done=progress.advance,
        )
        progress.close()
        if run.stopped is not None:
            raise stopped_with(run.stopped, f"{len(run.judgements)} of {len(tasks)} judgements")
        policy = judge_policy(self.experiment, self.judged)
        by_question: dict[str, list[Judgement]] = {}
        for judgement in run.judgements:
            by_question.setdefault(judgement.question_id, []).append(judgement)
        return tuple(
            replace(one, judgements=tuple(mine), gate=compute_gate(mine, policy))
            for one in answered
            if (mine := by_question.get(one.question.id, [])) is not None
        )

    def _judge_requests(self, answered: Sequence[AnsweredQuestion]) -> list[Request]:
        tasks = self._tasks(answered)
        return [*requests_of(tasks, key=fence_key(self.experiment.workspace))]

    def _tasks(self, answered: Sequence[AnsweredQuestion]) -> list[Task]:
        items = [redacted_item(self.experiment, one.item) for one in answered]
        return tasks_of(items, self.judged, repeat=self.repeat)

    @property
    def _judge_section(self) -> LanguageModel:
        return judge_section(self.experiment)

    def _finished(
        self, answered: tuple[AnsweredQuestion, ...], table: PerQuery, record: AnswersRecord
    ) -> AnswerStage:
        notes = [*self._notes, *([record.skipped] if record.skipped else [])]
        if record.same_model:
            notes.append("judge and generator are the same model, which may favour its own answers")
        failure = shortfall(answered, most=self.experiment.config.evaluation.judge.max_judge_failures)
        return AnswerStage(answered, table, record, tuple(notes), failure)


def _failed(question: Question, error: LLMError | None) -> Answer:
    return Answer(question.text, "", "failed", reason=error.message if error else "no reply came")
