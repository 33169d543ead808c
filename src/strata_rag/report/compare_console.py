"""A comparison as text for people."""

from __future__ import annotations

import shutil
from itertools import zip_longest

from strata_rag.evaluation import Change, Comparison, MeasureComparison, StoredQuestion
from strata_rag.report import figures
from strata_rag.report.tables import print_rows

_PLACES = 5  # of each ranking set side by side
_FOUND = "*"


def print_comparison(comparison: Comparison) -> None:
    """Print means, paired differences, what can be told apart, further measures and the largest changes."""
    primary = comparison.primary
    print(f"{primary.measure} (primary), {primary.n} questions\n")
    print_rows(["run", "mean", "95 % interval"], _means(comparison, primary))
    print("\npaired differences, second minus first\n")
    print_rows(_PAIR_HEADINGS, _pairs(comparison))
    print(f"\n{figures.verdict(comparison)}")
    if too_close := figures.unresolved(comparison):
        print(too_close)
    for note in comparison.notes:
        print(f"note: {note}")
    print(figures.methods(comparison))
    if comparison.exploratory:
        print("\nexploratory: not declared beforehand, p not corrected\n")
        print_rows(_EXPLORATORY_HEADINGS, _exploratory(comparison), text_columns=2)
    if comparison.changes:
        one, other = (comparison.names[place] for place in comparison.changed)
        print(f"\nchanged most from {one} to {other} (* relevant)")
        for change in comparison.changes:
            _print_change(change, comparison, one, other)


_PAIR_HEADINGS = (
    "pair", "difference", "95 % interval", "p", "corrected p", "wins/ties/losses", "effect", "detectable",
)  # fmt: skip
_EXPLORATORY_HEADINGS = ("measure", "run", "mean", "to the best", "95 % interval", "p", "n")


def _means(comparison: Comparison, measure: MeasureComparison) -> list[list[str]]:
    order = sorted(range(len(comparison.runs)), key=lambda place: -measure.summaries[place].value)
    return [
        [
            comparison.names[place],
            figures.value(measure.summaries[place].value),
            figures.interval(measure.summaries[place].low, measure.summaries[place].high),
        ]
        for place in order
    ]


def _pairs(comparison: Comparison) -> list[list[str]]:
    return [
        [
            f"{comparison.names[pair.first]} -> {comparison.names[pair.second]}",
            figures.signed(pair.difference),
            figures.signed_interval(pair.low, pair.high),
            figures.p_value(pair.test.p),
            figures.p_value(pair.p),
            figures.outcome(pair),
            figures.signed(pair.effect, 2),
            figures.value(pair.detectable),
        ]
        for pair in comparison.primary.pairs
    ]


def _exploratory(comparison: Comparison) -> list[list[str]]:
    rows = []
    best = comparison.primary.best
    for measure in comparison.exploratory:
        for place, name in enumerate(comparison.names):
            mean = figures.value(measure.summaries[place].value)
            first = str(measure.measure) if place == 0 else ""
            if place == best:
                rows.append([first, name, mean, "", "", "", str(measure.n)])
                continue
            pair = measure.pair(place, best)
            sign = 1 if pair.second == place else -1
            low, high = (pair.low, pair.high) if sign > 0 else (-pair.high, -pair.low)
            rows.append(
                [
                    first,
                    name,
                    mean,
                    figures.signed(sign * pair.difference),
                    figures.signed_interval(low, high),
                    figures.p_value(pair.test.p),
                    str(measure.n),
                ]
            )
    return rows


def _print_change(change: Change, comparison: Comparison, one: str, other: str) -> None:
    measure = comparison.primary.measure
    before, after = change.first.values[measure], change.second.values[measure]
    print(
        f"\n{figures.signed(change.difference)}  {change.first.id}  {' '.join(change.first.text.split())}\n"
        f"        {measure} {figures.value(before)} -> {figures.value(after)}"
    )
    width = max((min(shutil.get_terminal_size((100, 24)).columns, 120) - 8) // 2, 20)
    print(f"        {_cut(one, width):{width}}{_cut(other, width)}")
    for left, right in zip_longest(_places(change.first), _places(change.second), fillvalue=""):
        print(f"        {_cut(left, width):{width}}{_cut(right, width)}".rstrip())


def _places(question: StoredQuestion) -> list[str]:
    if not question.ranking:
        return ["  (no results)"]
    lines = []
    for rank, item in enumerate(question.ranking, 1):
        found = _FOUND if item.id in question.relevant else " "
        if rank <= _PLACES or found == _FOUND:
            lines.append(f"{found} {rank}. {item.id}")
    return lines[: 2 * _PLACES]


def _cut(text: str, width: int) -> str:
    """Shorten in the middle: ids differ at their ends."""
    room = width - 2
    if len(text) <= room:
        return text
    head = room // 3
    return f"{text[:head]}...{text[len(text) - (room - head - 3) :]}"
