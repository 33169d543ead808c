"""What a reader of a comparison should know of the judge behind its figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from strata_rag.evaluation import Measure, MeasureComparison, StoredRun, run_names

_PASSED = Measure("Passed")


def noise_notes(runs: Sequence[StoredRun], compared: Sequence[MeasureComparison]) -> list[str]:
    """Flag differences under judged measures that the judge's own noise could make, or of which nothing is known.

    Two means whose repetitions have the standard deviations s and t differ by chance with sqrt(s^2 + t^2).
    """
    judged = [one for one in compared if one.measure.judged and one.measure != _PASSED]
    notes = [note for one in judged for note in _of_measure(runs, one)]
    records = [run.record.answers for run in runs if run.record.answers is not None]
    judges = {str((record.judge or {}).get("model")) for record in records}
    prompts = {tuple(sorted(record.prompts.items())) for record in records}
    if judged and (len(judges) > 1 or len(prompts) > 1):
        notes.append(
            "the runs were judged by different models or prompts: a difference may come from the judge"
        )
    return notes


def _of_measure(runs: Sequence[StoredRun], compared: MeasureComparison) -> list[str]:
    measure, names = compared.measure, run_names(runs)
    noises = [run.record.answers.noise.get(measure) if run.record.answers else None for run in runs]
    spreads = [noise.of_mean for noise in noises if noise is not None]
    if len(spreads) < len(runs):
        return [f"{measure}: the judge's own noise is not known in every run; --repeat 2 shows it"]
    notes = []
    for pair in compared.pairs:
        chance = math.hypot(spreads[pair.first], spreads[pair.second])
        if 0 < abs(pair.difference) <= chance:
            notes.append(
                f"{measure}: {names[pair.first]} and {names[pair.second]} differ by {abs(pair.difference):.3f}, "
                f"no more than the judge's own noise ({chance:.3f})"
            )
    return notes
