"""Query: one question against an experiment's collection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from strata_rag.errors import InputError
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.ownership import require_same
from strata_rag.experiment.reranking import rerank_use
from strata_rag.experiment.search_warnings import search_warnings
from strata_rag.experiment.settings import SearchSettings
from strata_rag.index import CollectionRecord, Index, Where, has_field, is_text
from strata_rag.report import QueryResult
from strata_rag.retrieval import retrieve_capped

_NOT_FILTERED = {"text", "embed_text"}


def query(
    experiment: Experiment,
    question: str,
    settings: SearchSettings,
    *,
    top_k: int,
    max_per_document: int | None = None,
) -> QueryResult:
    """Return the `top_k` best hits for `question`, at most `max_per_document` of one document.

    Raises:
        InputError: The question is empty, or a filter names a field that no chunk has.
        CollectionError: The collection is missing, incomplete, or made by something else than this config.
    """
    experiment.timer.restart()
    if not is_text(question):
        raise InputError(
            "QUESTION: expected text in UTF-8, found other bytes", hint="check the terminal's encoding"
        )
    if not question.strip():
        raise InputError(
            "QUESTION: expected a question, found an empty text",
            hint='ask like: strata query CONFIG "What is ...?"',
        )
    with opened(experiment, settings) as (record, index):
        warnings = search_warnings(experiment, settings, record, [question])
        scorer = experiment.scorer() if settings.rerank else None
        retriever = experiment.retriever(index, settings, scorer)
        with experiment.timer.measure("total"):
            hits = (
                retriever.retrieve(question, top_k)
                if max_per_document is None
                else retrieve_capped(retriever, question, k=top_k, max_per_document=max_per_document)
            )
        if not hits:
            _require_fields(index, settings.where)
    terms = experiment.analyser.counts(question)
    searched = experiment.config.retrieval.lexical.text
    matched = [
        tuple(sorted(terms.keys() & experiment.analyser.counts(hit.read(searched)).keys())) for hit in hits
    ]
    return QueryResult(
        question=question,
        collection=experiment.collection,
        mode=settings.mode,
        hits=tuple(hits),
        matched_terms=tuple(matched),
        warnings=tuple(warnings),
        timings_ms={stage: experiment.timer.total(stage) for stage in experiment.timer.durations},
        reranking=rerank_use(scorer),
    )


def _require_fields(index: Index, where: Where | None) -> None:
    """Refuse a filter that no point can pass, because none has such a field."""
    missing, seen = set(where or ()), set[str]()
    if not missing:
        return
    for _, payload in index.scroll():
        missing = {field for field in missing if not has_field(payload, field)}
        seen.update(name for name in payload if name not in _NOT_FILTERED and not name.startswith("_"))
    if missing:
        raise InputError(
            f"filter: expected one of the fields {', '.join(sorted(seen))}, found {', '.join(sorted(missing))}",
            hint="filter like: --filter source=atlas",
        )


@contextmanager
def opened(experiment: Experiment, settings: SearchSettings) -> Iterator[tuple[CollectionRecord, Index]]:
    """Open the experiment's collection for reading, if it is the one that this config would make.

    A lexical search needs no model, and does not ask for one.

    Raises:
        CollectionError: The collection is missing, incomplete, or was made by something else.
    """
    with experiment.collections.reading(experiment.collection) as (record, index):
        needs_model = settings.rerank or settings.mode != "lexical"
        require_same(
            record, experiment.expected_record() if needs_model else _as_recorded(experiment, record)
        )
        yield record, index


def _as_recorded(experiment: Experiment, record: CollectionRecord) -> CollectionRecord:
    """Return the expected record as far as it is known without the model."""
    return experiment.record_of(model=record.model, dimension=record.dimension)
