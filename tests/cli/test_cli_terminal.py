"""Narrow terminals, other encodings, no colour, paths of every kind."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench import CommandLine, environment, load, write_config, write_files

Strata = Callable[..., subprocess.CompletedProcess[str]]

GOLDEN = "- {id: q1, question: red pump, relevant: [readme.md]}\n"


def evaluated(ingested: Path) -> Path:
    (ingested.parent / "golden.yaml").write_text(GOLDEN)
    values = json.loads(ingested.read_text())
    values |= {"evaluation": {"golden": "golden.yaml"}}
    values["retrieval"] |= {"mode": "lexical"}
    ingested.write_text(json.dumps(values))
    return ingested


def on_a_terminal(folder: Path, *arguments: str, columns: int, **variables: str) -> tuple[str, int]:
    """Run the command line on a terminal of that width; return all it wrote and its exit code."""
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "strata_rag", *arguments],
        cwd=folder,
        env=environment(COLUMNS=str(columns), TERM="xterm", STRATA_HOME=str(folder / ".strata"), **variables),
        stdin=child,
        stdout=child,
        stderr=child,
    )
    os.close(child)
    written = b""
    while True:
        try:
            part = os.read(parent, 65536)
        except OSError:  # how a terminal says that its last writer has gone
            break
        if not part:
            break
        written += part
    os.close(parent)
    return written.decode("utf-8", "replace"), process.wait(timeout=60)


def test_a_narrow_terminal_shows_every_figure(ingested: Path) -> None:
    text, code = on_a_terminal(evaluated(ingested).parent, "eval", "c.yaml", columns=40)
    assert code == 0
    for measure in ("nDCG@10", "Recall@5", "Precision@5", "Hit@5", "MRR@10"):
        assert measure in text
    assert "…" not in text


def test_a_query_on_a_narrow_terminal_wraps(ingested: Path) -> None:
    text, code = on_a_terminal(evaluated(ingested).parent, "query", "c.yaml", "red pump", columns=40)
    assert code == 0
    assert max(len(line) for line in text.splitlines() if line.startswith("   ")) <= 40


def test_progress_on_a_terminal_is_gone_when_the_work_fails(ingested: Path) -> None:
    docs = ingested.parent / "docs"
    rows = [{"_id": str(number % 2000), "text": "a text"} for number in range(2001)]
    (docs / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    text, code = on_a_terminal(ingested.parent, "ingest", "c.yaml", "--dry-run", columns=80)
    assert code == 2
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") > 0, "the cursor stays hidden"
    assert text.rstrip().splitlines()[-1].startswith("hint: ")


def test_no_color_leaves_no_escapes_but_those_of_the_bars(ingested: Path) -> None:
    text, code = on_a_terminal(evaluated(ingested).parent, "eval", "c.yaml", columns=100, NO_COLOR="1")
    assert code == 0
    assert "\x1b[3" not in text.replace("\x1b[3K", "")


def test_piped_output_holds_no_escapes(strata: Strata, ingested: Path) -> None:
    evaluated(ingested)
    for arguments in (
        ["eval", ingested],
        ["ingest", ingested, "--dry-run"],
        ["query", ingested, "pump"],
        ["--help"],
    ):
        process = strata(*arguments, env={"FORCE_COLOR": None})
        assert process.returncode == 0
        assert "\x1b" not in process.stdout + process.stderr


def test_json_is_json_on_a_terminal_that_takes_only_ascii(strata: Strata, ingested: Path) -> None:
    text = "Café Müller \u9910\u5385 \U0001f600 costs 9 €."
    write_files(ingested.parent / "docs", {"café/müller.md": text})
    for ascii_names in ("ascii", "latin-1"):
        process = strata("ingest", ingested, "--dry-run", "--json", env={"PYTHONIOENCODING": ascii_names})
        assert process.returncode == 0, process.stderr
        assert "café/müller.md" in [row["path"] for row in json.loads(process.stdout)["files"]]
        plain = strata("ingest", ingested, "--dry-run", env={"PYTHONIOENCODING": "ascii"})
        assert plain.returncode == 0
        assert plain.stdout.isascii()
        assert "caf\\xe9/m\\xfcller.md" in plain.stdout


def test_errors_about_other_scripts_fit_an_ascii_terminal(strata: Strata, tmp_path: Path) -> None:
    process = strata("ingest", tmp_path / "设置.yaml", env={"PYTHONIOENCODING": "ascii"})
    assert process.returncode == 2
    assert process.stderr.isascii()
    assert len(process.stderr.splitlines()) == 2


def test_paths_with_spaces_and_other_scripts_work(cli: CommandLine, tmp_path: Path, tiny_model: Path) -> None:
    folder = tmp_path / "我的 文件 夹"
    write_files(folder / "docs", {"手册/泵 一.md": "水泵 pump 在第三大厅", "plain.md": "other"})
    config = write_config(folder / "配置 one.yaml", tiny_model, name="manual")
    assert cli("ingest", config).code == 0
    outcome = cli("query", config, "pump", "--mode", "lexical", "--json", "--filter", "source=手册")
    assert [hit["doc_id"] for hit in outcome.json["hits"]] == ["手册/泵 一.md"]


def test_a_config_is_found_from_another_folder(
    cli: CommandLine, ingested: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    assert cli("query", ingested, "pump", "--mode", "lexical").code == 0
    assert load(ingested).collection in cli("ingest", ingested, "--json").json["collection"]


def test_a_corpus_that_is_read_only_is_enough(cli: CommandLine, config: Path) -> None:
    docs = config.parent / "docs"
    mounted = shutil.which("mount") and os.geteuid() == 0 and _bind_read_only(docs)
    if not mounted:
        for path in [docs, *docs.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert cli("ingest", config, "--json").json["documents"]["added"] == 5
    finally:
        if mounted:
            subprocess.run(["umount", docs], check=True)


def _bind_read_only(folder: Path) -> bool:
    """Mount a folder over itself, read-only, and tell whether that is allowed here."""
    if subprocess.run(["mount", "--bind", folder, folder], check=False, capture_output=True).returncode != 0:
        return False
    if subprocess.run(
        ["mount", "-o", "remount,ro,bind", folder], check=False, capture_output=True
    ).returncode:
        subprocess.run(["umount", folder], check=True)
        return False
    return True
