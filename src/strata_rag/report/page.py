"""A report as one HTML file that asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
import math
from importlib.resources import files
from pathlib import PurePath

import numpy as np

from strata_rag.report import figures
from strata_rag.report.content import ReportContent
from strata_rag.report.page_answers import answer_intro, answers, has_answers, worst_answers
from strata_rag.report.page_html import Html, el, join
from strata_rag.report.page_plots import Point, difference_plot, latency_plot
from strata_rag.report.page_questions import failures, filters, questions
from strata_rag.report.page_tables import (
    config_differences,
    differences,
    environment,
    leaderboard,
    run_name,
    slices,
)

_PLOTTED = 6  # runs whose differences from the best get a plot


def render_page(content: ReportContent) -> str:
    """Return the page. It holds no time of its own: same runs, same page."""
    style, script = (_asset(name) for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    title = f"Retrieval report: {content.runs[0].record.name}"
    head = join(
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("link", rel="icon", href="data:,"),
        el("title", title),
        Html(f"<style>{style}</style>"),
    )
    body = join(
        el("header", *_header(content, title)),
        el("main", *_sections(content)),
        Html(f"<script>{script}</script>"),
    )
    return f'<!DOCTYPE html>\n<html lang="en">\n<head>{head}</head>\n<body>{body}</body>\n</html>\n'


def _asset(name: str) -> str:
    return files("strata_rag.report").joinpath(name).read_text(encoding="utf-8")


def _digest(source: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}"


def _header(content: ReportContent, title: str) -> list[Html]:
    record = content.runs[0].record
    golden = PurePath(record.golden.path).name
    questions_ = len(content.tables[0].questions)
    parts = [
        el("h1", title),
        el(
            "p",
            f"{len(content.runs)} runs, {questions_} questions of {golden}, judged at {record.level} level."
            if len(content.runs) > 1
            else f"{record.label}: {questions_} questions of {golden}, judged at {record.level} level.",
        ),
    ]
    if content.comparison is not None:
        parts.append(el("p", _sentence(figures.verdict(content.comparison)), cls="verdict"))
        if close := figures.unresolved(content.comparison):
            parts.append(el("p", _sentence(close), cls="note"))
    parts += [el("p", _sentence(note), cls="note") for note in content.notes]
    return parts


def _sections(content: ReportContent) -> list[Html]:
    comparison = content.comparison
    parts = [_section("Leaderboard", el("p", _MEANS), leaderboard(content))]
    if comparison is not None:
        parts.append(
            _section(
                "Differences",
                el(
                    "p",
                    f"Second minus first, {figures.methods(comparison)}. Bold: told apart at {comparison.alpha:g}.",
                ),
                differences(content),
            )
        )
        parts.append(_section("Question by question", *_difference_plots(content)))
    if has_answers(content):
        parts.append(_section("Answers", answer_intro(content), answers(content)))
        if found := worst_answers(content):
            parts.append(_section("Answers that do not pass", found))
    parts.append(_latency(content))
    for by, table in slices(content):
        parts.append(
            _section(f"By {by}", el("p", f"{content.primary}; a slice of few questions says little."), table)
        )
    parts.append(_failures(content))
    parts.append(
        _section(
            "All questions",
            el("p", _each(content)),
            filters(content, "questions", failed=True),
            questions(content),
        )
    )
    if len(content.runs) > 1:
        found = config_differences(content)
        parts.append(_section("Config differences", found or el("p", "The effective configs are the same.")))
    parts.append(_section("Environment", environment(content)))
    return [part for part in parts if part]


def _each(content: ReportContent) -> str:
    if content.comparison is None:
        return f"{content.primary} of each."
    one, other = (content.names[place] for place in content.comparison.changed)
    return f"{content.primary} of each; change is {other} minus {one}."


_MEANS = (
    "Means with 95 % bootstrap intervals. Overlapping intervals do not mean that two runs are alike: "
    "the paired differences tell."
)


def _section(title: str, *children: str) -> Html:
    return el("section", el("h2", title), *children)


def _difference_plots(content: ReportContent) -> list[Html]:
    columns = [table.column(content.primary) for table in content.tables]
    names = [f"{question.id} {question.text[:80]}" for question in content.tables[0].questions]
    others = [place for place in content.order if place != content.best][:_PLOTTED]
    plots = []
    for place in others:
        values = columns[content.best] - columns[place]
        defined = np.flatnonzero(~np.isnan(values))
        title = f"{content.names[content.best]} minus {content.names[place]}"
        plot = difference_plot(
            [float(values[row]) for row in defined], [names[row] for row in defined], title=title
        )
        caption = el("figcaption", run_name(content, content.best), " minus ", run_name(content, place))
        plots.append(el("figure", caption, plot))
    text = (
        f"{content.primary}, one bar per question, from the largest loss of the best run to its largest gain."
    )
    return [el("p", text), el("div", *plots, cls="figures")]


def _latency(content: ReportContent) -> Html:
    comparison = content.comparison
    points = []
    for place, run in enumerate(content.runs):
        timing = run.record.timings_ms.get("total")
        found = (
            run.record.measures[content.primary]
            if comparison is None
            else comparison.primary.summaries[place]
        )
        time = timing.p50 if timing is not None else math.nan
        points.append(Point(place + 1, content.names[place], time, found.value, found.low, found.high))
    if len(points) < 2:
        return Html("")
    plot = latency_plot(points, measure=str(content.primary))
    legend = el("ul", *(el("li", run_name(content, place)) for place in range(len(points))), cls="legend")
    note = "Up and to the left is better. Times are of the machine that made the runs."
    if cached := _cached(content):
        note += f" Embeddings or scores of {', '.join(cached)} came from the cache: their times leave that work out."
    return _section("Quality against time", el("p", note), el("figure", plot, legend)) if plot else Html("")


def _cached(content: ReportContent) -> list[str]:
    """Name the runs whose questions were not all embedded and reranked while the clock ran."""
    names = []
    for run, name in zip(content.runs, content.names, strict=True):
        record = run.record
        stages = ["computed_embeddings"] if record.mode != "lexical" else []
        stages += (
            ["computed_rerankings"] if any(model.get("role") == "scorer" for model in record.models) else []
        )
        if any(
            record.counts.get(stage, record.golden.questions) < record.golden.questions for stage in stages
        ):
            names.append(name)
    return names


def _failures(content: ReportContent) -> Html:
    if not content.failed:
        return _section("Failures", el("p", "The best run answered every question fully."))
    shown = len(content.failures)
    more = f"; the worst {shown} are here" if shown < content.failed else ""
    intro = (
        f"Questions whose {content.primary} is below 1 in {content.names[content.best]}: {content.failed}{more}. "
        "Words of the question are marked."
    )
    return _section("Failures", el("p", intro), filters(content, "failures", failed=False), failures(content))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
