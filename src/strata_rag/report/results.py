"""What the use cases hand to the renderers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from strata_rag.corpus import Manifest
from strata_rag.evaluation import StoredRun
from strata_rag.retrieval import Hit, RerankUse


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """How many documents an ingest touches."""

    added: int
    changed: int
    removed: int
    unchanged: int


@dataclass(frozen=True, slots=True)
class DryRun:
    """What an ingest would read.

    Attributes:
        collection: The collection it would write.
        manifest: Every file once.
        truncated: Chunks longer than the model's limit, or None where no tokenizer tells.
        warnings: What a reader should know.
        seconds: Estimated time of embedding, or None where nothing tells.
        saved: Where the manifest was saved.
    """

    collection: str
    manifest: Manifest
    truncated: int | None
    warnings: tuple[str, ...]
    seconds: float | None
    saved: Path


@dataclass(frozen=True, slots=True)
class HostedUse:
    """What an ingest sent to a hosted model.

    Attributes:
        requests: Requests answered.
        texts: Texts in them; blank ones are never sent.
        tokens: Tokens the server counted.
        cost: What they cost by the config's price, or None where it has none.
    """

    requests: int
    texts: int
    tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class IngestResult:
    """What an ingest did.

    Attributes:
        collection: Its name.
        documents: Documents added, changed, removed and unchanged.
        excluded: Files that a rule left out.
        failed: Files that could not be read.
        chunks: Chunks now stored.
        written: Chunks written with their vector, new or from the cache.
        embedded: Texts that the model had to embed; the rest came from the cache.
        rewritten: Stored chunks whose lexical weights alone were rewritten.
        truncated: Chunks longer than the model's limit, or None where no tokenizer tells.
        reasons: Why stored chunks were replaced.
        warnings: What a reader should know.
        timings_ms: Milliseconds by stage.
        manifest: Where the manifest was saved.
        redactions: Placeholders that stand for personal data in the documents.
        secrets: Placeholders that stand for secrets in them.
        hosted: What was sent to a hosted model, or None where the model is local.
    """

    collection: str
    documents: DocumentChanges
    excluded: int
    failed: int
    chunks: int
    written: int
    embedded: int
    rewritten: int
    truncated: int | None
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]
    timings_ms: dict[str, float]
    manifest: Path
    redactions: int = 0
    secrets: int = 0
    hosted: HostedUse | None = None


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The answer to one question.

    Attributes:
        question: As asked.
        collection: Where it was looked for.
        mode: ``hybrid``, ``dense`` or ``lexical``.
        hits: Best first.
        matched_terms: Per hit, the terms it shares with the question.
        warnings: What a reader should know.
        timings_ms: Milliseconds by stage.
        reranking: What a language model was used for as reranker; None where none reranks.
    """

    question: str
    collection: str
    mode: str
    hits: tuple[Hit, ...]
    matched_terms: tuple[tuple[str, ...], ...]
    warnings: tuple[str, ...]
    timings_ms: dict[str, float]
    reranking: RerankUse | None = None


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """A run and what stands beside it.

    Attributes:
        run: The new run on disk.
        earlier: The latest run of each other label and experiment on the same golden set, newest first.
        damaged: What is wrong with folders of earlier runs that can't be read, and so are not among them.
    """

    run: StoredRun
    earlier: tuple[StoredRun, ...]
    damaged: tuple[str, ...] = ()
