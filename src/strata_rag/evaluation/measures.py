"""Measures as values, and what each question is worth under them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat

import numpy as np
from numpy.typing import NDArray

from strata_rag.errors import InputError
from strata_rag.evaluation import kernels
from strata_rag.evaluation.golden import GoldenSet, Question
from strata_rag.evaluation.kernels import Graded

_Kernel = Callable[[Graded, int], NDArray[np.float64]]

_KERNELS: Mapping[str, _Kernel] = {
    "nDCG": kernels.ndcg,
    "nDCG(exp)": kernels.ndcg_exponential,
    "Recall": kernels.recall,
    "Precision": kernels.precision,
    "Hit": kernels.hit,
    "MRR": kernels.reciprocal_rank,
    "MAP": kernels.average_precision,
    "Judged": kernels.judged,
}
NAMES = tuple(_KERNELS)
ANSWER_NAMES = (
    "Faithfulness",
    "AnswerRelevance",
    "ContextPrecision",
    "ContextRecall",
    "Passed",
    "ExactMatch",
    "TokenF1",
    "ROUGE-L",
    "EmbeddingSimilarity",
    "Facts",
    "CitationPrecision",
    "CitationRecall",
    "Refused",
    "Answered",
)
"""Measures of answers, the judged ones and what follows from them first; they have no cutoff."""
JUDGED_NAMES = ANSWER_NAMES[:5]
_ELSEWHERE = {
    "p": "Precision",
    "r": "Recall",
    "ap": "MAP",
    "rr": "MRR",
    "success": "Hit",
    "hitrate": "Hit",
    "dcg": "nDCG",
}
_WRITTEN = re.compile(r"([^@]+)@([1-9][0-9]{0,5})", re.ASCII)
_CELLS = 2_000_000  # (query, rank) cells computed at a time: about 16 MB per intermediate array


@dataclass(frozen=True, slots=True, order=True)
class Measure:
    """An effectiveness formula and its cutoff, such as ``nDCG@10``, or a measure of answers, such as ``Faithfulness``.

    Attributes:
        name: One of `NAMES` or `ANSWER_NAMES`; ``nDCG(exp)`` is nDCG with the gain 2^grade - 1.
        cutoff: How many places of the ranking count, at least 1; 0 for a measure of answers.
    """

    name: str
    cutoff: int = 0

    def __post_init__(self) -> None:
        if self.name not in _KERNELS and self.name not in ANSWER_NAMES:
            known = ", ".join((*NAMES, *ANSWER_NAMES))
            raise ValueError(f"name: one of {known} was expected, found {self.name!r}")
        least = 1 if self.name in _KERNELS else 0
        if self.cutoff < least or (least == 0 and self.cutoff):
            raise ValueError(f"cutoff: at least 1, or 0 for answers, was expected, found {self.cutoff}")

    def __str__(self) -> str:
        return f"{self.name}@{self.cutoff}" if self.cutoff else self.name

    @property
    def of_answers(self) -> bool:
        """Whether it values answers, not rankings."""
        return not self.cutoff

    @property
    def is_share(self) -> bool:
        """Whether each answer is worth 0 or 1, so that the mean is a share of answers."""
        return self.name in ("Passed", "Refused", "Answered", "ExactMatch")

    @property
    def judged(self) -> bool:
        """Whether a judge's verdicts decide it."""
        return self.name in JUDGED_NAMES

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Read ``name@k``, or the name of a measure of answers; upper and lower case are the same.

        Raises:
            InputError: The name is unknown or the cutoff missing; the message lists every name.
        """
        if answers := _ANSWER_FORMS.get(_form(text)):
            return cls(answers)
        written = _WRITTEN.fullmatch(text.strip())
        names = {name.lower(): name for name in NAMES}
        given = (written[1] if written else text.split("@")[0]).strip()
        name = names.get(given.lower())
        if written and name:
            return cls(name, int(written[2]))
        cutoff = written[2] if written else "10"
        close = difflib.get_close_matches(given.lower(), [*names, *_ANSWER_FORMS], n=1, cutoff=0.5)
        nearest = close[0] if close else "ndcg"
        suggestion = name or _ELSEWHERE.get(given.lower()) or names.get(nearest)
        meant = f"{suggestion}@{cutoff}" if suggestion else _ANSWER_FORMS[nearest]
        expected = f"one of {', '.join(NAMES)} with its cutoff (@1 to @999999) was expected"
        raise InputError(
            f"measure: {expected}, or one of answers ({', '.join(ANSWER_NAMES)}), found {text!r}",
            hint=f"did you mean {meant}?",
        )


def _form(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).casefold()


_ANSWER_FORMS = {_form(name): name for name in ANSWER_NAMES}


@dataclass(frozen=True, slots=True, eq=False)
class PerQuery:
    """The value of every measure for every question; nothing is left out.

    Attributes:
        query_ids: One per row, in the order of the golden set.
        measures: One per column.
        values: Shape (queries, measures), float64, read-only. NaN where a measure is undefined.
    """

    query_ids: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        shape = (len(self.query_ids), len(self.measures))
        if self.values.shape != shape:
            raise ValueError(f"values: the shape {shape} was expected, found {self.values.shape}")
        self.values.setflags(write=False)

    def column(self, measure: Measure) -> NDArray[np.float64]:
        """One measure's values, in the order of `query_ids`."""
        return self.values[:, self.measures.index(measure)]


