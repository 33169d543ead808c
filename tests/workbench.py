"""What tests of use cases and the command line work with: small corpora, a tiny model, the CLI, snapshots."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from strata_rag.cli.app import app
from strata_rag.config import load_config
from strata_rag.experiment import Experiment, Workspace, ingest
from strata_rag.index import Index, sparse_counts
from strata_rag.progress import Silent
from strata_rag.report import IngestResult
from tiny_model import write_tiny_model

ROOT = Path(__file__).parents[1]

# A tiny model gains nothing from threads, and workers that share the cores lose by them.
os.environ.setdefault("OMP_NUM_THREADS", "1")

DOCUMENTS = {
    "atlas/parts/pump.md": "The red pump AB-1234/x stands in hall four and is oiled every month.",
    "atlas/parts/valve.md": "A blue valve closes the pump's outlet. Its spare part is CD-77.",
    "atlas/notes/travel.md": "Travel expenses above the limit need approval by the head of finance.",
    "harbor/log.txt": "The ferry left the harbor late; the crane was repaired by night.",
    "readme.md": "Everything about pumps, valves, travel and ferries.",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    def tells(self, code: int, *parts: str) -> None:
        """Assert that it failed with `code` and exactly the two lines, `parts` standing in the first."""
        assert self.code == code, self
        lines = [line for line in self.err.splitlines() if not line.startswith(("warning: ", "note: "))]
        assert len(lines) == 2, self.err
        error, hint = lines
        assert error.startswith("error: "), self.err
        assert hint.startswith("hint: ")
        assert len(hint) > len("hint: ")
        assert "Traceback" not in self.err
        for part in parts:
            assert part in self.err, (part, self.err)


CommandLine = Callable[..., Outcome]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    """Run the command line in this process, in `tmp_path`: ``cli("query", config, "question")``."""
    monkeypatch.chdir(tmp_path)

    def run(*args: object) -> Outcome:
        capfd.readouterr()
        code = app([*map(str, args)], standalone_mode=False)
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return run


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of dimension 16 that loads in no time; reads 512 tokens, one a letter."""
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    """Write texts by relative path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def write_config(path: Path, model: Path | str, **sections: Any) -> Path:
    """Write a config beside its corpus ``docs``; no reranker unless `sections` say so."""
    values: dict[str, Any] = {
        "corpus": {"root": "docs"},
        "embedding": {"model": str(model)},
        "retrieval": {"rerank": {"scorer": "none"}},
    }
    for name, section in sections.items():
        both = isinstance(section, dict) and name in values
        values[name] = {**values[name], **section} if both else section
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")
    return path


@pytest.fixture
def config(tmp_path: Path, tiny_model: Path) -> Path:
    """The five `DOCUMENTS` and a config for them."""
    write_files(tmp_path / "docs", DOCUMENTS)
    return write_config(tmp_path / "c.yaml", tiny_model)


@pytest.fixture(scope="session")
def _built(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Path:
    folder = tmp_path_factory.mktemp("built")
    write_files(folder / "docs", DOCUMENTS)
    run_ingest(load(write_config(folder / "c.yaml", tiny_model)))
    return folder


@pytest.fixture
def ingested(tmp_path: Path, _built: Path) -> Path:
    """The same config, its collection made."""
    shutil.copytree(_built, tmp_path, dirs_exist_ok=True, copy_function=_copy_sparse)
    return tmp_path / "c.yaml"


def _copy_sparse(source: str, target: str) -> str:
    """Copy a file without writing its holes: an engine reserves 100 MB of which it uses little."""
    with open(source, "rb") as read, open(target, "wb") as write:
        size, place = os.fstat(read.fileno()).st_size, 0
        while place < size:
            try:
                place = os.lseek(read.fileno(), place, os.SEEK_DATA)
            except OSError:  # nothing but a hole up to the end
                break
            end = os.lseek(read.fileno(), place, os.SEEK_HOLE)
            read.seek(place)
            write.seek(place)
            write.write(read.read(end - place))
            place = end
        write.truncate(size)
    shutil.copystat(source, target)
    return target


def load(path: Path, *overrides: str, home: Path | None = None) -> Experiment:
    """Return the experiment of a config, in the workspace beside it."""
    loaded = load_config(path, overrides=overrides, environ={})
    return Experiment(loaded.config, Workspace(home=home or path.parent / ".strata", offline=True))


def run_ingest(experiment: Experiment, *, recreate: bool = False) -> IngestResult:
    return ingest(experiment, recreate=recreate, progress=Silent())


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a collection holds, by point id, and what it answers."""

    payloads: dict[str, dict[str, Any]]
    dense: dict[str, np.ndarray]
    lexical: dict[str, tuple[list[int], list[float]]]
    scores: dict[str, list[tuple[str, float]]]


