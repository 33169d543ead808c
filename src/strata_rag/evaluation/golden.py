"""Golden sets as values: questions with judged items."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

KINDS = ("retrieval", "metadata", "unanswerable", "paraphrase", "code", "name", "general")
LEVELS = ("document", "chunk", "project")
MAX_GRADE = 1000.0  # 2^1000 is still a finite float, so exponential gains stay finite too


@dataclass(frozen=True, slots=True)
class Evidence:
    """An answer as it stands in a document: a quote, or offsets in its extracted text.

    Attributes:
        doc: The document's id.
        quote: The words, white space aside; None where offsets are given.
        start: First code point; None where a quote is given.
        end: One past the last code point.
        grade: Of the items that hold it, above 0.
    """

    doc: str
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    grade: float = 1.0


@dataclass(frozen=True, slots=True)
class Question:
    """One question and what was judged for it.

    Attributes:
        id: Unique within its set.
        text: The question as asked.
        judged: Item id -> grade for every judged item; grades of 0 and below are judged non-relevant.
        kind: One of `KINDS`, or a kind that the set declares.
        level: What item ids name (`LEVELS`); None means the set's level.
        tags: Free labels, for slices.
        lang: Language of the question, where stated.
        reference_answer: The answer a person would accept.
        further_answers: Others that are as good.
        expected: Facts that an answer must state.
        evidence: Where answers stand; `resolve_evidence` turns it into `judged`.
        reviewed: False for a drafted question that nobody has looked at; no part of its content.
        where: ``file:line:column`` of the question, for messages; no part of its content.
        relevant: The judged items with a grade above 0; derived.

    Raises:
        ValueError: A grade is not a number, or larger than `MAX_GRADE` in size.
    """

    id: str
    text: str
    judged: Mapping[str, float] = field(default_factory=dict)
    kind: str = "retrieval"
    level: str | None = None
    tags: tuple[str, ...] = ()
    lang: str | None = None
    reference_answer: str | None = None
    further_answers: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    reviewed: bool = field(default=True, compare=False)
    where: str = field(default="", compare=False)
    relevant: Mapping[str, float] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for item, grade in self.judged.items():
            if not abs(grade) <= MAX_GRADE:
                raise ValueError(f"grade of {item!r}: at most {MAX_GRADE:.0f} was expected, found {grade}")
        positive = {item: grade for item, grade in self.judged.items() if grade > 0}
        object.__setattr__(self, "relevant", positive)

    @property
    def references(self) -> tuple[str, ...]:
        """Every answer that a person would accept; blank ones count as absent."""
        answers = (self.reference_answer or "", *self.further_answers)
        return tuple(answer for answer in answers if answer.strip())


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Questions in the order of their file.

    Attributes:
        questions: Each id once.
        level: What item ids name, unless a question says otherwise.
        origin: The file or folder it was read from.
        unjudged: Queries of a BEIR folder that its qrels file leaves out.
        digest: SHA-256 over the content: questions ordered by id, judgements by item id. The order
            of the file, its path and its format do not count, nor do the items that evidence was resolved
            to. Derived.
    """

    questions: tuple[Question, ...]
    level: str = "document"
    origin: str = ""
    unjudged: int = 0
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "digest", _digest(self.questions, self.level))

    @property
    def unit(self) -> str:
        """The plural of the level, for sentences: ``documents``, ``chunks`` or ``projects``."""
        return f"{self.level}s"

    @property
    def unreviewed(self) -> int:
        """How many drafted questions nobody has looked at."""
        return sum(not question.reviewed for question in self.questions)

    @property
    def has_evidence(self) -> bool:
        """Whether some question's judgements are evidence that must be resolved."""
        return any(question.evidence for question in self.questions)

    @property
    def levels(self) -> tuple[str, ...]:
        """Every level that some question is judged at, sorted."""
        return tuple(sorted({self.level_of(question) for question in self.questions}))

    @property
    def judgements(self) -> int:
        """How many (question, item) pairs are judged."""
        return sum(len(question.judged) for question in self.questions)

    def level_of(self, question: Question) -> str:
        """What the item ids of this question name."""
        return question.level or self.level

    def only(self, ids: Iterable[str]) -> GoldenSet:
        """Keep the questions with these ids, in the set's own order."""
        kept = frozenset(ids)
        return replace(self, questions=tuple(q for q in self.questions if q.id in kept))


def _digest(questions: Iterable[Question], level: str) -> str:
    content = [
        {
            "id": question.id,
            "question": question.text,
            **_answers(question),
            "kind": question.kind,
            "level": question.level or level,
            "tags": sorted(question.tags),
            "lang": question.lang,
            "reference_answer": question.reference_answer,
            **({"further_answers": list(question.further_answers)} if question.further_answers else {}),
            "expected": list(question.expected),
        }
        for question in sorted(questions, key=lambda question: question.id)
    ]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _answers(question: Question) -> dict[str, object]:
    """Return what makes up a question's judgements: evidence as written, or the judged items."""
    if question.evidence:
        return {"evidence": [[e.doc, e.quote, e.start, e.end, e.grade] for e in question.evidence]}
    return {"judged": {item: float(grade) for item, grade in question.judged.items()}}
