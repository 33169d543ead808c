"""Answers held against reference answers, word by word: pure functions of two texts."""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SPACELESS = (  # scripts that write no spaces: Chinese, Japanese, Thai, Lao, Burmese, Khmer
    r"\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003fffd\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_NO_SPACES = re.compile(f"[{_SPACELESS}]")
_WORD = re.compile(rf"[{_SPACELESS}]|(?:(?![{_SPACELESS}])[^\W_])+")


def normalise(text: str) -> str:
    """Return a text in SQuAD's normal form: lower case, without ASCII punctuation and English articles, single spaces.

    Source: Rajpurkar et al., SQuAD: 100,000+ Questions for Machine Comprehension of Text, EMNLP 2016; its evaluation
    script. Unicode is composed (NFC) first.
    """
    lower = unicodedata.normalize("NFC", text).lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", lower).split())


def exact_match(answer: str, reference: str) -> float:
    """Return 1 where both are the same in their normal form, else 0."""
    return float(normalise(answer) == normalise(reference))


def token_f1(answer: str, reference: str) -> float:
    """Return the harmonic mean of precision and recall over the tokens that both share, each as often as both have it.

    2 P R / (P + R), P = shared / tokens of the answer, R = shared / tokens of the reference, in SQuAD's normal form
    cut at spaces; where a script writes no spaces, each of its characters is a token. 1 where both are empty, 0 where
    one is.

    Source: Rajpurkar et al., 2016; for scripts without spaces Lewis et al., MLQA, ACL 2020.
    """
    mine, theirs = _tokens(normalise(answer)), _tokens(normalise(reference))
    if not mine or not theirs:
        return float(mine == theirs)
    shared = sum((Counter(mine) & Counter(theirs)).values())
    return _f_measure(shared / len(mine), shared / len(theirs))


def rouge_l(answer: str, reference: str) -> float:
    """Return ROUGE-L: the F-measure of the longest common subsequence of words.

    2 P R / (P + R), P = LCS / words of the answer, R = LCS / words of the reference; words are runs of letters and
    digits in lower case, not stemmed. 0 where either has none.

    Source: Lin, ROUGE: A Package for Automatic Evaluation of Summaries, ACL workshop 2004, section 3.1, with beta = 1.
    """
    mine, theirs = words(answer), words(reference)
    if not mine or not theirs:
        return 0.0
    length = _lcs(mine, theirs)
    return _f_measure(length / len(mine), length / len(theirs))


def stated_facts(answer: str, expected: Sequence[str]) -> float:
    """Return the share of expected facts whose words stand in the answer, in order and without a gap.

    Args:
        answer: The answer.
        expected: At least one fact.
    """
    text = f" {' '.join(words(answer))} "
    return sum(f" {' '.join(words(fact))} " in text for fact in expected) / len(expected)


def words(text: str) -> list[str]:
    """Return the words of a text in lower case; where a script writes no spaces, its characters."""
    return _WORD.findall(unicodedata.normalize("NFC", text).lower())


def _tokens(normal: str) -> list[str]:
    """Cut at spaces, and around each character of a script without spaces."""
    tokens: list[str] = []
    for piece in normal.split():
        if piece.isascii():
            tokens.append(piece)
        else:
            tokens += _pieces(piece)
    return tokens


def _pieces(piece: str) -> list[str]:
    found: list[str] = []
    run = ""
    for character in piece:
        if _NO_SPACES.match(character):
            found += [run, character] if run else [character]
            run = ""
        else:
            run += character
    return [*found, run] if run else found


def _f_measure(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _lcs(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest common subsequence, by rows."""
    row = [0] * (len(other) + 1)
    for word in one:
        diagonal = 0
        for place, against in enumerate(other, 1):
            above = row[place]
            row[place] = diagonal + 1 if word == against else max(above, row[place - 1])
            diagonal = above
    return row[-1]
