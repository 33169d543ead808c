"""A comparison as Markdown, for pull requests and pages."""

from __future__ import annotations

from collections.abc import Sequence

from strata_rag.evaluation import Change, Comparison, StoredQuestion
from strata_rag.report import figures
from strata_rag.report.markdown import escape, table

_PLACES = 5
_PAIR_HEADINGS = (
    "pair", "difference", "95 % interval", "p", "corrected p", "wins/ties/losses", "effect", "detectable",
)  # fmt: skip


def comparison_markdown(comparison: Comparison) -> str:
    """Return what ``strata compare --markdown`` prints."""
    names = [escape(name) for name in comparison.names]
    parts = [
        f"### {comparison.primary.measure} over {comparison.primary.n} questions",
        escape(figures.verdict(comparison)),
        _means(comparison, names),
        _pairs(comparison, names),
        *(f"Note: {escape(note)}." for note in (*comparison.notes, figures.unresolved(comparison)) if note),
        f"Method: {figures.methods(comparison)}.",
    ]
    if comparison.exploratory:
        parts.append("#### Exploratory measures (not declared beforehand, nothing corrected)")
        parts.append(_exploratory(comparison))
    if comparison.changes:
        one, other = (names[place] for place in comparison.changed)
        parts.append(f"#### Changed most from {one} to {other}")
        parts += [_change(change, comparison) for change in comparison.changes]
    return "\n\n".join(parts) + "\n"


def _means(comparison: Comparison, names: Sequence[str]) -> str:
    summaries, group = comparison.primary.summaries, set(comparison.group)
    rows = [
        [
            names[place],
            figures.value(summaries[place].value),
            figures.interval(summaries[place].low, summaries[place].high),
            "yes" if place in group else "no",
        ]
        for place in sorted(range(len(names)), key=lambda place: -summaries[place].value)
    ]
    return table(["run", "mean", "95 % interval", "can't be told from the best"], rows)


def _pairs(comparison: Comparison, names: Sequence[str]) -> str:
    rows = [
        [
            f"{names[pair.first]} → {names[pair.second]}",
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
    return table(_PAIR_HEADINGS, rows)


def _exploratory(comparison: Comparison) -> str:
    rows = [
        [str(measure.measure), *(figures.with_interval(found) for found in measure.summaries), str(measure.n)]
        for measure in comparison.exploratory
    ]
    return table(["measure", *map(escape, comparison.names), "n"], rows)


def _change(change: Change, comparison: Comparison) -> str:
    measure = comparison.primary.measure
    one, other = (escape(comparison.names[place]) for place in comparison.changed)
    before, after = (figures.value(side.values[measure]) for side in (change.first, change.second))
    depth = min(_PLACES, max(len(change.first.ranking), len(change.second.ranking), 1))
    rows = [[str(rank + 1), _place(change.first, rank), _place(change.second, rank)] for rank in range(depth)]
    head = f"**{escape(change.first.id)}** {escape(change.first.text)} ({before} → {after})"
    return f"{head}\n\n{table(['rank', one, other], rows, text_columns=3)}"


def _place(question: StoredQuestion, rank: int) -> str:
    if rank >= len(question.ranking):
        return ""
    item = question.ranking[rank].id
    return f"**{escape(item)}**" if item in question.relevant else escape(item)
