"""A dry run: what an ingest would read, without writing anything but the manifest."""

from __future__ import annotations

from strata_rag.corpus import preview_path, write_manifest
from strata_rag.errors import ModelUnavailable
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.chunks import chunk_corpus, corpus_manifest, nothing_to_index
from strata_rag.experiment.estimate import estimated_seconds
from strata_rag.experiment.tokens import count_tokens, count_truncated
from strata_rag.experiment.warnings import corpus_warnings
from strata_rag.progress import Progress
from strata_rag.report import DryRun


def dry_run(experiment: Experiment, *, progress: Progress) -> DryRun:
    """Read and cut the corpus as an ingest would, and write nothing but the manifest."""
    limit = experiment.config.corpus.limit
    tokens: dict[str, int] = {}
    notes: list[str] = []
    max_tokens, seconds = None, None
    try:
        corpus = chunk_corpus(
            experiment.open_source(), experiment.preview_chunker, limit=limit, progress=progress
        )
    except ModelUnavailable as error:
        strategy = experiment.config.chunking.strategy
        notes.append(
            f"chunks are not counted: chunking.strategy {strategy} needs the model, which a dry run does not load "
            f"({error.message}); after an ingest the cache answers"
        )
        corpus = chunk_corpus(experiment.open_source(), None, limit=limit, progress=progress)
    else:
        try:
            if experiment.is_hosted:
                raise ModelUnavailable("the model is hosted, and a dry run sends nothing", hint="")
            max_tokens, counter = experiment.model_spec.max_tokens, experiment.token_counter
        except ModelUnavailable as error:
            notes.append(f"tokens are not counted and no time is estimated: {error.message}")
        else:
            if counter.available:
                chunks = corpus.all_chunks()
                tokens = count_tokens(
                    counter, {chunk.chunk_id: chunk.embed_text for chunk in chunks}, progress
                )
                seconds = estimated_seconds(experiment, chunks, tokens)
    manifest = corpus_manifest(corpus, tokens, max_tokens, redacted_by=experiment.redactor.describe())
    progress.close()
    notes += corpus_warnings(experiment, corpus, manifest, tokens)
    saved = preview_path(experiment.workspace.manifests, experiment.collection)
    write_manifest(saved, manifest)
    return DryRun(
        experiment.collection,
        manifest,
        count_truncated(tokens, max_tokens),
        tuple(notes),
        seconds,
        saved,
        nothing_to_index(experiment.config.corpus.root, corpus) if corpus.is_empty else None,
    )
