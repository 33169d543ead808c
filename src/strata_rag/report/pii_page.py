"""A comparison of detectors as one HTML file that asks nothing of the network."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from strata_rag.privacy import PiiComparison
from strata_rag.report.pii import shown_score

_STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}
table{border-collapse:collapse;margin:1rem 0}th,td{padding:.25rem .75rem;border-bottom:1px solid #ccc;text-align:left}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}svg{max-width:100%;height:auto}.note{color:#555}
@media (prefers-color-scheme:dark){body{color:#e8e8e8;background:#161616}th,td{border-color:#444}.note{color:#aaa}}
"""
_COLOURS = ("#3465a4", "#c4701a")
_ROW, _LEFT, _WIDTH = 18, 190, 640


def pii_page(result: PiiComparison) -> str:
    """Return the page."""
    names = list(result.detectors)
    kinds = sorted({kind for figures in result.detectors.values() for kind in figures})
    parts = [
        f"<p>{result.documents} documents, {result.megabytes:.2f} MB, one policy "
        f"(<code>{escape(result.policy)}</code>). No value of any finding is in this file.</p>",
        *(f'<p class="note">{escape(line)}</p>' for line in result.missing.values()),
        "<h2>Redacted findings by kind</h2>",
        _bars(kinds, [[_redacted(result, name, kind) for kind in kinds] for name in names], names, "{:.0f}"),
        "<h2>Figures</h2>",
        _table(
            ("detector", "kind", "found", "kept", "redacted", "exact F1", "overlap F1"),
            (
                (
                    name,
                    kind,
                    one.found,
                    one.kept,
                    one.redacted,
                    shown_score(one.exact),
                    shown_score(one.overlap),
                )
                for name, figures in result.detectors.items()
                for kind, one in figures.items()
            ),
        ),
    ]
    if result.labelled:
        parts += [
            f"<h2>F1 on {result.labelled} labelled texts, overlapping spans</h2>",
            _bars(kinds, [[_f1(result, name, kind) for kind in kinds] for name in names], names, "{:.3f}"),
        ]
    parts += _agreement(result, names)
    speeds = ", ".join(
        f"{escape(name)} {speed:.2f} MB/s" for name, speed in result.megabytes_per_second.items()
    )
    parts.append(f"<p>{speeds}. {result.secrets} secrets, whatever the detector.</p>")
    title = "Detectors of personal data compared"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{_STYLE}</style></head><body><h1>{title}</h1>\n" + "\n".join(parts) + "\n</body></html>\n"
    )


def _agreement(result: PiiComparison, names: Sequence[str]) -> list[str]:
    """Return the part on where two detectors agree; nothing where only one ran."""
    if not result.agreement:
        return []
    equal, alike = result.equal_decisions
    rows = (
        (kind, one.equal, one.partial, *(one.only.get(name, 0) for name in names))
        for kind, one in result.agreement.items()
    )
    return [
        "<h2>Agreement</h2>",
        _table(("kind", "equal", "partly overlapping", *(f"only {name}" for name in names)), rows),
        f"<p>{equal} findings are equal; the policy decided {alike} of them alike.</p>",
        f"<h2>The first {len(result.findings)} findings, masked</h2>",
        _table(
            ("document", "offset", "length", "kind", "relation", *names),
            (
                (
                    *(one.document, one.offset, one.length, one.entity, one.relation),
                    *(one.decisions.get(name, "not found") for name in names),
                )
                for one in result.findings
            ),
        ),
    ]


def _redacted(result: PiiComparison, name: str, kind: str) -> float:
    figures = result.detectors[name].get(kind)
    return float(figures.redacted) if figures else math.nan


def _f1(result: PiiComparison, name: str, kind: str) -> float:
    figures = result.detectors[name].get(kind)
    return figures.overlap.f1 if figures and figures.overlap else math.nan


def _table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>\n" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"


def _cell(value: object) -> str:
    numeric = ' class="n"' if isinstance(value, int | float) else ""
    return f"<td{numeric}>{escape(str(value))}</td>"


def _bars(kinds: Sequence[str], series: Sequence[Sequence[float]], names: Sequence[str], shown: str) -> str:
    """Return horizontal bars, one group a kind; what was not measured has none."""
    most = max((value for values in series for value in values if not math.isnan(value)), default=0.0) or 1.0
    group = _ROW * len(names) + 8
    height = group * len(kinds) + 30
    marks = []
    for at, kind in enumerate(kinds):
        top = at * group
        marks.append(f'<text x="{_LEFT - 8}" y="{top + 14}" text-anchor="end">{escape(kind)}</text>')
        for number, values in enumerate(series):
            value, y = values[at], top + number * _ROW
            if math.isnan(value):
                marks.append(f'<text x="{_LEFT}" y="{y + 13}" class="note">not measured</text>')
                continue
            length = value / most * (_WIDTH - _LEFT - 60)
            colour = _COLOURS[number % len(_COLOURS)]
            marks.append(
                f'<rect x="{_LEFT}" y="{y + 2}" width="{length:.1f}" height="{_ROW - 5}" fill="{colour}"/>'
            )
            marks.append(f'<text x="{_LEFT + length + 6:.1f}" y="{y + 13}">{shown.format(value)}</text>')
    for number, name in enumerate(names):
        x = _LEFT + number * 120
        marks.append(
            f'<rect x="{x}" y="{height - 20}" width="12" height="12" fill="{_COLOURS[number % 2]}"/>'
        )
        marks.append(f'<text x="{x + 18}" y="{height - 9}">{escape(name)}</text>')
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" role="img" aria-label="bars by kind" '
        f'font-size="12" fill="currentColor">{"".join(marks)}</svg>'
    )
