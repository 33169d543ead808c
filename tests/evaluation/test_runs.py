import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from math import isnan, nan

import numpy as np
import pytest
import pytrec_eval

from strata_rag.errors import InputError, WriteFailed
from strata_rag.evaluation import (
    GoldenRef,
    GoldenSet,
    Measure,
    Question,
    RankedItem,
    RunRecord,
    Timing,
    count_questions,
    evaluate,
    find_run,
    list_runs,
    make_run_id,
    read_per_query,
    read_questions,
    read_run,
    slices,
    summarise,
    write_run,
)

GOLDEN = GoldenSet(
    (
        Question("q1", "where is\u2028it?", {"d 1": 1.0, "d3": 2.0, "d9": 0.0}, kind="code"),
        Question("q2", "wo ist es: 漢字?", {"d2": 1.0}),
        Question("q3", "nowhere?", kind="unanswerable"),
        Question("q4", "not labelled"),
        Question("q5", "nothing came back", {"d1": 1.0}),
    ),
    origin="eval/golden.yaml",
    unjudged=2,
)
RANKINGS = {
    "q1": [
        RankedItem("d 1", 1.0, "d 1#0-5"),
        RankedItem("d2", 1.0),
        RankedItem("d 1", 0.5),
        RankedItem("d3", 0.2),
    ],
    "q2": [RankedItem("d2", 0.1234567891), RankedItem("d3", None)],
    "q3": [RankedItem("d2", -0.0)],
}
MEASURES = [Measure("nDCG", 3), Measure("Judged", 3)]
CREATED = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)


def values():
    return evaluate(MEASURES, {q: [item.id for item in found] for q, found in RANKINGS.items()}, GOLDEN)


def record(**changes):
    per_query = values()
    made = RunRecord(
        run_id="20260304T050607-handbook-0a1b2c",
        created=CREATED,
        label="hybrid",
        name="handbook",
        collection="handbook__minilm__01234567",
        mode="hybrid",
        level="document",
        depth=3,
        seed=0,
        config={"name": "handbook", "retrieval": {"floor": nan, "top_k": 5}},
        config_digest="c" * 64,
        code_version="0.1.0",
        corpus_digest="d" * 64,
        golden=GoldenRef.of(GOLDEN),
        measures=summarise(per_query, seed=0),
        slices={"kind": slices(per_query, GOLDEN, by="kind")},
        models=({"role": "embedder", "name": "minilm", "revision": None},),
        libraries={"numpy": "2.4.6"},
        timings_ms={"dense": Timing.of([1.0, 2.0, 3.0]), "rerank": Timing.of([])},
        counts=count_questions(GOLDEN, RANKINGS),
        warnings=("one question is not labelled",),
    )
    return replace(made, **changes)


def write(folder, **changes):
    write_run(folder, record(**changes), GOLDEN, RANKINGS, values())
    return folder


def test_a_run_comes_back_as_it_was(tmp_path):
    run = read_run(write(tmp_path / "runs" / "a"))
    expected = record(config={"name": "handbook", "retrieval": {"floor": None, "top_k": 5}})
    assert repr(run.record) == repr(expected)  # by text, as NaN equals nothing
    per_query = read_per_query(run)
    assert (per_query.query_ids, per_query.measures) == (values().query_ids, values().measures)
    np.testing.assert_array_equal(per_query.values, values().values)


def test_each_question_keeps_its_distinct_items_values_and_relevant_ones(tmp_path):
    first, second, third, *_ = read_questions(read_run(write(tmp_path / "a")))
    assert (first.id, first.text, first.kind) == ("q1", "where is\u2028it?", "code")
    assert first.ranking == (
        RankedItem("d 1", 1.0, "d 1#0-5"),
        RankedItem("d2", 1.0),
        RankedItem("d3", 0.2),
    )
    assert first.relevant == {"d 1": 1.0, "d3": 2.0}
    assert second.ranking == (RankedItem("d2", 0.123457), RankedItem("d3", None))
    assert isnan(third.values[Measure("nDCG", 3)])


