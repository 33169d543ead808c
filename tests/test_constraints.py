"""The pins are exact, the same on every machine, and hold what the project file asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINES = [
    line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"
]
PINS = {
    re.sub(r"[-_.]+", "-", name).lower(): version
    for name, _, version in (line.partition("==") for line in LINES)
}


@pytest.mark.parametrize("line", LINES)
def test_every_pin_is_exact_and_bound_to_no_machine(line: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*", line)
    assert not line.startswith(("nvidia", "cuda", "triton"))


def test_every_requirement_of_make_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *extras["models"],
        *extras["offline"],
        *extras["formats"],
        *extras["dev"],
    ]
    names = {re.sub(r"[-_.]+", "-", re.split(r"[<>=\[;]", item)[0].strip()).lower() for item in wanted}
    assert names - {"strata-rag"} <= PINS.keys()
