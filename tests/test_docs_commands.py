"""Every `strata` command that the docs show is one that the command line takes: names, options, number of arguments."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from strata_rag.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(?:sh|bash|console|yaml|text)?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands() -> list[tuple[str, str]]:
    """Return page and command of each line in a code block that begins with `strata`."""
    found = []
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            joined = block.replace("\\\n", " ")
            found += [
                (page.name, line)
                for line in re.findall(r"^(?:- run: |\$ )?(strata .+)$", joined, re.MULTILINE)
            ]
    return found


def parse(command: Any, name: str, arguments: list[str]) -> None:
    """Parse as the command line would, without running anything."""
    if hasattr(command, "commands"):
        subcommand = command.commands[arguments[0]]
        parse(subcommand, arguments[0], arguments[1:])
    else:
        command.make_context(name, arguments)


@pytest.mark.parametrize(("page", "line"), commands(), ids=lambda text: text[:60])
def test_every_command_of_the_docs_is_understood(page: str, line: str) -> None:
    words = shlex.split(re.sub(r"\[(--?\w[^\]]*)\]", r"\1", line), comments=True)  # optional parts count too
    for end in ("|", "||", "&&", ">", ";"):
        if end in words:
            words = words[: words.index(end)]
    parse(typer.main.get_command(app), "strata", words[1:])


def test_the_docs_show_commands() -> None:
    assert len(commands()) > 20
