"""Signs that a document is of little use, or not what it seems; they propose, and nothing is left out for them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from strata_rag.chunking.likeness import Likeness, near_duplicates
from strata_rag.chunking.repetition import boilerplate_share, repeated_lines
from strata_rag.corpus.coverage import OUTLIER_RULE, find_outliers
from strata_rag.corpus.language import detect_language

EMPTY = "empty"
NEAR_DUPLICATE = "near-duplicate"
BOILERPLATE = "mostly boilerplate"
OTHER_LANGUAGE = "other language"
GARBLED = "garbled"
FEW_LETTERS = "few letters"
LONG = "far longer"
SHORT = "far shorter"
RULES = {
    EMPTY: "no text, so no chunk",
    NEAR_DUPLICATE: "80 % of its five-word runs are those of an earlier document",
    BOILERPLATE: "more than half of its characters stand in lines that three or more documents have, near-duplicates "
    "counted once",
    OTHER_LANGUAGE: "told by script or stop words, and not the language that the analyser or most documents have",
    GARBLED: "one character in 50 is a sign of failed extraction (U+FFFD, private use, control, UTF-8 read as Latin-1, "
    "`(cid:7)`), or most words are single letters, or a third of its letters stand in runs of over 40",
    FEW_LETTERS: "fewer than half of its characters are letters",
    LONG: OUTLIER_RULE,
    SHORT: OUTLIER_RULE,
}
"""Every flag with the rule it is given by, in the order they are shown."""

_JUNK_SHARE = 0.02
_FEWEST_CHARACTERS = 100
_FEWEST_WORDS = 50
_MISREAD = re.compile("[\u00c2\u00c3][\u0080-\u00bf]|\u00e2\u20ac.|\\(cid:[0-9]+\\)")
_LONG_RUN = re.compile(r"[^\W\d_]{41,}")
_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u11ff\u1780-\u17ff\u2e80-\U0003134f]")
_SAMPLE = 100_000


@dataclass(frozen=True, slots=True)
class DocumentQuality:
    """What is known of one document's text.

    Attributes:
        doc_id: Its id.
        characters: Code points.
        language: As the analyser's settings call it, or None where nothing tells.
        boilerplate: Share of its characters in lines that three or more documents have, 0 to 1.
        like: The document that it is a near-duplicate of, or None.
        flags: Keys of `RULES`, in their order.
    """

    doc_id: str
    characters: int
    language: str | None
    boilerplate: float
    like: Likeness | None
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CorpusQuality:
    """What is known of all documents' texts.

    Attributes:
        documents: Sorted by id.
        language: The language that documents are held against, or None where nothing tells.
        repeated: Lines that three or more documents have, each with their number, the most frequent first.
    """

    documents: tuple[DocumentQuality, ...]
    language: str | None
    repeated: tuple[tuple[str, int], ...]

    def flag_counts(self) -> dict[str, int]:
        """Return how many documents have each flag that any has, in the order of `RULES`."""
        counts = Counter(flag for one in self.documents for flag in one.flags)
        return {flag: counts[flag] for flag in RULES if counts[flag]}

    def languages(self) -> dict[str, int]:
        """Return how many documents are in each language, the most frequent first; ``unknown`` where nothing tells."""
        counts = Counter(one.language or "unknown" for one in self.documents if one.characters)
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))


def corpus_quality(texts: Mapping[str, str], *, language: str | None) -> CorpusQuality:
    """Look at every document of a corpus.

    Args:
        texts: By document id.
        language: The language that documents should be in; None for the one that most are in.
    """
    ordered = dict(sorted(texts.items()))
    likes = near_duplicates(ordered)
    repeated = repeated_lines(text for doc_id, text in ordered.items() if doc_id not in likes)
    languages = {doc_id: detect_language(text) for doc_id, text in ordered.items()}
    expected = language or _most_frequent(languages)
    with_text = {doc_id: len(text) for doc_id, text in ordered.items() if text.strip()}
    long, short = ({one.doc_id for one in found} for found in find_outliers(with_text))
    documents = []
    for doc_id, text in ordered.items():
        share = boilerplate_share(text, repeated)
        holds = {
            EMPTY: doc_id not in with_text,
            NEAR_DUPLICATE: doc_id in likes,
            BOILERPLATE: share > 0.5,
            OTHER_LANGUAGE: languages[doc_id] not in (None, expected),
            GARBLED: is_garbled(text),
            FEW_LETTERS: has_few_letters(text),
            LONG: doc_id in long,
            SHORT: doc_id in short,
        }
        documents.append(
            DocumentQuality(
                doc_id=doc_id,
                characters=len(text),
                language=languages[doc_id],
                boilerplate=share,
                like=likes.get(doc_id),
                flags=tuple(flag for flag in RULES if holds[flag]),
            )
        )
    lines = sorted(repeated.items(), key=lambda one: (-one[1], one[0]))
    return CorpusQuality(tuple(documents), expected, tuple(lines))


def _most_frequent(languages: Mapping[str, str | None]) -> str | None:
    counts = Counter(language for language in languages.values() if language is not None)
    return min(counts, key=lambda one: (-counts[one], one)) if counts else None


def is_garbled(text: str) -> bool:
    """Tell whether a text looks like failed extraction; the first 100,000 characters are looked at."""
    sample = text[:_SAMPLE]
    characters = len("".join(sample.split()))
    if not characters:
        return False
    junk = sum(map(len, _MISREAD.findall(sample)))
    if not sample.isascii():
        junk += sum(count for char, count in Counter(sample).items() if _is_junk(char))
    if junk > _JUNK_SHARE * characters:
        return True
    words = _WORD.findall(sample)
    single = sum(len(word) == 1 and word.isalpha() for word in words)
    if len(words) >= _FEWEST_WORDS and 2 * single > len(words) and not _is_unspaced(sample):
        return True
    letters = sum(map(str.isalpha, sample))
    runs = sum(map(len, _LONG_RUN.findall(sample)))
    return letters >= _FEWEST_CHARACTERS and 3 * runs > letters and not _is_unspaced(sample)


def has_few_letters(text: str) -> bool:
    """Tell whether fewer than half of at least 100 characters, white space aside, are letters."""
    characters = "".join(text[:_SAMPLE].split())
    return len(characters) >= _FEWEST_CHARACTERS and 2 * sum(map(str.isalpha, characters)) < len(characters)


@lru_cache(maxsize=65536)
def _is_junk(char: str) -> bool:
    return char == "\ufffd" or (not char.isspace() and unicodedata.category(char) in ("Cc", "Co", "Cn"))


def _is_unspaced(sample: str) -> bool:
    """Tell whether most letters belong to a script written without spaces, or one letter at a time."""
    letters = [char for char in sample if char.isalpha()]
    wide = sum(char >= "\u0e00" and bool(_UNSPACED.match(char)) for char in letters)
    return 2 * wide > len(letters)
