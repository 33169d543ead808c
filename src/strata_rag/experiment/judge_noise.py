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
    notes = [
        f"{one.measure}: {one.n} of {runs[0].record.golden.questions} questions have a value in every run"
        for one in compared[:1]
        if one.measure.of_answers
    ]
    unknown = [str(one.measure) for one in judged if _spreads(runs, one.measure) is None]
    if unknown:
        notes.append(
            f"the judge's own noise is not known in every run ({', '.join(unknown)}): --repeat 2 shows it"
        )
    notes += [note for one in judged for note in _within_noise(runs, one)]
    records = [run.record.answers for run in runs if run.record.answers is not None]
    judges = {str((record.judge or {}).get("model")) for record in records}
    prompts = {tuple(sorted(record.prompts.items())) for record in records}
    if judged and (len(judges) > 1 or len(prompts) > 1):
        notes.append(
            "the runs were judged by different models or prompts: a difference may come from the judge"
        )
    return notes


def _spreads(runs: Sequence[StoredRun], measure: Measure) -> list[float] | None:
    """Return the standard deviation of each run's mean over repetitions; None where some run has none."""
    noises = [run.record.answers.noise.get(measure) if run.record.answers else None for run in runs]
    found = [noise.of_mean for noise in noises if noise is not None]
    return found if len(found) == len(runs) else None


def _within_noise(runs: Sequence[StoredRun], compared: MeasureComparison) -> list[str]:
    names, spreads = run_names(runs), _spreads(runs, compared.measure)
    if spreads is None:
        return []
    notes = []
    for pair in compared.pairs:
        chance = math.hypot(spreads[pair.first], spreads[pair.second])
        if 0 < abs(pair.difference) <= chance:
            notes.append(
                f"{compared.measure}: {names[pair.first]} and {names[pair.second]} differ by "
                f"{abs(pair.difference):.3f}, no more than the judge's own noise ({chance:.3f})"
            )
    return notes
