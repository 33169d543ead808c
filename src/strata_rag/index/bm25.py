"""BM25 as sparse vectors: document weights here, query term counts, IDF from the engine.

The score of a document d for a query q is the dot product

    sum over t of  qtf(t) * idf(t) * tf (k1 + 1) / (tf + k1 (1 - b + b |d| / avg_len))
    idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5))

(Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; the smoothed idf,
never negative, is Lucene's and Qdrant's). `qtf` keeps what a query repeats.
"""

from __future__ import annotations

import math

import numpy as np

from strata_rag.index.points import SparseVector

_STEP = 1.05


def rounded_average(mean_length: float) -> float:
    """Return `mean_length` (terms a chunk) rounded to a power of 1.05, so that small edits leave weights alone.

    An empty corpus has the length 1.
    """
    if mean_length <= 0:
        return 1.0
    return float(_STEP ** round(math.log(mean_length, _STEP)))


def document_weights(
    counts: SparseVector, *, length: int, k1: float, b: float, avg_len: float
) -> SparseVector:
    """Return the BM25 weight of each term of one document, idf left out.

    Args:
        counts: How often each term stands in the document.
        length: Terms in the document, repetitions included.
        k1: How slowly repetitions saturate, >= 0.
        b: How much length counts, in [0, 1].
        avg_len: Average length over the collection, > 0.
    """
    norm = np.float32(k1 * (1 - b + b * length / avg_len))
    weights = counts.values * np.float32(k1 + 1) / (counts.values + norm)
    return SparseVector(counts.indices, weights.astype(np.float32))
