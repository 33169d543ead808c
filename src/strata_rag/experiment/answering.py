"""The paid part of an evaluation: answers to every question, what they are worth, and what a judge says of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from strata_rag.config import LanguageModel
from strata_rag.errors import InputError, LLMError, NotMeasurable
from strata_rag.evaluation import (
    AnsweredQuestion,
    AnswersRecord,
    CallEstimate,
    CallUse,
    GoldenSet,
    Measure,
    PerQuery,
    Question,
    StopRule,
    Summary,
    answer_table,
    answer_values,
    coverage,
    failure_share,
    noise,
    plain_text,
    summarise,
)
from strata_rag.evaluation.judge import (
    GatePolicy,
    JudgeItem,
    JudgeMeasure,
    Judgement,
    Task,
    compute_gate,
    judge_all,
    prompt_digests,
    requests_of,
    tasks_of,
)
from strata_rag.experiment.answer import answer_from_hits, build_answerer, build_context
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.llm import fence_key
from strata_rag.experiment.llm_estimate import estimate_calls, requests_made, said_cost
from strata_rag.generation import Answer, Answerer
from strata_rag.llm import Budget, LLMClient, LLMInfo, Request, Spent, Watchdog, map_calls
from strata_rag.progress import Progress
from strata_rag.retrieval import Hit

_NO_ANSWER = ("truncated", "empty", "filtered", "prompt_cut", "failed")
_TYPICAL = "This stands for an answer that is not written yet, about as long as most answers are. " * 3
_MINIMUMS: Mapping[str, JudgeMeasure] = {
    "faithfulness": "Faithfulness",
    "answer_relevance": "AnswerRelevance",
    "context_precision": "ContextPrecision",
    "context_recall": "ContextRecall",
}


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
        record = self._record(answered, _use(generating, before))
        table = answer_table(answered, ())
        if self.judge is None:
            return self._finished(answered, table, record, golden)
        means = summarise(table, seed=self.experiment.config.evaluation.seed)
        if reason := self._stopped_by(means):
            return self._finished(
                answered, table, replace(record, skipped=f"the judge was skipped: {reason}"), golden
            )
        judged = self._judged(answered, progress)
        record = self._with_judge(record, judged, generating)
        return self._finished(judged, answer_table(judged, self.judged), record, golden)

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
        similarities = self._similarities(golden, answers)
        level = self.experiment.config.evaluation.level
        return tuple(
            AnsweredQuestion(
                question, answer, answer_values(question, answer, level=level, similarity=similarity)
            )
            for question, answer, similarity in zip(golden.questions, answers, similarities, strict=True)
        )

    def _similarities(self, golden: GoldenSet, answers: Sequence[Answer]) -> list[float]:
        """Return the cosine of each answer and its nearest reference in the experiment's own embedding."""
        pairs = [
            (place, plain_text(answer), question.references)
            for place, (question, answer) in enumerate(zip(golden.questions, answers, strict=True))
            if answer.status == "answered" and plain_text(answer).strip() and question.references
        ]
        found = [math.nan] * len(answers)
        texts = list(dict.fromkeys(text for _, own, others in pairs for text in (own, *others)))
        if not texts:
            return found
        vectors = dict(zip(texts, self.experiment.embedder.embed_documents(texts), strict=True))
        for place, own, references in pairs:
            found[place] = max(_cosine(vectors[own], vectors[reference]) for reference in references)
        return found

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
        by_question: dict[str, list[Judgement]] = {}
        for judgement in run.judgements:
            by_question.setdefault(judgement.question_id, []).append(judgement)
        return tuple(
            replace(one, judgements=tuple(mine), gate=compute_gate(mine, self._policy))
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

    @property
    def _policy(self) -> GatePolicy:
        policy = self.experiment.config.evaluation.judge.policy
        minimums = {
            measure: minimum
            for key, measure in _MINIMUMS.items()
            if (minimum := getattr(policy, key)) is not None and measure in self.judged
        }
        return GatePolicy(minimums, policy.worst_severity)

    def _record(self, answered: Sequence[AnsweredQuestion], generating: CallUse) -> AnswersRecord:
        prompts = sorted({one.answer.prompt for one in answered if one.answer.prompt})
        provider = self.experiment.config.generation.provider
        described = asdict(self.generator.describe()) if self.generator else {"provider": provider}
        return AnswersRecord(
            generator={**described, "prompts": prompts},
            statuses=dict(sorted(Counter(one.answer.status for one in answered).items())),
            generating=generating,
            estimates=dict(self._estimates),
        )

    def _with_judge(
        self, record: AnswersRecord, judged: Sequence[AnsweredQuestion], before: Spent
    ) -> AnswersRecord:
        assert self.judge is not None
        judge = self.judge.describe()
        noises = {m: noise(judged, m, repeat=self.repeat) for m in self.judged}
        return replace(
            record,
            judge={**asdict(judge), "repeat": self.repeat},
            same_model=self.generator is not None and _same(judge, self.generator.describe()),
            prompts=prompt_digests(),
            coverage={Measure(m): coverage(judged, m) for m in self.judged},
            noise={Measure(m): found for m, found in noises.items() if found is not None},
            policy={"minimums": dict(self._policy.minimums), "worst_severity": self._policy.worst_severity},
            undecided=sum(one.gate is not None and one.gate.passed is None for one in judged),
            judging=_use(self.budget.spent, before),
            estimates=dict(self._estimates),
        )

    def _finished(
        self,
        answered: tuple[AnsweredQuestion, ...],
        table: PerQuery,
        record: AnswersRecord,
        golden: GoldenSet,
    ) -> AnswerStage:
        most = self.experiment.config.evaluation.judge.max_judge_failures
        notes = [record.skipped] if record.skipped else []
        if record.same_model:
            notes.append("judge and generator are the same model, which may favour its own answers")
        lost = sum(one.answer.status in _NO_ANSWER for one in answered)
        judgements = [judgement for one in answered for judgement in one.judgements]
        share = failure_share(judgements)
        failure = None
        if lost > most * len(answered):
            failure = _too_many(f"{lost} of {len(answered)} answers never came", most)
        elif share > most:
            unscored = sum(one.outcome not in ("scored", "not_scorable") for one in judgements)
            failure = _too_many(f"{unscored} judgements have no value ({share:.1%})", most)
        return AnswerStage(answered, table, record, tuple(notes), failure)


def redacted_item(experiment: Experiment, item: JudgeItem) -> JudgeItem:
    """Return what a judge may read of an answer: question and reference are redacted like the documents."""
    reference = experiment.redacted(item.reference) if item.reference else item.reference
    return replace(item, question=experiment.redacted(item.question), reference=reference)


def judge_section(experiment: Experiment) -> LanguageModel:
    """Return the section of the config that names the judge's model."""
    judge = experiment.config.evaluation.judge
    return experiment.config.generation if judge.provider == "none" else judge


def judge_of(experiment: Experiment, budget: Budget, watchdog: Watchdog) -> LLMClient:
    """Return the config's judge.

    Raises:
        InputError: The config names none.
        ModelUnavailable: Its key is missing.
    """
    config = experiment.config
    if config.evaluation.judge.provider != "none":
        return experiment.llm(
            config.evaluation.judge, where="evaluation.judge", budget=budget, watchdog=watchdog
        )
    if config.generation.provider in ("none", "extractive"):
        raise InputError(
            f"evaluation.judge.provider: expected a language model to judge with, found none, and generation.provider "
            f"is {config.generation.provider}",
            hint="set evaluation.judge.provider and evaluation.judge.model, or leave --judge out",
        )
    return experiment.llm(budget=budget, watchdog=watchdog)


def _failed(question: Question, error: LLMError | None) -> Answer:
    return Answer(question.text, "", "failed", reason=error.message if error else "no reply came")


def stopped_with(error: LLMError, done: str) -> LLMError:
    """Return the error with what was done before it, which is kept."""
    return LLMError(
        f"{error.message} ({done} are done and kept)",
        hint=f"{error.hint}; the same command asks only for what is missing",
        kind=error.kind,
    )


def _too_many(found: str, most: float) -> NotMeasurable:
    return NotMeasurable(
        f"evaluation.judge.max_judge_failures: expected at most {most:.1%} without a value, found: {found}",
        hint="`strata eval` again asks only for what is missing; answers.jsonl of the run says why each failed",
    )


def _use(after: Spent, before: Spent) -> CallUse:
    cost = None if after.cost is None or before.cost is None else after.cost - before.cost
    return CallUse(
        calls=after.calls - before.calls,
        cached=after.cached - before.cached,
        input_tokens=after.input_tokens - before.input_tokens,
        output_tokens=after.output_tokens - before.output_tokens,
        cost=cost,
    )


def _same(one: LLMInfo, other: LLMInfo) -> bool:
    return (one.provider, one.model, one.base_url) == (other.provider, other.model, other.base_url)


def _cosine(one: Any, other: Any) -> float:
    lengths = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.dot(one, other)) / lengths if lengths else math.nan
