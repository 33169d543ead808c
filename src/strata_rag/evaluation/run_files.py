"""A run's folder: written whole or not at all, and read back.

``run.json`` holds the record; ``ranking.trec``, ``qrels.trec`` and ``per_query.jsonl`` follow from golden
set, rankings and values alone, so two runs of the same thing agree in them byte by byte. ``answers.jsonl``, in
runs with answers, follows from the answers and verdicts.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from strata_rag.errors import InputError, WriteFailed
from strata_rag.evaluation.answer_files import ANSWERS, answer_lines
from strata_rag.evaluation.answered import AnsweredQuestion
from strata_rag.evaluation.golden import GoldenSet
from strata_rag.evaluation.measures import Measure, PerQuery
from strata_rag.evaluation.run_json import dump, from_json, to_json
from strata_rag.evaluation.runs import RunRecord
from strata_rag.evaluation.trec import DECIMALS, RankedItem, distinct, format_qrels, format_run

RECORD = "run.json"
RANKING = "ranking.trec"
QRELS = "qrels.trec"
PER_QUERY = "per_query.jsonl"
TAG = "strata"


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run on disk: its folder and its record."""

    path: Path
    record: RunRecord


@dataclass(frozen=True, slots=True)
class StoredQuestion:
    """One line of ``per_query.jsonl``.

    Attributes:
        id: Of the question.
        text: The question as asked.
        kind: Of the question.
        values: Measure -> value, NaN where undefined.
        ranking: The distinct items, best first, to the run's depth; empty where it was not asked for.
        relevant: Item id -> grade above 0.
        lang: Language of the question, where stated.
        tags: Free labels.
    """

    id: str
    text: str
    kind: str
    values: Mapping[Measure, float]
    ranking: tuple[RankedItem, ...]
    relevant: Mapping[str, float]
    lang: str | None = None
    tags: tuple[str, ...] = ()


def write_run(
    folder: Path,
    record: RunRecord,
    golden: GoldenSet,
    rankings: Mapping[str, Sequence[RankedItem]],
    per_query: PerQuery,
    answered: Sequence[AnsweredQuestion] = (),
) -> None:
    """Write a run's files into a folder that must not exist yet.

    They are written into ``.<name>.partial`` beside it, which is renamed at the end.

    Args:
        folder: The run's folder; its parent is made if need be.
        record: Goes to ``run.json``.
        golden: The questions that were evaluated.
        rankings: Question id -> ranking, best first. Kept to `RunRecord.depth` distinct items.
        per_query: Of `evaluate` over the same golden set; answers' measures may stand beside.
        answered: What goes to ``answers.jsonl``; without any there is no such file.

    Raises:
        InputError: The folder exists.
        WriteFailed: The disk refused; nothing is left behind.
    """
    ids = tuple(question.id for question in golden.questions)
    if per_query.query_ids != ids:
        raise ValueError("per_query: the questions of the golden set in its order were expected")
    if folder.exists():
        raise InputError(f"{folder}: a new folder was expected, found one", hint="give the run another id")
    kept = {query_id: distinct(rankings.get(query_id, ()), record.depth) for query_id in ids}
    partial = folder.parent / f".{folder.name}.partial"
    try:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        _write(partial / RANKING, format_run(kept, ids, tag=TAG))
        _write(partial / QRELS, format_qrels(golden))
        _write(partial / PER_QUERY, _lines(golden, kept, per_query))
        if answered:
            _write(partial / ANSWERS, answer_lines(answered))
        _write(partial / RECORD, [dump(to_json(record), indent=2), "\n"])
        partial.rename(folder)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        problem = f"{folder}: the run could not be written: {error.strerror or error}"
        raise WriteFailed(
            problem, hint="free some space or check permissions, then evaluate again"
        ) from error
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def read_run(path: Path) -> StoredRun:
    """Read the record of a run's folder.

    Raises:
        InputError: The folder holds no whole run.
    """
    try:
        there = {entry.name for entry in path.iterdir() if entry.is_file()}
    except OSError as error:
        problem = f"{path}: a run's folder was expected, found: {error.strerror or error}"
        raise InputError(problem, hint="`strata runs list` shows the runs there are") from error
    missing = [name for name in (RECORD, RANKING, QRELS, PER_QUERY) if name not in there]
    if missing:
        problem = f"{path}: a run was expected, found no {', no '.join(missing)}"
        raise InputError(problem, hint="`strata runs list` shows the runs there are")
    return StoredRun(path, from_json(_read(path / RECORD), origin=str(path / RECORD)))


