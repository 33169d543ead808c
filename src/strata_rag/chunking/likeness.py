"""Near-duplicates among many texts: min-hash proposes, the exact share of common word runs decides."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

LIKENESS = 0.8
"""Jaccard similarity of five-word runs from which two texts are near-duplicates."""

_Hashes = npt.NDArray[np.uint64]

_RUN = 5
_SKETCH = 64
_ROWS = 4
_WORTH_A_LOOK = LIKENESS - 0.2  # four standard deviations of an estimate from 64 values
_BLOCK = 4096
_CROWD = 50
_LOOKS = 20
_WORD = re.compile(r"\w+")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a text is like.

    Attributes:
        first: Key of the first text like it.
        share: Five-word runs that both have, of those that either has; 0.8 to 1.
    """

    first: str
    share: float


def near_duplicates(texts: Mapping[str, str]) -> dict[str, Likeness]:
    """Return the first earlier text that each near-duplicate is like, by key.

    Min-hash sketches of 64 values in 16 bands of 4 propose pairs (Broder, On the resemblance and containment of
    documents, 1997): a pair at the threshold is missed once in 5,000 times. Letter case and punctuation do not count.
    A near-duplicate is held against no later text, since what is like it is like the first one too. In a crowd of texts
    that are half alike each is held against the first 50 of a band, and exactly against the 20 that look most like it,
    which keeps the work linear.
    """
    runs: list[_Hashes] = []
    sketches = np.empty((0, _SKETCH), dtype=np.uint64)
    keys: list[str] = []
    bands: defaultdict[bytes, list[int]] = defaultdict(list)
    found: dict[str, Likeness] = {}
    for key, text in texts.items():
        own = word_runs(text)
        if not own.size:
            continue
        sketch = _sketch(own)
        places = [bytes([at]) + sketch[at : at + _ROWS].tobytes() for at in range(0, _SKETCH, _ROWS)]
        candidates = sorted({other for place in places for other in bands.get(place, ())})
        like = _first_like(own, sketch, candidates, runs, sketches)
        if like is not None:
            found[key] = Likeness(keys[like[0]], like[1])
            continue
        if len(keys) == len(sketches):
            sketches = np.resize(sketches, (max(2 * len(sketches), 64), _SKETCH))
        sketches[len(keys)] = sketch
        for place in places:
            if len(bands[place]) < _CROWD:
                bands[place].append(len(keys))
        keys.append(key)
        runs.append(own)
    return found


def _first_like(
    own: _Hashes,
    sketch: _Hashes,
    candidates: list[int],
    runs: list[_Hashes],
    sketches: npt.NDArray[np.uint64],
) -> tuple[int, float] | None:
    if not candidates:
        return None
    estimates = (sketches[candidates] == sketch).mean(axis=1)
    best = np.argsort(-estimates, kind="stable")[:_LOOKS]
    for at in sorted(best[estimates[best] >= _WORTH_A_LOOK]):
        if (share := _share(own, runs[candidates[at]])) >= LIKENESS:
            return candidates[at], share
    return None


def _share(one: _Hashes, other: _Hashes) -> float:
    """Return the Jaccard similarity of two sorted sets."""
    both = np.intersect1d(one, other, assume_unique=True).size
    return float(both / (one.size + other.size - both))


def word_runs(text: str) -> _Hashes:
    """Return the distinct hashes of a text's five-word runs, rising; of all its words where it has fewer."""
    words = _WORD.findall(text.lower())
    hashes = np.fromiter(map(_word_hash, words), dtype=np.uint64, count=len(words))
    length = min(_RUN, len(words))
    if not length:
        return hashes
    count = len(words) - length + 1
    mixed = np.zeros(count, dtype=np.uint64)
    with np.errstate(over="ignore"):
        for at in range(length):
            mixed = mixed * _FACTOR + hashes[at : at + count]
    return np.unique(mixed)


@lru_cache(maxsize=1 << 20)
def _word_hash(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def _sketch(values: _Hashes) -> _Hashes:
    """Return the smallest of each of 64 hashes over `values`."""
    smallest: Any = None
    for at in range(0, values.size, _BLOCK):
        block = (values[at : at + _BLOCK, None] ^ _seeds()) * np.uint64(0xBF58476D1CE4E5B9)
        block ^= block >> np.uint64(31)
        least = (block * np.uint64(0x94D049BB133111EB)).min(axis=0)
        smallest = least if smallest is None else np.minimum(smallest, least)
    sketch: _Hashes = smallest
    return sketch


@cache
def _seeds() -> _Hashes:
    with np.errstate(over="ignore"):
        return np.arange(_SKETCH, dtype=np.uint64) * _FACTOR
