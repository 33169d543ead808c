"""Every command of the README is run, in a folder as the README describes it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
SCRIPT = "\n".join(block for block in BLOCKS if not block.startswith("make"))


def test_the_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^make (\w+)", "\n".join(BLOCKS), re.MULTILINE)
    assert {"demo", "test"} <= set(targets)
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


@pytest.mark.model
def test_the_readme_takes_a_folder_to_a_comparison(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    (documents / "security").mkdir(parents=True)
    (documents / "security" / "keys.md").write_text(
        "# Keys\n\nRotate a key with `keyctl rotate`, then restart.\n"
    )
    (documents / "errors.md").write_text("# Errors\n\nE-104: the disk is full.\n\nE-105: the disk is gone.\n")
    (documents / "logo.png").write_bytes(b"\x89PNG")
    command = tmp_path / "bin" / "strata"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m strata_rag "$@"\n')
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "COLUMNS": "120",
    }
    bash = shutil.which("bash")
    assert bash
    done = subprocess.run(
        [bash, "-euo", "pipefail", "-c", SCRIPT],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr
    for expected in (
        "logo.png",
        "security/keys.md#0-",
        "Rotate a key with `keyctl rotate`, then restart. [1]",
        "hybrid + late-interaction (rrf)",
        "lexical",
        "candidate_k",
    ):
        assert expected in done.stdout
