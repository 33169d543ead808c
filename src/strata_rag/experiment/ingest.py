"""Ingest: bring an experiment's collection to what its corpus and config say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from strata_rag.cache import digest_request
from strata_rag.corpus import keep_manifest
from strata_rag.embedding import BadVector, Matrix
from strata_rag.errors import CollectionError, ModelUnavailable
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.chunks import ChunkedCorpus, chunk_corpus, corpus_manifest, nothing_to_index
from strata_rag.experiment.estimate import remember_rate
from strata_rag.experiment.ownership import require_own
from strata_rag.experiment.reconcile import (
    AVG_LEN,
    DIGEST,
    LENGTH,
    TOKENS,
    Plan,
    StoredPoint,
    WantedPoint,
    plan_changes,
    stored_points,
    wanted_points,
)
from strata_rag.experiment.tokens import batches, count_tokens, count_truncated
from strata_rag.experiment.warnings import corpus_warnings
from strata_rag.index import (
    CollectionRecord,
    CollectionWriter,
    Index,
    Point,
    SparseVector,
    document_weights,
    rounded_average,
    sparse_counts,
)
from strata_rag.progress import Progress
from strata_rag.report import HostedUse, IngestResult

_BATCH = 256


def ingest(experiment: Experiment, *, recreate: bool, progress: Progress) -> IngestResult:
    """Bring the collection of `experiment` to what its corpus and config say.

    Unchanged chunks are left alone, changed ones replaced, those of removed documents deleted. A process that
    ends half-way leaves an incomplete collection that the next ingest continues from.

    Args:
        experiment: The components.
        recreate: Build a new collection beside the old one and swap them at the end.
        progress: Shown the phases.

    Raises:
        AnswerIsNo: There is nothing to index; a collection that exists stays as it is.
        CollectionError: The collection holds vectors of another length.
        CollectionBusy: Another process holds it.
        WriteFailed: The disk or the engine refused.
    """
    experiment.timer.restart()
    expected = experiment.expected_record()
    source = experiment.open_source()
    with experiment.collections.writing(experiment.collection, recreate=recreate) as writer:
        record = writer.record()
        require_own(record, expected)
        with experiment.timer.measure("read"):
            files = (
                experiment.corpus_files()
            )  # before reading: a file that changes meanwhile is told of later
            corpus = chunk_corpus(
                source, experiment.chunker, limit=experiment.config.corpus.limit, progress=progress
            )
        if corpus.is_empty:
            raise nothing_to_index(
                experiment.config.corpus.root, corpus, indexed_before=record.chunks if record else 0
            )
        run = _Ingest(experiment, replace(corpus, files=files), expected, record, progress)
        result = run.into(writer)
    progress.close()
    return result


class _Ingest:
    """One ingest at work."""

    def __init__(
        self,
        experiment: Experiment,
        corpus: ChunkedCorpus,
        expected: CollectionRecord,
        record: CollectionRecord | None,
        progress: Progress,
    ) -> None:
        self._experiment = experiment
        self._corpus = corpus
        self._expected = expected
        self._record = record
        self._progress = progress
        self._embedded = 0
        self._wanted = wanted_points(
            corpus.documents,
            corpus.chunks,
            made_by={"model": expected.model["fingerprint"], "stages": dict(expected.stages)},
        )

    def into(self, writer: CollectionWriter) -> IngestResult:
        timer = self._experiment.timer
        with timer.measure("write"):
            index = writer.open(self._expected.dimension)
            if self._record is None:
                writer.write_record(self._expected)
            stored = stored_points(index)
        plan = plan_changes(self._wanted, stored)
        with timer.measure("analyse"):
            tokens = self._token_counts(plan, stored)
            counts, lengths = self._term_counts(plan, stored)
            avg_len = rounded_average(sum(lengths.values()) / len(lengths))
        stale = [key for key in plan.kept if stored[key].avg_len != avg_len]
        final = self._final_record(avg_len, tokens)
        if plan.fresh or plan.obsolete or stale or final != self._record:
            writer.write_record((self._record or self._expected).unfinished())
            with timer.measure("write"):
                self._delete(index, plan.obsolete)
                self._rewrite_lexical(index, stale, lengths, avg_len)
            self._write_fresh(index, plan, counts, lengths, tokens, avg_len)
            with timer.measure("index"):
                self._progress.phase("indexing")
                index.optimize()
                self._require_count(index)
            writer.write_record(final)
        return self._result(plan, len(stale), tokens, final)

    def _token_counts(self, plan: Plan, stored: dict[str, StoredPoint]) -> dict[str, int]:
        """Return tokens by point id, counted anew only for fresh points; empty without a tokenizer."""
        counter = self._experiment.token_counter
        if not counter.available:
            return {}
        known = {key: tokens for key in plan.kept if (tokens := stored[key].tokens) is not None}
        missing = {key: point.chunk.embed_text for key, point in self._wanted.items() if key not in known}
        return known | count_tokens(counter, missing, self._progress)

    def _term_counts(
        self, plan: Plan, stored: dict[str, StoredPoint]
    ) -> tuple[dict[str, SparseVector], dict[str, int]]:
        """Return the fresh points' term counts, and the length in terms of every point."""
        self._progress.phase("analysing", len(plan.fresh))
        counts: dict[str, SparseVector] = {}
        lengths = {key: stored[key].length for key in plan.kept}
        for key, point in plan.fresh.items():
            terms = self._terms(point)
            counts[key] = sparse_counts(terms)
            lengths[key] = terms.total()
            self._progress.advance()
        return counts, lengths

    def _delete(self, index: Index, obsolete: Sequence[str]) -> None:
        for keys in batches(obsolete, _BATCH):
            index.delete(keys)

    def _rewrite_lexical(
        self, index: Index, stale: Sequence[str], lengths: dict[str, int], avg_len: float
    ) -> None:
        """Write new BM25 weights for stored points made with another average length; vectors stay."""
        if stale:
            self._progress.phase("rewriting lexical weights", len(stale))
        for keys in batches(stale, _BATCH):
            weights = {}
            for key in keys:
                terms = sparse_counts(self._terms(self._wanted[key]))
                weights[key] = self._weights(terms, lengths[key], avg_len)
            index.update_lexical(weights, {AVG_LEN: avg_len})
            self._progress.advance(len(keys))

    def _write_fresh(
        self,
        index: Index,
        plan: Plan,
        counts: dict[str, SparseVector],
        lengths: dict[str, int],
        tokens: dict[str, int],
        avg_len: float,
    ) -> None:
        """Embed and write the fresh points, texts of like length together."""
        missing = self._experiment.embedder.missing_documents(
            [p.chunk.embed_text for p in plan.fresh.values()]
        )
        self._embedded = len(missing)
        if missing:
            self._progress.phase("loading the model")
            self._experiment.load_model()
        self._progress.phase("embedding", len(plan.fresh))
        ordered = sorted(plan.fresh, key=lambda key: (len(plan.fresh[key].chunk.embed_text), key))
        for keys in batches(ordered, _BATCH):
            vectors = self._embed([plan.fresh[key] for key in keys])
            points = [
                Point(
                    key,
                    vector,
                    self._weights(counts[key], lengths[key], avg_len),
                    {
                        **plan.fresh[key].payload,
                        DIGEST: plan.fresh[key].digest,
                        AVG_LEN: avg_len,
                        LENGTH: lengths[key],
                        TOKENS: tokens.get(key),
                    },
                )
                for key, vector in zip(keys, vectors, strict=True)
            ]
            with self._experiment.timer.measure("write"):
                index.upsert(points)
            self._progress.advance(len(keys))
        embedded = [tokens.get(key, 0) for key in ordered if plan.fresh[key].chunk.embed_text in missing]
        remember_rate(self._experiment, sum(embedded), self._experiment.timer.total("embed") / 1000)

    def _embed(self, points: Sequence[WantedPoint]) -> Matrix:
        try:
            return self._experiment.embedder.embed_documents([point.chunk.embed_text for point in points])
        except BadVector as error:
            named = next((p.chunk.chunk_id for p in points if p.chunk.embed_text == error.text), "a chunk")
            raise ModelUnavailable(f"chunk {named}: {error.problem}", hint=error.hint) from error

    def _terms(self, point: WantedPoint) -> Counter[str]:
        text = point.read(self._experiment.config.retrieval.lexical.text)
        return self._experiment.analyser.counts(text)

    def _weights(self, counts: SparseVector, length: int, avg_len: float) -> SparseVector:
        lexical = self._experiment.config.retrieval.lexical
        return document_weights(counts, length=length, k1=lexical.k1, b=lexical.b, avg_len=avg_len)

    def _require_count(self, index: Index) -> None:
        if (found := index.count()) != len(self._wanted):
            raise CollectionError(
                f"{self._expected.name}: expected {len(self._wanted)} points after the ingest, found {found}",
                hint="run `strata ingest CONFIG --recreate`, and report this: it should not happen",
            )

    def _final_record(self, avg_len: float, tokens: dict[str, int]) -> CollectionRecord:
        digests = sorted(f"{key} {point.digest}" for key, point in self._wanted.items())
        return replace(
            self._expected,
            avg_len=avg_len,
            corpus={
                "root": str(self._experiment.config.corpus.root),
                "documents": len(self._corpus.documents),
                "empty": sorted(doc_id for doc_id, chunks in self._corpus.chunks.items() if not chunks),
                "digest": digest_request({"points": digests}).hex(),
                "files": self._corpus.files,
            },
            chunks=len(self._wanted),
            truncated=count_truncated(tokens, self._experiment.model_spec.max_tokens) or 0,
            complete=True,
        )

    def _result(
        self, plan: Plan, rewritten: int, tokens: dict[str, int], record: CollectionRecord
    ) -> IngestResult:
        experiment, corpus = self._experiment, self._corpus
        by_chunk = {self._wanted[key].chunk.chunk_id: count for key, count in tokens.items()}
        manifest = corpus_manifest(
            corpus, by_chunk, experiment.model_spec.max_tokens, redacted_by=record.privacy
        )
        path = keep_manifest(experiment.workspace.manifests, experiment.collection, manifest)
        return IngestResult(
            collection=record.name,
            documents=plan.documents,
            excluded=corpus.count("excluded"),
            failed=corpus.count("failed"),
            chunks=record.chunks,
            written=len(plan.fresh),
            embedded=self._embedded,
            rewritten=rewritten,
            truncated=count_truncated(tokens, self._experiment.model_spec.max_tokens),
            reasons=self._reasons(plan),
            warnings=tuple(corpus_warnings(experiment, corpus, manifest, by_chunk)),
            timings_ms={stage: experiment.timer.total(stage) for stage in experiment.timer.durations},
            manifest=path,
            redactions=sum(document.redactions for document in corpus.documents),
            secrets=sum(document.secrets for document in corpus.documents),
            hosted=self._hosted_use(),
        )

    def _hosted_use(self) -> HostedUse | None:
        """Return what was sent to a hosted model, and what it cost if the config knows the price."""
        if not self._experiment.is_hosted:
            return None
        usage, price = self._experiment.hosted.usage, self._experiment.config.embedding.price
        cost = None if price is None else usage.tokens * price / 1e6
        return HostedUse(usage.requests, usage.texts, usage.tokens, cost)

    def _reasons(self, plan: Plan) -> tuple[str, ...]:
        """Say why stored documents were replaced."""
        if self._record is None or not plan.documents.changed:
            return ()
        causes = self._record.differences(self._expected)
        return tuple(causes) or ("the documents' content",)
