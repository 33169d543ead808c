"""Cross-encoders of the sentence-transformers library."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from strata_rag.embedding import ModelFiles, load_local, missing_models_extra, quiet_libraries
from strata_rag.errors import InputError
from strata_rag.retrieval.scorer import ModelInfo


class CrossEncoderScorer:
    """Reads question and text together; scores are logits, so that a floor means the same for every question.

    Args:
        files: The model's files.
        fingerprint: Digest of those files.
        label: Which output means *relevant* where the model has several.
        batch_size: Pairs in one forward pass.
        device: A torch device, or ``auto``.
    """

    def __init__(
        self,
        files: ModelFiles,
        *,
        fingerprint: str,
        label: int | None,
        batch_size: int = 32,
        device: str = "auto",
    ) -> None:
        self._files = files
        self._fingerprint = fingerprint
        self._label = label
        self._batch_size = batch_size
        self._device = device

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        if not texts:
            return []
        pairs = [(query, text) for text in texts]
        outputs = self._model.predict(pairs, batch_size=self._batch_size, show_progress_bar=False)
        return relevance_column(outputs, self._label, model=self._files.model_id)

    def describe(self) -> ModelInfo:
        return ModelInfo(
            kind="cross-encoder",
            model_id=self._files.model_id,
            fingerprint=self._fingerprint,
            parameters={"label": self._label},
        )

    @cached_property
    def _model(self) -> Any:
        with quiet_libraries():
            try:
                import torch
                from sentence_transformers import CrossEncoder
            except ImportError as error:
                raise missing_models_extra(error) from error
            return load_local(
                CrossEncoder, self._files.folder, self._device, activation_fn=torch.nn.Identity()
            )


def relevance_column(outputs: Any, label: int | None, *, model: str) -> list[float]:
    """Return the relevance score per pair from a model's output of shape (pairs,) or (pairs, labels).

    Raises:
        InputError: The model has several labels and `label` names none of them.
    """
    matrix = np.atleast_1d(np.asarray(outputs, dtype=np.float64))
    if matrix.ndim == 1:
        return [float(score) for score in matrix]
    labels = matrix.shape[1]
    if labels > 1 and (label is None or not 0 <= label < labels):
        raise InputError(
            f"{model}: expected retrieval.rerank.label to name the label that means relevant, "
            f"the model has {labels} labels and label is {label}",
            hint=f"set retrieval.rerank.label to a number from 0 to {labels - 1}; the model's card says which",
        )
    return [float(score) for score in matrix[:, label if labels > 1 and label is not None else 0]]
