"""The part of a report page about answers: measures with their coverage, and the answers that do not pass."""

from __future__ import annotations

import math

from strata_rag.evaluation import Measure, StoredAnswer, Summary
from strata_rag.evaluation.judge import Judgement
from strata_rag.report import figures
from strata_rag.report.answer_measures import answer_notes, covered, model_name
from strata_rag.report.content import ReportContent
from strata_rag.report.page_html import Html, el, join
from strata_rag.report.page_tables import grid, heading, run_name

_NOTHING = Summary(math.nan, 0, math.nan, math.nan)


def has_answers(content: ReportContent) -> bool:
    """Tell whether some run has answers."""
    return any(run.record.answers is not None for run in content.runs)


def answer_intro(content: ReportContent) -> Html:
    """Return what answered and judged each run, and what a reader should know of its judge."""
    intro = (
        "Each mean stands above its 95 % interval and above how many answers it rests on; what was not scored is in "
        "no mean."
    )
    items = []
    for place, run in enumerate(content.runs):
        record = run.record.answers
        if record is None:
            items.append(el("li", run_name(content, place), ": no answers"))
            continue
        judge = f", judged by {model_name(record.judge)}" if record.judge else ", not judged"
        same = " (the same model)" if record.same_model else ""
        notes = [note for note in (record.skipped, *answer_notes(run.record)) if note]
        said = f": answers by {model_name(record.generator) or 'none'}{judge}{same}"
        items.append(el("li", run_name(content, place), said, el("ul", *(el("li", note) for note in notes))))
    return join(el("p", intro), el("ul", *items))


def answers(content: ReportContent) -> Html:
    """Return the table of every measure of answers, a column for each run."""
    measures = list(dict.fromkeys(m for run in content.runs for m in run.record.measures if m.of_answers))
    head = [
        heading("measure", number=False),
        *(el("th", run_name(content, place), cls="num", scope="col") for place in content.order),
    ]
    rows = [
        el(
            "tr",
            el("th", str(measure), scope="row", data_value=str(measure)),
            *(_cell(content, place, measure) for place in content.order),
        )
        for measure in measures
    ]
    return grid(head, rows, name="answers")


def worst_answers(content: ReportContent) -> Html:
    """Return the judged answers of the best run that do not pass, each with its verdicts; empty if all pass."""
    if not content.answers:
        return Html("")
    intro = f"Of {content.names[content.best]}: {len(content.answers)} shown."
    return join(el("p", intro), *(_answer(answer) for answer in content.answers))


def _cell(content: ReportContent, place: int, measure: Measure) -> Html:
    run = content.runs[place].record
    found = run.measures.get(measure, _NOTHING)
    small = [figures.interval(found.low, found.high)] if not math.isnan(found.low) else []
    if measure in run.measures:
        small.append(covered(run, measure, found))
    shown = [el("small", text) for text in small]
    return el("td", figures.value(found.value), *shown, cls="num")


def _answer(answer: StoredAnswer) -> Html:
    item = answer.item
    reasons = "; ".join(answer.gate.reasons) if answer.gate else ""
    return el(
        "details",
        el("summary", el("span", item.question, cls="asked"), el("small", f"{item.question_id} · {reasons}")),
        el("h4", "answer"),
        el("blockquote", answer.text),
        *(_judgement(one) for one in answer.judgements if one.repetition == 0),
        el("h4", "passages"),
        el(
            "ol",
            *(
                el("li", el("span", p.doc_id, cls="item"), el("blockquote", p.text[:600]))
                for p in item.context
            ),
        ),
    )


def _judgement(one: Judgement) -> Html:
    value = figures.value(one.value, 2) if one.outcome == "scored" else one.outcome.replace("_", " ")
    raw = f", {one.raw} of 5" if one.raw is not None else ""
    severity = f", severity {one.severity}" if one.severity and one.severity != "none" else ""
    verdicts = [
        el(
            "li",
            el("span", "holds" if verdict.holds else "does not hold", cls="mark" if verdict.holds else None),
            f" {verdict.text}",
            el("small", _support(verdict.passages, verdict.flags)),
        )
        for verdict in one.verdicts
    ]
    return join(
        el("h4", f"{one.measure}: {value}{raw}{severity}"),
        el("p", one.reason) if one.reason else Html(""),
        el("ul", *verdicts) if verdicts else Html(""),
    )


def _support(passages: tuple[int, ...], flags: tuple[str, ...]) -> str:
    named = f" by {', '.join(f'[{number}]' for number in passages)}" if passages else ""
    return named + (f" ({'; '.join(flags)})" if flags else "")
