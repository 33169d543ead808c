"""Check: everything an experiment needs, looked at before any work; nothing is downloaded or indexed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from strata_rag.embedding import (
    DEFAULT_BASE_URL,
    ModelFiles,
    ModelResolver,
    canonical_model_id,
    read_dimension,
)
from strata_rag.errors import GoldenError, ModelUnavailable, StrataError
from strata_rag.evaluation import check_against, load_golden, read_labels
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.hosted import require_allowed
from strata_rag.experiment.llm import model_settings
from strata_rag.experiment.llm_findings import check_llm
from strata_rag.experiment.search_warnings import stale_corpus
from strata_rag.index import lock_holders
from strata_rag.report import Finding

_READING_SECONDS = 1.0
"""How long the corpus is read: enough for a thousand files; of a larger one a part is looked at."""
_LITTLE_SPACE = 500 * 2**20


@dataclass(frozen=True, slots=True)
class _Read:
    """What of the corpus was read in time; `whole` tells whether that is all, `empty` whether no document has text."""

    doc_ids: frozenset[str]
    whole: bool
    empty: bool


def check_experiment(experiment: Experiment) -> list[Finding]:
    """Return what was found of corpus, golden set, models, workspace and collection, problems included."""
    read: list[_Read] = []
    experiment = _with_short_deadlines(experiment)
    return [
        *guarded("corpus", _corpus(experiment, read)),
        *guarded("golden", _golden(experiment, read)),
        *guarded("model", _embedding_model(experiment)),
        *guarded("reranker", _reranker(experiment)),
        *guarded("generation", _generation(experiment)),
        *guarded("judge", _judge(experiment)),
        *guarded("workspace", _workspace(experiment)),
        *guarded("collection", _collection(experiment)),
    ]


def guarded(area: str, check: Iterable[Finding]) -> list[Finding]:
    """Run one check to its end; what it raises is its last finding."""
    findings: list[Finding] = []
    try:
        for finding in check:
            findings.append(finding)
    except StrataError as error:
        findings += [Finding(area, "problem", line, "", error.exit_code) for line in error.lines]
        findings[-1] = replace(findings[-1], hint=error.hint)
    return findings


def _with_short_deadlines(experiment: Experiment) -> Experiment:
    """Return the same experiment, impatient with its server."""
    index = experiment.config.index.model_copy(update={"timeout": 1, "lock_timeout": 0.0})
    return Experiment(experiment.config.model_copy(update={"index": index}), experiment.workspace)


def _corpus(experiment: Experiment, read: list[_Read]) -> Iterator[Finding]:
    source = experiment.open_source()
    deadline = time.monotonic() + _READING_SECONDS
    doc_ids: set[str] = set()
    with_text = 0
    whole = True
    for document in source.discover():
        doc_ids.add(document.doc_id)
        with_text += bool(document.text.strip())
        if time.monotonic() > deadline:
            whole = False
            break
    read.append(_Read(frozenset(doc_ids), whole, empty=not with_text))
    root = experiment.config.corpus.root
    if not whole:
        yield Finding("corpus", "ok", f"{root}: {len(doc_ids)} documents read in a second; there are more")
        return
    failed = [outcome for outcome in source.outcomes if outcome.status == "failed"]
    excluded = sum(outcome.status == "excluded" for outcome in source.outcomes)
    if not with_text:
        yield Finding(
            "corpus",
            "problem",
            f"{root}: expected documents with text, found none ({excluded} files excluded, {len(failed)} failed)",
            "check corpus.root; `strata ingest CONFIG --dry-run` lists every file with the reason",
            1,
        )
        return
    yield Finding("corpus", "ok", f"{root}: {len(doc_ids)} documents, {excluded} files excluded")
    for outcome in failed[:5]:
        yield Finding("corpus", "note", f"{outcome.path}: {outcome.reason}")
    if len(failed) > 5:
        yield Finding(
            "corpus", "note", f"{len(failed) - 5} more files failed", "see `strata ingest --dry-run`"
        )


def _golden(experiment: Experiment, read: list[_Read]) -> Iterator[Finding]:
    evaluation = experiment.config.evaluation
    if evaluation.golden is None:
        yield Finding(
            "golden", "note", "the config names no golden set: eval can't run", "set evaluation.golden"
        )
        return
    golden = load_golden(evaluation.golden, split=evaluation.split, level=evaluation.level)
    yield Finding("golden", "ok", f"{evaluation.golden}: {len(golden.questions)} questions")
    if not read or evaluation.level != "document" or (read[0].whole and read[0].empty):
        return
    if not read[0].whole or experiment.config.corpus.limit is not None:
        yield Finding("golden", "note", "its ids are not compared with the corpus, which was not read whole")
    elif faults := check_against(golden, read[0].doc_ids, level="document"):
        raise GoldenError(faults, hint="give the ids as `strata ingest CONFIG --dry-run` lists them")


def _embedding_model(experiment: Experiment) -> Iterator[Finding]:
    embedding = experiment.config.embedding
    if experiment.is_hosted:
        require_allowed(embedding, experiment.workspace)
        server = embedding.base_url or DEFAULT_BASE_URL
        yield Finding("model", "note", f"{experiment.model_id}: every chunk and question is sent to {server}")
        if importlib.util.find_spec("openai") is None:
            message = "openai: expected the package, it is not installed"
            yield Finding("model", "problem", message, "pip install openai", 3)
        return
    files, finding = _resolved(experiment, "model", embedding.model, embedding.revision)
    yield finding
    if files is not None and read_dimension(files) is None:
        yield Finding(
            "model",
            "problem",
            f"{files.folder}: expected an embedding model, its files tell no dimension",
            "",
            3,
        )
    yield from _packages("model")


def _reranker(experiment: Experiment) -> Iterator[Finding]:
    rerank = experiment.config.retrieval.rerank
    if rerank.scorer == "cross-encoder":
        yield _resolved(experiment, "reranker", rerank.model, None)[1]
    elif rerank.scorer == "llm":
        section = rerank.llm or experiment.config.generation
        where = "retrieval.rerank.llm" if rerank.llm else "generation"
        if section.provider != "replay":
            model_settings(section, experiment.workspace, where=where)
        yield from check_llm(section, experiment.workspace, where=where) if rerank.llm else ()
    else:
        yield Finding(
            "reranker", "ok", "none" if rerank.scorer == "none" else f"{rerank.scorer}: no model of its own"
        )


def _generation(experiment: Experiment) -> Iterator[Finding]:
    return check_llm(experiment.config.generation, experiment.workspace, where="generation")


def _judge(experiment: Experiment) -> Iterator[Finding]:
    """Yield what is known of the judge, where the config names one or people's labels of it."""
    judge = experiment.config.evaluation.judge
    if judge.labels is not None:
        labels = read_labels(judge.labels)
        labelled = sum(label.grade is not None for label in labels)
        yield Finding("judge", "ok", f"{judge.labels}: {labelled} of {len(labels)} rows are labelled")
    if judge.provider != "none":
        yield from check_llm(judge, experiment.workspace, where="evaluation.judge")


