"""``answers.jsonl`` of a run's folder: answers, passages and verdicts, one question a line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from strata_rag.errors import InputError
from strata_rag.evaluation.answered import AnsweredQuestion
from strata_rag.evaluation.judge import GateVerdict, JudgeItem, Judgement, Verdict
from strata_rag.evaluation.run_json import dump
from strata_rag.generation import Answer, Citation, ContextPassage

ANSWERS = "answers.jsonl"


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One line of ``answers.jsonl``.

    Attributes:
        item: What a judge is told of it.
        kind: Of the question.
        status: Of the answer.
        text: The answer as it was given, citation marks included.
        judgements: What the judge said.
        gate: Whether the answer passes; None where no judge was asked.
    """

    item: JudgeItem
    kind: str
    status: str
    text: str
    judgements: tuple[Judgement, ...]
    gate: GateVerdict | None


def answer_lines(answered: Sequence[AnsweredQuestion]) -> Iterator[str]:
    """Yield the lines; they hold no time and no request id, so that the same answers give the same bytes."""
    for one in answered:
        yield dump(_line(one)) + "\n"


def read_answers(folder: Path) -> list[StoredAnswer]:
    """Read the answers of a run, in the order of its questions.

    Raises:
        InputError: The run has none, or they can't be read.
    """
    path = folder / ANSWERS
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(
            f"{folder.name}: expected a run with answers, found none",
            hint="evaluate with --answers or --judge",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}: a readable file was expected, found: {error}",
            hint="check permissions, or evaluate again",
        ) from error
    found = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line:
            try:
                found.append(_stored(json.loads(line)))
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                problem = f"{path}:{number}:1: an answer of a run was expected, found: {error}"
                raise InputError(problem, hint="the run is damaged; evaluate again") from None
    return found


def _line(one: AnsweredQuestion) -> dict[str, Any]:
    answer, item = one.answer, one.item
    return {
        "id": one.question.id,
        "question": one.question.text,
        "kind": one.question.kind,
        "answer": answer.text,
        "status": answer.status,
        "reason": answer.reason,
        "plain": item.answer,
        "declined": item.declined,
        "answerable": item.answerable,
        "failure": item.failure,
        "reference": item.reference,
        "citations": [_citation(citation) for citation in answer.citations],
        **_checks(answer),
        "passages": [asdict(passage) for passage in answer.passages],
        "judgements": [_judgement(judgement) for judgement in one.judgements],
        "gate": None if one.gate is None else {"passed": one.gate.passed, "reasons": list(one.gate.reasons)},
    }


def _checks(answer: Answer) -> dict[str, Any]:
    return {
        "unresolved": list(answer.unresolved),
        "sentences": answer.sentences,
        "uncited": answer.uncited,
        "quarantined": [passage.chunk_id for passage in answer.quarantined],
        "guards": list(answer.guards),
        "warnings": list(answer.warnings),
        "prompt": answer.prompt,
    }


def _citation(citation: Citation) -> dict[str, Any]:
    passage = citation.passage
    return {
        "number": citation.number,
        "at": list(citation.at),
        "chunk_id": passage.chunk_id,
        "doc_id": passage.doc_id,
        "start": passage.start,
        "end": passage.end,
    }


def _judgement(judgement: Judgement) -> dict[str, Any]:
    document = asdict(judgement)
    del document["question_id"], document["attempts"]
    return document


def _stored(raw: dict[str, Any]) -> StoredAnswer:
    gate = raw["gate"]
    return StoredAnswer(
        item=JudgeItem(
            question_id=raw["id"],
            question=raw["question"],
            answer=raw["plain"],
            passages=tuple(ContextPassage(**passage) for passage in raw["passages"]),
            declined=raw["declined"],
            reference=raw["reference"],
            answerable=raw["answerable"],
            failure=raw["failure"],
        ),
        kind=raw["kind"],
        status=raw["status"],
        text=raw["answer"],
        judgements=tuple(_read_judgement(raw["id"], one) for one in raw["judgements"]),
        gate=None if gate is None else GateVerdict(gate["passed"], tuple(gate["reasons"])),
    )


def _read_judgement(question_id: str, raw: dict[str, Any]) -> Judgement:
    verdicts = tuple(
        Verdict(**{**one, "passages": tuple(one["passages"]), "flags": tuple(one["flags"])})
        for one in raw["verdicts"]
    )
    value = math.nan if raw["value"] is None else float(raw["value"])
    return Judgement(**{**raw, "question_id": question_id, "value": value, "verdicts": verdicts})
