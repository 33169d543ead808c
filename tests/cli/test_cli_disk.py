"""A disk without room: refused in two lines, and continued once there is some."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench import Outcome, environment, many_documents, write_config, write_files


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte, where this user may mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=False, capture_output=True
    ).returncode
    if mounted != 0:
        pytest.skip("mounting a small disk needs more rights than this user has")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def ingest_into(home: Path, config: Path) -> Outcome:
    process = subprocess.run(
        [sys.executable, "-m", "strata_rag", "ingest", str(config)],
        env=environment(STRATA_HOME=str(home)),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return Outcome(process.returncode, process.stdout, process.stderr)


@pytest.mark.parametrize("filled", [0, 700, 1000])
def test_a_full_disk_is_refused_in_two_lines(
    small_disk: Path, tmp_path: Path, tiny_model: Path, filled: int
) -> None:
    write_files(tmp_path / "docs", many_documents(300))
    config = write_config(tmp_path / "c.yaml", tiny_model)
    (small_disk / "ballast").write_bytes(os.urandom(filled * 1024))
    ingest_into(small_disk / ".strata", config).tells(3, "small/.strata")
