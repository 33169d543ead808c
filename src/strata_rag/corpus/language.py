"""Which language a text is in, by its script and its stop words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache

from strata_rag.index import fold, stop_words

PROFILED = (
    "danish",
    "dutch",
    "english",
    "french",
    "german",
    "italian",
    "norwegian",
    "portuguese",
    "russian",
    "spanish",
    "swedish",
    "turkish",
)
"""Languages told by their stop words; in Latin and Cyrillic script no other is known."""

_BY_SCRIPT = {
    "arabic": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff",
    "armenian": "\u0530-\u058f",
    "chinese": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "georgian": "\u10a0-\u10ff",
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "hebrew": "\u0590-\u05ff",
    "hindi": "\u0900-\u097f",
    "japanese": "\u3040-\u30ff",
    "korean": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "tamil": "\u0b80-\u0bff",
    "thai": "\u0e00-\u0e7f",
}
_SCRIPTS = {name: re.compile(f"[{letters}]") for name, letters in _BY_SCRIPT.items()}
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_SAMPLE = 20_000
_FEWEST_LETTERS = 40
_FEWEST_WORDS = 20
_FEWEST_STOP_WORDS = 5
_LEAST_SHARE = 0.12
_LEAST_LEAD = 1.25
_KANA_IN_JAPANESE = 0.1


def detect_language(text: str) -> str | None:
    """Return the language of a text as the analyser's settings call it, or None where nothing tells.

    Most letters in a script of its own decide at once (languages that share one count as the most used of them). In
    Latin and Cyrillic script stop words decide: at least 20 words, 12 % of them and 5 different ones stop words of one
    language, a quarter more than of any other; a word that several languages have counts for each in part. The first
    20,000 characters are looked at.
    """
    sample = text[:_SAMPLE]
    letters = sum(map(str.isalpha, sample))
    if letters < _FEWEST_LETTERS:
        return _by_script(sample, letters, fewest=8)
    return _by_script(sample, letters, fewest=_FEWEST_LETTERS) or _by_stop_words(sample)


def _by_script(sample: str, letters: int, *, fewest: int) -> str | None:
    counts = (
        {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS.items()}
        if not sample.isascii()
        else {}
    )
    if not counts:
        return None
    east_asian = counts["chinese"] + counts["japanese"]
    if counts["japanese"] > _KANA_IN_JAPANESE * east_asian:
        counts["japanese"] = east_asian
    name, count = max(counts.items(), key=lambda one: (one[1], one[0]))
    return name if count >= fewest and 2 * count > letters else None


def _by_stop_words(sample: str) -> str | None:
    words = _WORD.findall(fold(sample))
    if len(words) < _FEWEST_WORDS:
        return None
    scores: defaultdict[str, float] = defaultdict(float)
    hits: Counter[str] = Counter()
    different: Counter[str] = Counter()
    for word, count in Counter(words).items():
        for language, weight in _weights().get(word, {}).items():
            scores[language] += weight * count
            hits[language] += count
            different[language] += 1
    ranked = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
    if not ranked:
        return None
    best, score = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    is_enough = hits[best] >= _LEAST_SHARE * len(words) and different[best] >= _FEWEST_STOP_WORDS
    return best if is_enough and score >= _LEAST_LEAD * second else None


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """Return for each stop word the languages that have it, each with its part of the word."""
    lists = {language: stop_words(language) for language in PROFILED}
    owners: dict[str, list[str]] = {}
    for language, words in lists.items():
        for word in words:
            owners.setdefault(word, []).append(language)
    return {word: dict.fromkeys(languages, 1 / len(languages)) for word, languages in owners.items()}
