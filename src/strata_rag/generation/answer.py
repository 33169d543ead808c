"""The values of answering: passages in, an answer with citations out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from strata_rag.generation.guards.finding import Finding
from strata_rag.llm import Completion

REFUSAL = "The passages do not answer this question."
"""What every answerer says where the passages do not answer."""

AnswerStatus = Literal[
    "answered", "refused", "no_context", "truncated", "empty", "filtered", "prompt_cut", "failed"
]
"""``refused``: the passages do not answer, said in the fixed sentence. ``no_context``: nothing was asked, since there
was nothing to answer from. ``failed``: no reply came. Only ``answered`` is judged."""


@dataclass(frozen=True, slots=True)
class ContextPassage:
    """A stretch of a document that an answer may rest on.

    Attributes:
        number: From 1; what ``[n]`` cites.
        chunk_id: The best chunk it is made of.
        doc_id: Its document.
        start: First code point in the document.
        end: One past the last.
        text: The document's ``[start, end)``.
        title: The document's title, or an empty string.
        page: From 1, where the document has pages.
        section: Heading path, or an empty string.
    """

    number: int
    chunk_id: str
    doc_id: str
    start: int
    end: int
    text: str
    title: str = ""
    page: int | None = None
    section: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """A ``[n]`` of an answer, resolved.

    Attributes:
        number: As cited.
        passage: What it points at.
        at: Code points of the answer's text where the mark stands, ``[start, end)``.
    """

    number: int
    passage: ContextPassage
    at: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Brackets with a number in an answer that cite nothing.

    Attributes:
        kind: ``index``, ``year`` or ``link``.
        at: Code points of the answer's text, ``[start, end)``.
    """

    kind: str
    at: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PassageFinding:
    """What the guards found in a passage.

    Attributes:
        number: The passage's number.
        doc_id: Its document.
        finding: The finding; its span counts within the passage's text as it was retrieved.
    """

    number: int
    doc_id: str
    finding: Finding


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one question.

    Attributes:
        question: The question.
        text: The answer, the fixed refusal, or what came of a reply that is no answer.
        status: Whether it is one, or why not.
        passages: What was answered from, in order, without hidden characters.
        citations: Marks that resolve, in order of appearance.
        unresolved: Cited numbers that no passage has.
        sentences: Number of sentences in the text.
        uncited: Sentences that cite nothing.
        reason: Why there is no answer, or an empty string.
        quarantined: Passages that the guards held back.
        guards: Names of the guard layers that ran.
        warnings: What the guards found and a reader should know.
        prompt: Id and digest of the prompt, or an empty string where none was used.
        completion: The model's reply; None where no model was asked.
        findings: What the guards found in the passages, held back or not.
        lookalikes: Brackets with a number that are no citation: an index in code, a year, a link.
        hint: What to do about a failed call, or an empty string.
    """

    question: str
    text: str
    status: AnswerStatus
    passages: tuple[ContextPassage, ...] = ()
    citations: tuple[Citation, ...] = ()
    unresolved: tuple[int, ...] = ()
    sentences: int = 0
    uncited: int = 0
    reason: str = ""
    quarantined: tuple[ContextPassage, ...] = ()
    guards: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    prompt: str = ""
    completion: Completion | None = None
    findings: tuple[PassageFinding, ...] = ()
    lookalikes: tuple[Lookalike, ...] = ()
    hint: str = ""


class Answerer(Protocol):
    """Answers a question from passages and from nothing else."""

    def answer(self, question: str, passages: tuple[ContextPassage, ...]) -> Answer:
        """Return the answer; a model that gives none is a status, not an error."""
