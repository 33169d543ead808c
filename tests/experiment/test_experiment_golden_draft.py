"""Golden questions drafted by a language model: quotes that stand, drafts that are marked, nothing lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import judging as j
from judging import change, wire
from llm.wire import Answer, Received, Wire
from strata_rag.evaluation import SourcePassage, draw_passages, load_golden
from workbench import CommandLine, load, run_ingest, write_files

__all__ = ["wire"]

LONG = (
    "The {name} valve of the pump opens at seven bar and closes again at five. "
    + "It is oiled every month. " * 8
)


@pytest.fixture
def drafting(config: Path, wire: Wire) -> Path:
    """A config with three long documents, ingested, and a model on loopback."""
    write_files(
        config.parent / "docs", {f"{name}.md": LONG.format(name=name) for name in ("red", "blue", "green")}
    )
    model = {"provider": "openai", "model": "writer-1", "base_url": f"{wire.url}/v1", "concurrency": 1}
    change(config, generation={**model, "retry_for": 0}, evaluation={"golden": "draft.yaml"})
    run_ingest(load(config))
    return config


def writer(request: Received, quote: str = "opens at seven bar") -> Answer:
    colour = next(name for name in ("red", "blue", "green") if f"The {name} valve" in j.material(request))
    question = {"question": f"When does the {colour} valve open?", "answer": "At seven bar.", "quote": quote}
    return j.replied(request, json.dumps(question))


def test_drafts_are_marked_anchored_and_checked(drafting: Path, cli: CommandLine, wire: Wire) -> None:
    wire.decide = writer
    path = drafting.parent / "draft.yaml"
    ended = cli("golden", "draft", drafting, "-o", path, "--json")
    assert ended.code == 0, ended.err
    assert ended.json["questions"] == 3
    assert "drafting: about 3 calls" in ended.err
    golden = load_golden(path)
    assert golden.unreviewed == 3
    assert {question.evidence[0].doc for question in golden.questions} == {"red.md", "blue.md", "green.md"}
    checked = cli("golden", "check", drafting, "--json")
    assert checked.json["unreviewed"] == 3
    measured = cli("eval", drafting, "--json")
    assert any("3 questions are drafts" in warning for warning in measured.json["warnings"])
    reviewed = path.read_text().replace("  reviewed: false\n", "")
    digest = golden.digest
    path.write_text(reviewed)
    assert load_golden(path).unreviewed == 0
    assert load_golden(path).digest == digest


def test_a_question_whose_quote_is_made_up_is_dropped_and_counted(
    drafting: Path, cli: CommandLine, wire: Wire
) -> None:
    wire.decide = lambda request: writer(
        request, "opens at nine bar" if "blue" in j.material(request) else "opens at seven bar"
    )
    ended = cli("golden", "draft", drafting, "-o", drafting.parent / "draft.yaml", "--json")
    assert ended.json["questions"] == 2
    assert ended.json["dropped"] == {"the quote does not stand in the passage": 1}


def test_without_a_single_question_nothing_is_written(drafting: Path, cli: CommandLine, wire: Wire) -> None:
    wire.decide = lambda request: j.replied(request, '{"question": "", "answer": "", "quote": ""}')
    path = drafting.parent / "draft.yaml"
    assert cli("golden", "draft", drafting, "-o", path).code == 4
    assert not path.exists()


def test_a_draft_never_overwrites_a_file(drafting: Path, cli: CommandLine, wire: Wire) -> None:
    path = drafting.parent / "draft.yaml"
    path.write_text("mine")
    cli("golden", "draft", drafting, "-o", path).tells(2, "a new file")
    assert path.read_text() == "mine"
    assert wire.received == []


def test_passages_are_drawn_from_as_many_documents_as_there_are() -> None:
    passages = [SourcePassage(f"d{n % 4}#{n}", f"d{n % 4}", "x" * (200 if n else 10)) for n in range(40)]
    drawn = draw_passages(passages, size=8, seed=1)
    assert sorted(one.doc_id for one in drawn) == ["d0", "d0", "d1", "d1", "d2", "d2", "d3", "d3"]
    assert drawn == draw_passages(passages[::-1], size=8, seed=1)
    assert all(len(one.text) >= 200 for one in draw_passages(passages, size=100, seed=0))
