"""Processes that read files: a bad file costs itself alone, and nothing outlives the pool."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

import pytest

from office_files import docx, p, pdf, zipped
from strata_rag.corpus.formats import Limits, NoReader, Options, ReaderPool, Unreadable, extract

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="children are looked up in /proc")


def children() -> list[int]:
    """Return the readers that this process has started and that are there still."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if (
                parent == os.getpid()
                and b"strata_rag.corpus.formats.worker" in (folder / "cmdline").read_bytes()
            ):
                found.append(int(folder.name))
    return found


def pool(**limits: float) -> ReaderPool:
    return ReaderPool(options=Options(), limits=Limits(**limits), processes=1)  # type: ignore[arg-type]


def test_what_comes_back_is_what_reading_here_gives(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(docx(p("words ü 漢 \U0001f600")))
    (tmp_path / "b.pdf").write_bytes(pdf(["one", ""]))
    (tmp_path / "c.csv").write_text("name of it,price\npump,9.5\n")
    (tmp_path / "d.zip").write_bytes(zipped({"x.md": "---\na: 1\n---\n# X"}))
    options = Options(zip=True)
    with ReaderPool(options=options, limits=Limits(), processes=2) as readers:
        futures = {path: readers.submit(path) for path in tmp_path.iterdir()}
        for path, future in futures.items():
            assert future.result() == extract(path, options=options)


def test_a_process_of_a_large_parent_is_kept_from_file_to_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    ballast = b"x" * (300 * 2**20)
    with pool(memory_mb=500) as readers:
        readers.submit(tmp_path / "a.csv").result()
        first = children()
        readers.submit(tmp_path / "a.csv").result()
        assert children() == first
        assert len(first) == 1
    del ballast


def test_no_process_is_started_before_there_is_a_file_and_none_is_left_after_the_last(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pool() as readers:
        assert children() == []
        readers.submit(tmp_path / "a.csv").result()
        assert len(children()) == 1
    assert children() == []


def test_a_reader_beyond_its_time_is_killed_and_the_next_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    with (
        pool(seconds=0.001) as readers,
        pytest.raises(Unreadable, match=r"longer than corpus\.limits\.seconds 0\.001$"),
    ):
        readers.submit(path).result()
    with pool() as readers:
        assert readers.submit(path).result().text


def test_a_reader_that_dies_costs_one_file(tmp_path: Path) -> None:
    path = tmp_path / "big.csv"
    path.write_text("name,price\n" + "pump,9\n" * 500_000)
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pool() as readers:
        assert readers.submit(tmp_path / "a.csv").result().text
        future = readers.submit(path)
        time.sleep(0.05)
        [child] = children()
        os.kill(child, 9)
        with pytest.raises(Unreadable, match="its reader ended: killed by SIGKILL"):
            future.result()
        assert readers.submit(tmp_path / "a.csv").result().text


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not bound a process's memory")
def test_a_file_that_takes_too_much_memory_fails_and_the_next_is_read(tmp_path: Path) -> None:
    (tmp_path / "large.csv").write_text("name,price\n" + "pump,9\n" * 2_000_000)
    (tmp_path / "a.docx").write_bytes(docx(p("words")))
    with pool(memory_mb=300) as readers:
        with pytest.raises(Unreadable, match=r"memory_mb 300|its reader ended"):
            readers.submit(tmp_path / "large.csv").result()
        assert readers.submit(tmp_path / "a.docx").result().text == "words"


def test_reasons_keep_their_kind(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "b.bin").write_bytes(b"\x89PNG\r\n\x1a\n")
    with pool() as readers:
        with pytest.raises(Unreadable, match=r"^expected docx, found a PNG picture$"):
            readers.submit(tmp_path / "a.docx").result()
        with pytest.raises(NoReader, match=r"^a PNG picture: no reader$"):
            readers.submit(tmp_path / "b.bin").result()


def test_leaving_the_block_ends_a_process_at_work_at_once(tmp_path: Path) -> None:
    path = tmp_path / "big.csv"
    path.write_text("name,price\n" + "pump,9\n" * 2_000_000)
    begin = time.monotonic()
    with pool() as readers:
        readers.submit(path)
        while not children():
            time.sleep(0.01)
    assert time.monotonic() - begin < 2
    assert children() == []
