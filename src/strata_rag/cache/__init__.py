"""The content-addressed store."""

from strata_rag.cache.store import Cache, digest_request

__all__ = ["Cache", "digest_request"]