def test_files_hold_no_nan_and_one_line_per_question(tmp_path):
    folder = write(tmp_path / "a")
    lines = (folder / "per_query.jsonl").read_bytes().decode().split("\n")
    assert len(lines) == len(GOLDEN.questions) + 1
    assert "漢字" in lines[1]
    assert all(len(line.splitlines()) == 1 for line in lines[:-1])
    assert json.loads(lines[2])["values"] == {"nDCG@3": None, "Judged@3": None}
    assert json.loads(lines[4])["values"] == {"nDCG@3": 0.0, "Judged@3": 0.0}
    raw = json.loads((folder / "run.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert raw["format"] == 1
    assert raw["created"] == "2026-03-04T05:06:07.000008+00:00"
    assert raw["measures"]["nDCG@3"]["n"] == 3
    assert raw["slices"]["kind"]["unanswerable"]["nDCG@3"] == {
        "value": None,
        "n": 0,
        "low": None,
        "high": None,
    }
    assert raw["timings_ms"] == {"dense": {"p50": 2.0, "p95": 2.9}, "rerank": {"p50": None, "p95": None}}
    assert raw["golden"] == {"path": "eval/golden.yaml", "digest": GOLDEN.digest, "questions": 5, "judged": 5}


def test_counts_name_every_question_that_a_mean_leaves_out():
    assert count_questions(GOLDEN, RANKINGS) == {
        "questions": 5,
        "unlabelled": 1,
        "unanswerable": 1,
        "unjudged": 2,
        "no_results": 2,
    }


def test_two_writes_agree_byte_by_byte_but_for_the_record(tmp_path):
    one = write(tmp_path / "one")
    two = write(tmp_path / "two", run_id="another", created=CREATED + timedelta(days=1), timings_ms={})
    for name in ("ranking.trec", "qrels.trec", "per_query.jsonl"):
        assert (one / name).read_bytes() == (two / name).read_bytes()
        assert b"\r" not in (one / name).read_bytes()
    assert (one / "run.json").read_bytes() != (two / "run.json").read_bytes()


def test_trec_eval_finds_the_same_values_in_the_files(tmp_path):
    folder = write(tmp_path / "a")
    qrels = pytrec_eval.parse_qrel((folder / "qrels.trec").read_text().splitlines())
    run = pytrec_eval.parse_run((folder / "ranking.trec").read_text().splitlines())
    found = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_3"}).evaluate(run)
    ours = dict(zip(values().query_ids, values().column(Measure("nDCG", 3)), strict=True))
    assert {q: v["ndcg_cut_3"] for q, v in found.items()} == pytest.approx({q: ours[q] for q in ("q1", "q2")})


def test_rankings_are_kept_to_the_depth(tmp_path):
    folder = write(tmp_path / "a", depth=1)
    assert len((folder / "ranking.trec").read_text().splitlines()) == 3
    assert all(len(question.ranking) <= 1 for question in read_questions(read_run(folder)))


def test_an_existing_run_is_never_written_over(tmp_path):
    folder = write(tmp_path / "a")
    before = (folder / "run.json").read_bytes()
    with pytest.raises(InputError, match="a new folder was expected"):
        write(tmp_path / "a", label="other")
    assert (folder / "run.json").read_bytes() == before


def test_a_failed_write_leaves_nothing_behind(tmp_path):
    (tmp_path / "runs").write_text("a file where the folder is due")
    with pytest.raises(WriteFailed, match="could not be written"):
        write(tmp_path / "runs" / "a")
    with pytest.raises(TypeError):
        write(tmp_path / "b", config={"name": object()})
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_the_remains_of_a_killed_write_are_replaced(tmp_path):
    (tmp_path / ".a.partial").mkdir()
    (tmp_path / ".a.partial" / "run.json").write_text("{")
    write(tmp_path / "a")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_values_of_another_golden_set_are_the_callers_mistake(tmp_path):
    with pytest.raises(ValueError, match="golden set"):
        write_run(tmp_path / "a", record(), GOLDEN.only(["q1"]), RANKINGS, values())


def test_run_ids_sort_by_time_and_fit_a_folder_name():
    east = datetime(2026, 3, 4, 7, 6, 7, tzinfo=timezone(timedelta(hours=2)))
    assert make_run_id(east, "handbook", "0a1b2c") == "20260304T050607-handbook-0a1b2c"
    assert make_run_id(CREATED, "../a b/ü", "0a1b2c") == "20260304T050607-a-b-ü-0a1b2c"
    assert make_run_id(CREATED, "/", "0a1b2c") == "20260304T050607-run-0a1b2c"
    with pytest.raises(ValueError, match="token"):
        make_run_id(CREATED, "a", "xyz")
    with pytest.raises(ValueError, match="zone"):
        make_run_id(CREATED.replace(tzinfo=None), "a", "0a1b2c")
    with pytest.raises(ValueError, match="zone"):
        record(created=CREATED.replace(tzinfo=None))


@pytest.fixture
def runs_dir(tmp_path):
    """Three whole runs, the second the newest, a damaged one, and one half written."""
    for number, run_id in enumerate(
        ["20260101T000000-a-000001", "20260101T000000-b-000002", "20260102T000000-a-000003"]
    ):
        hours = {0: 1, 1: 9, 2: 5}[number]
        write(tmp_path / run_id, run_id=run_id, created=CREATED + timedelta(hours=hours))
    (tmp_path / "20260103T000000-c-000004").mkdir()
    (tmp_path / ".20260104T000000-d-000005.partial").mkdir()
    (tmp_path / "notes.txt").write_text("no run")
    return tmp_path


def test_runs_are_listed_newest_first_and_damaged_ones_are_named(runs_dir):
    runs, broken = list_runs(runs_dir)
    assert [run.record.run_id[-6:] for run in runs] == ["000002", "000003", "000001"]
    ((path, problem),) = broken
    assert path.name == "20260103T000000-c-000004"
    assert "found no run.json, no ranking.trec, no qrels.trec, no per_query.jsonl" in problem


def test_a_folder_that_is_not_there_holds_no_runs(tmp_path):
    assert list_runs(tmp_path / "none") == ([], [])


@pytest.mark.parametrize(
    ("ref", "found"),
    [
        ("latest", "000002"),
        ("latest~0", "000002"),
        ("latest~2", "000001"),
        ("20260102T000000-a-000003", "000003"),
        ("20260102", "000003"),
        ("20260101T000000-a", "000001"),
    ],
)
def test_a_run_is_found_by_id_unique_prefix_and_latest(runs_dir, ref, found):
    assert find_run(runs_dir, ref).record.run_id.endswith(found)


def test_latest_names_the_damaged_runs_that_it_passes_over(runs_dir, caplog):
    find_run(runs_dir, "latest")
    (record,) = caplog.records
    assert "a damaged run is passed over" in record.message
    assert "20260103T000000-c-000004" in record.message


def test_a_run_is_found_by_its_path(runs_dir, tmp_path):
    path = runs_dir / "20260101T000000-a-000001"
    assert find_run(tmp_path / "elsewhere", str(path)).path == path


@pytest.mark.parametrize(
    ("ref", "problem"),
    [
        (
            "20260101",
            "found 2 that begin with '20260101': 20260101T000000-a-000001, 20260101T000000-b-000002",
        ),
        ("nothing", "a unique prefix, a path or latest was expected, found 'nothing'"),
        ("20260103", "a run was expected, found no run.json"),
        ("  ", "an id was expected, found nothing"),
        ("latest~3", "at least 4 runs were expected, found 3 (1 damaged)"),
    ],
)
def test_a_run_that_can_not_be_told_is_one_clear_error(runs_dir, ref, problem):
    with pytest.raises(InputError) as caught:
        find_run(runs_dir, ref)
    assert problem in caught.value.message
    assert caught.value.hint


def test_the_latest_of_no_runs_is_an_error(tmp_path):
    with pytest.raises(InputError, match="a run was expected, found none"):
        find_run(tmp_path, "latest")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "JSON was expected"),
        ("[]", "a run record of format 1 was expected, found no object"),
        ('{"format": 2}', "a run record of format 1 was expected, found format 2"),
        ('{"format": 1}', "was expected, found nothing"),
    ],
)
def test_a_damaged_record_is_one_clear_error(tmp_path, content, problem):
    folder = write(tmp_path / "a")
    (folder / "run.json").write_text(content)
    with pytest.raises(InputError, match=problem):
        read_run(folder)


