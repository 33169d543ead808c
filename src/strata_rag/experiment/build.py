"""The composition root: from a config to components. Nothing below it sees the config."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from strata_rag.cache import Cache
from strata_rag.chunking import CHUNKING_VERSION, Chunker
from strata_rag.config import ExperimentConfig, LanguageModel
from strata_rag.corpus import (
    Registry,
    Rules,
    SourceAdapter,
    files_digest,
    load_plugins,
    load_rules,
)
from strata_rag.embedding import (
    EMBEDDING_VERSION,
    CachedEmbedder,
    ModelResolver,
    ModelSpec,
    ModelTokenCounter,
    OpenAIEmbedder,
    SentenceTransformersEmbedder,
    canonical_model_id,
    files_fingerprint,
    read_spec,
)
from strata_rag.errors import InputError
from strata_rag.experiment.chunkers import build_chunker, said_chunking
from strata_rag.experiment.corpus_files import open_files
from strata_rag.experiment.engines import embedded_collections, server_collections
from strata_rag.experiment.hosted import hosted_embedder, hosted_model_id, hosted_spec
from strata_rag.experiment.llm import build_llm, fence_key
from strata_rag.experiment.privacy import RedactingSource, build_redactor, said_privacy
from strata_rag.experiment.retrievers import build_retriever
from strata_rag.experiment.settings import SearchSettings
from strata_rag.experiment.sources import source_digests
from strata_rag.experiment.timing import StageTimer, TimedEmbedder, TimedScorer
from strata_rag.experiment.untrusted import scanned
from strata_rag.experiment.workspace import Workspace
from strata_rag.index import (
    ANALYSER_VERSION,
    Analyser,
    CollectionRecord,
    Collections,
    EmbeddedCollections,
    Index,
    ServerCollections,
    collection_name,
)
from strata_rag.llm import Budget, Limiters, LLMClient, Watchdog
from strata_rag.privacy import Redactor
from strata_rag.retrieval import (
    CachedScorer,
    CrossEncoderScorer,
    LateInteractionScorer,
    LLMScorer,
    Retriever,
    Scorer,
)

PAYLOAD_VERSION = 1
"""Grows when the same chunk is stored with other fields."""


class Experiment:
    """The components of one config, each made when it is first asked for.

    Args:
        config: The experiment.
        workspace: Where its files live.
        announce: Told of downloads before they start.
    """

    def __init__(
        self,
        config: ExperimentConfig,
        workspace: Workspace,
        *,
        announce: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.config = config
        self.workspace = workspace
        self.timer = StageTimer()
        self.budget = Budget()
        self._limiters = Limiters()
        self._announce = announce

    @property
    def is_hosted(self) -> bool:
        """Whether a server makes the vectors."""
        return self.config.embedding.provider == "openai"

    @property
    def model_id(self) -> str:
        """The embedding model's canonical id; a local folder as seen from the workspace."""
        name = self.config.embedding.model
        if self.is_hosted:
            return hosted_model_id(self.config.embedding)
        return self.workspace.place(Path(name)) if name.startswith("/") else canonical_model_id(name)

    @cached_property
    def says(self) -> dict[str, Any]:
        """What the config says about the stored points, without what stands at its default."""
        lexical = self.config.retrieval.lexical.model_dump(
            exclude_defaults=True, include={"k1", "b", "language", "tokenizer", "text"}
        )
        corpus = self.config.corpus.model_dump(
            exclude_defaults=True, include={"format", "follow_symlinks", "limit", "tables", "comments", "zip"}
        )
        said = {"revision", "provider", "base_url"} if self.is_hosted else {"revision"}
        embedding = self.config.embedding.model_dump(exclude_defaults=True, include=said)
        parts: dict[str, Any] = {
            "corpus": {"root": self.workspace.place(self.config.corpus.root), **corpus},
            "privacy": said_privacy(self.config.privacy, self.workspace),
            "chunking": said_chunking(self.config.chunking),
            "embedding": embedding,
            "lexical": lexical,
            "hnsw": self.config.index.hnsw.model_dump(exclude_defaults=True),
        }
        return {key: part for key, part in parts.items() if part}

    @property
    def collection(self) -> str:
        """The collection's name; needs no model."""
        return collection_name(self.config.name, self.model_id, self.says)

    @cached_property
    def cache(self) -> Cache:
        return Cache(self.workspace.cache)

    @property
    def collections(self) -> Collections:
        """The collections of the engine that the config names."""
        server = self.config.index.engine == "server"
        return self.server_collections if server else self.embedded_collections

    @cached_property
    def server_collections(self) -> ServerCollections:
        return server_collections(self.config, self.workspace)

    @cached_property
    def embedded_collections(self) -> EmbeddedCollections:
        return embedded_collections(self.config, self.workspace)

    @cached_property
    def chunker(self) -> Chunker:
        return self._chunker(cache_only=False)

    @cached_property
    def preview_chunker(self) -> Chunker:
        """The same chunker, which raises `NotCached` rather than load the model."""
        return self._chunker(cache_only=True)

    def _chunker(self, *, cache_only: bool) -> Chunker:
        return build_chunker(
            self.config.chunking,
            embedder=lambda: (
                CachedEmbedder(self._model, self.cache, cache_only=True) if cache_only else self.embedder
            ),
            tokenizer=lambda: self.token_counter,
        )

    @cached_property
    def analyser(self) -> Analyser:
        lexical = self.config.retrieval.lexical
        return Analyser(language=lexical.language, tokenizer=lexical.tokenizer)

    @cached_property
    def model_spec(self) -> ModelSpec:
        """The embedding model as its files describe it; needs no model library."""
        embedding = self.config.embedding
        if self.is_hosted:
            return hosted_spec(self.hosted, embedding)
        files = self._resolver.resolve(embedding.model, embedding.revision)
        return read_spec(replace(files, model_id=self.model_id), self.cache)

    @cached_property
    def token_counter(self) -> ModelTokenCounter:
        return ModelTokenCounter(self.model_spec)

    @cached_property
    def embedder(self) -> CachedEmbedder:
        model = self.hosted if self.is_hosted else self._model
        return CachedEmbedder(TimedEmbedder(model, self.timer), self.cache)

    @cached_property
    def hosted(self) -> OpenAIEmbedder:
        """The hosted model; refused where texts may not leave the machine."""
        return hosted_embedder(self.config.embedding, self.workspace, self.cache, self._announce)

    def llm(
        self,
        section: LanguageModel | None = None,
        *,
        where: str = "generation",
        budget: Budget | None = None,
        watchdog: Watchdog | None = None,
    ) -> LLMClient:
        """Return the language model of `section`, by default the one of `generation`; see `build_llm`.

        Without a budget of its own it spends from the experiment's.
        """
        return build_llm(
            section or self.config.generation,
            self.workspace,
            self.cache,
            self._announce,
            where=where,
            budget=budget or self.budget,
            watchdog=watchdog,
            limiters=self._limiters,
        )

    def load_model(self) -> None:
        """Load the embedding model's weights, timed apart from embedding; a server has its own."""
        if self.is_hosted:
            return
        with self.timer.measure("load"):
            self._model.load()

    def corpus_files(self) -> str | None:
        """Return a digest of the corpus files' names, sizes and times; None where the root is not there."""
        corpus = self.config.corpus
        return files_digest(
            corpus.root,
            layout=corpus.format,
            follow_symlinks=corpus.follow_symlinks,
            rules=self.rules,
            registry=self.registry,
        )

    def open_source(self) -> SourceAdapter:
        """Return the adapter that reads the corpus; what it gives is redacted."""
        source = RedactingSource(self.raw_source(), self.redactor, limit=self.config.corpus.limit)
        return scanned(source, self.config.generation, self.redactor)

    def raw_source(self) -> SourceAdapter:
        """Return the adapter that reads the corpus as it is; nothing it gives may be shown or stored."""
        return open_files(self.config.corpus, rules=self.rules, registry=self.registry)

    @cached_property
    def registry(self) -> Registry:
        """The adapters and families that this engine's plugins bring; what is broken raises each time anew."""
        return load_plugins(self.config.corpus.plugins_dir)

    @cached_property
    def rules(self) -> Rules:
        """The relevance rules, or none."""
        path = self.config.corpus.rules
        return Rules() if path is None else load_rules(path)

    @cached_property
    def redactor(self) -> Redactor:
        return build_redactor(self.config.privacy, self.workspace)

    def redacted(self, text: str) -> str:
        """Return a question or reference answer as a language model may read it: redacted like the documents."""
        return self.redactor.redact(text, document="").text

    def expected_record(self) -> CollectionRecord:
        """Return the record a collection of this config must have, as far as it is known without its points."""
        spec = self.model_spec
        model = {
            "id": spec.files.model_id,
            "revision": spec.files.revision,
            "fingerprint": spec.fingerprint,
            "max_tokens": spec.max_tokens,
        }
        return self.record_of(model=model, dimension=spec.dimension)

    def record_of(self, *, model: Mapping[str, Any], dimension: int) -> CollectionRecord:
        """Return the record a collection of this config must have if `model` makes its vectors."""
        return CollectionRecord(
            name=self.collection,
            says=self.says,
            model=model,
            dimension=dimension,
            privacy=self.redactor.describe(),
            sources=source_digests(self.config.corpus, self.rules, self.registry),
            stages={
                "chunking": CHUNKING_VERSION,
                "analyser": ANALYSER_VERSION,
                "embedding": EMBEDDING_VERSION,
                "payload": PAYLOAD_VERSION,
            },
        )

    def retriever(self, index: Index, settings: SearchSettings, scorer: Scorer | None) -> Retriever:
        """Return the pipeline that `settings` ask for, over an open collection, with `scorer` as second stage."""
        return build_retriever(
            self.config,
            settings,
            index,
            embedder=lambda: self.embedder,
            analyser=self.analyser,
            scorer=scorer,
            timer=self.timer,
        )

    def scorer(self) -> Scorer | None:
        """Return the config's reranker behind the cache, or None where it has none."""
        rerank = self.config.retrieval.rerank
        scorer: Scorer
        if rerank.scorer == "none":
            return None
        if rerank.scorer == "llm":
            return TimedScorer(self.llm_scorer, self.timer)
        if rerank.scorer == "late-interaction":
            if self.is_hosted:
                raise InputError(
                    "retrieval.rerank.scorer: expected none or cross-encoder, since a hosted model gives no "
                    "token vectors; found late-interaction",
                    hint="set retrieval.rerank.scorer",
                )
            scorer = LateInteractionScorer(
                self._model, model_id=self.model_id, fingerprint=self.model_spec.fingerprint
            )
        else:
            files = self._resolver.resolve(rerank.model)
            scorer = CrossEncoderScorer(
                files,
                fingerprint=files_fingerprint(files, self.cache),
                label=rerank.label,
                batch_size=self.config.embedding.batch_size,
                device=self.config.embedding.device,
            )
        return CachedScorer(TimedScorer(scorer, self.timer), self.cache)

    @cached_property
    def llm_scorer(self) -> LLMScorer:
        """The language model as reranker. Its replies are cached by request, not by text as other scores."""
        rerank = self.config.retrieval.rerank
        where = "generation" if rerank.llm is None else "retrieval.rerank.llm"
        return LLMScorer(
            self.llm(rerank.llm, where=where),
            fence_key=fence_key(self.workspace),
            passage_tokens=rerank.passage_tokens,
            redact=self.redacted,
        )

    @cached_property
    def _model(self) -> SentenceTransformersEmbedder:
        embedding = self.config.embedding
        return SentenceTransformersEmbedder(
            self.model_spec, batch_size=embedding.batch_size, device=embedding.device
        )

    @cached_property
    def _resolver(self) -> ModelResolver:
        return ModelResolver(
            models_dir=self.workspace.models_dir, offline=self.workspace.offline, announce=self._announce
        )