def read_questions(
    run: StoredRun, *, rows: Collection[int] | None = None, rankings: bool = True
) -> list[StoredQuestion]:
    """Read what a run holds per question, in the order of its golden set.

    Args:
        run: The run.
        rows: Only the questions at these places, counted from 0; None for all.
        rankings: Whether rankings are read as well; without them it is several times faster.

    Raises:
        InputError: ``per_query.jsonl`` can't be read.
    """
    path = run.path / PER_QUERY
    questions = []
    for number, line in enumerate(_read(path).split("\n"), start=1):
        if line and (rows is None or number - 1 in rows):
            try:
                raw = json.loads(line if rankings else _without_ranking(line))
                questions.append(_question(raw, rankings))
            except (KeyError, TypeError, ValueError, AttributeError, InputError) as error:
                problem = f"{path}:{number}:1: a question of a run was expected, found: {error}"
                raise InputError(problem, hint="the run is damaged; evaluate again") from None
    return questions


def read_per_query(run: StoredRun) -> PerQuery:
    """Read a run's value matrix; see `read_questions`."""
    return values_of(run, read_questions(run, rankings=False))


def values_of(run: StoredRun, questions: Sequence[StoredQuestion]) -> PerQuery:
    """Lay out the values of a run's questions as a matrix.

    Raises:
        InputError: A question lacks the value of a measure.
    """
    measures = tuple(run.record.measures)
    try:
        rows = [[question.values[measure] for measure in measures] for question in questions]
    except KeyError as error:
        problem = (
            f"{run.path / PER_QUERY}: a value of every measure was expected, found none of {error.args[0]}"
        )
        raise InputError(problem, hint="the run is damaged; evaluate again") from None
    values = np.array(rows, dtype=np.float64).reshape(len(questions), len(measures))
    return PerQuery(tuple(question.id for question in questions), measures, values)


def _lines(
    golden: GoldenSet, rankings: Mapping[str, Sequence[RankedItem]], per_query: PerQuery
) -> Iterator[str]:
    names = [str(measure) for measure in per_query.measures]
    for question, values in zip(golden.questions, per_query.values.tolist(), strict=True):
        line = {
            "id": question.id,
            "question": question.text,
            "kind": question.kind,
            **({"lang": question.lang} if question.lang else {}),
            **({"tags": list(question.tags)} if question.tags else {}),
            "values": dict(zip(names, values, strict=True)),
            "ranking": [
                {"id": item.id, "score": _rounded(item.score), "chunk_id": item.chunk_id}
                for item in rankings[question.id]
            ],
            "relevant": {item: float(grade) for item, grade in sorted(question.relevant.items())},
        }
        yield dump(line) + "\n"


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(float(score), DECIMALS) + 0.0  # + 0.0 makes -0.0 a 0.0


def _without_ranking(line: str) -> str:
    """Cut the ranking, nine tenths of a line, out of it before it is parsed.

    Quotes inside JSON strings are escaped, so both marks can only be keys; a line laid out otherwise stays whole.
    """
    start = line.find(', "ranking": [')
    end = line.find('], "relevant": {', start)
    return line[:start] + line[end + 1 :] if 0 <= start < end else line


def _question(raw: dict[str, Any], rankings: bool) -> StoredQuestion:
    return StoredQuestion(
        id=raw["id"],
        text=raw["question"],
        kind=raw["kind"],
        values={
            _measure(name): float("nan") if value is None else float(value)
            for name, value in raw["values"].items()
        },
        ranking=tuple(RankedItem(item["id"], item["score"], item["chunk_id"]) for item in raw["ranking"])
        if rankings
        else (),
        relevant=dict(raw["relevant"]),
        lang=raw.get("lang"),
        tags=tuple(raw.get("tags", ())),
    )


_measure = functools.lru_cache(maxsize=256)(Measure.parse)  # the same few names on thousands of lines


def _write(path: Path, parts: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        found = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        problem = f"{path}: a readable file was expected, found: {found}"
        raise InputError(problem, hint="check permissions, or evaluate again") from error
