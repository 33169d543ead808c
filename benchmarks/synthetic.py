"""Chunks without a model: random unit vectors, and text whose words follow Zipf's law."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from strata_rag.index import (
    Analyser,
    Point,
    SparseVector,
    document_weights,
    point_id,
    rounded_average,
    sparse_counts,
)

DIMENSION = 384
WORDS_A_CHUNK = 80
VOCABULARY = 50_000
K1, B = 1.2, 0.75


def texts(count: int, *, seed: int = 0) -> list[str]:
    """Return texts of 80 words each, drawn from 50,000 by Zipf's law."""
    rng = np.random.default_rng(seed)
    words = np.array([_word(number) for number in range(VOCABULARY)])
    shares = 1 / np.arange(1, VOCABULARY + 1)
    drawn = rng.choice(VOCABULARY, size=(count, WORDS_A_CHUNK), p=shares / shares.sum())
    return [" ".join(row) for row in words[drawn]]


def questions(count: int = 200, *, seed: int = 1) -> list[str]:
    """Return questions of six words, drawn like the texts."""
    return [" ".join(text.split()[:6]) for text in texts(count, seed=seed)]


def vectors(count: int, *, seed: int = 0) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def points(documents: Sequence[str], dense: NDArray[np.float32], analyser: Analyser) -> Iterator[Point]:
    """Yield the points that an ingest would write, BM25 weights included."""
    counts: list[SparseVector] = []
    lengths: list[int] = []
    for text in documents:
        terms = analyser.counts(text)
        counts.append(sparse_counts(terms))
        lengths.append(terms.total())
    avg_len = rounded_average(sum(lengths) / len(lengths))
    for number, (text, vector) in enumerate(zip(documents, dense, strict=True)):
        weights = document_weights(counts[number], length=lengths[number], k1=K1, b=B, avg_len=avg_len)
        doc_id = f"d{number:06}"
        payload = {"doc_id": doc_id, "start": 0, "end": len(text), "text": text, "source": f"s{number % 10}"}
        yield Point(point_id(f"{doc_id}#0-{len(text)}"), vector, weights, payload)


def batches(items: Iterator[Point], size: int) -> Iterator[list[Point]]:
    while batch := list(itertools.islice(items, size)):
        yield batch


def median_ms(calls: Sequence[Callable[[], object]]) -> float:
    """Return the median duration of the calls in milliseconds, the first ones taken for warming up."""
    taken = []
    for call in calls:
        begin = time.perf_counter()
        call()
        taken.append((time.perf_counter() - begin) * 1000)
    return float(np.median(taken[len(taken) // 10 :]))


def peak_mb() -> float:
    """Return the most memory this process has held, in MB; ``ru_maxrss`` would count that of its parent."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _word(number: int) -> str:
    letters = "bcdfghklmnprstvz"
    vowels = "aeiou"
    word = ""
    while True:
        number, place = divmod(number, len(letters) * len(vowels))
        word += letters[place // len(vowels)] + vowels[place % len(vowels)]
        if number == 0:
            return word + "x"
