"""What every test stands on: no network, no key, a workspace of its own."""

from __future__ import annotations

import ipaddress
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]

# No time limit per example on a machine that others use too; the same examples every run; nothing written.
settings.register_profile("strata", deadline=None, derandomize=True, database=None)
settings.load_profile("strata")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "model: loads the weights package all-MiniLM-L6-v2; takes seconds")
    config.addinivalue_line("markers", "server: runs against the Qdrant server at STRATA_TEST_QDRANT_URL")


class NetworkUsed(AssertionError):
    """A test reached for something that is not on this machine."""


def _allowed_hosts() -> set[str]:
    server = os.environ.get("STRATA_TEST_QDRANT_URL", "")
    return {"localhost", "", urlsplit(server).hostname or ""}


def _check(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else str(host or "")
    if name in _allowed_hosts():
        return
    try:
        loopback = ipaddress.ip_address(name.partition("%")[0]).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise NetworkUsed(f"a test may talk to loopback only, not to {name!r}")


def _is_machine_address(address: object) -> bool:
    """Tell whether an address names a host; a Unix socket's is a path."""
    return isinstance(address, tuple) and bool(address)


@pytest.fixture(scope="session", autouse=True)
def _no_network() -> Iterator[None]:
    """Refuse every connection and look-up beyond loopback, and say so to child processes."""
    patch = pytest.MonkeyPatch()

    def guarded(method: Callable[..., Any], position: int) -> Callable[..., Any]:
        def call(sock: socket.socket, *args: Any) -> Any:
            address = args[position]
            if _is_machine_address(address):
                _check(address[0])
            return method(sock, *args)

        return call

    patch.setattr(socket.socket, "connect", guarded(socket.socket.connect, 0))
    patch.setattr(socket.socket, "connect_ex", guarded(socket.socket.connect_ex, 0))
    patch.setattr(socket.socket, "sendto", guarded(socket.socket.sendto, -1))
    look_up = socket.getaddrinfo

    def getaddrinfo(host: object, *args: Any, **kwargs: Any) -> Any:
        _check(host)
        return look_up(host, *args, **kwargs)  # type: ignore[arg-type]

    patch.setattr(socket, "getaddrinfo", getaddrinfo)
    patch.setenv("HF_HUB_OFFLINE", "1")
    patch.setenv("STRATA_OFFLINE", "1")
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            patch.delenv(name)
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def _own_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep results out of the repository, and the developer's settings and keys out of the test."""
    monkeypatch.setenv("STRATA_HOME", str(tmp_path / ".strata"))
    for name in list(os.environ):
        override = name.startswith("STRATA_") and "__" in name
        if (
            override
            or name.startswith("RAGEVAL_")
            or name.endswith("_API_KEY")
            or name in ("STRATA_MODELS_DIR", "STRATA_PLUGINS_DIR")
        ):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of cases and data that lies beside the repository."""
    folder = Path(os.environ.get("STRATA_SHARED") or ROOT.parent / "shared")
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}: it holds cases and data sets (STRATA_SHARED names another)")
    return folder


@pytest.fixture
def strata(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the real command line in a process of its own: ``strata("query", config, "question")``.

    It runs in `tmp_path`; ``env`` adds variables, or takes one away where its value is None.
    """

    def run(
        *args: object,
        env: dict[str, str | None] | None = None,
        input: str | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[str]:
        variables: dict[str, str | None] = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONIOENCODING": "utf-8",
            **(env or {}),
        }
        return subprocess.run(
            [sys.executable, "-m", "strata_rag", *map(str, args)],
            cwd=cwd or tmp_path,
            env={name: value for name, value in variables.items() if value is not None},
            input=input,
            stdin=subprocess.DEVNULL if input is None else None,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def start() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start Python code in a process of its own, with arguments; it ends with the test at the latest."""
    children: list[subprocess.Popen[str]] = []

    def run(code: str, *args: object, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, args)],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8", **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        children.append(child)
        return child

    yield run
    for child in children:
        child.kill()
        child.communicate()
