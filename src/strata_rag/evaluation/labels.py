"""People's labels of judged answers: a table to fill in, and what was filled in."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from strata_rag.errors import Fault, GoldenError, InputError
from strata_rag.evaluation.answer_files import StoredAnswer
from strata_rag.evaluation.answered import judged_value
from strata_rag.evaluation.judge import JUDGE_MEASURES, JudgeMeasure, grade_of

T = TypeVar("T")

COLUMNS = (
    "run", "question_id", "measure", "kind", "question", "reference", "answer", "passages", "label", "note",
)  # fmt: skip
_GRADE = re.compile(r"([1-5])(?:[.,]0+)?(?:\s*/\s*5)?")
_JUDGE = re.compile(r"judge(?:[\W_].*)?", re.IGNORECASE)
_HINT = "keep the columns that `strata judge export` wrote, and give each label as a whole number from 1 to 5"


@dataclass(frozen=True, slots=True)
class Label:
    """One answer under one measure, as people and judges graded it.

    Attributes:
        question_id: Of the golden set.
        measure: What was graded.
        grade: A person's, 1 to 5; None where it was left empty.
        run: The run that the answer is from, or an empty string.
        answer: The answer that was graded, or an empty string where the file does not hold it.
        judges: Column -> grade, of the judges whose grades stand in the file.
    """

    question_id: str
    measure: JudgeMeasure
    grade: int | None
    run: str = ""
    answer: str = ""
    judges: Mapping[str, int] = field(default_factory=dict)


def sample_answers(
    answers: Sequence[StoredAnswer], *, size: int, seed: int
) -> list[tuple[StoredAnswer, JudgeMeasure, int]]:
    """Draw judged answers for people to label: as even as there are over measures, the judge's grades and kinds.

    Args:
        answers: Of one run.
        size: How many, at most.
        seed: Of the draw; the same seed draws the same.

    Returns:
        Answer, measure and the judge's grade, in a drawn order.
    """
    rng = np.random.Generator(np.random.PCG64(seed))
    strata: dict[JudgeMeasure, dict[int, dict[str, list[tuple[StoredAnswer, JudgeMeasure, int]]]]] = {}
    for answer in answers:
        for measure in JUDGE_MEASURES:
            value = judged_value(answer.judgements, measure)
            if value == value:
                grade = grade_of(value)
                kinds = strata.setdefault(measure, {}).setdefault(grade, {})
                kinds.setdefault(answer.kind, []).append((answer, measure, grade))
    by_measure = []
    for _, grades in sorted(strata.items()):
        by_grade = [
            _in_turn([_shuffled(found, rng) for _, found in sorted(kinds.items())])
            for _, kinds in sorted(grades.items())
        ]
        by_measure.append(_in_turn(by_grade))
    return _shuffled(_in_turn(by_measure)[:size], rng)


def labels_csv(
    run_id: str, sample: Sequence[tuple[StoredAnswer, JudgeMeasure, int]], *, with_grades: bool
) -> str:
    """Write a sample as CSV; the judge's grades are left out unless asked for, so that they sway nobody."""
    out = io.StringIO()
    columns = [*COLUMNS, *(["judge"] if with_grades else [])]
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for answer, measure, grade in sample:
        row = _row(run_id, answer, measure)
        writer.writerow(
            {key: _harmless(text) for key, text in row.items()} | ({"judge": grade} if with_grades else {})
        )
    return out.getvalue()


def labels_jsonl(
    run_id: str, sample: Sequence[tuple[StoredAnswer, JudgeMeasure, int]], *, with_grades: bool
) -> str:
    """Write a sample as JSON lines; see `labels_csv`."""
    lines = []
    for answer, measure, grade in sample:
        row: dict[str, Any] = {**_row(run_id, answer, measure), "label": None}
        lines.append(json.dumps(row | ({"judge": grade} if with_grades else {}), ensure_ascii=False) + "\n")
    return "".join(lines)


