"""What is asked of a judge: its prompt, and the material between marker lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strata_rag.evaluation.judge.prompt import load_prompt
from strata_rag.evaluation.judge.statements import statements_of
from strata_rag.evaluation.judge.verdicts import JudgeItem, JudgeMeasure
from strata_rag.llm import Message, fence_marker


@dataclass(frozen=True, slots=True)
class Asked:
    """One question to a judge, or the reason why there is none.

    Attributes:
        things: The numbered statements or passages; empty for answer relevance.
        messages: What is sent; empty where nothing is.
        reason: Why there is nothing to judge, or an empty string.
        value: The value that stands without a call, or None.
    """

    things: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    reason: str = ""
    value: float | None = None


def ask(measure: JudgeMeasure, item: JudgeItem, *, key: bytes = b"") -> Asked:
    """Return what is asked of the judge about one answer under one measure.

    Nothing is where there is nothing to judge: without any text in the passages, for a decline (faithfulness, answer
    relevance), for an unanswerable question (context measures), without a reference answer (context recall). A
    reference that meets no passage at all has a context recall of 0 without a call.

    Args:
        measure: What is judged.
        item: The answer.
        key: Secret of the workspace that markers are made with; see `fence_marker`.
    """
    reason = _not_scorable(measure, item)
    if reason:
        return Asked(reason=reason)
    if measure == "ContextRecall" and not item.context:
        return Asked(reason="no context: nothing can support the reference answer", value=0.0)
    things = _things(measure, item)
    if not things and measure != "AnswerRelevance":
        return Asked(reason="no statement to check")
    return Asked(
        things,
        (Message("system", load_prompt(measure).parts["system"]), _material(measure, item, things, key)),
    )


def _not_scorable(measure: JudgeMeasure, item: JudgeItem) -> str:
    about_answer = measure in ("Faithfulness", "AnswerRelevance")
    if about_answer and item.failure:
        return f"no answer: {item.failure}"
    if about_answer and item.declined:
        return "a decline makes no claim"
    if about_answer and not item.answer.strip():
        return "no answer: it is empty"
    if not about_answer and not item.answerable:
        return "the question is unanswerable"
    if measure == "ContextRecall" and not (item.reference or "").strip():
        return "no reference answer"
    if measure != "ContextRecall" and not item.context:
        return "no context"
    return ""


def _things(measure: JudgeMeasure, item: JudgeItem) -> tuple[str, ...]:
    if measure == "Faithfulness":
        return statements_of(item.answer)
    if measure == "ContextRecall":
        return statements_of(item.reference or "")
    if measure == "ContextPrecision":
        return tuple(f"{passage.doc_id}#{passage.start}-{passage.end}" for passage in item.context)
    return ()


def _material(measure: JudgeMeasure, item: JudgeItem, things: Sequence[str], key: bytes) -> Message:
    parts = [("question", item.question)]
    if measure == "AnswerRelevance":
        parts.append(("answer", item.answer))
    elif measure == "ContextPrecision":
        parts += _numbered("passage", [passage.text for passage in item.context])
        if item.reference:
            parts.append(("reference answer", item.reference))
    else:
        parts += [(f"passage {passage.number}", passage.text) for passage in item.context]
        parts += _numbered("statement", things)
    marker = fence_marker(key, [text for _, text in parts])
    lines = [f"The marker is {marker}."]
    for name, text in parts:
        lines.append(f"[{marker} {name}]\n{text}")
    lines.append(f"[{marker} end]")
    return Message("user", "\n".join(lines))


def _numbered(name: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    return [(f"{name} {number}", text) for number, text in enumerate(texts, 1)]
