"""Collections: identity, record, lock, the embedded engine, and the lexical analyser."""

from strata_rag.index.analyser import ANALYSER_VERSION, Analyser, sparse_counts
from strata_rag.index.bm25 import document_weights, rounded_average
from strata_rag.index.collections import CollectionWriter, EmbeddedCollections
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
    matches,
    parse_filters,
)
from strata_rag.index.identity import collection_name
from strata_rag.index.index import Index, IndexInfo
from strata_rag.index.lock import lock_holders
from strata_rag.index.points import Point, ScoredPoint, SparseVector, point_id
from strata_rag.index.record import CollectionRecord

__all__ = [
    "ANALYSER_VERSION",
    "AllOf",
    "Analyser",
    "CollectionRecord",
    "CollectionWriter",
    "Condition",
    "DateRange",
    "EmbeddedCollections",
    "EmbeddedIndex",
    "Index",
    "IndexInfo",
    "Not",
    "NumberRange",
    "OneOf",
    "Point",
    "ScoredPoint",
    "SparseVector",
    "Where",
    "collection_name",
    "document_weights",
    "has_field",
    "lock_holders",
    "matches",
    "parse_filters",
    "point_id",
    "rounded_average",
    "sparse_counts",
]
