"""Real models, small enough to be made on the spot: random weights from a fixed seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "pump",
    "valve",
    "flow",
    "##s",
    "query",
    "passage",
    ":",
]
WIDTH = 16
MAX_TOKENS = 16


def _config(**changes: Any) -> Any:
    from transformers import BertConfig

    return BertConfig(
        vocab_size=len(WORDS),
        hidden_size=WIDTH,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=WIDTH,
        max_position_embeddings=32,
        **changes,
    )


def _save(folder: Path, model: Any) -> None:
    from transformers import BertTokenizerFast

    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    model.save_pretrained(folder)
    BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=MAX_TOKENS).save_pretrained(folder)


def make_sentence_transformer(folder: Path, *, prompts: dict[str, str] | None = None, seed: int = 7) -> Path:
    """Write an embedding model that reads `MAX_TOKENS` tokens into vectors of length `WIDTH`."""
    import torch
    from transformers import BertModel

    torch.manual_seed(seed)
    _save(folder, BertModel(_config()))
    modules = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    listing = [
        {"idx": place, "name": str(place), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for place, (path, kind) in enumerate(modules.items())
    ]
    (folder / "modules.json").write_text(json.dumps(listing))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": MAX_TOKENS}))
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts or {}}))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": WIDTH, "pooling_mode_mean_tokens": True})
    )
    return folder


def make_cross_encoder(folder: Path, *, labels: int = 1, seed: int = 7) -> Path:
    """Write a cross-encoder with `labels` outputs a pair."""
    import torch
    from transformers import BertForSequenceClassification

    torch.manual_seed(seed)
    _save(folder, BertForSequenceClassification(_config(num_labels=labels)))
    return folder