def _packages(area: str) -> Iterator[Finding]:
    missing = [name for name in ("sentence_transformers", "torch") if importlib.util.find_spec(name) is None]
    if missing:
        hint = "pip install 'strata-rag[models]'"
        yield Finding(
            area, "problem", f"{' and '.join(missing)}: expected the package, it is not installed", hint, 3
        )


def _resolved(
    experiment: Experiment, area: str, name: str, revision: str | None
) -> tuple[ModelFiles | None, Finding]:
    """Look for a model's files without the network; what may be downloaded later is only worth a note."""
    workspace = experiment.workspace
    try:
        files = ModelResolver(models_dir=workspace.models_dir, offline=True).resolve(name, revision)
    except ModelUnavailable as error:
        if workspace.offline or Path(name).is_absolute():
            return None, Finding(area, "problem", error.message, error.hint, error.exit_code)
        message = (
            f"{canonical_model_id(name)}: not on this machine; it will be downloaded when it is first needed"
        )
        return None, Finding(area, "note", message)
    dimension = read_dimension(files)
    size = f", dimension {dimension}" if area == "model" and dimension else ""
    return files, Finding(area, "ok", f"{files.model_id}: {files.origin}{size}")


def _workspace(experiment: Experiment) -> Iterator[Finding]:
    home = experiment.workspace.home
    existing = next(folder for folder in (home, *home.resolve().parents) if folder.exists())
    if not (existing.is_dir() and os.access(existing, os.W_OK)):
        message = f"{home}: expected a folder that can be written, found none"
        yield Finding("workspace", "problem", message, "point STRATA_HOME elsewhere", 3)
        return
    free = shutil.disk_usage(existing).free
    status = "ok" if free > _LITTLE_SPACE else "note"
    yield Finding("workspace", "ok" if status == "ok" else "note", f"{home}: {free / 1e9:.1f} GB free")


def _collection(experiment: Experiment) -> Iterator[Finding]:
    name, index = experiment.collection, experiment.config.index
    if index.engine == "server" and not experiment.workspace.environ.get(index.api_key_env):
        message = f"{index.api_key_env} is not set: the server is asked without a key"
        yield Finding("key", "note", message)
    holders = lock_holders(experiment.collections.lock_path(name))
    if writers := [pid for role, pid in holders if role == "writer"]:
        who = ", ".join(map(str, writers))
        message = f"{name}: expected a free collection, found it in use by process {who}"
        yield Finding("collection", "problem", message, "wait for it to end", 3)
        return
    record = experiment.collections.peek(name)
    if record is None:
        yield Finding("collection", "ok", f"{name}: not made yet", "run `strata ingest CONFIG`")
        return
    dimension = _known_dimension(experiment)
    if dimension is not None and dimension != record.dimension:
        message = f"{name}: holds vectors of dimension {record.dimension}, the model makes {dimension}"
        hint = "give the experiment a new name, or run `strata ingest CONFIG --recreate`"
        yield Finding("collection", "problem", message, hint, 3)
    elif not record.complete:
        message = f"{name}: its ingest was cut short"
        yield Finding("collection", "note", message, "run `strata ingest CONFIG`; it continues")
    else:
        for warning in stale_corpus(experiment, record):
            yield Finding("collection", "note", f"{name}: {warning}", "run `strata ingest CONFIG`")
        yield Finding("collection", "ok", f"{name}: {record.chunks} chunks")


def _known_dimension(experiment: Experiment) -> int | None:
    embedding = experiment.config.embedding
    if experiment.is_hosted:
        return None
    files, _ = _resolved(experiment, "model", embedding.model, embedding.revision)
    return read_dimension(files) if files else None
