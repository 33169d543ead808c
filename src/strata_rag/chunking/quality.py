"""Signs that a chunk will be of little use: too short, said already, too long for the model, mostly boilerplate."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from strata_rag.documents import Chunk, SourceDocument

TOO_SHORT = "too short"
NEAR_DUPLICATE = "near-duplicate"
OVER_LIMIT = "over the model's limit"
BOILERPLATE = "mostly boilerplate"
FLAGS = (TOO_SHORT, NEAR_DUPLICATE, OVER_LIMIT, BOILERPLATE)

_FEWEST_LETTERS = 40
_SHINGLE = 5
_SKETCH = 32
_ROWS = 4
_LIKENESS = 0.8
_DOCUMENTS_SHARING = 3
_WORD = re.compile(r"\w+")


def quality_flags(
    documents: Iterable[SourceDocument],
    chunks: Mapping[str, Sequence[Chunk]],
    tokens: Mapping[str, int],
    limit: int | None,
) -> dict[str, tuple[str, ...]]:
    """Return the flags of each chunk by its id, in the order of `FLAGS`.

    A chunk is too short below 40 letters and digits; a near-duplicate of an earlier one if an estimated 80 % of
    their five-word runs agree; mostly boilerplate if more than half of its characters stand in lines that three or
    more documents have.

    Args:
        documents: Every document.
        chunks: By document id.
        tokens: By chunk id; empty where no tokenizer was at hand.
        limit: Most tokens the model reads, or None.
    """
    texts = {document.doc_id: document.text for document in documents}
    units = {
        chunk.chunk_id: texts[chunk.doc_id][chunk.start : chunk.end]
        for each in chunks.values()
        for chunk in each
    }
    repeated = _repeated_lines(texts.values())
    duplicates = near_duplicates(units)
    return {
        chunk_id: tuple(
            flag
            for flag, holds in (
                (TOO_SHORT, sum(map(str.isalnum, text[:1000])) < _FEWEST_LETTERS),
                (NEAR_DUPLICATE, chunk_id in duplicates),
                (OVER_LIMIT, limit is not None and tokens.get(chunk_id, 0) > limit),
                (BOILERPLATE, _is_boilerplate(text, repeated)),
            )
            if holds
        )
        for chunk_id, text in units.items()
    }


def near_duplicates(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the first earlier text that each near-duplicate is like, by key.

    Min-hash sketches of 32 values in bands of 4 propose pairs; the share of equal values decides (Broder, On the
    resemblance and containment of documents, 1997).
    """
    sketches: dict[str, tuple[int, ...]] = {}
    bands: defaultdict[tuple[int, tuple[int, ...]], list[str]] = defaultdict(list)
    found = {}
    for key, text in texts.items():
        sketch = _sketch(text)
        if not sketch:
            continue
        keys = [(at, sketch[at : at + _ROWS]) for at in range(0, _SKETCH, _ROWS)]
        candidates = dict.fromkeys(other for band in keys for other in bands[band])
        like = next((other for other in candidates if _likeness(sketch, sketches[other]) >= _LIKENESS), None)
        if like is not None:
            found[key] = like  # not kept itself: what is like it is like the first one too
            continue
        sketches[key] = sketch
        for band in keys:
            bands[band].append(key)
    return found


def _sketch(text: str) -> tuple[int, ...]:
    """Return the smallest of 32 hashes over the text's five-word runs; empty for a text without words."""
    words = _WORD.findall(text.lower())
    runs = (
        {" ".join(words[at : at + _SHINGLE]) for at in range(max(len(words) - _SHINGLE + 1, 1))}
        if words
        else set()
    )
    values = [
        int.from_bytes(blake2b(run.encode("utf-8", "surrogatepass"), digest_size=8).digest()) for run in runs
    ]
    return tuple(min(_mixed(value, at) for value in values) for at in range(_SKETCH)) if values else ()


def _mixed(value: int, at: int) -> int:
    """Return the `at`-th of a family of 64-bit hashes of a value that is one already."""
    mixed = (value ^ (at * 0x9E3779B97F4A7C15)) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    return (mixed ^ mixed >> 31) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF


def _likeness(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    return sum(a == b for a, b in zip(one, other, strict=True)) / _SKETCH


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if any(map(str.isalnum, line))]


def _repeated_lines(texts: Iterable[str]) -> set[str]:
    counts = Counter(line for text in texts for line in set(_lines(text)))
    return {line for line, documents in counts.items() if documents >= _DOCUMENTS_SHARING}


def _is_boilerplate(text: str, repeated: set[str]) -> bool:
    lines = _lines(text)
    return 2 * sum(len(line) for line in lines if line in repeated) > sum(map(len, lines))
