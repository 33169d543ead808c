"""Embedding models of the sentence-transformers library."""

from __future__ import annotations

import contextlib
import io
import logging
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from strata_rag.embedding.embedder import Matrix, unit_vectors
from strata_rag.embedding.files import ModelSpec
from strata_rag.errors import ExtraMissing, ModelUnavailable

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class SentenceTransformersEmbedder:
    """A model of sentence-transformers; torch is imported when the first text comes.

    Args:
        spec: The model's files and what they say.
        batch_size: Texts in one forward pass.
        device: A torch device, or ``auto``.
    """

    def __init__(self, spec: ModelSpec, *, batch_size: int = 32, device: str = "auto") -> None:
        self._spec = spec
        self._batch_size = batch_size
        self._device = device

    @property
    def dimension(self) -> int:
        return self._spec.dimension

    @property
    def fingerprint(self) -> str:
        return self._spec.fingerprint

    def load(self) -> None:
        """Load the weights now rather than with the first text."""
        _ = self._model

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return self._checked(self._model.encode_document(list(texts), **self._encode_options), texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._checked(
            self._model.encode_query([text], **self._encode_options), [text]
        )[0]
        return vector

    def document_token_vectors(self, text: str) -> NDArray[np.float32]:
        """Return the unit vectors of a document's tokens without special ones, shape (tokens, width)."""
        return self._token_vectors(self._spec.document_prompt + text)

    def query_token_vectors(self, text: str) -> NDArray[np.float32]:
        """Return the unit vectors of a question's tokens without special ones, shape (tokens, width)."""
        return self._token_vectors(text)

    def _token_vectors(self, text: str) -> NDArray[np.float32]:
        [output] = self._model.encode(
            [text], output_value="token_embeddings", convert_to_numpy=False, show_progress_bar=False
        )
        vectors = output.float().cpu().numpy()
        tokens = self._model.tokenizer(
            text, truncation=True, max_length=len(vectors), return_special_tokens_mask=True
        )
        words = vectors[~np.asarray(tokens["special_tokens_mask"], dtype=bool)]
        norms = np.linalg.norm(words, axis=1, keepdims=True)
        unit: NDArray[np.float32] = words / np.maximum(norms, np.finfo(np.float32).tiny)
        return unit

    def _checked(self, vectors: Any, texts: Sequence[str]) -> Matrix:
        return unit_vectors(np.asarray(vectors), texts, dimension=self.dimension)

    @property
    def _encode_options(self) -> dict[str, Any]:
        return {"batch_size": self._batch_size, "show_progress_bar": False, "convert_to_numpy": True}

    @cached_property
    def _model(self) -> SentenceTransformer:
        with quiet_libraries():
            try:
                from sentence_transformers import SentenceTransformer
            except ImportError as error:
                raise missing_models_extra(error) from error
            model: SentenceTransformer = load_local(
                SentenceTransformer, self._spec.files.folder, self._device
            )
        limit = self._spec.max_tokens
        if limit is not None:
            model.max_seq_length = limit
        return model


def load_local(kind: Any, folder: os.PathLike[str], device: str, **options: Any) -> Any:
    """Load a model of class `kind` from its folder, never from the network.

    Raises:
        ModelUnavailable: The files are damaged or of another kind.
    """
    try:
        return kind(
            str(folder), device=None if device == "auto" else device, local_files_only=True, **options
        )
    except Exception as error:  # the libraries raise whatever their parts raise
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelUnavailable(
            f"{folder}: expected a model that loads on device {device}, found: {reason}",
            hint="check the folder's files and embedding.device",
        ) from error


def missing_models_extra(error: ImportError) -> ExtraMissing:
    """Return the error for a missing sentence-transformers or torch."""
    return ExtraMissing(
        f"{error.name or 'sentence_transformers'}: expected the package, it is not installed",
        hint="pip install 'strata-rag[models]'",
    )


@contextlib.contextmanager
def quiet_libraries() -> Iterator[None]:
    """Keep the model libraries' own progress bars and notices away from the terminal while they load."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        logging.disable(before)
