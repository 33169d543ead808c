"""Golden sets as CSV tables: one question a row."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from strata_rag.errors import Fault, GoldenError
from strata_rag.evaluation.golden import GoldenSet, Question
from strata_rag.evaluation.golden_nodes import read_source

_TEXT_COLUMNS = ("question", "text", "query")
_OTHERS = ("relevant", "kind", "lang", "tags")
HINT = "columns: id, question (or text), and where known relevant (ids apart by spaces), kind, lang, tags"


def load_csv(path: Path, *, level: str) -> GoldenSet:
    """Read a CSV table with the columns ``id`` and ``question`` (or ``text``); others are optional.

    ``relevant`` holds document ids apart by white space or ``;``. A question without any is without labels.

    Raises:
        GoldenError: With every fault found, each at ``file:line:column``.
    """
    lines = read_source(path).text.splitlines(keepends=True)
    reader = csv.reader(lines, delimiter=_delimiter(lines[0] if lines else ""))
    header = [name.strip().casefold() for name in next(reader, [])]
    text_column = next((name for name in _TEXT_COLUMNS if name in header), None)
    if "id" not in header or text_column is None:
        problem = f"the columns id and question (or text) were expected, found {_listed(header)}"
        raise GoldenError([Fault(f"{path}:1:1", problem)], hint=HINT)
    questions: dict[str, Question] = {}
    faults: list[Fault] = []
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        where = f"{path}:{reader.line_num}:1"
        row = dict(zip(header, cells, strict=False))
        question = _question(row, text_column, where)
        if not question.id or not question.text:
            faults.append(Fault(where, "an id and a question were expected, found one of them empty"))
        elif question.id in questions:
            problem = (
                f"id: a unique id was expected, found {question.id!r}, as at {questions[question.id].where}"
            )
            faults.append(Fault(where, problem))
        questions.setdefault(question.id, question)
    if faults:
        raise GoldenError(faults, hint=HINT)
    return GoldenSet(tuple(questions.values()), level=level, origin=str(path))


def _delimiter(header: str) -> str:
    return max(",;\t", key=header.count)


def _question(row: Mapping[str, str], text_column: str, where: str) -> Question:
    more = {name: row.get(name, "").strip() for name in _OTHERS}
    return Question(
        id=row["id"].strip(),
        text=row.get(text_column, "").strip(),
        judged=dict.fromkeys(_ids(more["relevant"]), 1.0),
        kind=more["kind"] or "retrieval",
        lang=more["lang"] or None,
        tags=tuple(_ids(more["tags"])),
        where=where,
    )


def _ids(text: str) -> list[str]:
    return [part for part in re.split(r"[\s;]+", text) if part]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names) or "no header"
