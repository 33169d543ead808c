"""One analyser for every lexical backend: from text to the terms that BM25 counts."""

from __future__ import annotations

import importlib.util
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache
from hashlib import blake2b

import numpy as np

from strata_rag.index.points import SparseVector

ANALYSER_VERSION = 1
"""Grows when the same text yields other terms; stands in every collection's record."""

_MARKS = (
    "\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u1ab0-\u1aff"
)
_WORD = rf"[^\W_](?:(?!_)[\w{_MARKS}])*"  # one class, so that a failed match costs no backtracking
_TOKEN = re.compile(rf"(?:{_WORD})(?:(?:[-_/.:@&+#']+|::)(?:{_WORD}))*(?:\+\+?|#)?")
_PART = re.compile(_WORD)
_ENGLISH_PART = re.compile(rf"(?:{_WORD})(?:'(?:{_WORD}))*")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003134f]+"
)
_PLAIN_JOIN = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*")
_NO_DECOMPOSITION = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ё": "е", "’": "'"}
)
_MEMO_LIMIT = 400_000


class Analyser:
    """Turns text into terms, the same way for documents and queries.

    Text is normalised (NFKC), case-folded and, in Latin and Greek script, stripped of accents. Words are stemmed
    by Snowball and stop words of the language are left out. Codes such as ``AB-1234/x``, ``C++`` or
    ``os.path`` yield themselves and their parts.

    Args:
        language: A Snowball algorithm's name, or None for no stemming and no stop words.
        tokenizer: ``word``, or ``multilingual``, which also cuts scripts written without spaces
            (Chinese, Japanese, Thai ...) into single characters and pairs.
    """

    def __init__(self, *, language: str | None, tokenizer: str = "word") -> None:
        self._cuts_unspaced = tokenizer == "multilingual"
        self._part = _ENGLISH_PART if language == "english" else _PART
        self._stop_words = stop_words(language) if language else frozenset()
        self._stem = _stemmer(language)
        self._memo: dict[str, tuple[str, ...]] = {}

    def terms(self, text: str) -> list[str]:
        """Return the terms of `text` in order, repetitions included."""
        terms: list[str] = []
        memo = self._memo
        for match in _TOKEN.finditer(fold(text)):
            token = match.group()
            found = memo.get(token)
            if found is None:
                if len(memo) >= _MEMO_LIMIT:
                    memo.clear()
                found = memo[token] = tuple(self._token_terms(token))
            terms.extend(found)
        return terms

    def counts(self, text: str) -> Counter[str]:
        """Return how often each term stands in `text`."""
        return Counter(self.terms(text))

    def _token_terms(self, token: str) -> list[str]:
        if self._cuts_unspaced and _UNSPACED.search(token):
            return self._unspaced_terms(token)
        parts = [self._stem(part) for part in self._part.findall(token) if part not in self._stop_words]
        is_code = not (self._part.fullmatch(token) or _PLAIN_JOIN.fullmatch(token))
        return [token, *parts] if is_code else parts

    def _unspaced_terms(self, token: str) -> list[str]:
        """Return the characters and pairs of each run of unspaced script, and the terms between runs."""
        terms: list[str] = []
        at = 0
        for run in _UNSPACED.finditer(token):
            inside = run.group()
            pairs = [inside[place : place + 2] for place in range(len(inside) - 1)]
            terms += [*self.terms(token[at : run.start()]), *inside, *pairs]
            at = run.end()
        return terms + self.terms(token[at:])


def fold(text: str) -> str:
    """Return `text` in NFKC, case-folded, without the accents of Latin and Greek letters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    if folded.isascii():
        return folded
    return "".join(map(_fold_character, unicodedata.normalize("NFC", folded))).translate(_NO_DECOMPOSITION)


@cache
def _fold_character(character: str) -> str:
    """Return the base letter of an accented Latin or Greek one, and any other character as it is."""
    if "\u0300" <= character <= "\u036f":
        return ""
    decomposed = unicodedata.normalize("NFD", character)
    if len(decomposed) > 1 and unicodedata.name(decomposed[0], "").startswith(("LATIN", "GREEK")):
        return decomposed[0]
    return character


def _stemmer(language: str | None) -> Callable[[str], str]:
    if language is None:
        return str
    import Stemmer

    stem: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord
    return stem


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the stop words of `language` as bm25s carries them, folded; empty where it has none.

    The lists are read from the package's file: importing bm25s costs more than a whole lexical query.
    """
    package = importlib.util.find_spec("bm25s")
    assert package is not None
    assert package.submodule_search_locations is not None
    location = f"{package.submodule_search_locations[0]}/stopwords.py"
    spec = importlib.util.spec_from_file_location("_bm25s_stopwords", location)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    name = "STOPWORDS_EN_PLUS" if language == "english" else f"STOPWORDS_{language.upper()}"
    return frozenset(fold(word) for word in getattr(module, name, ()))


@cache
def term_index(term: str) -> int:
    """Return the term's place in the sparse space: the first 32 bits of its BLAKE2b digest."""
    return int.from_bytes(blake2b(term.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")


def sparse_counts(counts: Counter[str]) -> SparseVector:
    """Return term counts as a sparse vector, indices rising; terms that share a place add up."""
    places: dict[int, int] = {}
    for term, count in counts.items():
        index = term_index(term)
        places[index] = places.get(index, 0) + count
    indices = np.fromiter(places.keys(), dtype=np.uint32, count=len(places))
    values = np.fromiter(places.values(), dtype=np.float32, count=len(places))
    order = np.argsort(indices)
    return SparseVector(indices[order], values[order])
