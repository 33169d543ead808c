"""What a model's files say of it, read without loading the model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from strata_rag.cache import Cache, digest_request
from strata_rag.embedding.resolve import PACKAGED_WEIGHTS, ModelFiles
from strata_rag.errors import ModelUnavailable

EMBEDDING_VERSION = 1
"""Grows when the same model files yield other vectors."""

_FINGERPRINTED = {".json", ".txt", ".model", ".safetensors", ".bin"}
_NO_LIMIT = 1_000_000
_Json = TypeVar("_Json", dict[str, Any], list[dict[str, Any]])
_PIECE = 10_000


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """An embedding model as its files describe it.

    Attributes:
        files: Where they are.
        fingerprint: SHA-256 over every file that decides the vectors, and our stage's version.
        dimension: Length of a vector.
        max_tokens: Most tokens of a text that are read, or None where the files don't tell.
        document_prompt: What the model puts before a document.
        work: Multiply-adds per token, roughly, relative to all-MiniLM-L6-v2.
    """

    files: ModelFiles
    fingerprint: str
    dimension: int
    max_tokens: int | None
    document_prompt: str
    work: float


def read_spec(files: ModelFiles, cache: Cache) -> ModelSpec:
    """Read what `files` say; digests of large files are remembered in `cache` by path, size and time.

    Raises:
        ModelUnavailable: The files tell no dimension, or are not what their package promises.
    """
    config = _json(files.folder / "config.json")
    prompts = _json(files.folder / "config_sentence_transformers.json").get("prompts") or {}
    dimension = _dimension(files.folder, config)
    if not isinstance(dimension, int) or dimension < 1:
        raise ModelUnavailable(
            f"{files.folder}: expected an embedding model, its files tell no dimension",
            hint="point embedding.model at a sentence-transformers model",
        )
    hidden, layers = config.get("hidden_size") or 384, config.get("num_hidden_layers") or 6
    return ModelSpec(
        files=files,
        fingerprint=files_fingerprint(files, cache),
        dimension=dimension,
        max_tokens=_max_tokens(files.folder, config),
        document_prompt=prompts.get("document") or "",
        work=(hidden / 384) ** 2 * layers / 6,
    )


def read_dimension(files: ModelFiles) -> int | None:
    """Return the length of the model's vectors, or None where its files don't tell."""
    return _dimension(files.folder, _json(files.folder / "config.json"))


def files_fingerprint(files: ModelFiles, cache: Cache) -> str:
    """Return the SHA-256 over names and contents of the files that decide what the model gives.

    Raises:
        ModelUnavailable: A package's weights are not those it promises.
    """
    total = hashlib.sha256(f"embedding/{EMBEDDING_VERSION}".encode())
    for path in sorted(files.folder.rglob("*")):
        name = path.relative_to(files.folder).as_posix()
        hidden_or_other = name.startswith((".", "onnx/", "openvino/")) or path.suffix not in _FINGERPRINTED
        if hidden_or_other or not path.is_file():
            continue
        digest = _file_digest(path, cache)
        promised = PACKAGED_WEIGHTS.get(files.model_id) if files.origin.startswith("package") else None
        if promised and name == "model.safetensors" and digest != promised:
            raise ModelUnavailable(
                f"{path}: expected weights with SHA-256 {promised[:12]}..., found {digest[:12]}...",
                hint="reinstall the package, or name a folder of your own as embedding.model",
            )
        total.update(f"\n{name} {digest}".encode())
    return total.hexdigest()


def _file_digest(path: Path, cache: Cache) -> str:
    status = path.stat()
    key = digest_request(
        {
            "kind": "file-digest",
            "path": str(path.resolve()),
            "size": status.st_size,
            "time": status.st_mtime_ns,
        }
    )
    remembered = cache.get_many([key]).get(key)
    if remembered is not None:
        return remembered.decode()
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if status.st_size > 2**20:
        cache.put_many([(key, digest.encode())], owner="file-digest")
    return digest


def _dimension(folder: Path, config: dict[str, Any]) -> int | None:
    dimension = config.get("hidden_size")
    for module in _modules(folder):
        settings = _json(folder / module.get("path", "") / "config.json")
        kind = module.get("type", "").rsplit(".", 1)[-1]
        if kind == "Pooling":
            dimension = settings.get(
                "word_embedding_dimension", settings.get("embedding_dimension", dimension)
            )
        elif kind == "Dense":
            dimension = settings.get("out_features", dimension)
    return dimension


def _max_tokens(folder: Path, config: dict[str, Any]) -> int | None:
    first = next(iter(_modules(folder)), {})
    for name in ("sentence_bert_config.json", f"{first.get('path', '')}/sentence_bert_config.json"):
        if limit := _json(folder / name).get("max_seq_length"):
            return int(limit)
    limits = [
        _json(folder / "tokenizer_config.json").get("model_max_length"),
        config.get("max_position_embeddings"),
    ]
    known = [int(limit) for limit in limits if limit and limit < _NO_LIMIT]
    return min(known) if known else None


def _modules(folder: Path) -> list[dict[str, Any]]:
    return _read_json(folder / "modules.json", [])


def _json(path: Path) -> dict[str, Any]:
    return _read_json(path, {})


def _read_json(path: Path, absent: _Json) -> _Json:
    """Return what `path` holds, which must be of the same kind as `absent`, or `absent`."""
    hint = "the model's folder is damaged; provide it again"
    try:
        stored: Any = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else absent
    except (ValueError, OSError) as error:
        raise ModelUnavailable(f"{path}: expected JSON, found: {error}", hint=hint) from error
    if not isinstance(stored, type(absent)):
        raise ModelUnavailable(
            f"{path}: expected a JSON {type(absent).__name__}, found {type(stored).__name__}", hint=hint
        )
    return stored


class TokenCounter(Protocol):
    """Counts the tokens a model would see."""

    def count(self, texts: Sequence[str]) -> list[int]:
        """Return tokens per text, special tokens included."""


class ModelTokenCounter:
    """Counts and places tokens with the model's own tokenizer, which needs no model library.

    Args:
        spec: The model.
    """

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec

    @property
    def max_tokens(self) -> int | None:
        """Most tokens of a text that the model reads, or None where its files don't tell."""
        return self._spec.max_tokens

    @property
    def available(self) -> bool:
        """Whether the model's folder holds a tokenizer that can be read alone."""
        return self._path.is_file()

    @cached_property
    def additive(self) -> bool:
        """Whether texts joined by a space have together as many tokens as apart: so for BERT's word pieces."""
        parts = _json(self._path)
        kinds = [(parts.get(name) or {}).get("type") for name in ("normalizer", "pre_tokenizer", "model")]
        return kinds == ["BertNormalizer", "BertPreTokenizer", "WordPiece"]

    def count(self, texts: Sequence[str]) -> list[int]:
        prompt = self._spec.document_prompt
        prompted = [prompt + text for text in texts] if prompt else list(texts)
        return [len(encoding) for encoding in self._tokenizer.encode_batch_fast(prompted)]

    def offsets(self, text: str) -> NDArray[np.int64]:
        """Return first and past-the-last code point of each token, shape (tokens, 2), without special ones.

        The text is read in pieces that end at a space, which is twice as fast and uses less memory.
        """
        bounds = _piece_bounds(text)
        pieces = [text[first:last] for first, last in pairwise(bounds)]
        encodings = self._tokenizer.encode_batch(pieces, add_special_tokens=False)
        placed = [
            np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2) + first
            for first, encoding in zip(bounds, encodings, strict=False)
        ]
        return np.concatenate([np.zeros((0, 2), dtype=np.int64), *placed])

    @property
    def _path(self) -> Path:
        return self._spec.files.folder / "tokenizer.json"

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._path))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer


def _piece_bounds(text: str) -> list[int]:
    """Return where `text` is cut before it is read, first and last position included: at spaces, where there are."""
    bounds = [0]
    while len(text) - bounds[-1] > 2 * _PIECE:
        first = bounds[-1] + _PIECE
        at = text.find(" ", first, first + _PIECE)
        bounds.append(at if at > 0 else first + _PIECE)
    return [*bounds, len(text)]
