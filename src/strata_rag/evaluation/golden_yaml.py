"""Golden sets written by hand: a YAML file, or one JSON object per line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from pathlib import Path

import yaml

from strata_rag.evaluation.golden import KINDS, LEVELS, MAX_GRADE, Evidence, GoldenSet, Question
from strata_rag.evaluation.golden_nodes import (
    Source,
    compose_json_lines,
    compose_yaml,
    describe,
    fields,
    is_null,
    items,
    nearest,
    read_source,
    scalar,
    texts,
)

_SET_KEYS = ("questions", "kinds", "level")
_QUESTION_KEYS = (
    "id",
    "question",
    "relevant",
    "expected_doc_ids",
    "kind",
    "level",
    "lang",
    "tags",
    "reference_answer",
    "further_answers",
    "expected",
    "evidence",
    "reviewed",
)
_EVIDENCE_KEYS = ("doc", "quote", "start", "end", "grade")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_Fields = dict[str, tuple[yaml.Node, yaml.Node]]


def load_yaml(path: Path, *, level: str) -> GoldenSet:
    """Read a list of questions, or a mapping with ``questions``, ``kinds`` and ``level``.

    Raises:
        GoldenError: With every fault of the file.
    """
    source = read_source(path)
    root = compose_yaml(source)
    kinds: tuple[str, ...] = KINDS
    nodes: list[yaml.Node] = []
    if root is None or is_null(root):
        source.fault(0, "questions were expected, found an empty file")
    elif isinstance(root, yaml.MappingNode):
        top = fields(source, root, "golden set", _SET_KEYS)
        if "kinds" in top:
            kinds += texts(source, top["kinds"][1], "kinds")
        level = _choice(source, top, "level", "golden set", LEVELS) or level
        if "questions" in top:
            nodes = items(source, top["questions"][1], "questions")
        else:
            source.fault(root, "questions: a list was expected, found nothing")
    else:
        nodes = items(source, root, "golden set")
    return _golden_set(source, nodes, kinds, level)


def load_json_lines(path: Path, *, level: str) -> GoldenSet:
    """Read one question per line.

    Raises:
        GoldenError: With every fault of the file.
    """
    source = read_source(path)
    return _golden_set(source, compose_json_lines(source), KINDS, level)


def parse_grade(text: str) -> float | None:
    """Read a grade; None unless it is a finite number of at most `MAX_GRADE` in size."""
    if not _NUMBER.fullmatch(text):
        return None
    grade = float(text)
    return grade if math.isfinite(grade) and abs(grade) <= MAX_GRADE else None


def _golden_set(source: Source, nodes: Iterable[yaml.Node], kinds: tuple[str, ...], level: str) -> GoldenSet:
    questions = []
    first: dict[str, str] = {}
    for node in nodes:
        found = fields(source, node, "question", _QUESTION_KEYS)
        if not found:
            if isinstance(node, yaml.MappingNode) and not node.value:
                source.fault(node, "question: id and question were expected, found an empty mapping")
            continue
        question = _question(source, node, found, kinds)
        if question.id and question.id in first:
            at = found["id"][1]
            source.fault(
                at, f"id: a unique id was expected, found {question.id!r}, as at {first[question.id]}"
            )
        first.setdefault(question.id, question.where)
        questions.append(question)
    if not questions and not source.faults:
        source.fault(0, "at least one question was expected, found none")
    source.raise_faults()
    return GoldenSet(tuple(questions), level=level, origin=source.name)


def _question(source: Source, node: yaml.Node, found: _Fields, kinds: tuple[str, ...]) -> Question:
    question_id = _required(source, node, found, "id")
    what = f"question {question_id!r}" if question_id else "question"
    text = _required(source, node, found, "question")
    kind = _choice(source, found, "kind", what, kinds) or "retrieval"
    return Question(
        id=question_id,
        text=text,
        judged=_judged(source, found, what, kind),
        kind=kind,
        level=_choice(source, found, "level", what, LEVELS),
        tags=texts(source, found["tags"][1], f"{what}: tags") if "tags" in found else (),
        lang=_optional(source, found, "lang", what),
        reference_answer=_optional(source, found, "reference_answer", what),
        further_answers=texts(source, found["further_answers"][1], f"{what}: further_answers")
        if "further_answers" in found
        else (),
        expected=texts(source, found["expected"][1], f"{what}: expected") if "expected" in found else (),
        evidence=_evidence(source, found, what, kind),
        reviewed=_choice(source, found, "reviewed", what, ("true", "false")) != "false",
        where=source.where(node.start_mark.index),
    )


def _required(source: Source, node: yaml.Node, found: _Fields, key: str) -> str:
    if key not in found:
        source.fault(node, f"{key}: text was expected, found nothing")
        return ""
    value_node = found[key][1]
    value = scalar(source, value_node, key)
    if isinstance(value_node, yaml.ScalarNode) and not (value or "").strip():
        source.fault(value_node, f"{key}: text was expected, found nothing")
    return value or ""


def _optional(source: Source, found: _Fields, key: str, what: str) -> str | None:
    return scalar(source, found[key][1], f"{what}: {key}") if key in found else None


def _choice(source: Source, found: _Fields, key: str, what: str, known: tuple[str, ...]) -> str | None:
    value = _optional(source, found, key, what)
    if value is None or value in known:
        return value
    expected = f"{what}: {key}: one of {', '.join(known)} was expected"
    source.fault(found[key][1], f"{expected}, found {value!r}", nearest(value, known))
    return None


def _judged(source: Source, found: _Fields, what: str, kind: str) -> dict[str, float]:
    given = [key for key in ("relevant", "expected_doc_ids") if key in found]
    if not given:
        return {}
    if len(given) == 2:
        problem = f"{what}: either relevant or expected_doc_ids was expected, found both"
        source.fault(found["expected_doc_ids"][0], problem, "they mean the same; keep one")
    key = given[0]
    node = found[key][1]
    faults_before = len(source.faults)
    if isinstance(node, yaml.MappingNode) and key == "relevant":
        judged = _grades(source, node, f"{what}: relevant")
    else:
        judged = dict.fromkeys(texts(source, node, f"{what}: {key}"), 1.0)
    if len(source.faults) > faults_before:
        return judged
    if kind == "unanswerable" and any(grade > 0 for grade in judged.values()):
        problem = f"{what}: {key}: no relevant item was expected of an unanswerable question"
        source.fault(node, f"{problem}, found {len(judged)}", f"change its kind, or leave out {key}")
    elif kind != "unanswerable" and not judged:
        hint = "name the relevant items, leave the key out (not labelled yet), or say kind: unanswerable"
        source.fault(node, f"{what}: {key}: at least one id was expected, found none", hint)
    return judged


def _grades(source: Source, node: yaml.Node, what: str) -> dict[str, float]:
    judged = {}
    for item, (key_node, value_node) in fields(source, node, what).items():
        text = scalar(source, value_node, f"{what}: {item}")
        grade = parse_grade(text) if text is not None else None
        if not item.strip():
            source.fault(key_node, f"{what}: an id was expected, found nothing")
        elif grade is not None:
            judged[item] = grade
        elif isinstance(value_node, yaml.ScalarNode):
            problem = f"a grade was expected (a number, at most {MAX_GRADE:.0f})"
            source.fault(value_node, f"{what}: {item}: {problem}, found {describe(value_node)}")
    return judged


def _evidence(source: Source, found: _Fields, what: str, kind: str) -> tuple[Evidence, ...]:
    if "evidence" not in found:
        return ()
    key_node, node = found["evidence"]
    if "relevant" in found or "expected_doc_ids" in found:
        problem = f"{what}: either relevant items or evidence was expected, found both"
        source.fault(key_node, problem, "evidence names the relevant documents and chunks by itself")
    if kind == "unanswerable":
        source.fault(key_node, f"{what}: no evidence was expected of an unanswerable question, found some")
    entries = items(source, node, f"{what}: evidence")
    if isinstance(node, yaml.SequenceNode) and not entries:
        source.fault(node, f"{what}: evidence: at least one entry was expected, found none")
    read = (_one_evidence(source, entry, f"{what}: evidence") for entry in entries)
    return tuple(evidence for evidence in read if evidence is not None)


def _one_evidence(source: Source, node: yaml.Node, what: str) -> Evidence | None:
    found = fields(source, node, what, _EVIDENCE_KEYS)
    if not found:
        return None
    given = {key: (scalar(source, pair[1], f"{what}: {key}") or "").strip() for key, pair in found.items()}
    if not given.get("doc"):
        source.fault(node, f"{what}: doc: a document's id was expected, found nothing")
    grade = parse_grade(given.get("grade", "1"))
    if grade is None or grade <= 0:
        source.fault(
            found["grade"][1], f"{what}: grade: a number above 0 was expected, found {given['grade']!r}"
        )
    if "quote" in given and not {"start", "end"} & given.keys():
        if not given["quote"]:
            source.fault(found["quote"][1], f"{what}: quote: text was expected, found nothing")
        return Evidence(given.get("doc", ""), quote=given["quote"], grade=grade or 1.0)
    start, end = given.get("start", ""), given.get("end", "")
    whole = re.fullmatch(r"\d+", start, re.ASCII) and re.fullmatch(r"\d+", end, re.ASCII)
    if "quote" in given or not whole or int(start) >= int(end):
        expected = "either a quote, or whole numbers start < end"
        shown = ", ".join(f"{key} {given[key]!r}" for key in ("quote", "start", "end") if key in given)
        source.fault(node, f"{what}: {expected} was expected, found {shown or 'neither'}")
        return None
    return Evidence(given.get("doc", ""), start=int(start), end=int(end), grade=grade or 1.0)
