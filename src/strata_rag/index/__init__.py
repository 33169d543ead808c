"""Collections: identity, record, lock, the embedded engine, and the lexical analyser."""

from strata_rag.index.analyser import ANALYSER_VERSION, Analyser, sparse_counts
from strata_rag.index.bm25 import document_weights, rounded_average
from strata_rag.index.collections import CollectionWriter, EmbeddedCollections
from strata_rag.index.embedded import EmbeddedIndex
from strata_rag.index.identity import collection_name
from strata_rag.index.index import Index, IndexInfo, Where
from strata_rag.index.points import Point, ScoredPoint, SparseVector, point_id
from strata_rag.index.record import CollectionRecord

__all__ = [
    "ANALYSER_VERSION",
    "Analyser",
    "CollectionRecord",
    "CollectionWriter",
    "EmbeddedCollections",
    "EmbeddedIndex",
    "Index",
    "IndexInfo",
    "Point",
    "ScoredPoint",
    "SparseVector",
    "Where",
    "collection_name",
    "document_weights",
    "point_id",
    "rounded_average",
    "sparse_counts",
]
