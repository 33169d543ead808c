"""A sentence-transformers model of a few kilobytes with random weights, written without torch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


def write_tiny_model(folder: Path, *, dimension: int = 16, max_tokens: int = 512, seed: int = 0) -> Path:
    """Write a BERT of one layer that reads letters, with mean pooling, and return its folder.

    Args:
        folder: Made if need be; a model in it is overwritten.
        dimension: Length of its vectors.
        max_tokens: Most tokens it reads.
        seed: Other seeds give other weights.
    """
    vocabulary = [*_SPECIAL, *_LETTERS, *(f"##{letter}" for letter in _LETTERS), ".", ",", "-", "?"]
    (folder / "1_Pooling").mkdir(parents=True, exist_ok=True)
    _write_tokenizer(folder, vocabulary, max_tokens)
    _write_json(
        folder / "config.json",
        {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "vocab_size": len(vocabulary),
            "hidden_size": dimension,
            "num_hidden_layers": 1,
            "num_attention_heads": 1,
            "intermediate_size": 2 * dimension,
            "max_position_embeddings": max_tokens,
            "type_vocab_size": 2,
            "hidden_act": "gelu",
            "layer_norm_eps": 1e-12,
            "pad_token_id": 0,
        },
    )
    _write_json(
        folder / "modules.json",
        [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ],
    )
    _write_json(folder / "sentence_bert_config.json", {"max_seq_length": max_tokens, "do_lower_case": False})
    _write_json(
        folder / "1_Pooling" / "config.json",
        {"word_embedding_dimension": dimension, "pooling_mode_mean_tokens": True},
    )
    save_file(
        _weights(len(vocabulary), dimension, max_tokens, np.random.default_rng(seed)),
        folder / "model.safetensors",
        metadata={"format": "pt"},
    )
    return folder


def _write_tokenizer(folder: Path, vocabulary: list[str], max_tokens: int) -> None:
    tokenizer = Tokenizer(
        WordPiece({token: number for number, token in enumerate(vocabulary)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    _write_json(
        folder / "tokenizer_config.json",
        {
            "tokenizer_class": "BertTokenizer",
            "model_max_length": max_tokens,
            "do_lower_case": True,
            "pad_token": "[PAD]",
            "unk_token": "[UNK]",
            "cls_token": "[CLS]",
            "sep_token": "[SEP]",
            "mask_token": "[MASK]",
        },
    )


def _weights(vocabulary: int, width: int, positions: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    def random(*shape: int) -> np.ndarray:
        return rng.normal(scale=0.5, size=shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": random(vocabulary, width),
        "embeddings.position_embeddings.weight": random(positions, width) * np.float32(0.1),
        "embeddings.token_type_embeddings.weight": random(2, width),
        "pooler.dense.weight": random(width, width),
        "pooler.dense.bias": np.zeros(width, np.float32),
    }
    layer = "encoder.layer.0"
    for name, shape in {
        f"{layer}.attention.self.query": (width, width),
        f"{layer}.attention.self.key": (width, width),
        f"{layer}.attention.self.value": (width, width),
        f"{layer}.attention.output.dense": (width, width),
        f"{layer}.intermediate.dense": (2 * width, width),
        f"{layer}.output.dense": (width, 2 * width),
    }.items():
        weights[f"{name}.weight"] = random(*shape)
        weights[f"{name}.bias"] = np.zeros(shape[0], np.float32)
    for name in ("embeddings", f"{layer}.attention.output", f"{layer}.output"):
        weights[f"{name}.LayerNorm.weight"] = np.ones(width, np.float32)
        weights[f"{name}.LayerNorm.bias"] = np.zeros(width, np.float32)
    return weights


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1))
