"""The tables of a report page: leaderboard, differences, slices, config, environment."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from strata_rag.evaluation import Measure, RunRecord, Summary
from strata_rag.report import figures
from strata_rag.report.content import ReportContent
from strata_rag.report.page_html import Html, el, join
from strata_rag.report.page_plots import axis_plot, interval_plot, interval_scale

_MISSING = object()


def heading(label: str, *, number: bool = True, hint: str | None = None) -> Html:
    """Return a column's heading that sorts its table when it is pressed."""
    button = el("button", label, type="button", title=hint)
    return el("th", button, cls="num" if number else None, scope="col", aria_sort="none")


def cell(value: float, shown: str, below: str = "") -> Html:
    """Return a number's cell, with what stands small below it."""
    small = [el("small", below)] if below and below != figures.NONE else []
    return el("td", shown, *small, cls="num", data_value="" if math.isnan(value) else f"{value:.9g}")


def grid(head: Sequence[str], rows: Sequence[str], *, name: str, cls: str | None = None) -> Html:
    """Return a table that scrolls by itself where the page is too narrow."""
    table = el("table", el("thead", el("tr", *head)), el("tbody", *rows), id=name, cls=cls)
    return el("div", table, cls="scroll", tabindex="0", role="region", aria_label=name)


def run_name(content: ReportContent, place: int) -> Html:
    """Return a run's number and name, in its colour."""
    badge = el("span", str(place + 1), cls=f"badge c{place % 8}")
    return join(badge, " ", content.names[place])


def leaderboard(content: ReportContent) -> Html:
    """Return the table of all runs: every measure with its interval, and the time of a question."""
    measures = [content.primary, *(m for m in content.tables[0].values.measures if m != content.primary)]
    everywhere = [m for m in measures if all(m in table.values.measures for table in content.tables)]
    shared = [m for m in everywhere if m == content.primary or not m.of_answers]
    summaries = [_summaries(content, place, shared) for place in range(len(content.runs))]
    ends = [end for found in summaries for end in (found[content.primary].low, found[content.primary].high)]
    scale = interval_scale([*ends, *(f[content.primary].value for f in summaries)], around_zero=False)
    group = set(content.comparison.group) if content.comparison is not None else set()
    head = [
        heading("run", number=False),
        heading(f"{content.primary} (primary)" if len(shared) > 1 else str(content.primary)),
        el("th", axis_plot(scale, signed=False), scope="col", cls="plot"),
        *(heading(str(measure)) for measure in shared[1:]),
        heading("ms", hint="median time of a question, in milliseconds"),
        heading("n", hint="questions with a value of the primary measure"),
    ]
    rows = []
    for place in content.order:
        found = summaries[place]
        primary = found[content.primary]
        timing = content.runs[place].record.timings_ms.get("total")
        time = timing.p50 if timing is not None else math.nan
        tied = (
            [el("small", "can't be told from the best")] if place in group and place != content.best else []
        )
        rows.append(
            el(
                "tr",
                el("th", run_name(content, place), *tied, scope="row", data_value=content.names[place]),
                cell(
                    primary.value, figures.value(primary.value), figures.interval(primary.low, primary.high)
                ),
                el(
                    "td",
                    interval_plot(primary.value, primary.low, primary.high, scale, zero=False, place=place),
                    cls="plot",
                ),
                *(
                    cell(
                        found[m].value,
                        figures.value(found[m].value),
                        figures.interval(found[m].low, found[m].high),
                    )
                    for m in shared[1:]
                ),
                cell(time, figures.value(time, 1)),
                cell(primary.n, str(primary.n)),
                cls="best" if place == content.best and len(content.runs) > 1 else None,
            )
        )
    return grid(head, rows, name="leaderboard")


def differences(content: ReportContent) -> Html:
    """Return the table of paired differences; empty for a single run."""
    comparison = content.comparison
    if comparison is None:
        return Html("")
    pairs = comparison.primary.pairs
    ends = [end for pair in pairs for end in (pair.low, pair.high, pair.difference)]
    scale = interval_scale(ends, around_zero=True)
    head = [
        heading("pair", number=False),
        heading("difference"),
        el("th", axis_plot(scale, signed=True), scope="col", cls="plot"),
        heading("p"),
        heading("corrected p"),
        heading("wins", hint="questions on which the second run is better"),
        heading("ties"),
        heading("losses"),
        heading("effect", hint="Cohen's d_z"),
        heading("detectable", hint="smallest true difference that so many questions show with 80 % power"),
    ]
    rows = [
        el(
            "tr",
            el(
                "th",
                join(run_name(content, pair.first), " → ", run_name(content, pair.second)),
                scope="row",
                data_value=content.names[pair.first] + " " + content.names[pair.second],
            ),
            cell(
                pair.difference, figures.signed(pair.difference), figures.signed_interval(pair.low, pair.high)
            ),
            el(
                "td",
                interval_plot(pair.difference, pair.low, pair.high, scale, zero=True, place=pair.second),
                cls="plot",
            ),
            cell(pair.test.p, figures.p_value(pair.test.p)),
            cell(pair.p, figures.p_value(pair.p)),
            cell(pair.wins, str(pair.wins)),
            cell(pair.ties, str(pair.ties)),
            cell(pair.losses, str(pair.losses)),
            cell(pair.effect, figures.signed(pair.effect, 2)),
            cell(pair.detectable, figures.value(pair.detectable)),
            cls="told" if pair.p < comparison.alpha else None,
        )
        for pair in pairs
    ]
    return grid(head, rows, name="differences")


