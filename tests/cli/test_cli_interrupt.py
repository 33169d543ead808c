"""Ctrl-C ends a command within two seconds, and the next ingest continues."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from workbench import (
    DOCUMENTS,
    ROOT,
    Running,
    assert_same,
    load,
    many_documents,
    record_of,
    run_ingest,
    snapshot,
    wait_until,
    write_config,
    write_files,
)

Start = Callable[..., Running]


def interrupt(running: Running) -> None:
    """Send SIGINT and assert that the process ends as it should."""
    assert running.process.poll() is None, running.finish()
    begin = time.monotonic()
    running.signal(signal.SIGINT)
    outcome = running.finish()
    assert time.monotonic() - begin < 2
    assert outcome.code == 130, outcome.err
    lines = [line for line in outcome.err.splitlines() if line.startswith(("error:", "hint:"))]
    assert len(lines) == 2, outcome.err
    assert lines[0] == "error: interrupted"
    assert "Traceback" not in outcome.err
    assert outcome.out == ""


def _embedded(config: Path) -> int:
    """Return how many vectors the cache holds."""
    path = config.parent / ".strata/cache.sqlite"
    if not path.exists():
        return 0
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return int(
            database.execute("SELECT count(*) FROM entries WHERE length(value) = 16 * 4").fetchone()[0]
        )
    except sqlite3.OperationalError:
        return 0
    finally:
        database.close()


def test_before_there_is_a_command_line(start: Start, tmp_path: Path) -> None:
    write_files(tmp_path / "early", {"typer.py": "raise KeyboardInterrupt"})
    outcome = start("--help", PYTHONPATH=f"{tmp_path / 'early'}:{ROOT / 'src'}").finish()
    outcome.tells(130, "interrupted")


def test_while_the_schema_is_imported(start: Start, config: Path) -> None:
    running = start("ingest", config)
    wait_until(lambda: running.maps("_pydantic_core") or running.process.poll() is not None)
    interrupt(running)


def test_while_the_corpus_is_read(start: Start, tmp_path: Path, tiny_model: Path) -> None:
    write_files(tmp_path / "docs", many_documents(4000))
    config = write_config(tmp_path / "c.yaml", tiny_model)
    running = start("ingest", config)
    wait_until(lambda: any(tmp_path.glob(".strata/collections/*.lock")))
    interrupt(running)


def test_while_another_process_reads_a_file(start: Start, tmp_path: Path, tiny_model: Path) -> None:
    write_files(tmp_path / "docs", {"large.csv": "name,price\n" + "pump,9\n" * 2_000_000})
    running = start("ingest", write_config(tmp_path / "c.yaml", tiny_model), "--dry-run")
    wait_until(lambda: bool(_readers(running)) or running.process.poll() is not None)
    [reader] = _readers(running)
    interrupt(running)
    assert not Path(f"/proc/{reader}").exists()


def _readers(running: Running) -> list[int]:
    """Return the processes that read files; each is a child of the thread that started it."""
    tasks = Path(f"/proc/{running.pid}/task").glob("*/children")
    return [int(pid) for children in tasks for pid in children.read_text().split()]


def test_while_the_model_library_is_imported(start: Start, config: Path) -> None:
    running = start("ingest", config)
    wait_until(lambda: running.maps("libtorch_cpu.so") or running.process.poll() is not None)
    interrupt(running)
    result = run_ingest(load(config))
    assert result.chunks == len(DOCUMENTS)


def test_while_texts_are_embedded(start: Start, tmp_path: Path, tiny_model: Path) -> None:
    write_files(tmp_path / "docs", many_documents(2000))
    config = write_config(tmp_path / "c.yaml", tiny_model, embedding={"batch_size": 4})
    running = start("ingest", config)
    wait_until(lambda: _embedded(config) >= 256 or running.process.poll() is not None)
    interrupt(running)
    record = record_of(load(config))
    assert record is not None
    assert not record["complete"]
    kept = _embedded(config)
    result = run_ingest(load(config))
    assert (result.chunks, result.embedded) == (2000, 2000 - kept)
    (tmp_path / "fresh").mkdir()
    with sqlite3.connect(tmp_path / ".strata/cache.sqlite") as database:
        database.execute("VACUUM INTO ?", (str(tmp_path / "fresh/cache.sqlite"),))
    database.close()
    fresh = load(config, home=tmp_path / "fresh")
    assert run_ingest(fresh).embedded == 0
    assert_same(snapshot(load(config), "pump 70"), snapshot(fresh, "pump 70"))
