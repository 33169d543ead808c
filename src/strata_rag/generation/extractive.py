"""Answers without a language model: the sentences of the passages that say most of what is asked."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from strata_rag.chunking import sentence_spans
from strata_rag.generation.admission import GuardSettings, admit
from strata_rag.generation.answer import REFUSAL, Answer, Citation, ContextPassage
from strata_rag.generation.citations import read_citations

K1 = 1.2
B = 0.75
_CONTEXT_SHARE = 0.5
_RANK_DISCOUNT = 0.05
_RELATIVE_FLOOR = 0.5
_ALIKE = 0.7
_LONGEST = 400
_WRAP = re.compile(r"\s")
_CODE = re.compile(r"[^\W\d_]\W*\d|\d\W*[^\W\d_]")
_ROW = re.compile(r"[^\n:;]{1,100}: [^\n]*?; [^\n:;]{1,100}: ")
_COMMENT = re.compile(r"(?:<!--.*?-->\s*)+", re.DOTALL)
_HEADING = re.compile(r"#{1,6}\s")


@dataclass(frozen=True, slots=True)
class _Sentence:
    passage: ContextPassage
    start: int
    end: int
    terms: Counter[str]
    leads: bool

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]


class ExtractiveAnswerer:
    """Answers with sentences of the passages, each cited, word for word.

    Sentences are scored by BM25 against the question, with IDF over the sentences at hand. A heading or question hands
    half its score to the sentence behind it, and is no answer itself. Equal input gives equal output.

    Args:
        terms: The terms of a text, as the index counts them.
        guards: Which guards run over the passages.
        sentences: Most sentences of an answer, >= 1.
        coverage: Least share of the question's terms, weighted by IDF, that the chosen sentences must hold between
            them, in [0, 1]; below it the answer is the refusal.
    """

    def __init__(
        self,
        terms: Callable[[str], Counter[str]],
        *,
        guards: GuardSettings,
        sentences: int = 3,
        coverage: float = 0.3,
    ) -> None:
        self._terms = terms
        self._guards = guards
        self._most = sentences
        self._coverage = coverage

    def answer(self, question: str, passages: tuple[ContextPassage, ...]) -> Answer:
        """Return the best sentences in the passages' order, or the refusal with its reason."""
        admission = admit(passages, self._guards)
        if not admission.passages:
            return admission.no_context(question)
        asked = self._terms(question)
        if missing := self._missing_codes(asked, admission.passages):
            reason = f"no passage holds {', '.join(missing)}, which the question asks about"
            return admission.answer(question, REFUSAL, "refused", sentences=1, uncited=0, reason=reason)
        sentences = [one for passage in admission.passages for one in self._sentences(passage)]
        chosen, covered = self._choose(asked, sentences)
        if not chosen or covered < self._coverage:
            reason = (
                f"the best sentences hold {covered:.0%} of what the question asks for, less than {self._coverage:.0%}"
                if asked
                else "the question has no term to look for"
            )
            return admission.answer(question, REFUSAL, "refused", sentences=1, uncited=0, reason=reason)
        text, citations = _cited(chosen)
        answer = admission.answer(
            question, text, "answered", citations=citations, sentences=len(chosen), uncited=0
        )
        own = sorted({mark for one in chosen for mark in _own_marks(one.text)})
        if not own:
            return answer
        warning = f"brackets that stand in the documents' own text and cite nothing here: {', '.join(own)}"
        return replace(answer, warnings=(*answer.warnings, warning))

    def _missing_codes(self, asked: Counter[str], passages: Sequence[ContextPassage]) -> list[str]:
        """Return the codes (letters and digits in one term) that the question names and no passage holds."""
        codes = {term for term in asked if _CODE.search(term)}
        if not codes:
            return []
        held = {term for one in passages for term in self._terms(f"{one.title}\n{one.section}\n{one.text}")}
        return sorted(codes - held)

    def _sentences(self, passage: ContextPassage) -> list[_Sentence]:
        found = []
        for start, end in sentence_spans(passage.text):
            if comment := _COMMENT.match(passage.text, start, end):
                start = comment.end()
            for begin, stop in _pieces_of_rows(passage.text, start, end):
                text = passage.text[begin:stop]
                leads = bool(_HEADING.match(text)) or text.endswith(("?", "？", ":", "："))
                found.append(_Sentence(passage, begin, stop, self._terms(text), leads))
        return found

    def _choose(self, asked: Counter[str], sentences: Sequence[_Sentence]) -> tuple[list[_Sentence], float]:
        """Return the sentences to answer with, in reading order, and the share of the question they hold."""
        weights = _idf(asked, sentences)
        total = sum(weights.values())
        scored = [
            (score, place)
            for place, score in enumerate(_scores(asked, sentences, weights))
            if score > 0 and not sentences[place].leads
        ]
        scored.sort(key=lambda item: (-item[0], item[1]))
        chosen: list[int] = []
        for score, place in scored:
            if len(chosen) == self._most or score < _RELATIVE_FLOOR * scored[0][0]:
                break
            if not any(_alike(sentences[place].terms, sentences[other].terms) for other in chosen):
                chosen.append(place)
        held = {term for place in chosen for term in _with_lead(sentences, place) & asked.keys()}
        picked = [sentences[place] for place in sorted(chosen)]
        return picked, sum(weights[term] for term in held) / total if total else 0.0