def slices(content: ReportContent) -> list[tuple[str, Html]]:
    """Return (slicing, table) for every slicing with more than one part that all runs have."""
    found = []
    records = [run.record for run in content.runs]
    for by in records[0].slices:
        if not all(by in record.slices for record in records):
            continue
        parts = sorted({part for record in records for part in record.slices[by]})
        if len(parts) < 2:
            continue
        head = [
            heading(by, number=False),
            *(
                el(
                    "th",
                    el("button", run_name(content, place), type="button"),
                    cls="num",
                    scope="col",
                    aria_sort="none",
                )
                for place in content.order
            ),
            heading("n"),
        ]
        rows = []
        for part in parts:
            summaries = [
                records[place].slices[by].get(part, {}).get(content.primary) for place in content.order
            ]
            shown = [summary or Summary(math.nan, 0, math.nan, math.nan) for summary in summaries]
            cells = [cell(s.value, figures.value(s.value), figures.interval(s.low, s.high)) for s in shown]
            n = max(s.n for s in shown)
            rows.append(el("tr", el("th", part, scope="row", data_value=part), *cells, cell(n, str(n))))
        found.append((by, grid(head, rows, name=f"slices-{by}")))
    return found


def config_differences(content: ReportContent) -> Html:
    """Return every key of the effective configs that is not the same in all runs; empty if there is none."""
    flat = [dict(_flat(run.record.config)) for run in content.runs]
    keys = list(dict.fromkeys(key for one in flat for key in one))
    rows = []
    for key in keys:
        values = [one.get(key, _MISSING) for one in flat]
        if all(value == values[0] for value in values):
            continue
        cells = [el("td", el("code", "not a key" if v is _MISSING else _written(v))) for v in values]
        rows.append(el("tr", el("th", el("code", key), scope="row"), *cells))
    if not rows:
        return Html("")
    head = [el("th", "key", scope="col"), *_run_heads(content)]
    return grid(head, rows, name="config")


def environment(content: ReportContent) -> Html:
    """Return what each run was made with."""
    facts = [_facts(run.record) for run in content.runs]
    keys = list(dict.fromkeys(key for one in facts for key in one))
    rows = []
    for key in keys:
        values = [one.get(key, figures.NONE) for one in facts]
        if len(values) > 1 and len(set(values)) == 1:
            rows.append(el("tr", el("th", key, scope="row"), el("td", values[0], colspan=len(values))))
        else:
            rows.append(el("tr", el("th", key, scope="row"), *(el("td", value) for value in values)))
    return grid([el("th", "", scope="col"), *_run_heads(content)], rows, name="environment")


def _summaries(content: ReportContent, place: int, measures: Sequence[Measure]) -> Mapping[Measure, Summary]:
    """Return a run's means, over the compared questions where there is a comparison."""
    comparison = content.comparison
    if comparison is None:
        return content.runs[place].record.measures
    compared = {m.measure: m.summaries[place] for m in (comparison.primary, *comparison.exploratory)}
    return {m: compared.get(m, content.runs[place].record.measures[m]) for m in measures}


def _run_heads(content: ReportContent) -> list[Html]:
    return [el("th", run_name(content, place), scope="col") for place in range(len(content.runs))]


def _flat(value: Any, prefix: str = "") -> list[tuple[str, Any]]:
    if isinstance(value, Mapping) and value:
        return [
            leaf
            for key, item in value.items()
            for leaf in _flat(item, f"{prefix}.{key}" if prefix else str(key))
        ]
    return [(prefix, value)]


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _facts(record: RunRecord) -> dict[str, str]:
    models = "; ".join(
        " ".join(str(model[key]) for key in ("role", "id", "name", "model_id", "revision") if model.get(key))
        for model in record.models
    )
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in record.counts.items() if count)
    return {
        "run": record.run_id,
        "created": f"{record.created:%Y-%m-%d %H:%M:%S %Z}",
        "experiment": record.name,
        "collection": record.collection,
        "golden set": f"{record.golden.path}, {record.golden.questions} questions, {record.golden.judged} judgements",
        "golden digest": record.golden.digest[:16],
        "corpus digest": record.corpus_digest[:16],
        "config digest": record.config_digest[:16],
        "level, depth": f"{record.level}, {record.depth}",
        "counts": counts,
        "seed": str(record.seed),
        "models": models or "none",
        "strata": record.code_version,
        "libraries": ", ".join(f"{name} {version}" for name, version in sorted(record.libraries.items())),
        "times (p50, p95)": ", ".join(
            f"{stage} {figures.value(t.p50, 1)}, {figures.value(t.p95, 1)} ms"
            for stage, t in record.timings_ms.items()
        ),
        "warnings": "; ".join(record.warnings) or "none",
    }
