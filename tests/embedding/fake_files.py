"""Folders that look like a model's, for all that reads no weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
]


def make_model(folder: Path, files: dict[str, Any] | None = None) -> Path:
    """Write a model's folder; `files` replaces or adds some, None leaves one out."""
    content: dict[str, Any] = {
        "config.json": {"hidden_size": 8, "num_hidden_layers": 3, "max_position_embeddings": 512},
        "modules.json": MODULES,
        "sentence_bert_config.json": {"max_seq_length": 128},
        "1_Pooling/config.json": {"word_embedding_dimension": 8},
        "tokenizer_config.json": {"model_max_length": 512},
        "model.safetensors": b"weights",
        "README.md": b"about",
        **(files or {}),
    }
    for name, value in content.items():
        if value is None:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return folder