def _own_marks(text: str) -> list[str]:
    """Return what in a document's sentence a reader would take for a citation."""
    marks = read_citations(text, ()).marks
    return [text[mark.start : mark.end] for mark in marks if mark.kind == "citation"]


def _pieces_of_rows(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return a sentence in pieces: a table's rows, which end without a full stop, each by itself."""
    cuts, at = [start], start
    while (at := text.find("\n", at, end)) >= 0:
        at += 1
        if _ROW.match(text, at) or _ROW.match(text, cuts[-1]):
            cuts.append(at)
    ends = [*(cut - 1 for cut in cuts[1:]), end]
    return [piece for begin, stop in zip(cuts, ends, strict=True) for piece in _pieces(text, begin, stop)]


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return a sentence in pieces of at most 400 characters, cut at white space where there is some."""
    pieces = []
    while end - start > _LONGEST:
        cuts = [match.start() for match in _WRAP.finditer(text, start + _LONGEST // 2, start + _LONGEST)]
        cut = cuts[-1] if cuts else start + _LONGEST
        pieces.append((start, cut))
        start = cut
        while start < end and text[start].isspace():
            start += 1
    if start < end:
        pieces.append((start, end))
    return [(begin, stop) for begin, stop in pieces if text[begin:stop].strip()]


def _idf(asked: Counter[str], sentences: Sequence[_Sentence]) -> dict[str, float]:
    """Return ln(1 + (N - n + 0.5) / (n + 0.5)) of each term asked for, over the sentences."""
    holding = Counter(term for sentence in sentences for term in sentence.terms.keys() & asked.keys())
    count = len(sentences)
    return {
        term: math.log(1 + (count - holding[term] + 0.5) / (holding[term] + 0.5)) for term in sorted(asked)
    }


def _scores(asked: Counter[str], sentences: Sequence[_Sentence], weights: dict[str, float]) -> list[float]:
    lengths = [sentence.terms.total() for sentence in sentences]
    average = max(sum(lengths) / max(len(lengths), 1), 1.0)
    own = []
    for sentence, length in zip(sentences, lengths, strict=True):
        norm = K1 * (1 - B + B * length / average)
        counts = {term: sentence.terms[term] for term in asked if term in sentence.terms}
        own.append(sum(weights[term] * tf * (K1 + 1) / (tf + norm) for term, tf in counts.items()))
    scores = []
    for place, sentence in enumerate(sentences):
        lead = own[place - 1] if _has_lead(sentences, place) else 0.0
        scores.append(
            (own[place] + _CONTEXT_SHARE * lead) / (1 + _RANK_DISCOUNT * (sentence.passage.number - 1))
        )
    return scores


def _has_lead(sentences: Sequence[_Sentence], place: int) -> bool:
    before = sentences[place - 1] if place else None
    return before is not None and before.leads and before.passage is sentences[place].passage


def _with_lead(sentences: Sequence[_Sentence], place: int) -> set[str]:
    """Return a sentence's terms with those of the heading or question before it."""
    terms = set(sentences[place].terms)
    return terms | set(sentences[place - 1].terms) if _has_lead(sentences, place) else terms


def _alike(one: Counter[str], other: Counter[str]) -> bool:
    """Tell whether two sentences share most of their terms."""
    either = one.keys() | other.keys()
    return not either or len(one.keys() & other.keys()) / len(either) >= _ALIKE


def _cited(chosen: Sequence[_Sentence]) -> tuple[str, tuple[Citation, ...]]:
    """Return the sentences as one text, the mark of its passage behind each."""
    text, citations = "", []
    for sentence in chosen:
        text += f"{' ' if text else ''}{sentence.text} "
        start = len(text)
        text += f"[{sentence.passage.number}]"
        citations.append(Citation(sentence.passage.number, sentence.passage, (start, len(text))))
    return text, tuple(citations)