@pytest.mark.parametrize("key", ["measures", "created", "golden", "counts", "depth"])
def test_a_record_with_a_wrong_value_is_one_clear_error(tmp_path, key):
    folder = write(tmp_path / "a")
    raw = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(raw | {key: ["wrong"]}))
    with pytest.raises(InputError, match="a run record was expected"):
        read_run(folder)


def test_a_damaged_question_is_refused_at_its_line(tmp_path):
    run = read_run(write(tmp_path / "a"))
    path = run.path / "per_query.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join([lines[0], "{}"]), encoding="utf-8")
    with pytest.raises(InputError, match=r"per_query\.jsonl:2:1"):
        read_questions(run)
    path.write_text(lines[0].replace("nDCG@3", "nDCG@9"), encoding="utf-8")
    with pytest.raises(InputError, match="nDCG@3"):
        read_per_query(run)
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match="a readable file was expected"):
        read_per_query(run)


def test_values_are_read_without_rankings_whatever_the_texts_hold(tmp_path):
    nasty = ', "ranking": [ ], "relevant": {} \\" ]'
    golden = GoldenSet((Question("q1", nasty, {nasty: 1.0, "ranking": 1.0}), Question("q2", "?", {"d": 1.0})))
    rankings = {"q1": [RankedItem(nasty, 1.0, nasty)], "q2": []}
    per_query = evaluate(MEASURES, {"q1": [nasty], "q2": []}, golden)
    write_run(tmp_path / "a", record(golden=GoldenRef.of(golden)), golden, rankings, per_query)
    run = read_run(tmp_path / "a")
    whole, light = read_questions(run), read_questions(run, rankings=False)
    assert [replace(question, ranking=()) for question in whole] == light
    assert whole[0].ranking[0].id == nasty
    assert read_questions(run, rows={1}) == whole[1:]
