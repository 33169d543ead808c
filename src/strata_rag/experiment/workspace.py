"""Where an experiment's files live, and what the machine allows: read once, by the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Workspace:
    """The ``.strata`` folder and the machine's settings.

    Attributes:
        home: The folder that holds collections, cache, manifests and runs.
        models_dir: ``STRATA_MODELS_DIR``.
        offline: Whether models may not be downloaded.
        environ: Where keys named by the config's ``*_env`` are looked up; never shown.
    """

    home: Path
    models_dir: Path | None = None
    offline: bool = False
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def collections(self) -> Path:
        return self.home / "collections"

    @property
    def cache(self) -> Path:
        return self.home / "cache.sqlite"

    @property
    def manifests(self) -> Path:
        return self.home / "manifests"

    @property
    def runs(self) -> Path:
        return self.home / "runs"

    def place(self, path: Path) -> str:
        """Return `path` as seen from the folder around `home` where it lies inside, else in full.

        What is named this way keeps its collection when the whole folder moves.
        """
        around = self.home.resolve().parent
        resolved = path.resolve()
        return (
            resolved.relative_to(around).as_posix()
            if resolved.is_relative_to(around)
            else resolved.as_posix()
        )
