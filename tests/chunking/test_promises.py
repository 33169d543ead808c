"""Every strategy keeps its promises on generated text, on odd text, and on every text file of the shared data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.documents import SourceDocument

from .promises import NAMES, hold, strategies

ROOT = Path(__file__).parents[2]
TEXT_LIKE = {".md", ".txt", ".csv", ".tsv", ".html", ".json", ".jsonl", ".eml", ".rtf"}
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
PIECES = [
    *("a", "bb", " ", "\n", "\n\n", "  ", "word ", "Longerword ", "é", "e\u0301", "漢字", "。", "…", "?!"),
    *(
        ". ",
        "Dr. ",
        "A",
        "3.14",
        "1. ",
        "- ",
        "# ",
        "## B\n",
        "```\n",
        "~~~\n",
        "|",
        "|-|\n",
        "===\n",
        "---\n",
    ),
    *(
        "\U0001f44d\U0001f3fd",
        FAMILY,
        "\r\n",
        "\r",
        "\u2028",
        "\u2029",
        "\x85",
        "\x1c",
        "\0",
        "\u00a0",
        "\u3000",
    ),
]
texts = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
sizes = st.integers(1, 30).flatmap(lambda size: st.tuples(st.just(size), st.integers(0, size - 1)))
titles = st.sampled_from(["", "Title", "A title of several words"])

ODD = {
    "a line of one letter": "x",
    "a line of short words": "ab ",
    "a line of stops": ".",
    "a line of spaces": " " * 100_000 + "b",
    "quotes after stops": '."',
    "line ends of two characters": "a\r\n",
    "emoji with skin tones": "\U0001f44d\U0001f3fd",
    "a letter under a pile of marks": "e" + "\u0301" * 1000,
    "line separators": "word\u2028",
    "zero characters": "\0",
    "fences that open and close": "```\n",
    "rules of tables": "|a|\n|-|\n",
    "items": "- a\n\n",
    "underlines": "a\n-\n",
    "headings": "## a\n",
    "brackets": "[",
}
MOST = 5_000_000
QUICK = ("window", "document", "sentence", "markdown")


@pytest.mark.parametrize("name", NAMES)
@given(text=texts, limits=sizes, title=titles)
def test_every_strategy_keeps_its_promises(name: str, text: str, limits: tuple[int, int], title: str) -> None:
    chunks = hold(strategies(*limits)[name], SourceDocument("d", text, title=title))
    assert bool(chunks) == bool(text.strip())
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("name", [name for name in NAMES if name != "token in bytes"])
def test_odd_text_is_cut_as_promised_and_in_time(name: str, what: str) -> None:
    text = "a" + ODD[what] * (200_000 // len(ODD[what])) + "b"
    began = time.process_time()
    hold(strategies(800, 150)[name], SourceDocument("d", text))
    assert time.process_time() - began < 10


@pytest.mark.parametrize("what", ["a line of one letter", "a line of short words", "a line of stops"])
@pytest.mark.parametrize("name", QUICK)
def test_a_line_of_five_megabytes_is_cut_in_time(name: str, what: str) -> None:
    text = ODD[what] * (MOST // len(ODD[what]))
    began = time.process_time()
    hold(strategies(800, 150)[name], SourceDocument("d", text))
    assert time.process_time() - began < 10


@pytest.mark.parametrize("name", [name for name in NAMES if name != "token in bytes"])
def test_every_text_file_of_the_shared_data_is_cut_as_promised(name: str, shared: Path) -> None:
    files = [path for path in sorted((shared / "data").rglob("*")) if path.suffix in TEXT_LIKE]
    assert len(files) > 80
    for path in files:
        text = path.read_bytes().decode("utf-8", "replace")
        hold(strategies(800, 150)[name], SourceDocument(path.name, text, title=path.stem))
        hold(strategies(60, 20)[name], SourceDocument(path.name, text[:20_000], title=path.stem))


PRINT_SPANS = """
import json, sys
from chunking.promises import strategies
from strata_rag.documents import SourceDocument
document = SourceDocument("d", sys.stdin.read(), title="T")
cut = {name: sized.chunker.chunk(document) for name, sized in strategies(120, 30).items()}
print(json.dumps({name: [chunk.chunk_id for chunk in chunks] for name, chunks in cut.items()}))
"""


def test_another_process_cuts_the_same_chunks() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    variables = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'tests'}"}
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PRINT_SPANS],
            input=text,
            env={**variables, "PYTHONHASHSEED": seed},
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert outputs[0] == outputs[1]
    assert set(json.loads(outputs[0])) == set(NAMES)


@pytest.mark.parametrize(
    "name", ["window", "sentence", "sentence, one shared", "sentence-window", "markdown", "semantic"]
)
@pytest.mark.parametrize(("overlap", "expected"), [(2, ["abcde", "defgh", "ghij"]), (0, ["abcde", "fghij"])])
def test_case_19_the_overlap_survives_every_fallback_to_a_window(
    name: str, overlap: int, expected: list[str], shared: Path
) -> None:
    text = (shared / "cases/19-overlap-lost-in-fallback/ten.txt").read_text()
    chunks = hold(strategies(5, overlap)[name], SourceDocument("d", text))
    assert [text[chunk.start : chunk.end] for chunk in chunks] == expected
