"""Report: what a page about some runs shows, texts of the collection included."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from strata_rag.errors import StrataError
from strata_rag.evaluation import (
    Comparison,
    Correction,
    Measure,
    RunTable,
    StoredAnswer,
    StoredQuestion,
    StoredRun,
    align,
    find_run,
    read_answers,
    run_names,
)
from strata_rag.experiment.compare import compare_runs, primary_measure
from strata_rag.experiment.snippets import make_snippet
from strata_rag.experiment.workspace import Workspace
from strata_rag.index import Analyser, EmbeddedCollections
from strata_rag.report import Failure, ReportContent, Snippet

_SHOWN = 5  # places of a ranking whose texts are shown
_LOCK_SECONDS = 2.0  # a page without snippets is better than a long wait


def report_content(
    workspace: Workspace,
    refs: Sequence[str],
    *,
    measure: str | None = None,
    correction: Correction = "holm",
    alpha: float = 0.05,
    seed: int = 0,
    common: bool = False,
    failures: int = 50,
) -> ReportContent:
    """Gather what a report shows.

    Args:
        workspace: Where runs and collections are.
        refs: One run or more: ids, unique prefixes, paths or ``latest``.
        measure: The primary measure; None means nDCG@10, or the first that all runs have.
        correction: ``holm`` or ``max``.
        alpha: Family-wise level of the decisions.
        seed: Of all draws.
        common: Whether runs over different golden sets are cut to what they share.
        failures: How many of the questions that the best run answered worst are shown with their texts.

    Raises:
        InputError: A run can't be found, or the runs can't be compared.
        NotMeasurable: Several runs, and fewer than two questions have a value.
    """
    runs = [find_run(workspace.runs, ref) for ref in refs]
    comparison: Comparison | None = None
    if len(runs) > 1:
        comparison = compare_runs(
            runs, measure=measure, correction=correction, alpha=alpha, seed=seed, common=common, changes=0
        )
    tables, _ = align([RunTable.read(run) for run in runs], common=common)
    primary = (
        comparison.primary.measure if comparison else primary_measure(tables[0].values.measures, measure)
    )
    best = comparison.primary.best if comparison else 0
    failed = _failed(tables[best], primary)
    shown = failed[:failures]
    texts, note = _texts(workspace, runs[best], tables[best].with_rankings(shown))
    notes = [*(comparison.notes if comparison else ()), *([note] if note else [])]
    return ReportContent(
        runs=tuple(runs),
        names=run_names(runs),
        tables=tuple(tables),
        primary=primary,
        best=best,
        comparison=comparison,
        failures=tuple(_failures(tables, best, shown, texts, _analyser(runs[best]))),
        failed=len(failed),
        notes=tuple(notes),
        answers=tuple(_not_passed(runs[best])[:failures]),
    )


def _not_passed(run: StoredRun) -> list[StoredAnswer]:
    """Return the judged answers that fail the policy, the least faithful first."""
    if run.record.answers is None or run.record.answers.judge is None:
        return []
    failing = [one for one in read_answers(run.path) if one.gate is not None and one.gate.passed is False]
    return sorted(failing, key=lambda one: (_judged_mean(one), one.item.question_id))


def _judged_mean(answer: StoredAnswer) -> float:
    values = [one.value for one in answer.judgements if one.outcome == "scored"]
    return sum(values) / len(values) if values else 0.0


def _failed(table: RunTable, measure: Measure) -> list[int]:
    """Return the questions below 1, worst first, equal ones in their order; undefined ones are no failures."""
    values = table.column(measure).tolist()
    return sorted(
        (place for place, value in enumerate(values) if value < 1), key=lambda place: (values[place], place)
    )


def _failures(
    tables: Sequence[RunTable],
    best: int,
    places: Sequence[int],
    texts: Mapping[str, str],
    analyser: Analyser,
) -> Iterable[Failure]:
    sides = [table.with_rankings(places) for table in tables]
    for slot, place in enumerate(places):
        question = sides[best][slot]
        terms = frozenset(analyser.terms(question.text))
        expected = sorted(question.relevant, key=lambda item: (-question.relevant[item], item))
        ranks = {item: tuple(_rank(side[slot], item) for side in sides) for item in expected}
        snippets: dict[str, Snippet] = {}
        chunks = {item.id: item.chunk_id for item in question.ranking}
        for item in [*expected, *(item.id for item in question.ranking[:_SHOWN])]:
            text = texts.get(chunks.get(item) or "") or texts.get(item)
            if text:
                snippets[item] = make_snippet(text, terms, analyser)
        yield Failure(place, question, ranks, snippets)


def _rank(question: StoredQuestion, item: str) -> int | None:
    return next((rank for rank, found in enumerate(question.ranking, 1) if found.id == item), None)


def _texts(
    workspace: Workspace, run: StoredRun, questions: Sequence[StoredQuestion]
) -> tuple[dict[str, str], str]:
    """Return the texts that the failures need, by chunk id and by item id, or say why they are not at hand."""
    documents = {item for question in questions for item in question.relevant}
    chunks = {item.chunk_id for question in questions for item in question.ranking[:_SHOWN]}
    chunks |= {item.chunk_id for q in questions for item in q.ranking if item.id in q.relevant}
    if not questions:
        return {}, ""
    collections = EmbeddedCollections(
        workspace.collections, lock_timeout=_LOCK_SECONDS, m=16, ef_construct=100, ef_search=64
    )
    texts: dict[str, str] = {}
    try:
        with collections.reading(run.record.collection) as (record, index):
            if record.corpus.get("digest") != run.record.corpus_digest:
                return {}, "texts are left out: the collection has changed since the run"
            for _, payload in index.scroll(["doc_id", "start", "end", "text"]):
                doc_id = str(payload["doc_id"])
                chunk_id = f"{doc_id}#{payload['start']}-{payload['end']}"
                if chunk_id in chunks or chunk_id in documents:
                    texts[chunk_id] = str(payload["text"])
                if doc_id in documents:
                    texts.setdefault(doc_id, str(payload["text"]))
    except StrataError as error:
        return {}, f"texts are left out: {error.message}"
    return texts, ""


def _analyser(run: StoredRun) -> Analyser:
    retrieval = run.record.config.get("retrieval")
    lexical = retrieval.get("lexical", {}) if isinstance(retrieval, dict) else {}
    return Analyser(language=lexical.get("language", "english"), tokenizer=lexical.get("tokenizer", "word"))
