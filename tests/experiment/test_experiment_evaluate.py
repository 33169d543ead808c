"""Evaluation through the real pipeline: labels, golden sets, records, floors."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from strata_rag.evaluation import StoredRun
from strata_rag.experiment import SearchSettings, evaluate_experiment
from strata_rag.progress import Silent
from workbench import CommandLine, load, run_ingest

GOLDEN = """
- {id: q1, question: Where does the red pump stand?, relevant: [atlas/parts/pump.md], kind: name}
- {id: q2, question: Which part is CD-77?, relevant: {atlas/parts/valve.md: 2, readme.md: 1}, kind: code}
- {id: q3, question: Who approves travel?, relevant: [atlas/notes/travel.md], kind: paraphrase}
- {id: q4, question: What does the moon weigh?, kind: unanswerable}
"""
CREATED = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def judged(ingested: Path) -> Path:
    """The config with a golden set and a collection."""
    (ingested.parent / "golden.yaml").write_text(GOLDEN)
    values = json.loads(ingested.read_text())
    ingested.write_text(json.dumps({**values, "evaluation": {"golden": "golden.yaml"}}))
    return ingested


def run(config: Path, *overrides: str, number: int = 0, **flags: object) -> StoredRun:
    experiment = load(config, *overrides)
    settings = SearchSettings.of(experiment.config, **flags)  # type: ignore[arg-type]
    created = CREATED + timedelta(seconds=number)
    return evaluate_experiment(
        experiment, settings, created=created, token=f"{number:06x}", progress=Silent()
    ).run


def test_two_runs_agree_byte_by_byte(judged: Path) -> None:
    one, two = run(judged, number=1), run(judged, number=2)
    for name in ("ranking.trec", "per_query.jsonl", "qrels.trec"):
        assert (one.path / name).read_bytes() == (two.path / name).read_bytes()
        assert (one.path / name).stat().st_size > 0


def test_a_record_is_equal_in_a_collection_built_elsewhere(judged: Path, tmp_path: Path) -> None:
    here = run(judged)
    fresh = load(judged, home=tmp_path / "fresh")
    run_ingest(fresh)
    there = evaluate_experiment(
        fresh, SearchSettings.of(fresh.config), created=CREATED, token="000000", progress=Silent()
    ).run
    for name in ("ranking.trec", "per_query.jsonl"):
        assert (here.path / name).read_bytes() == (there.path / name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "label"),
    [
        ([], "hybrid + late-interaction"),
        (["--no-rerank"], "hybrid"),
        (["--mode", "dense", "--no-rerank"], "dense"),
        (["--dense-only"], "dense"),
        (["--mode", "dense"], "dense + late-interaction"),
        (["--mode", "lexical", "--no-rerank"], "lexical"),
        (["--set", "retrieval.rerank.combine=rrf"], "hybrid + late-interaction (rrf)"),
        (["--set", "retrieval.rerank.floor=0.5"], "hybrid + late-interaction, floor 0.5"),
        (["--set", "retrieval.mode=lexical", "--no-rerank"], "lexical"),
    ],
)
def test_the_label_says_what_ran(judged: Path, cli: CommandLine, arguments: list[str], label: str) -> None:
    late = ("--set", "retrieval.rerank.scorer=late-interaction")
    outcome = cli("eval", judged, "--json", *late, *arguments)
    assert outcome.json["label"] == label
    record = json.loads((Path(outcome.json["path"]) / "run.json").read_text())
    assert record["config"]["retrieval"]["mode"] == outcome.json["mode"] == label.split()[0]
    assert (record["config"]["retrieval"]["rerank"]["scorer"] == "none") is ("late" not in label)


def test_dense_only_equals_dense_without_reranker(judged: Path) -> None:
    floor = "retrieval.rerank.floor=0.5"
    late = "retrieval.rerank.scorer=late-interaction"
    one = run(judged, late, floor, number=1, dense_only=True)
    two = run(judged, late, floor, number=2, mode="dense", no_rerank=True)
    assert one.record.label == two.record.label == "dense"
    assert one.record.config_digest == two.record.config_digest
    assert (one.path / "ranking.trec").read_bytes() == (two.path / "ranking.trec").read_bytes()


def test_a_floor_without_a_reranker_is_warned_of(judged: Path, cli: CommandLine) -> None:
    floor = ("--set", "retrieval.rerank.floor=0.5")
    for command in (["query", judged, "pump"], ["eval", judged]):
        assert "warning: retrieval.rerank.floor is set, but no reranker runs" in cli(*command, *floor).err
    late = ("--set", "retrieval.rerank.scorer=late-interaction")
    assert "floor" not in cli("query", judged, "pump", *floor, *late).err


def test_a_floor_above_every_score_returns_nothing_and_counts_it(judged: Path, cli: CommandLine) -> None:
    floor = ("--set", "retrieval.rerank.floor=1.5", "--set", "retrieval.rerank.scorer=late-interaction")
    assert cli("query", judged, "pump", *floor).out == "no hits\n"
    outcome = cli("eval", judged, "--json", *floor).json
    assert outcome["counts"]["no_results"] == 4
    assert outcome["measures"]["nDCG@10"]["value"] == 0


def test_a_floor_never_reorders(judged: Path, cli: CommandLine) -> None:
    late = ("--set", "retrieval.rerank.scorer=late-interaction")
    ids = [hit["chunk_id"] for hit in cli("query", judged, "pump", "--json", *late).json["hits"]]
    scores = [hit["scores"]["rerank"] for hit in cli("query", judged, "pump", "--json", *late).json["hits"]]
    floor = ("--set", f"retrieval.rerank.floor={scores[1]}")
    kept = [hit["chunk_id"] for hit in cli("query", judged, "pump", "--json", *late, *floor).json["hits"]]
    assert kept == [key for key, score in zip(ids, scores, strict=True) if score >= scores[1]]
    assert len(kept) >= 2


def test_unanswerable_questions_leave_the_mean_and_are_counted(judged: Path, cli: CommandLine) -> None:
    outcome = cli("eval", judged, "--json").json
    assert outcome["queries"] == 4
    assert {summary["n"] for summary in outcome["measures"].values()} == {3}
    assert (outcome["counts"]["unanswerable"], outcome["counts"]["unlabelled"]) == (1, 0)
    assert "1 unanswerable left out of the means" in cli("eval", judged).out


def test_kind_and_limit_choose_questions(judged: Path, cli: CommandLine) -> None:
    assert cli("eval", judged, "--json", "--kind", "code").json["queries"] == 1
    assert cli("eval", judged, "--json", "--limit", "2").json["queries"] == 2
    cli("eval", judged, "--kind", "cod").tells(2, "--kind", "code, name, paraphrase, unanswerable", "'cod'")


def test_a_mean_over_no_question_is_null_and_no_zero(judged: Path, cli: CommandLine) -> None:
    outcome = cli("eval", judged, "--json", "--kind", "unanswerable")
    assert outcome.json["measures"]["nDCG@10"] == {"value": None, "n": 0, "low": None, "high": None}
    assert (outcome.code, outcome.json["exit_code"]) == (4, 4)
    assert " - " in cli("eval", judged, "--kind", "unanswerable").out or "-" in outcome.out


def test_the_row_stands_above_earlier_ones_on_the_same_golden_set(judged: Path, cli: CommandLine) -> None:
    assert cli("eval", judged, "--mode", "lexical").code == 0
    assert cli("eval", judged, "--mode", "dense").code == 0
    assert cli("eval", judged, "--kind", "code").code == 0
    table = cli("eval", judged).out.split("by kind")[0]
    rows = [line.split()[0] for line in table.splitlines() if line.startswith(("hybrid", "dense", "lexical"))]
    assert rows == ["hybrid", "dense", "lexical"]


def test_damaged_runs_are_named_and_stop_nothing(judged: Path, cli: CommandLine) -> None:
    assert cli("eval", judged, "--mode", "lexical").code == 0
    [whole] = (judged.parent / ".strata/runs").iterdir()
    (whole / "run.json").write_text("{")
    (judged.parent / ".strata/runs/20200101T000000-other-000000").mkdir()
    (judged.parent / ".strata/runs/stray.txt").write_text("no run")
    outcome = cli("eval", judged)
    assert outcome.code == 0
    assert whole.name in outcome.err
    assert "20200101T000000-other-000000" in outcome.err
    assert "lexical" not in outcome.out.split("by kind")[0]


def test_a_runs_folder_that_is_a_file_is_named(judged: Path, cli: CommandLine) -> None:
    (judged.parent / ".strata/runs").write_text("in the way")
    cli("eval", judged).tells(3, "runs")


def test_no_golden_set_is_refused_with_the_key(ingested: Path, cli: CommandLine) -> None:
    cli("eval", ingested).tells(2, "evaluation.golden", "names none")
    cli("eval", ingested, "--set", "evaluation.golden=none.yaml").tells(2, "none.yaml")


def test_every_fault_of_a_golden_set_is_listed(judged: Path, cli: CommandLine) -> None:
    (judged.parent / "golden.yaml").write_text(
        "- {id: q1, question: '', relevant: [readme.md]}\n"
        "- {id: q2, question: Where?, relevnt: [readme.md]}\n"
        "- {id: q2, question: Who?, relevant: [readme.md]}\n"
    )
    outcome = cli("eval", judged)
    assert outcome.code == 2
    errors = [line for line in outcome.err.splitlines() if line.startswith("error: ")]
    assert [error.split("golden.yaml:")[1][0] for error in errors] == ["1", "2", "3"]


def test_golden_ids_the_corpus_lacks_are_all_named(judged: Path, cli: CommandLine) -> None:
    (judged.parent / "golden.yaml").write_text(
        "- {id: q1, question: Where?, relevant: [atlas/parts/pumps.md]}\n"
        "- {id: q2, question: Who?, relevant: [nowhere.md, readme.md]}\n"
    )
    outcome = cli("eval", judged)
    assert outcome.code == 2
    assert "atlas/parts/pumps.md" in outcome.err
    assert "atlas/parts/pump.md" in outcome.err
    assert "nowhere.md" in outcome.err
    assert not (judged.parent / ".strata/runs").exists()


def test_a_golden_id_of_an_empty_document_is_known(judged: Path, cli: CommandLine) -> None:
    (judged.parent / "docs/empty.md").write_text("\n")
    (judged.parent / "golden.yaml").write_text("- {id: q1, question: Where?, relevant: [empty.md]}\n")
    assert cli("ingest", judged).code == 0
    assert cli("eval", judged, "--json").json["measures"]["Recall@5"]["value"] == 0


def test_a_limited_corpus_is_noted_rather_than_refused(judged: Path, cli: CommandLine) -> None:
    limited = ("--set", "corpus.limit=2")
    assert cli("ingest", judged, *limited).code == 0
    outcome = cli("eval", judged, "--json", *limited)
    assert outcome.code == 0
    assert "corpus.limit leaves out 2 judged items" in outcome.json["warnings"][0]


def test_case_40_measures_deeper_than_the_corpus_are_computed(judged: Path, cli: CommandLine) -> None:
    outcome = cli("eval", judged, "--json", "--set", "evaluation.measures=[Recall@100, nDCG@1000]")
    assert outcome.json["measures"]["Recall@100"] == {"value": 1.0, "n": 3, "low": 1.0, "high": 1.0}


def test_chunk_level_judgements_are_held_against_chunks(judged: Path, cli: CommandLine) -> None:
    text = (judged.parent / "docs/readme.md").read_text()
    (judged.parent / "golden.yaml").write_text(
        f"- {{id: q1, question: Everything about ferries, relevant: ['readme.md#0-{len(text)}']}}\n"
    )
    chunk = ("--set", "evaluation.level=chunk")
    assert cli("eval", judged, "--json", "--mode", "lexical", *chunk).json["measures"]["MRR@10"]["value"] == 1
