"""How long embedding will take: from the last measured rate of the model, or from its size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strata_rag.cache import digest_request
from strata_rag.documents import Chunk
from strata_rag.experiment.build import Experiment

_MINILM_TOKENS_PER_SECOND = 5000.0
"""Measured on 2 CPU cores with all-MiniLM-L6-v2; other models are scaled by their work per token."""
_FEWEST_TOKENS_TO_LEARN_FROM = 2000


def estimated_seconds(experiment: Experiment, chunks: Sequence[Chunk], tokens: dict[str, int]) -> float:
    """Return the seconds that embedding what is not cached will take."""
    missing = experiment.embedder.missing_documents([chunk.embed_text for chunk in chunks])
    limit = experiment.model_spec.max_tokens
    work = sum(
        min(tokens[chunk.chunk_id], limit or tokens[chunk.chunk_id])
        for chunk in chunks
        if chunk.embed_text in missing
    )
    return work / _tokens_per_second(experiment)


def remember_rate(experiment: Experiment, token_count: int, seconds: float) -> None:
    """Keep the measured rate of this model for later estimates, if it was measured on enough tokens."""
    if token_count >= _FEWEST_TOKENS_TO_LEARN_FROM and seconds > 0:
        rate = np.float64(token_count / seconds).tobytes()
        experiment.cache.put_many([(_rate_key(experiment), rate)], owner=experiment.model_spec.fingerprint)


def _tokens_per_second(experiment: Experiment) -> float:
    key = _rate_key(experiment)
    measured = experiment.cache.get_many([key]).get(key)
    if measured is not None:
        return float(np.frombuffer(measured, "<f8")[0])
    return _MINILM_TOKENS_PER_SECOND / experiment.model_spec.work


def _rate_key(experiment: Experiment) -> bytes:
    return digest_request({"kind": "embedding-rate", "fingerprint": experiment.model_spec.fingerprint})
