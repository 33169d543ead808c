"""Golden sets: held against a corpus, read from a collection, dealt into halves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from strata_rag.errors import Fault, GoldenError, InputError
from strata_rag.evaluation import (
    GoldenSet,
    Span,
    check_against,
    check_evidence,
    load_golden,
    resolve_evidence,
    text_of,
)
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.chunks import chunk_corpus
from strata_rag.index import Index
from strata_rag.progress import Progress


@dataclass(frozen=True, slots=True)
class GoldenCheck:
    """A golden set without faults.

    Attributes:
        golden: The set.
        kinds: Kind -> questions.
        unlabelled: Questions without a judgement that are not unanswerable.
        same_text: Pairs of ids that ask the same.
        documents: Of the corpus it was held against; None where there was none.
    """

    golden: GoldenSet
    kinds: Mapping[str, int]
    unlabelled: int
    same_text: tuple[tuple[str, str], ...]
    documents: int | None


def check_golden_file(path: Path, *, split: str = "test") -> GoldenCheck:
    """Check a golden set by itself.

    Raises:
        GoldenError: With every fault.
    """
    return _checked(load_golden(path, split=split), None)


def check_golden(experiment: Experiment, *, progress: Progress) -> GoldenCheck:
    """Check the golden set of a config against the corpus; no model and no collection is needed.

    Raises:
        InputError: The config names no golden set.
        GoldenError: With every fault.
    """
    evaluation = experiment.config.evaluation
    if evaluation.golden is None:
        raise InputError(
            "evaluation.golden: expected a golden set, the config names none",
            hint="set evaluation.golden, or name the golden set itself",
        )
    golden = load_golden(evaluation.golden, split=evaluation.split, level=evaluation.level)
    corpus = chunk_corpus(
        experiment.open_source(), experiment.chunker, limit=experiment.config.corpus.limit, progress=progress
    )
    progress.close()
    documents = {document.doc_id for document in corpus.documents}
    chunks = {chunk.chunk_id for chunk in corpus.all_chunks()}
    faults: list[Fault] = []
    for level, known in (("document", documents), ("chunk", chunks)):
        faults += check_against(golden, known, level=level)
    faults += check_evidence(golden, {document.doc_id: document.text for document in corpus.documents})
    if faults:
        raise GoldenError(
            sorted(faults, key=lambda fault: _place(fault.where)),
            hint="; ".join(dict.fromkeys(f.hint for f in faults if f.hint)) or "mend every place named above",
        )
    return _checked(golden, len(documents))


def evidence_from_index(golden: GoldenSet, index: Index) -> GoldenSet:
    """Judge the items of a collection that hold the evidence of a golden set.

    Raises:
        GoldenError: A document or quote is not there.
    """
    pieces: dict[str, list[tuple[int, str]]] = defaultdict(list)
    spans: dict[str, list[Span]] = defaultdict(list)
    for _, payload in index.scroll(["doc_id", "start", "end", "text_start", "text"]):
        doc_id = str(payload["doc_id"])
        pieces[doc_id].append((payload["text_start"], str(payload["text"])))
        spans[doc_id].append(
            Span(f"{doc_id}#{payload['start']}-{payload['end']}", payload["start"], payload["end"])
        )
    return resolve_evidence(golden, {doc_id: text_of(parts) for doc_id, parts in pieces.items()}, spans)


def _checked(golden: GoldenSet, documents: int | None) -> GoldenCheck:
    first: dict[str, str] = {}
    same = []
    for question in golden.questions:
        text = " ".join(question.text.split()).casefold()
        if text in first:
            same.append((first[text], question.id))
        first.setdefault(text, question.id)
    unlabelled = sum(not (q.judged or q.evidence or q.kind == "unanswerable") for q in golden.questions)
    kinds = Counter(question.kind for question in golden.questions)
    return GoldenCheck(golden, dict(sorted(kinds.items())), unlabelled, tuple(same), documents)


def _place(where: str) -> tuple[str, int, int]:
    name, line, column = where.rsplit(":", 2) if where.count(":") >= 2 else (where, "0", "0")
    return name, int(line) if line.isdigit() else 0, int(column) if column.isdigit() else 0