def snapshot(experiment: Experiment, *questions: str) -> Snapshot:
    """Read all of a complete collection; `questions` are searched by words."""
    with experiment.collections.reading(experiment.collection) as (_, index):
        payloads = {key: dict(payload) for key, payload in index.scroll()}
        vectors = index.vectors(list(payloads))
        return Snapshot(
            payloads=payloads,
            dense={key: dense for key, (dense, _) in vectors.items()},
            lexical={key: (v.indices.tolist(), v.values.tolist()) for key, (_, v) in vectors.items()},
            scores={question: _scores(experiment, index, question) for question in questions},
        )


def _scores(experiment: Experiment, index: Index, question: str) -> list[tuple[str, float]]:
    counts = sparse_counts(experiment.analyser.counts(question))
    return [(point.point_id, point.score) for point in index.search_lexical(counts, 10_000)]


def assert_same(one: Snapshot, other: Snapshot) -> None:
    """Assert that two collections can't be told apart."""
    assert one.payloads == other.payloads
    assert one.lexical == other.lexical
    assert one.scores.keys() == other.scores.keys()
    for question, scores in one.scores.items():
        assert [key for key, _ in scores] == [key for key, _ in other.scores[question]]
        np.testing.assert_allclose(
            [score for _, score in scores], [score for _, score in other.scores[question]], rtol=1e-6
        )
    assert one.dense.keys() == other.dense.keys()
    for key, vector in one.dense.items():
        np.testing.assert_allclose(vector, other.dense[key], atol=1e-6)


def wait_until(happened: Callable[[], bool], *, seconds: float = 60) -> None:
    """Look until `happened` is true; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.002)


def environment(**variables: str) -> dict[str, str]:
    """Return the variables of a child process that runs this source tree."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), **variables}


@dataclass(slots=True)
class Running:
    """A command at work in a process of its own."""

    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        return self.process.pid

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def finish(self, *, seconds: float = 60) -> Outcome:
        """Wait for its end."""
        out, err = self.process.communicate(timeout=seconds)
        return Outcome(self.process.returncode, out, err)

    def children(self) -> list[int]:
        """Return the pids of its child processes."""
        try:
            text = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        except OSError:
            return []
        return [int(pid) for pid in text.split()]

    def maps(self, library: str) -> bool:
        """Tell whether it has loaded a shared library of this name."""
        try:
            return library in Path(f"/proc/{self.pid}/maps").read_text()
        except OSError:
            return False


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    """Start the command line in a process of its own; whatever still runs at the end is killed."""
    started: list[Running] = []

    def run(*args: object, **variables: str) -> Running:
        process = subprocess.Popen(
            [sys.executable, "-m", "strata_rag", *map(str, args)],
            cwd=tmp_path,
            env=environment(**variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(Running(process))
        return started[-1]

    yield run
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()


def record_of(experiment: Experiment) -> dict[str, Any] | None:
    """Return the collection's record as it stands on disk, or None."""
    path = experiment.workspace.collections / experiment.collection / "record.json"
    return json.loads(path.read_text()) if path.exists() else None


def many_documents(count: int) -> dict[str, str]:
    """Return that many short documents, each of its own words."""
    return {
        f"part{number % 7}/{number:05}.md": f"document {number} tells of pump {number * 7} and valve x{number % 13}"
        for number in range(count)
    }
