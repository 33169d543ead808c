"""What a command writes where it is told to: nothing of another kind is lost."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from strata_rag.cli.common import write_text
from strata_rag.errors import InputError

PAGE = "<!doctype html>\n<title>second</title>\n"


def test_an_earlier_file_of_the_same_kind_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<!doctype html>\n<title>first</title>\n")
    write_text(path, PAGE)
    assert path.read_text() == PAGE


def test_a_file_of_another_kind_stays(tmp_path: Path) -> None:
    path = tmp_path / "golden.yaml"
    path.write_text("- id: one\n")
    with pytest.raises(InputError, match="found another file"):
        write_text(path, PAGE)
    assert path.read_text() == "- id: one\n"


def test_a_link_is_followed(tmp_path: Path) -> None:
    target, link = tmp_path / "target.html", tmp_path / "link.html"
    target.touch()
    link.symlink_to(target)
    write_text(link, PAGE)
    assert link.is_symlink()
    assert target.read_text() == PAGE


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(pipe, PAGE)
    reader.join(10)
    assert read == [PAGE]
    assert pipe.is_fifo()
