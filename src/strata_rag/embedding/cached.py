"""An embedder that asks the cache first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from strata_rag.cache import Cache, digest_request
from strata_rag.embedding.embedder import Embedder, Matrix
from strata_rag.errors import ModelUnavailable

_GROUP = 256


class NotCached(ModelUnavailable):
    """Vectors that only the model could give were asked of the cache alone."""


class CachedEmbedder:
    """Keeps vectors by text and fingerprint, so that no text is embedded twice by one model.

    Args:
        embedder: Asked for what the cache lacks; not touched otherwise.
        cache: Where vectors are kept.
        cache_only: Raise `NotCached` in place of asking the embedder.
    """

    def __init__(self, embedder: Embedder, cache: Cache, *, cache_only: bool = False) -> None:
        self._embedder = embedder
        self._cache = cache
        self._cache_only = cache_only

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return self._embed("document", texts, self._embedder.embed_documents)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        rows = self._embed("query", [text], lambda texts: self._embedder.embed_query(texts[0])[None, :])
        vector: NDArray[np.float32] = rows[0]
        return vector

    def missing_documents(self, texts: Sequence[str]) -> set[str]:
        """Return those of `texts` that would have to be embedded as documents."""
        keys = {self._key("document", text): text for text in texts}
        found = self._cache.get_many(list(keys))
        return {text for key, text in keys.items() if key not in found}

    def _embed(self, role: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Matrix]) -> Matrix:
        keys = [self._key(role, text) for text in texts]
        found = {
            key: np.frombuffer(value, dtype="<f4")
            for key, value in self._cache.get_many(list(set(keys))).items()
        }
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing and self._cache_only:
            raise NotCached(
                f"cache: expected the vectors of {len(keys)} texts, found those of {len(keys) - len(missing)}",
                hint="run `strata ingest CONFIG` first: it embeds what is missing and keeps it",
            )
        ordered = sorted(missing.items(), key=lambda item: (len(item[1]), item[0]))
        for first in range(0, len(ordered), _GROUP):
            group = ordered[first : first + _GROUP]
            vectors = embed([text for _, text in group])
            self._cache.put_many(
                ((key, row.astype("<f4").tobytes()) for (key, _), row in zip(group, vectors, strict=True)),
                owner=self.fingerprint,
            )
            found |= {key: row for (key, _), row in zip(group, vectors, strict=True)}
        if not keys:
            return np.zeros((0, self.dimension), np.float32)
        return np.stack([found[key] for key in keys])

    def _key(self, role: str, text: str) -> bytes:
        return digest_request(
            {"kind": "embedding", "role": role, "fingerprint": self.fingerprint, "text": text}
        )
