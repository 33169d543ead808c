"""Collections: identity, record, lock, the embedded engine, and the lexical analyser."""

from strata_rag.index.analyser import ANALYSER_VERSION, Analyser, fold, sparse_counts, stop_words
from strata_rag.index.bm25 import document_weights, rounded_average
from strata_rag.index.collections import EmbeddedCollections, EmbeddedWriter
from strata_rag.index.embedded import EmbeddedIndex
from strata_rag.index.filters import (
    AllOf,
    Condition,
    DateRange,
    Not,
    NumberRange,
    OneOf,
    Where,
    has_field,
    is_text,
    matches,
    parse_filters,
)
from strata_rag.index.identity import collection_name
from strata_rag.index.index import Collections, CollectionWriter, Index, IndexInfo
from strata_rag.index.lock import lock_holders
from strata_rag.index.points import Point, ScoredPoint, SparseVector, point_id
from strata_rag.index.record import CollectionRecord
from strata_rag.index.server import ServerIndex
from strata_rag.index.server_client import ServerAddress, ServerClient
from strata_rag.index.server_collections import ServerCollections, ServerLayout

__all__ = [
    "ANALYSER_VERSION",
    "AllOf",
    "Analyser",
    "CollectionRecord",
    "CollectionWriter",
    "Collections",
    "Condition",
    "DateRange",
    "EmbeddedCollections",
    "EmbeddedIndex",
    "EmbeddedWriter",
    "Index",
    "IndexInfo",
    "Not",
    "NumberRange",
    "OneOf",
    "Point",
    "ScoredPoint",
    "ServerAddress",
    "ServerClient",
    "ServerCollections",
    "ServerIndex",
    "ServerLayout",
    "SparseVector",
    "Where",
    "collection_name",
    "document_weights",
    "fold",
    "has_field",
    "is_text",
    "lock_holders",
    "matches",
    "parse_filters",
    "point_id",
    "rounded_average",
    "sparse_counts",
    "stop_words",
]
