"""Calibrate: a judge's grades held against people's labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from strata_rag.errors import InputError, NotMeasurable
from strata_rag.evaluation import (
    Calibration,
    Grades,
    Label,
    StoredRun,
    calibrate,
    find_run,
    grades_in_file,
    judged_value,
    labels_csv,
    labels_jsonl,
    read_answers,
    read_labels,
    sample_answers,
)
from strata_rag.evaluation.judge import JudgeMeasure, grade_of


def export_sample(
    runs_dir: Path, ref: str, *, size: int, seed: int, as_json_lines: bool, with_grades: bool
) -> tuple[str, int]:
    """Return a sample of a run's judged answers for people to label, and how many it holds.

    Raises:
        InputError: The run can't be found, or no answer of it was judged.
    """
    run = find_run(runs_dir, ref)
    sample = sample_answers(read_answers(run.path), size=size, seed=seed)
    if not sample:
        raise InputError(
            f"{run.record.run_id}: expected a run with judged answers, found none",
            hint="evaluate with --judge first",
        )
    write = labels_jsonl if as_json_lines else labels_csv
    return write(run.record.run_id, sample, with_grades=with_grades), len(sample)


def calibrate_judge(
    runs_dir: Path, labels_path: Path, *, refs: Sequence[str] = (), seed: int = 0
) -> Calibration:
    """Hold judges against the labels in a file.

    Judges are the file's own ``judge`` columns, and the runs given; without either, the runs that the file names.

    Args:
        runs_dir: Where the workspace keeps its runs.
        labels_path: People's labels.
        refs: Runs whose judge graded the same answers, the earlier version first.
        seed: Of the bootstrap.

    Raises:
        GoldenError: The labels have faults.
        InputError: A run can't be found, or there is no judge to compare with.
        NotMeasurable: No answer was graded by both a person and a judge.
    """
    labels = read_labels(labels_path)
    judges: dict[str, Grades] = grades_in_file(labels)
    notes: list[str] = []
    for ref in refs:
        run = find_run(runs_dir, ref)
        judges[run.record.run_id] = _grades_for(labels, run, notes)
    if not judges:
        judges = {"judge": _grades_of_named_runs(runs_dir, labels_path, labels, notes)}
    found = replace(calibrate(labels, judges, seed=seed), notes=tuple(notes))
    if all(pair.overall.n == 0 for pair in found.people):
        raise NotMeasurable(
            f"{labels_path}: expected answers graded by a person and by a judge, found none "
            f"({found.labelled} of {found.labels} rows are labelled)",
            hint="fill in the column label with grades from 1 to 5",
        )
    return found


def _grades_for(labels: Sequence[Label], run: StoredRun, notes: list[str]) -> Grades:
    """Return a run's grades of the answers that people labelled; another answer to the same question is left out."""
    answers = {answer.item.question_id: answer for answer in read_answers(run.path)}
    grades: dict[tuple[str, str, JudgeMeasure], int] = {}
    others = 0
    for label in labels:
        answer = answers.get(label.question_id)
        if answer is None:
            continue
        if label.answer and label.answer.split() != answer.text.split():
            others += 1
            continue
        value = judged_value(answer.judgements, label.measure)
        if not math.isnan(value):
            grades[label.run, label.question_id, label.measure] = grade_of(value)
    if others:
        notes.append(
            f"{others} rows are left out: {run.record.run_id} gave another answer than the labelled one"
        )
    return grades


def _grades_of_named_runs(runs_dir: Path, path: Path, labels: Sequence[Label], notes: list[str]) -> Grades:
    named = sorted({label.run for label in labels if label.run})
    if not named:
        raise InputError(
            f"{path}: expected a judge to compare with, found no column judge and no run",
            hint="add --run RUN, or a column judge with its grades",
        )
    found: dict[tuple[str, str, JudgeMeasure], int] = {}
    for ref in named:
        mine = [label for label in labels if label.run == ref]
        found.update(_grades_for(mine, find_run(runs_dir, ref), notes))
    return found
