"""Evidence: answers anchored in documents, turned into the items that hold them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from strata_rag.errors import Fault, GoldenError
from strata_rag.evaluation.golden import Evidence, GoldenSet
from strata_rag.evaluation.golden_resolve import match_ids

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Span:
    """Where a chunk stands in its document.

    Attributes:
        chunk_id: Its id.
        start: First code point of the unit that is matched.
        end: One past its last code point.
    """

    chunk_id: str
    start: int
    end: int


def resolve_evidence(
    golden: GoldenSet, texts: Mapping[str, str], spans: Mapping[str, Sequence[Span]]
) -> GoldenSet:
    """Judge the items that hold each question's evidence; questions without evidence stay as they are.

    At document level that is the document. At chunk level it is, for every place where the evidence stands,
    the chunks that overlap it most: those that hold it whole, if there are any. White space in a quote
    matches any white space. A set's digest does not change: one set judges every chunking.

    Args:
        golden: The set.
        texts: Document id -> extracted text.
        spans: Document id -> its chunks.

    Raises:
        GoldenError: A document is not in the corpus, a quote not in its document, an offset beyond its end.
    """
    resolved, faults = _resolve(golden, texts, spans)
    if faults:
        raise GoldenError(faults, hint="quote the document as it is extracted; white space may differ")
    return resolved


def check_evidence(golden: GoldenSet, texts: Mapping[str, str]) -> list[Fault]:
    """List what `resolve_evidence` would refuse."""
    return _resolve(golden, texts, {})[1]


def text_of(pieces: Iterable[tuple[int, str]]) -> str:
    """Put a document together again from (offset, text) of its chunks; what none of them covers is a space."""
    text = ""
    for start, piece in sorted(pieces):
        text = text.ljust(start)
        text += piece[len(text) - start :] if len(text) < start + len(piece) else ""
    return text


def _resolve(
    golden: GoldenSet, texts: Mapping[str, str], spans: Mapping[str, Sequence[Span]]
) -> tuple[GoldenSet, list[Fault]]:
    named = {evidence.doc for question in golden.questions for evidence in question.evidence}
    matched, hints = match_ids(named, texts.keys())
    faults: list[Fault] = []
    questions = []
    for question in golden.questions:
        judged: dict[str, float] = {}
        for evidence in question.evidence:
            found = matched[evidence.doc]
            if len(found) == 1:
                items, problem = _items(evidence, found[0], texts, spans, golden.level_of(question))
                for item in items:
                    judged[item] = max(evidence.grade, judged.get(item, evidence.grade))
                hint = ""
            else:
                problem = f"a document of the corpus was expected, found {evidence.doc!r}"
                hint = hints.get(evidence.doc, "")
            if problem:
                faults.append(Fault(question.where, f"question {question.id!r}: evidence: {problem}", hint))
        questions.append(replace(question, judged=judged) if question.evidence else question)
    return replace(golden, questions=tuple(questions)), faults


def _items(
    evidence: Evidence,
    doc_id: str,
    texts: Mapping[str, str],
    spans: Mapping[str, Sequence[Span]],
    level: str,
) -> tuple[list[str], str]:
    """Return the items that hold a piece of evidence, or what is wrong with it."""
    places = list(_places(evidence, texts[doc_id]))
    if not places:
        return [], _not_found(evidence, doc_id, texts[doc_id])
    if level == "document":
        return [doc_id], ""
    if level != "chunk":
        return [], f"a question judged at level document or chunk was expected, found {level}"
    items: dict[str, None] = {}
    for start, end in places:
        overlaps = [(min(end, span.end) - max(start, span.start), span) for span in spans.get(doc_id, ())]
        most = max((overlap for overlap, _ in overlaps), default=0)
        items.update({span.chunk_id: None for overlap, span in overlaps if overlap == most > 0})
    return list(items), ""


def _places(evidence: Evidence, text: str) -> Iterator[tuple[int, int]]:
    if evidence.quote is None:
        if evidence.start is not None and evidence.end is not None and evidence.end <= len(text):
            yield evidence.start, evidence.end
        return
    forms = {evidence.quote, *(unicodedata.normalize(form, evidence.quote) for form in ("NFC", "NFD"))}
    pattern = "|".join(r"\s+".join(map(re.escape, form.split())) for form in sorted(forms))
    for match in re.finditer(pattern, text):
        yield match.span()


def _not_found(evidence: Evidence, doc_id: str, text: str) -> str:
    if evidence.quote is None:
        return f"offsets within {doc_id} ({len(text)} characters) were expected, found {evidence.start}-{evidence.end}"
    quote = evidence.quote if len(evidence.quote) <= _SHOWN else evidence.quote[:_SHOWN] + "..."
    loose = " ".join(evidence.quote.split()).casefold() in " ".join(text.split()).casefold()
    found = "it only in another case" if loose else "it nowhere"
    return f"a quote from {doc_id} was expected, found {found}: {quote!r}"
