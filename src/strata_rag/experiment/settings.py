"""The effective settings of one search: the config under the command line's flags."""

from __future__ import annotations

from dataclasses import dataclass

from strata_rag.config import ExperimentConfig
from strata_rag.index import Where


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The effective settings of one search: the config under the command line's flags.

    Attributes:
        mode: ``hybrid``, ``dense`` or ``lexical``.
        rerank: Whether the config's reranker runs.
        where: Payload fields a hit must have.
    """

    mode: str
    rerank: bool
    where: Where | None = None

    @classmethod
    def of(
        cls,
        config: ExperimentConfig,
        *,
        mode: str | None = None,
        dense_only: bool = False,
        no_rerank: bool = False,
        where: Where | None = None,
    ) -> SearchSettings:
        """Return the config's settings as the flags change them; `dense_only` is dense without a reranker."""
        effective = "dense" if dense_only else mode or config.retrieval.mode
        rerank = config.retrieval.rerank.scorer != "none" and not (dense_only or no_rerank)
        return cls(mode=effective, rerank=rerank, where=where)
