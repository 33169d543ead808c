"""Compare detectors: the same documents, the same policy, the same labels."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from strata_rag.config import Privacy
from strata_rag.corpus import SourceAdapter, Unreadable, extract, open_corpus
from strata_rag.documents import SourceDocument
from strata_rag.errors import CorpusError, ExtraMissing, StrataError
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.privacy import build_detector, build_redactor, read_policy
from strata_rag.experiment.workspace import Workspace
from strata_rag.privacy import (
    REGEX_ENTITIES,
    Decision,
    Detector,
    EntityFigures,
    LabelledText,
    PiiComparison,
    Redactor,
    Span,
    compare,
    count_entities,
    detect_all,
    read_labels,
    score,
)
from strata_rag.privacy.compare import FINDINGS_SHOWN
from strata_rag.progress import Progress

DETECTORS = ("regex", "presidio")
_BATCH = 32


def compare_experiment(experiment: Experiment, *, labels: Path | None, progress: Progress) -> PiiComparison:
    """Compare over an experiment's documents, with its settings; see `compare_detectors`."""
    config = experiment.config
    documents = _read(
        experiment.raw_source(), _masking(config.privacy, experiment.workspace), config.corpus.limit
    )
    return compare_detectors(
        config.privacy,
        experiment.workspace,
        documents,
        labels=labels,
        seed=config.evaluation.seed,
        progress=progress,
    )


def compare_path(
    path: Path, workspace: Workspace, *, labels: Path | None, progress: Progress
) -> PiiComparison:
    """Compare over a folder of documents or one text file, with the default settings; see `compare_detectors`."""
    privacy = Privacy()
    documents = _read_path(path, _masking(privacy, workspace))
    return compare_detectors(privacy, workspace, documents, labels=labels, seed=0, progress=progress)


def compare_detectors(
    privacy: Privacy,
    workspace: Workspace,
    documents: Sequence[SourceDocument],
    *,
    labels: Path | None,
    seed: int,
    progress: Progress,
) -> PiiComparison:
    """Run every installed detector over `documents`, decide by one policy, and compare.

    Labels are a file of labelled texts to measure against; `seed` is that of the bootstrap.

    Raises:
        InputError: The labels are no labelled texts.
        PolicyError: The policy has faults.
    """
    labelled = read_labels(labels) if labels else []
    redactor = _masking(privacy, workspace)
    detectors, missing = _detectors(privacy)
    size = sum(len(document.text.encode("utf-8", "replace")) for document in documents) / 1e6
    speeds: dict[str, float] = {}
    decided: dict[str, list[list[Decision]]] = {}
    figures: dict[str, dict[str, EntityFigures]] = {}
    for name, detector in detectors.items():
        spans, seconds = _timed(name, detector, documents, progress)
        speeds[name] = size / max(seconds, 1e-9)
        decided[name] = [
            redactor.decide(document.text, found, document=document.doc_id)
            for document, found in zip(documents, spans, strict=True)
        ]
        figures[name] = _figures(privacy, name, decided[name], detector, labelled, seed, progress)
    shown = [redactor.redact(document.doc_id, document=document.doc_id).text for document in documents]
    agreement, equal, findings = compare(shown, decided) if len(decided) == 2 else ({}, (0, 0), [])
    progress.close()
    return PiiComparison(
        policy=read_policy(privacy).digest,
        documents=len(documents),
        megabytes=size,
        detectors=figures,
        agreement=agreement,
        equal_decisions=equal,
        findings=tuple(findings[:FINDINGS_SHOWN]),
        megabytes_per_second=speeds,
        secrets=sum(
            redactor.redact(document.text, document=document.doc_id).secrets for document in documents
        ),
        missing=missing,
        labelled=len(labelled),
    )


def _masking(privacy: Privacy, workspace: Workspace) -> Redactor:
    """Return the policy's redactor with the detector that is always there, for ids, errors and secrets."""
    return build_redactor(privacy.model_copy(update={"detector": "regex"}), workspace)


def _read(source: SourceAdapter, redactor: Redactor, limit: int | None) -> list[SourceDocument]:
    """Return the first `limit` documents; an error on the way is told redacted."""
    try:
        return list(islice(source.discover(), limit))
    except StrataError as error:
        raise type(error)(redactor.redact(error.message).text, hint=error.hint) from None


def _read_path(path: Path, redactor: Redactor) -> list[SourceDocument]:
    if path.is_dir():
        return _read(open_corpus(path), redactor, None)
    try:
        return [SourceDocument(doc_id=path.name, text=extract(path).text)]
    except Unreadable as error:
        raise CorpusError(
            f"{path}: expected a config, a folder or a text file, found: {error}",
            hint="name a config that ends in .yaml, or a folder of documents",
        ) from error


def _detectors(privacy: Privacy) -> tuple[dict[str, Detector], dict[str, str]]:
    detectors: dict[str, Detector] = {}
    missing: dict[str, str] = {}
    for name in DETECTORS:
        try:
            detectors[name] = build_detector(privacy, name)
        except ExtraMissing as error:
            missing[name] = f"{error.message}; {error.hint.partition(', or ')[0]}"
    return detectors, missing


def _timed(
    name: str, detector: Detector, documents: Sequence[SourceDocument], progress: Progress
) -> tuple[list[list[Span]], float]:
    """Return each document's findings and the seconds they took, without loading a model."""
    detect_all(detector, ["warm up"])
    progress.phase(f"detecting with {name}", len(documents))
    begin = time.perf_counter()
    spans = list(_detect(detector, [document.text for document in documents], progress))
    return spans, time.perf_counter() - begin


def _detect(detector: Detector, texts: Sequence[str], progress: Progress) -> Iterator[list[Span]]:
    rest = iter(texts)
    while batch := list(islice(rest, _BATCH)):
        yield from detect_all(detector, batch)
        progress.advance(len(batch))


def _figures(
    privacy: Privacy,
    name: str,
    decisions: Sequence[Sequence[Decision]],
    detector: Detector,
    labelled: Sequence[LabelledText],
    seed: int,
    progress: Progress,
) -> dict[str, EntityFigures]:
    """Return the figures of every kind that was found, or that labels and detector both know."""
    counts = count_entities(decisions)
    measured: dict[str, dict[str, Any]] = {}
    if labelled:
        progress.phase(f"measuring {name}", len(labelled))
        found = [
            [span for span in spans if span.score >= privacy.threshold]
            for spans in _detect(detector, [one.text for one in labelled], progress)
        ]
        looked_for = REGEX_ENTITIES if name == "regex" else privacy.presidio.entities
        kinds = {span.entity for one in labelled for span in one.spans} & set(looked_for)
        measured = {
            kind: {
                "exact": score(found, labelled, kind, exact=True, seed=seed),
                "overlap": score(found, labelled, kind, exact=False, seed=seed),
            }
            for kind in kinds
        }
    return {
        kind: EntityFigures(
            sum(counts.get(kind, (0, 0))), *counts.get(kind, (0, 0)), **measured.get(kind, {})
        )
        for kind in sorted(counts.keys() | measured.keys())
    }
