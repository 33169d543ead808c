"""Golden sets in BEIR's layout: ``queries.jsonl``, ``qrels/<split>.tsv``, and ``answers.jsonl`` where there is one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from strata_rag.errors import Fault, GoldenError
from strata_rag.evaluation.golden import MAX_GRADE, GoldenSet, Question
from strata_rag.evaluation.golden_nodes import HINT, read_source
from strata_rag.evaluation.golden_yaml import parse_grade

_Judged = dict[str, dict[str, float]]


def load_beir(folder: Path, *, split: str, level: str) -> GoldenSet:
    """Read the queries that the split's qrels file judges, in the order of ``queries.jsonl``.

    Queries without a line in the qrels file are left out and counted in `GoldenSet.unjudged`. Reference answers stand
    in ``answers.jsonl``, an object with ``_id`` and ``answer`` (or ``answers``, the first the reference) on each line.

    Raises:
        GoldenError: With every fault of all files.
    """
    qrels_path = _qrels_path(folder, split)
    judged, first_line, faults = _read_qrels(qrels_path)
    questions, unjudged = _read_queries(folder / "queries.jsonl", judged, faults)
    answers = _read_answers(folder / "answers.jsonl", faults)
    questions = [_with_answers(question, answers.get(question.id, ())) for question in questions]
    read = {question.id for question in questions}
    for query_id, line in first_line.items():
        if query_id not in read:
            problem = f"a query of {folder / 'queries.jsonl'} was expected, found the id {query_id!r}"
            faults.append(Fault(f"{qrels_path}:{line}:1", problem))
    if not judged and not faults:
        faults.append(Fault(f"{qrels_path}:1:1", "at least one judgement was expected, found none"))
    if faults:
        raise GoldenError(faults, hint=HINT)
    return GoldenSet(tuple(questions), level=level, origin=str(folder), unjudged=unjudged)


def _qrels_path(folder: Path, split: str) -> Path:
    path = folder / "qrels" / f"{split}.tsv"
    if path.is_file():
        return path
    splits = sorted(found.stem for found in (folder / "qrels").glob("*.tsv"))
    hint = f"splits there are: {', '.join(splits)}" if splits else "the folder holds no qrels/*.tsv"
    raise GoldenError(
        [Fault(str(path), f"the judgements of split {split!r} were expected, found no file")], hint=hint
    )


def _read_qrels(path: Path) -> tuple[_Judged, dict[str, int], list[Fault]]:
    """Return query id -> judged items, query id -> its first line, and the faults."""
    judged: _Judged = {}
    first_line: dict[str, int] = {}
    faults: list[Fault] = []
    for number, raw in enumerate(read_source(path).text.split("\n"), start=1):
        line = raw.rstrip("\r")
        if not line.strip():
            continue
        where = f"{path}:{number}"
        columns = line.split("\t")
        if len(columns) != 3:
            expected = "three columns apart by tabs were expected (query-id, corpus-id, score)"
            faults.append(Fault(f"{where}:1", f"{expected}, found {len(columns)}"))
            continue
        query_id, item, score = columns
        score_column = len(query_id) + len(item) + 3
        grade = parse_grade(score.strip())
        if number == 1:
            if grade is not None:
                expected = "the header query-id, corpus-id, score was expected"
                faults.append(
                    Fault(f"{where}:1", f"{expected}, found a judgement", "put the header line first")
                )
        elif not query_id.strip() or not item.strip():
            faults.append(Fault(f"{where}:1", "a query id and an item id were expected, found nothing"))
        elif grade is None:
            expected = f"a grade was expected (a number, at most {MAX_GRADE:.0f})"
            faults.append(Fault(f"{where}:{score_column}", f"{expected}, found {score!r}"))
        elif judged.setdefault(query_id, {}).setdefault(item, grade) != grade:
            found = f"{judged[query_id][item]:g} and {grade:g}"
            problem = f"one grade for query {query_id!r} and item {item!r} was expected, found {found}"
            faults.append(Fault(f"{where}:{score_column}", problem))
        if number > 1:
            first_line.setdefault(query_id, number)
    return judged, first_line, faults


def _read_queries(path: Path, judged: _Judged, faults: list[Fault]) -> tuple[list[Question], int]:
    """Return the judged queries and how many are unjudged; faults are added to the list given."""
    questions: list[Question] = []
    seen: dict[str, int] = {}
    unjudged = 0
    for number, query in _json_lines(path, faults):
        where = f"{path}:{number}"
        query_id = _text(query, "_id")
        text = _text(query, "text")
        if not query_id:
            faults.append(Fault(f"{where}:1", "an object with _id and text was expected, found no _id"))
        elif query_id in seen:
            problem = f"_id: a unique id was expected, found {query_id!r}, as on line {seen[query_id]}"
            faults.append(Fault(f"{where}:1", problem))
        elif query_id not in judged:
            unjudged += 1
        else:
            if not text.strip():
                faults.append(Fault(f"{where}:1", f"text of query {query_id!r} was expected, found nothing"))
            questions.append(Question(query_id, text, judged[query_id], where=f"{where}:1"))
        seen.setdefault(query_id, number)
    return questions, unjudged


def _read_answers(path: Path, faults: list[Fault]) -> dict[str, tuple[str, ...]]:
    """Return query id -> its answers; an empty map where the folder holds none."""
    if not path.exists():
        return {}
    found: dict[str, tuple[str, ...]] = {}
    for number, row in _json_lines(path, faults):
        where = f"{path}:{number}:1"
        query_id = _text(row, "_id")
        given = row.get("answer", row.get("answers")) if isinstance(row, dict) else None
        answers = given if isinstance(given, list) else [given]
        texts = [str(one) for one in answers if isinstance(one, str | int) and not isinstance(one, bool)]
        if not query_id:
            faults.append(Fault(where, "an object with _id and answer was expected, found no _id"))
        elif query_id in found:
            faults.append(Fault(where, f"_id: a unique id was expected, found {query_id!r} again"))
        elif not any(text.strip() for text in texts):
            faults.append(Fault(where, f"answer of query {query_id!r} was expected, found nothing"))
        found.setdefault(query_id, tuple(dict.fromkeys(text for text in texts if text.strip())))
    return found


def _with_answers(question: Question, answers: tuple[str, ...]) -> Question:
    if not answers:
        return question
    return replace(question, reference_answer=answers[0], further_answers=answers[1:])


def _json_lines(path: Path, faults: list[Fault]) -> Iterator[tuple[int, object]]:
    """Yield the number and value of each line that holds one; faults are added to the list given."""
    for number, line in enumerate(read_source(path).text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            column = error.pos + 1 if isinstance(error, json.JSONDecodeError) else 1
            problem = f"one JSON object was expected on this line, found: {error}"
            faults.append(Fault(f"{path}:{number}:{column}", problem))


def _text(query: object, key: str) -> str:
    value = query.get(key) if isinstance(query, dict) else None
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    return str(value)
