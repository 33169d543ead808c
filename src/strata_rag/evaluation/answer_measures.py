"""What an answer is worth without a judge: held against the reference answer and the judged documents."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

from strata_rag.evaluation.answer_text import exact_match, rouge_l, stated_facts, token_f1
from strata_rag.evaluation.declines import is_decline
from strata_rag.evaluation.golden import Question
from strata_rag.evaluation.measures import Measure
from strata_rag.generation import Answer

UNANSWERABLE = "unanswerable"
_DECLINED = ("refused", "no_context")
_TEXT_MEASURES: Mapping[str, Callable[[str, str], float]] = {
    "ExactMatch": exact_match,
    "TokenF1": token_f1,
    "ROUGE-L": rouge_l,
}


def plain_text(answer: Answer) -> str:
    """Return an answer's text without its citation marks, resolved or not."""
    text = answer.text
    for start, end in sorted({citation.at for citation in answer.citations}, reverse=True):
        text = text[:start] + text[end:]
    for number in set(answer.unresolved):
        text = text.replace(f"[{number}]", "")
    return re.sub(r"[^\S\n]+(?=[.,;:!?])|[^\S\n]+(?=\n)|[^\S\n]+$", "", text)


def declined(answer: Answer) -> bool | None:
    """Tell whether an answer says that there is none; None where nothing came that could say either."""
    if answer.status in _DECLINED:
        return True
    if answer.status == "answered":
        return is_decline(plain_text(answer))
    return None


def answer_values(
    question: Question, answer: Answer, *, level: str, similarity: float = math.nan
) -> dict[Measure, float]:
    """Value one answer under every measure that needs no judge; NaN where one does not apply.

    With a reference answer: ``ExactMatch``, ``TokenF1``, ``ROUGE-L`` and ``EmbeddingSimilarity``, the best over all
    references; with expected facts ``Facts``. A decline is worth 0 in each.

    With judged items, C the distinct items cited, G those given as passages and R the relevant ones:
    ``CitationPrecision`` = |C and R| / |C|, NaN where nothing is cited; ``CitationRecall`` = |C and R| / |G and R|, NaN
    where no relevant item was given.

    ``Refused``: 1 where an unanswerable question is declined, 0 where it is answered. ``Answered``: 1 where an
    answerable question is answered, 0 where it is declined; 1 minus its mean is the false refusal rate.

    An answer that never came (cut, empty, filtered, failed) is NaN in all of them.

    Args:
        question: What was asked, and its judgements.
        answer: What came of it.
        level: What an item is: ``document`` or ``chunk``.
        similarity: Of the answer and its nearest reference, from the caller's embedder; NaN where there is none.
    """
    values = dict.fromkeys(map(Measure, _NAMES), math.nan)
    refusal = declined(answer)
    if refusal is None:
        return values
    text = plain_text(answer)
    for name, formula in _TEXT_MEASURES.items():
        found = [formula(text, reference) for reference in question.references]
        values[Measure(name)] = _unless(refusal, max(found, default=math.nan))
    if question.references:
        values[Measure("EmbeddingSimilarity")] = 0.0 if refusal else similarity
    if question.expected:
        values[Measure("Facts")] = _unless(refusal, stated_facts(text, question.expected))
    if question.kind == UNANSWERABLE:
        values[Measure("Refused")] = float(refusal)
        return values
    values[Measure("Answered")] = float(not refusal)
    if question.relevant and not refusal:
        precision, recall = _citations(question, answer, level)
        values[Measure("CitationPrecision")] = precision
        values[Measure("CitationRecall")] = recall
    return values


_NAMES = (
    *_TEXT_MEASURES,
    "EmbeddingSimilarity",
    "Facts",
    "CitationPrecision",
    "CitationRecall",
    "Refused",
    "Answered",
)


def _unless(refusal: bool, value: float) -> float:
    """Return 0 for a decline where the measure applies."""
    return 0.0 if refusal and not math.isnan(value) else value


def _citations(question: Question, answer: Answer, level: str) -> tuple[float, float]:
    def items(passages: Sequence[tuple[str, str]]) -> set[str]:
        return {chunk_id if level == "chunk" else doc_id for doc_id, chunk_id in passages}

    cited = items([(one.passage.doc_id, one.passage.chunk_id) for one in answer.citations])
    given = items([(one.doc_id, one.chunk_id) for one in answer.passages])
    right = cited & question.relevant.keys()
    findable = given & question.relevant.keys()
    return (
        len(right) / len(cited) if cited else math.nan,
        len(right) / len(findable) if findable else math.nan,
    )
