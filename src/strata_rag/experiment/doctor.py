"""Doctor: what this machine has, whatever the config."""

from __future__ import annotations

import importlib.util
import platform
import shutil
import tempfile
import time
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import numpy as np

from strata_rag.embedding import ModelResolver, read_dimension
from strata_rag.errors import ModelUnavailable, StrataError
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.check import guarded
from strata_rag.experiment.engines import LOCAL_SERVER
from strata_rag.experiment.llm_findings import try_llm
from strata_rag.experiment.workspace import Workspace
from strata_rag.index import EmbeddedIndex, Point, SparseVector, point_id
from strata_rag.report import Finding
from strata_rag.version import __version__

_CORE = (
    "qdrant-edge-py", "qdrant-client", "bm25s", "rank-bm25", "PyStemmer", "tokenizers", "onnxruntime", "openai",
    "anthropic",
)  # fmt: skip
_EXTRAS = {
    "models": ("sentence-transformers", "torch"),
}
_MODELS = ("all-mpnet-base-v2", "all-MiniLM-L6-v2", "cross-encoder/ms-marco-MiniLM-L-6-v2")
_KEYS = ("QDRANT_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "HF_TOKEN")


def doctor(workspace: Workspace, environ: Mapping[str, str], *, server: str = LOCAL_SERVER) -> list[Finding]:
    """Return what is installed, which models resolve, which keys are set, and which engines answer.

    Args:
        workspace: Where models are looked for and results are kept.
        environ: Where keys are looked for; their values are never shown.
        server: URL of a Qdrant server to ask.
    """
    python = (
        f"strata {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    )
    return [
        Finding("strata", "ok", python),
        _workspace(workspace),
        *(_package(name, "") for name in _CORE),
        *(_package(name, extra) for extra, names in _EXTRAS.items() for name in names),
        *(_model(name, workspace) for name in _MODELS),
        *(_key(name, environ) for name in _KEYS),
        _embedded_engine(),
        _server(server),
    ]


def doctor_llm(experiment: Experiment) -> list[Finding]:
    """Return what one real call to the config's language model took."""
    section = experiment.config.generation
    return guarded("llm", try_llm(section, experiment.workspace, where="generation"))


def _workspace(workspace: Workspace) -> Finding:
    home = workspace.home.resolve()
    existing = next(folder for folder in (home, *home.parents) if folder.exists())
    collections = sum(path.is_dir() for path in workspace.collections.glob("*")) if home.exists() else 0
    free = shutil.disk_usage(existing).free / 1e9
    return Finding("workspace", "ok", f"{workspace.home}: {collections} collections, {free:.1f} GB free")


def _package(name: str, extra: str) -> Finding:
    try:
        return Finding("package", "ok", f"{name} {metadata.version(name)}")
    except metadata.PackageNotFoundError:
        line = f"pip install 'strata-rag[{extra}]'" if extra else f"pip install {name}"
        return Finding("package", "note", f"{name} is not installed", line)


def _model(name: str, workspace: Workspace) -> Finding:
    try:
        files = ModelResolver(models_dir=workspace.models_dir, offline=True).resolve(name)
    except ModelUnavailable as error:
        return Finding("model", "note", f"{name} is not on this machine", error.hint)
    dimension = read_dimension(files)
    size = f", dimension {dimension}" if dimension and "cross-encoder" not in name else ""
    return Finding("model", "ok", f"{name}: {files.origin}{size}")


def _key(name: str, environ: Mapping[str, str]) -> Finding:
    return Finding(
        "key", "ok" if environ.get(name) else "note", f"{name} is {'set' if environ.get(name) else 'not set'}"
    )


def _embedded_engine() -> Finding:
    """Make a shard, write one point and find it again."""
    if importlib.util.find_spec("qdrant_edge") is None:
        return Finding(
            "engine", "problem", "embedded: qdrant-edge-py is not installed", "pip install qdrant-edge-py", 3
        )
    begin = time.perf_counter()
    vector = np.array([1.0, 0.0], np.float32)
    lexical = SparseVector(np.array([1], np.uint32), np.array([1.0], np.float32))
    payload = {"doc_id": "d", "start": 0}
    try:
        with tempfile.TemporaryDirectory() as folder:
            index = EmbeddedIndex.create(Path(folder) / "shard", dimension=2, m=4, ef_construct=4)
            index.upsert([Point(point_id("d#0-1"), vector, lexical, payload)])
            found = len(index.search_dense(vector, 1)) + len(index.search_lexical(lexical, 1))
            index.close()
    except StrataError as error:
        return Finding("engine", "problem", f"embedded: {error.message}", error.hint, error.exit_code)
    if found != 2:
        return Finding(
            "engine", "problem", "embedded: expected to find the point just written, found none", "", 3
        )
    return Finding("engine", "ok", f"embedded answers ({(time.perf_counter() - begin) * 1000:.0f} ms)")


def _server(url: str) -> Finding:
    try:
        with urlopen(f"{url.rstrip('/')}/readyz", timeout=1) as answer:
            return Finding("engine", "ok", f"server at {url} answers ({answer.status})")
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        hint = "only needed for index.engine server: docker compose up -d --wait"
        return Finding("engine", "note", f"server at {url} does not answer ({reason})", hint)