def read_labels(path: Path) -> list[Label]:
    """Read labels, CSV (commas, semicolons or tabs) or JSON lines; every column that begins with ``judge`` is a judge.

    Raises:
        GoldenError: With every fault, each at its line.
        InputError: The file can't be read.
    """
    faults: list[Fault] = []
    labels: list[Label] = []
    seen: dict[tuple[str, str, str], int] = {}
    for number, row in _rows(path, faults):
        label = _label(row, f"{path}:{number}:1", faults)
        if label is None:
            continue
        key = (label.run, label.question_id, label.measure)
        if key in seen:
            expected = f"one label for {label.question_id!r}, {label.measure} was expected"
            problem = f"{expected}, found another on line {seen[key]}"
            faults.append(Fault(f"{path}:{number}:1", problem))
        seen.setdefault(key, number)
        labels.append(label)
    if not labels and not faults:
        faults.append(Fault(f"{path}:1:1", "at least one label was expected, found none"))
    if faults:
        raise GoldenError(faults, hint=_HINT)
    return labels


def _row(run_id: str, answer: StoredAnswer, measure: JudgeMeasure) -> dict[str, str]:
    item = answer.item
    passages = "\n\n".join(f"[{passage.number}] {passage.doc_id}\n{passage.text}" for passage in item.context)
    return {
        "run": run_id,
        "question_id": item.question_id,
        "measure": measure,
        "kind": answer.kind,
        "question": item.question,
        "reference": item.reference or "",
        "answer": answer.text,
        "passages": passages,
        "label": "",
        "note": "",
    }


def _harmless(text: str) -> str:
    """Keep a spreadsheet from taking a document's text for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _as_written(text: str) -> str:
    """Undo `_harmless`."""
    return text[1:] if text[:1] == "'" and text[1:2] in ("=", "+", "-", "@") else text


def _rows(path: Path, faults: list[Fault]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        found = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(f"{path}: expected a file of labels in UTF-8, found: {found}", hint=_HINT) from error
    if path.suffix.lower() == ".jsonl":
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                try:
                    row = json.loads(line)
                except (ValueError, RecursionError) as error:
                    faults.append(Fault(f"{path}:{number}:1", f"a JSON object was expected, found: {error}"))
                    continue
                if isinstance(row, dict):
                    yield number, row
                else:
                    faults.append(Fault(f"{path}:{number}:1", "a JSON object was expected"))
        return
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        missing = {"question_id", "measure", "label"} - set(reader.fieldnames or ())
        if missing:
            faults.append(Fault(f"{path}:1:1", f"the columns {', '.join(sorted(missing))} were expected"))
            return
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        faults.append(Fault(f"{path}:{reader.line_num}:1", f"CSV was expected, found: {error}"))


def _label(row: Mapping[str, Any], where: str, faults: list[Fault]) -> Label | None:
    question_id = str(row.get("question_id") or "").strip()
    name = str(row.get("measure") or "").strip()
    measure = next((known for known in JUDGE_MEASURES if known.casefold() == name.casefold()), None)
    if not question_id or measure is None:
        expected = f"question_id and one of the measures {', '.join(JUDGE_MEASURES)} were expected"
        faults.append(Fault(where, f"{expected}, found {question_id!r} and {name!r}"))
        return None
    grades = {
        column: _grade(row[column], f"{column} of {question_id!r}", where, faults)
        for column in row
        if column == "label" or (isinstance(column, str) and _JUDGE.fullmatch(column))
    }
    own = grades.pop("label", None)
    judges = {column: grade for column, grade in grades.items() if grade is not None}
    run, answer = (str(row.get(column) or "").strip() for column in ("run", "answer"))
    return Label(question_id, measure, own, run, _as_written(answer), judges)


def _grade(value: Any, what: str, where: str, faults: list[Fault]) -> int | None:
    text = "" if value is None else str(value).strip()
    if not text:
        return None
    written = _GRADE.fullmatch(text)
    if written is None or isinstance(value, bool):
        expected = "a whole number from 1 to 5, or nothing, was expected"
        faults.append(Fault(where, f"{what}: {expected}, found {text[:40]!r}"))
        return None
    return int(written[1])


def _shuffled(things: Sequence[T], rng: np.random.Generator) -> list[T]:
    return [things[place] for place in rng.permutation(len(things))]


def _in_turn(lists: Iterable[Sequence[T]]) -> list[T]:
    """Take one from each list in turn until all are empty."""
    kept = [list(one) for one in lists]
    longest = max(map(len, kept), default=0)
    return [one[place] for place in range(longest) for one in kept if place < len(one)]
