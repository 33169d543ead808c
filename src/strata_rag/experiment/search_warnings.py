"""What a reader should know about a search before trusting its answers."""

from __future__ import annotations

from collections.abc import Sequence

from strata_rag.experiment.build import Experiment
from strata_rag.experiment.settings import SearchSettings
from strata_rag.index import CollectionRecord


def search_warnings(
    experiment: Experiment, settings: SearchSettings, record: CollectionRecord, questions: Sequence[str]
) -> list[str]:
    """Return warnings about a floor that nothing is held against, a changed corpus, and questions that are cut."""
    return [
        *_floor(experiment, settings),
        *stale_corpus(experiment, record),
        *_long_questions(experiment, settings, questions),
    ]


def stale_corpus(experiment: Experiment, record: CollectionRecord) -> list[str]:
    """Return a warning if files of the corpus have changed since the collection was made from them."""
    then, now = record.corpus.get("files"), experiment.corpus_files()
    if then is None or now is None or then == now:
        return []
    return [
        "the corpus files have changed since the last ingest; run `strata ingest` to search what they hold now"
    ]


def _floor(experiment: Experiment, settings: SearchSettings) -> list[str]:
    if experiment.config.retrieval.rerank.floor is None or settings.rerank:
        return []
    return ["retrieval.rerank.floor is set, but no reranker runs: nothing is held against it"]


def _long_questions(experiment: Experiment, settings: SearchSettings, questions: Sequence[str]) -> list[str]:
    """Return a warning if the embedding model does not read a question to its end."""
    if experiment.is_hosted or (settings.mode == "lexical" and not settings.rerank):
        return []
    limit, counter = experiment.model_spec.max_tokens, experiment.token_counter
    if limit is None or not counter.available:
        return []
    cut = sum(tokens > limit for tokens in counter.count(questions))
    if not cut:
        return []
    what = "the question is" if len(questions) == 1 else f"{cut} of {len(questions)} questions are"
    return [
        f"{what} longer than the {limit} tokens {experiment.model_id} reads; what is beyond counts for words alone"
    ]
