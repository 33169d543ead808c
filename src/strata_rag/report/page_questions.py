"""The questions of a report page: failures one by one, and every question in a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from strata_rag.report import figures
from strata_rag.report.content import Failure, ReportContent, Snippet
from strata_rag.report.page_html import Html, el, join
from strata_rag.report.page_tables import cell, grid, heading, run_name

_SHOWN = 5  # places of a ranking
_CHARACTERS = 160  # of a question in the table


def failures(content: ReportContent) -> Html:
    """Return one folded block per failed question, worst first."""
    return el("div", *(_failure(content, failure) for failure in content.failures), id="failures")


def questions(content: ReportContent) -> Html:
    """Return every question with its value in each run, and the difference between the last two compared."""
    columns = [table.column(content.primary) for table in content.tables]
    comparison = content.comparison
    pair = comparison.changed if comparison is not None else None
    head = [
        heading("question", number=False),
        heading("kind", number=False),
        *(
            el(
                "th",
                el("button", run_name(content, place), type="button"),
                cls="num",
                scope="col",
                aria_sort="none",
            )
            for place in range(len(content.runs))
        ),
    ]
    if pair is not None:
        head.append(heading("change", hint=f"{content.names[pair[1]]} minus {content.names[pair[0]]}"))
    rows = []
    for place, question in enumerate(content.tables[0].questions):
        values = [float(column[place]) for column in columns]
        shown = question.text if len(question.text) <= _CHARACTERS else question.text[:_CHARACTERS] + "…"
        cells = [cell(value, figures.value(value)) for value in values]
        if pair is not None:
            change = values[pair[1]] - values[pair[0]]
            cells.append(cell(change, figures.signed(change)))
        rows.append(
            el(
                "tr",
                el("th", shown, el("small", question.id), scope="row", data_value=question.text.casefold()),
                el("td", question.kind, data_value=question.kind),
                *cells,
                data_kind=question.kind,
                data_search=f"{question.id} {question.text} {question.kind}".casefold(),
                data_failed="yes" if any(value < 1 for value in values) else "no",
            )
        )
    return grid(head, rows, name="questions")


def filters(content: ReportContent, target: str, *, failed: bool) -> Html:
    """Return the controls that filter what has the id `target`."""
    kinds = sorted({question.kind for question in content.tables[0].questions})
    parts: list[str] = [
        el("label", "find ", el("input", type="search", data_find=target, placeholder="words or an id")),
    ]
    if len(kinds) > 1:
        options = [el("option", "all kinds", value=""), *(el("option", kind, value=kind) for kind in kinds)]
        parts.append(el("label", "kind ", el("select", *options, data_pick=target)))
    if failed:
        parts.append(
            el("label", el("input", type="checkbox", data_failed_only=target), " below 1 in some run")
        )
    parts.append(el("output", "", data_count=target))
    return el("p", *parts, cls="filters")


def _failure(content: ReportContent, failure: Failure) -> Html:
    question = failure.question
    value = question.values[content.primary]
    summary = el(
        "summary",
        el("span", figures.value(value), cls="score"),
        " ",
        el("span", question.text, cls="asked"),
        el("small", f"{question.id} · {question.kind}"),
    )
    return el(
        "details",
        summary,
        el("h4", "expected"),
        _expected(content, failure),
        el("h4", join("what came instead: ", run_name(content, content.best))),
        _came(failure),
        data_kind=question.kind,
        data_search=f"{question.id} {question.text} {question.kind}".casefold(),
    )


def _expected(content: ReportContent, failure: Failure) -> Html:
    items = []
    for item, ranks in failure.ranks.items():
        grade = failure.question.relevant[item]
        where = [
            el(
                "span",
                run_name(content, place),
                f" {'rank ' + str(rank) if rank else 'not found'}",
                cls="rank",
            )
            for place, rank in enumerate(ranks)
        ]
        items.append(
            el(
                "li",
                el("span", item, cls="item"),
                f" grade {grade:g}" if grade != 1 else "",
                el("div", *where, cls="ranks"),
                _snippet(failure.snippets.get(item)),
            )
        )
    return el("ul", *items)


def _came(failure: Failure) -> Html:
    ranking = failure.question.ranking[:_SHOWN]
    if not ranking:
        return el("p", "nothing")
    items = []
    for item in ranking:
        relevant = item.id in failure.question.relevant
        score = "" if item.score is None or math.isnan(item.score) else f" score {item.score:.4f}"
        mark = [el("span", "relevant", cls="mark")] if relevant else []
        snippet = _snippet(failure.snippets.get(item.id))
        items.append(
            el(
                "li",
                el("span", item.id, cls="item"),
                " ",
                *mark,
                el("small", score),
                snippet,
                cls="hit" if relevant else None,
            )
        )
    return el("ol", *items)


def _snippet(snippet: Snippet | None) -> Html:
    if snippet is None:
        return Html("")
    parts: Sequence[str] = [el("mark", part) if marked else part for part, marked in snippet.parts]
    before, after = ("… " if snippet.cut_before else ""), (" …" if snippet.cut_after else "")
    return el("blockquote", before, *parts, after)
