"""Two processes on one collection, and processes that end half-way (case 28)."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from strata_rag.experiment import SearchSettings, evaluate_experiment, query
from strata_rag.progress import Silent
from workbench import (
    CommandLine,
    Running,
    Snapshot,
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
COUNT = 1500
QUESTIONS = ("pump 70", "valve x3 document 29")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> tuple[Path, Snapshot]:
    """A folder with a large corpus and its vectors in the cache, and what a whole ingest of it gives."""
    folder = tmp_path_factory.mktemp("built")
    write_files(folder / "docs", many_documents(COUNT))
    config = write_config(folder / "c.yaml", tiny_model)
    run_ingest(load(config))
    whole = snapshot(load(config), *QUESTIONS)
    with sqlite3.connect(folder / ".strata/cache.sqlite") as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    return folder, whole


@pytest.fixture
def warm(built: tuple[Path, Snapshot], tmp_path: Path) -> Path:
    """The same corpus with a warm cache and no collection yet, so that an ingest needs no model library."""
    shutil.copytree(built[0] / "docs", tmp_path / "docs")
    shutil.copy(built[0] / "c.yaml", tmp_path / "c.yaml")
    (tmp_path / ".strata").mkdir()
    shutil.copy(built[0] / ".strata/cache.sqlite", tmp_path / ".strata/cache.sqlite")
    return tmp_path / "c.yaml"


def shard_bytes(config: Path) -> int:
    folder = config.parent / ".strata/collections" / load(config).collection / "shard"
    return sum(path.stat().st_blocks for path in files_of(folder) if path.is_file())


def files_of(folder: Path) -> list[Path]:
    """Return the files there now; folders that vanish meanwhile are none."""
    return [Path(parent, name) for parent, _, names in os.walk(folder) for name in names]


MOMENTS: dict[str, Callable[[Path, Running], bool]] = {
    "as the lock is taken": lambda config, _: any(config.parent.glob(".strata/collections/*.lock")),
    "as the shard is made": lambda config, _: shard_bytes(config) > 0,
    "as the record is begun": lambda config, _: record_of(load(config)) is not None,
    "while points are written": lambda config, _: _points_are_written(config),
    "while the index is built": lambda _, running: bool(running.children()),
}


def _points_are_written(config: Path) -> bool:
    folder = config.parent / ".strata/collections" / load(config).collection
    payloads = [path for path in files_of(folder) if "payload_storage" in path.parent.name]
    return record_of(load(config)) is not None and any(b"valve" in path.read_bytes() for path in payloads)


@pytest.mark.parametrize("moment", MOMENTS)
def test_after_kill_9_the_same_command_ends_like_an_uninterrupted_one(
    start: Start, warm: Path, built: tuple[Path, Snapshot], moment: str
) -> None:
    running = start("ingest", warm)
    wait_until(lambda: MOMENTS[moment](warm, running) or running.process.poll() is not None)
    running.signal(signal.SIGKILL)
    assert running.finish().code == -signal.SIGKILL, "it ended before it could be killed"
    record = record_of(load(warm))
    assert record is None or not record["complete"]
    result = run_ingest(load(warm))
    assert (result.chunks, result.embedded) == (COUNT, 0)
    assert_same(snapshot(load(warm), *QUESTIONS), built[1])


def test_between_kill_9_and_the_next_ingest_no_answer_is_given(
    start: Start, warm: Path, cli: CommandLine
) -> None:
    running = start("ingest", warm)
    wait_until(lambda: bool(running.children()))
    running.signal(signal.SIGKILL)
    running.finish()
    cli("query", warm, "pump 70", "--mode", "lexical").tells(3, "cut short", "strata ingest")


def test_case_28_others_meet_a_writer_and_the_writer_is_unharmed(
    start: Start, warm: Path, built: tuple[Path, Snapshot], cli: CommandLine
) -> None:
    writer = start("ingest", warm, "--json")
    wait_until(lambda: record_of(load(warm)) is not None or writer.process.poll() is not None)
    writer.signal(signal.SIGSTOP)
    assert writer.process.poll() is None
    begin = time.monotonic()
    cli("ingest", warm).tells(3, "in use by process", str(writer.pid), "STRATA_HOME")
    assert time.monotonic() - begin < 2
    begin = time.monotonic()
    reading = ("query", warm, "pump 70", "--mode", "lexical", "--set", "index.lock_timeout=0.4")
    cli(*reading).tells(3, "in use by process", str(writer.pid), "after 0.4 s")
    assert 0.4 <= time.monotonic() - begin < 3
    writer.signal(signal.SIGCONT)
    outcome = writer.finish()
    assert outcome.code == 0, outcome.err
    assert outcome.json["chunks"] == COUNT
    assert_same(snapshot(load(warm), *QUESTIONS), built[1])


def test_a_reader_waits_for_a_writer_that_ends_in_time(start: Start, warm: Path) -> None:
    writer = start("ingest", warm)
    wait_until(lambda: record_of(load(warm)) is not None)
    writer.signal(signal.SIGSTOP)
    reader = start("query", warm, "pump 70", "--mode", "lexical", "--set", "index.lock_timeout=60")
    wait_until(lambda: reader.maps("portalocker") or _sleeps(reader))
    writer.signal(signal.SIGCONT)
    assert writer.finish().code == 0
    outcome = reader.finish()
    assert outcome.code == 0, outcome.err
    assert "document 10 " in outcome.out


def _sleeps(running: Running) -> bool:
    """Tell whether the process waits in a timer, as it does between two looks at the lock."""
    return "hrtimer" in Path(f"/proc/{running.pid}/wchan").read_text() or running.process.poll() is not None


def test_a_lock_file_that_names_a_dead_process_blocks_no_one(cli: CommandLine, ingested: Path) -> None:
    [lock] = (ingested.parent / ".strata/collections").glob("*.lock")
    lock.write_text("writer 999999999\n")
    assert cli("ingest", ingested).code == 0
    assert cli("query", ingested, "pump", "--mode", "lexical").code == 0


def test_a_second_writer_in_this_process_is_refused_and_names_it(cli: CommandLine, config: Path) -> None:
    experiment = load(config)
    with experiment.collections.writing(experiment.collection, recreate=False):
        cli("ingest", config).tells(3, "in use by process", str(os.getpid()))


def test_case_28_one_process_may_ingest_query_and_evaluate(config: Path) -> None:
    (config.parent / "g.yaml").write_text("- {id: q1, question: red pump, relevant: [atlas/parts/pump.md]}\n")
    experiment = load(config, f"evaluation.golden={config.parent / 'g.yaml'}")
    settings = SearchSettings.of(experiment.config)
    run_ingest(experiment)
    first = query(experiment, "red pump", settings, top_k=3)
    second = query(experiment, "red pump", settings, top_k=3)
    result = evaluate_experiment(
        experiment, settings, created=datetime.now(UTC), token="abcdef", progress=Silent()
    )
    assert result.run.record.golden.questions == 1
    assert [hit.chunk_id for hit in first.hits] == [hit.chunk_id for hit in second.hits]
    assert set(second.timings_ms) == {"first_stage", "total"}
    assert set(result.run.record.timings_ms) == {"first_stage", "total"}