def evaluate_ranking(measures: Sequence[Measure], ranking: Sequence[str], question: Question) -> list[float]:
    """Value one ranking; same rules and same numbers as `evaluate`."""
    graded = _graded([question], {question.id: ranking}, _depth(measures))
    return [float(_KERNELS[measure.name](graded, measure.cutoff)[0]) for measure in measures]


def evaluate(
    measures: Sequence[Measure], rankings: Mapping[str, Sequence[str]], golden: GoldenSet
) -> PerQuery:
    """Value the rankings of a golden set's questions.

    A ranking counts in the order given. An item that stands in it twice counts at its first place, and
    later items move up. A question without a ranking, or with an empty one, scores 0; one without any
    relevant item is NaN under every measure but Judged.

    Args:
        measures: At least one.
        rankings: Question id -> item ids, best first.
        golden: The judged questions.

    Raises:
        InputError: A ranking belongs to no question of the set.
    """
    unknown = rankings.keys() - {question.id for question in golden.questions}
    if unknown:
        named = ", ".join(map(repr, sorted(unknown)[:5]))
        problem = f"rankings: questions of {golden.origin or 'the golden set'} were expected"
        hint = "evaluate against the golden set that the rankings were made for"
        raise InputError(f"{problem}, found {len(unknown)} others: {named}", hint=hint)
    values = np.empty((len(golden.questions), len(measures)))
    depth = _depth(measures)
    for start, questions in _batches(golden.questions, rankings, depth):
        graded = _graded(questions, rankings, depth)
        for column, measure in enumerate(measures):
            values[start : start + len(questions), column] = _KERNELS[measure.name](graded, measure.cutoff)
    return PerQuery(tuple(question.id for question in golden.questions), tuple(measures), values)


def _depth(measures: Sequence[Measure]) -> int:
    if not measures:
        raise ValueError("measures: at least one was expected, found none")
    return max(measure.cutoff for measure in measures)


def _batches(
    questions: Sequence[Question], rankings: Mapping[str, Sequence[str]], depth: int
) -> Iterator[tuple[int, Sequence[Question]]]:
    longest = max((len(ranking) for ranking in rankings.values()), default=0)
    most_relevant = max((len(question.relevant) for question in questions), default=0)
    rows = max(1, _CELLS // max(1, min(depth, max(longest, most_relevant))))
    for start in range(0, len(questions), rows):
        yield start, questions[start : start + rows]


def _graded(questions: Sequence[Question], rankings: Mapping[str, Sequence[str]], depth: int) -> Graded:
    nan = repeat(float("nan"))
    grades: list[float] = []
    lengths: list[int] = []
    for question in questions:
        ranking = _distinct(rankings.get(question.id, ()), depth)
        grades.extend(map(question.judged.get, ranking, nan))
        lengths.append(len(ranking))
    ideal = [sorted(question.relevant.values(), reverse=True) for question in questions]
    return Graded(
        grades=kernels.pad(grades, lengths, fill=float("nan")),
        lengths=np.array(lengths, dtype=np.intp),
        ideal=kernels.pad(
            [grade for best in ideal for grade in best[:depth]], [min(len(b), depth) for b in ideal], fill=0.0
        ),
        relevant=np.array([len(best) for best in ideal], dtype=np.float64),
        judged=np.array([bool(question.judged) for question in questions]),
    )


def _distinct(ranking: Sequence[str], depth: int) -> Sequence[str]:
    top = ranking[:depth]
    if len(set(top)) == len(top):
        return top
    return list(islice(dict.fromkeys(ranking), depth))
