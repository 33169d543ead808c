"""Golden sets written: seeded halves, as YAML that `load_golden` reads back."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from typing import Any

import yaml

from strata_rag.evaluation.golden import KINDS, GoldenSet, Question


def split_golden(golden: GoldenSet, *, share: float, seed: int) -> tuple[GoldenSet, GoldenSet]:
    """Deal the questions of each kind into two sets.

    Questions are ordered by a digest of seed and id, and the first of each kind go to the first set: the
    order of the file does not matter, and another question moves few of the others.

    Args:
        golden: The set.
        share: Of the first set, between 0 and 1; a kind's part is rounded to whole questions, half up.
        seed: Another seed deals otherwise.

    Returns:
        The two sets, questions in the order of the file.
    """
    kinds: dict[str, list[str]] = defaultdict(list)
    for question in golden.questions:
        kinds[question.kind].append(question.id)
    first: set[str] = set()
    for ids in kinds.values():
        ordered = sorted(ids, key=lambda query_id: _digest(seed, query_id))
        first.update(ordered[: int(share * len(ids) + 0.5)])
    return golden.only(first), golden.only({question.id for question in golden.questions} - first)


def golden_yaml(golden: GoldenSet) -> str:
    """Write a set as YAML; `load_golden` gives an equal one."""
    own = sorted({question.kind for question in golden.questions} - set(KINDS))
    document = {
        **({"kinds": own} if own else {}),
        "level": golden.level,
        "questions": [_question(question) for question in golden.questions],
    }
    return yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=110)


class _Dumper(yaml.SafeDumper):
    """Quotes what YAML 1.1 takes for line breaks."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", value, style='"' if _BREAKS & set(value) else None
    )


_BREAKS = frozenset("\x85\u2028\u2029")
_Dumper.add_representer(str, _text)


def _question(question: Question) -> dict[str, Any]:
    written: dict[str, Any] = {"id": question.id, "question": question.text}
    if question.kind != "retrieval":
        written["kind"] = question.kind
    if question.evidence:
        written["evidence"] = [
            {
                "doc": evidence.doc,
                **({"quote": evidence.quote} if evidence.quote is not None else {}),
                **({"start": evidence.start, "end": evidence.end} if evidence.quote is None else {}),
                **({"grade": _grade(evidence.grade)} if evidence.grade != 1 else {}),
            }
            for evidence in question.evidence
        ]
    elif question.judged:
        grades = {item: _grade(grade) for item, grade in question.judged.items()}
        written["relevant"] = list(grades) if set(grades.values()) == {1} else grades
    for key in ("level", "lang", "reference_answer"):
        if getattr(question, key):
            written[key] = getattr(question, key)
    for key in ("further_answers", "tags", "expected"):
        if getattr(question, key):
            written[key] = list(getattr(question, key))
    if not question.reviewed:
        written["reviewed"] = False
    return written


def _grade(grade: float) -> float | int:
    return int(grade) if float(grade).is_integer() else grade


def _digest(seed: int, query_id: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{query_id}".encode("utf-8", "surrogatepass")).digest()
