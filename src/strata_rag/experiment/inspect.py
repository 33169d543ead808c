"""Inspect: the chunks an ingest would index, with what is wrong with them."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from strata_rag.chunking import HEADING_PATH
from strata_rag.chunking.quality import quality_flags
from strata_rag.errors import InputError, ModelUnavailable
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.chunks import ChunkedCorpus, chunk_corpus
from strata_rag.experiment.tokens import count_tokens
from strata_rag.progress import Progress
from strata_rag.report import ChunkInspection, InspectedChunk


def inspect_chunks(experiment: Experiment, *, document: str | None, progress: Progress) -> ChunkInspection:
    """Cut the corpus as an ingest would and look at each chunk; nothing is indexed.

    Flags are given with the whole corpus in view, also where one document is shown.

    Args:
        experiment: The components.
        document: Show the chunks of this document only.
        progress: Shown the phases.

    Raises:
        InputError: There is no such document.
        ModelUnavailable: The strategy needs a model that can't be found.
    """
    limit = experiment.config.corpus.limit
    corpus = chunk_corpus(experiment.open_source(), experiment.chunker, limit=limit, progress=progress)
    if document is not None:
        require_document(corpus.chunks, document)
    tokens, max_tokens = _tokens(experiment, corpus, progress)
    flags = quality_flags(corpus.documents, corpus.chunks, tokens, max_tokens)
    progress.close()
    shown = [document] if document is not None else list(corpus.chunks)
    return ChunkInspection(
        collection=experiment.collection,
        strategy=experiment.config.chunking.strategy,
        max_tokens=max_tokens,
        documents=len(shown),
        chunks=tuple(
            InspectedChunk(
                chunk,
                tokens.get(chunk.chunk_id),
                chunk.metadata.get(HEADING_PATH, ""),
                flags[chunk.chunk_id],
            )
            for doc_id in shown
            for chunk in corpus.chunks[doc_id]
        ),
    )


def require_document(documents: Collection[str], document: str) -> None:
    """Raise an `InputError` that names the nearest document unless `document` is the id of one.

    Raises:
        InputError: It is not.
    """
    if document in documents:
        return
    near = difflib.get_close_matches(document, list(documents), n=1, cutoff=0.4)
    raise InputError(
        f"--document: expected the id of one of {len(documents)} documents, found {document!r}",
        hint=f"did you mean {near[0]}?" if near else "`strata ingest CONFIG --dry-run` lists the files",
    )


def _tokens(
    experiment: Experiment, corpus: ChunkedCorpus, progress: Progress
) -> tuple[dict[str, int], int | None]:
    """Return tokens by chunk id and the model's limit; nothing where no tokenizer is at hand."""
    try:
        counter = experiment.token_counter
    except ModelUnavailable:
        return {}, None
    if not counter.available:
        return {}, counter.max_tokens
    texts = {chunk.chunk_id: chunk.embed_text for chunk in corpus.all_chunks()}
    return count_tokens(counter, texts, progress), counter.max_tokens
