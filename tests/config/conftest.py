from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from strata_rag.config import LoadedConfig, load_config
from strata_rag.errors import ConfigError

Load = Callable[..., LoadedConfig]
Refuse = Callable[..., ConfigError]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def load(folder: Path) -> Load:
    """Load a config from its text; a corpus root is added unless told otherwise."""

    def run(
        text: str | bytes = "",
        *,
        overrides: Sequence[str] = (),
        environ: Mapping[str, str] | None = None,
        root: bool = True,
        name: str = "experiment.yaml",
    ) -> LoadedConfig:
        data = text if isinstance(text, bytes) else text.encode()
        Path(name).write_bytes(data + (b"\ncorpus: {root: docs}\n" if root else b""))
        return load_config(name, overrides=overrides, environ=environ or {})

    return run


@pytest.fixture
def refuse(load: Load) -> Refuse:
    """Load a config that has to be refused, and return the error."""

    def run(text: str | bytes = "", **options: object) -> ConfigError:
        with pytest.raises(ConfigError) as caught:
            load(text, **options)
        return caught.value

    return run
