"""One function per formula: graded rankings in, one value per question out.

Notation: g_r is the grade of the item at rank r (ranks count from 1), rel_r is 1 where g_r > 0 and 0
elsewhere, R is the number of relevant items judged for the question, k is the cutoff. Places past the end
of a ranking hold nothing: their g_r and rel_r are 0. A question with R = 0 is NaN, but for Judged.

Every sum runs from rank 1 downwards, one question at a time, so a value does not depend on which other
questions or measures are computed with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]


class Graded:
    """What the judgements say about a batch of rankings, with the sums that several measures share.

    Args:
        grades: Shape (queries, places): the grade at each rank, NaN where the item is unjudged or the
            ranking has ended. Each ranking holds distinct items.
        lengths: Shape (queries,): how many places each ranking fills.
        ideal: Shape (queries, places): the positive grades of all judged items, best first, then 0.
        relevant: Shape (queries,): R.
        judged: Shape (queries,): whether the question has any judgement.
    """

    def __init__(
        self,
        *,
        grades: _Floats,
        lengths: NDArray[np.intp],
        ideal: _Floats,
        relevant: _Floats,
        judged: NDArray[np.bool_],
    ) -> None:
        self.lengths = lengths
        self.relevant = np.where(relevant > 0, relevant, np.nan)
        self.has_judgements = judged
        self._grades = grades
        self._ideal = ideal

    @cached_property
    def gains(self) -> _Floats:
        return np.fmax(self._grades, 0.0)  # fmax(NaN, 0) = 0

    @cached_property
    def hits(self) -> NDArray[np.bool_]:
        return self._grades > 0

    @cached_property
    def cumulative_hits(self) -> NDArray[np.int64]:
        return np.cumsum(self.hits, axis=1, dtype=np.int64)

    @cached_property
    def cumulative_judged(self) -> NDArray[np.int64]:
        return np.cumsum(~np.isnan(self._grades), axis=1, dtype=np.int64)

    @cached_property
    def cumulative_precision(self) -> _Floats:
        return np.cumsum(self.hits * self.cumulative_hits / _ranks(self.hits), axis=1)

    @cached_property
    def dcg(self) -> _Floats:
        return _dcg(self.gains)

    @cached_property
    def ideal_dcg(self) -> _Floats:
        return _dcg(self._ideal)

    @cached_property
    def dcg_exponential(self) -> _Floats:
        return _dcg(np.exp2(self.gains) - 1.0)

    @cached_property
    def ideal_dcg_exponential(self) -> _Floats:
        return _dcg(np.exp2(self._ideal) - 1.0)


def ndcg(graded: Graded, k: int) -> _Floats:
    """Normalised discounted cumulative gain with linear gain.

    nDCG@k = DCG@k / IDCG@k, DCG@k = sum over r = 1..k of g_r / log2(r + 1), with g_r = 0 for negative
    grades; IDCG@k is the DCG@k of all judged items ordered by falling grade.

    Source: Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 20(4), 2002,
    with the discount log2(r + 1) of Burges et al., ICML 2005; trec_eval's ndcg_cut.
    """
    return np.asarray(_at(graded.dcg, k) / (_at(graded.ideal_dcg, k) * _defined(graded)))


def ndcg_exponential(graded: Graded, k: int) -> _Floats:
    """Normalised discounted cumulative gain with the gain 2^g_r - 1; otherwise as `ndcg`.

    Source: Burges et al., Learning to rank using gradient descent, ICML 2005.
    """
    return np.asarray(
        _at(graded.dcg_exponential, k) / (_at(graded.ideal_dcg_exponential, k) * _defined(graded))
    )


def recall(graded: Graded, k: int) -> _Floats:
    """Recall@k = (sum over r = 1..k of rel_r) / R.

    Source: Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, section 8.3;
    trec_eval's recall.
    """
    return np.asarray(_at(graded.cumulative_hits, k) / graded.relevant)


def precision(graded: Graded, k: int) -> _Floats:
    """Precision@k = (sum over r = 1..k of rel_r) / k, however short the ranking.

    Source: Manning, Raghavan and Schütze, 2008, section 8.4; trec_eval's P.
    """
    return np.asarray(_at(graded.cumulative_hits, k) / k * _defined(graded))


def hit(graded: Graded, k: int) -> _Floats:
    """Hit@k = 1 if any rel_r = 1 for r = 1..k, else 0.

    Source: trec_eval's success.
    """
    return np.asarray((_at(graded.cumulative_hits, k) > 0) * _defined(graded))


def reciprocal_rank(graded: Graded, k: int) -> _Floats:
    """RR@k = 1 / (the first r <= k with rel_r = 1), 0 if there is none; MRR is its mean.

    Source: Voorhees, The TREC-8 question answering track report, 1999; trec_eval's recip_rank on a
    ranking cut at k.
    """
    first = np.argmax(graded.hits, axis=1)
    found = _at(graded.cumulative_hits, k) > 0
    return np.asarray(np.where(found, 1.0 / (first + 1), 0.0) * _defined(graded))


def average_precision(graded: Graded, k: int) -> _Floats:
    """AP@k = (sum over r = 1..k of rel_r * Precision@r) / R; MAP is its mean.

    Divides by all R relevant items, not by min(R, k): trec_eval's map_cut.

    Source: Buckley and Voorhees, Retrieval system evaluation, in TREC: Experiment and Evaluation in
    Information Retrieval, 2005.
    """
    return np.asarray(_at(graded.cumulative_precision, k) / graded.relevant)


def judged(graded: Graded, k: int) -> _Floats:
    """Judged@k = (items with a judgement, of whatever grade, among the first n) / n, n = min(k, length).

    0 for an empty ranking; NaN for a question without any judgement, as there it would say nothing of the
    ranking.

    Source: ir-measures' Judged.
    """
    returned = np.minimum(graded.lengths, k)
    share = _at(graded.cumulative_judged, k) / np.maximum(returned, 1)
    return np.asarray(np.where(graded.has_judgements, share, np.nan))


def pad(flat: Sequence[float], lengths: Sequence[int], *, fill: float) -> _Floats:
    """Lay rows of different lengths, given end to end, into a matrix at least one column wide."""
    sizes = np.asarray(lengths, dtype=np.intp)
    width = max(1, int(sizes.max(initial=0)))
    matrix = np.full((len(sizes), width), fill)
    matrix[np.arange(width) < sizes[:, None]] = flat
    return matrix


def _defined(graded: Graded) -> _Floats:
    """1 where the question has a relevant item, NaN elsewhere."""
    return np.asarray(graded.relevant / graded.relevant)


def _ranks(matrix: NDArray[np.generic]) -> NDArray[np.int64]:
    return np.arange(1, matrix.shape[1] + 1)


def _dcg(gains: _Floats) -> _Floats:
    """DCG at every cutoff."""
    return np.asarray(np.cumsum(gains / np.log2(_ranks(gains) + 1), axis=1))


def _at(cumulative: NDArray[np.generic], k: int) -> _Floats:
    """The sum at cutoff k, which stays the same after the last place."""
    return np.asarray(cumulative[:, min(k, cumulative.shape[1]) - 1], dtype=np.float64)
