"""Run and qrels files as trec_eval reads them.

A run line is ``qid Q0 docid rank score tag``, a qrels line ``qid 0 docid grade``: fields apart by one
space, UTF-8, lines ended by a line feed. White space, control characters and ``%`` in ids are
percent-encoded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

import numpy as np

from strata_rag.errors import Fault, InputError
from strata_rag.evaluation.golden import GoldenSet

DECIMALS = 6  # of a score on disk; what lies below is noise of the machine

# What str.split() or C's isspace() splits at, what ends a C string, what UTF-8 cannot carry, and the byte order mark.
_UNSAFE = re.compile(
    "[%\\s\\x00-\\x20\\x7f-\\xa0\\ud800-\\udfff\\ufeff]"
)  # a leading U+FEFF would be taken for a byte order mark
_LARGEST = 1e30  # trec_eval keeps scores as 32-bit floats
_SMALLEST_STEP = 1e-30


@dataclass(frozen=True, slots=True)
class RankedItem:
    """One place of a ranking.

    Attributes:
        id: What relevance is judged on (a document, at document level).
        score: The system's score; None where it gave none. The rank counts, never the score.
        chunk_id: The chunk that put the item at its place.
    """

    id: str
    score: float | None = None
    chunk_id: str | None = None


def distinct(ranking: Iterable[RankedItem], depth: int | None = None) -> list[RankedItem]:
    """Keep each item at its first place, and the first `depth` of them."""
    seen: dict[str, RankedItem] = {}
    for item in ranking:
        seen.setdefault(item.id, item)
        if depth is not None and len(seen) == depth:
            break
    return list(seen.values())


def encode_id(text: str) -> str:
    """Percent-encode what a TREC file can't hold in an id, byte by byte of its UTF-8 form.

    Raises:
        ValueError: The id is empty.
    """
    if not text:
        raise ValueError("id: text was expected, found nothing")
    return _UNSAFE.sub(_percent, text)


def decode_id(text: str) -> str:
    """Undo `encode_id`; a ``%`` that no two hex digits follow stays as it is."""
    if "%" not in text:
        return text
    return unquote_to_bytes(text).decode("utf-8", errors="surrogatepass")


def falling_scores(scores: Sequence[float | None]) -> list[float]:
    """Give every place a score that strictly falls with the rank, also as a 32-bit float.

    A score stays as it is (to `DECIMALS`) where it falls; elsewhere it is put as little as possible below
    the one before. trec_eval sorts by score and would otherwise order ties by document id.
    """
    own = [_usable(score) for score in scores]
    single = np.array([np.nan if score is None else score for score in own], dtype=np.float32).tolist()
    falling: list[float] = []
    last = math.inf
    for score, rounded in zip(own, single, strict=True):
        if score is not None and rounded < last:
            last = rounded
            falling.append(score)
        else:
            last = 0.0 if math.isinf(last) else _just_below(last)
            # Nine significant digits tell any two 32-bit floats apart.
            falling.append(float(f"{last:.9g}"))
    return falling


def _just_below(value: float) -> float:
    single = np.float32(value)
    return float(single - max(np.spacing(abs(single)), np.float32(_SMALLEST_STEP)))


def _usable(score: float | None) -> float | None:
    if score is None or not math.isfinite(score):
        return None
    return min(max(round(float(score), DECIMALS), -_LARGEST), _LARGEST) + 0.0  # + 0.0 makes -0.0 a 0.0


def format_run(
    rankings: Mapping[str, Sequence[RankedItem]], query_ids: Iterable[str], *, tag: str
) -> Iterator[str]:
    """Yield the lines of a run file, queries in the order given."""
    tag = encode_id(tag)
    for query_id in query_ids:
        ranking = distinct(rankings.get(query_id, ()))
        scores = falling_scores([item.score for item in ranking])
        query = encode_id(query_id)
        for rank, (item, score) in enumerate(zip(ranking, scores, strict=True), start=1):
            yield f"{query} Q0 {encode_id(item.id)} {rank} {score!r} {tag}\n"


def format_qrels(golden: GoldenSet) -> Iterator[str]:
    """Yield the lines of a qrels file, questions in the set's order, items by id."""
    for question in golden.questions:
        query = encode_id(question.id)
        for item, grade in sorted(question.judged.items()):
            # trec_eval knows whole grades only; others are written as they are.
            shown = int(grade) if float(grade).is_integer() else float(grade)
            yield f"{query} 0 {encode_id(item)} {shown}\n"


def parse_run(text: str, *, origin: str) -> dict[str, list[RankedItem]]:
    """Read a run file; each query's items by falling score, ties by rank, as the file's ranking says.

    Raises:
        InputError: A line is not a run line, or an item stands twice in a ranking.
    """
    rows: dict[str, dict[str, tuple[float, int]]] = {}
    for number, (query, _, item, rank, score, _) in _rows(text, 6, origin):
        try:
            place = (-float(score), int(rank))
        except ValueError:
            raise _bad(
                origin, number, f"a rank and a score were expected, found {rank!r}, {score!r}"
            ) from None
        if rows.setdefault(query, {}).setdefault(item, place) is not place:
            raise _bad(origin, number, f"each item once per query was expected, found {item!r} again")
    return {
        query: [RankedItem(item, -places[item][0]) for item in sorted(places, key=places.__getitem__)]
        for query, places in rows.items()
    }


def parse_qrels(text: str, *, origin: str) -> dict[str, dict[str, float]]:
    """Read a qrels file as query id -> item id -> grade.

    Raises:
        InputError: A line is not a qrels line, or an item is judged twice.
    """
    qrels: dict[str, dict[str, float]] = {}
    for number, (query, _, item, grade) in _rows(text, 4, origin):
        if item in qrels.setdefault(query, {}):
            raise _bad(origin, number, f"each item once per query was expected, found {item!r} again")
        try:
            qrels[query][item] = float(grade)
        except ValueError:
            raise _bad(origin, number, f"a grade was expected, found {grade!r}") from None
    return qrels


def _rows(text: str, columns: int, origin: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != columns:
            raise _bad(origin, number, f"{columns} columns were expected, found {len(fields)}")
        fields[0], fields[2] = decode_id(fields[0]), decode_id(fields[2])
        yield number, fields


def _bad(origin: str, number: int, problem: str) -> InputError:
    return InputError(str(Fault(f"{origin}:{number}:1", problem)), hint="give a file in trec_eval's format")


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", errors="surrogatepass"))
