"""Gates on judged measures, comparisons, calibration against people, and what sways a judge."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import judging as j
from judging import change, judged, wire
from llm.wire import Answer, Received, Wire
from strata_rag.evaluation import find_run, read_labels
from workbench import CommandLine

__all__ = ["judged", "wire"]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def varied() -> j.Decide:
    """A judge whose scores depend on the question."""

    def decide(request: Received) -> Answer:
        good = "red pump stand" in j.material(request) or "CD-77?" in j.material(request)
        return j.replied(request, json.dumps(j.good_verdicts(request, holds=good, score=5 if good else 2)))

    return decide


def export(cli: CommandLine, config: Path, **labels: Any) -> Path:
    """Judge, export and label every row with the judge's own grade, changed by `labels`."""
    assert cli("eval", config, "--judge").code == 0
    path = config.parent / "sample.csv"
    ended = cli("judge", "export", "latest", "-o", path, "--with-grades")
    assert ended.code == 0, ended.err
    rows = rows_of(path)
    for row in rows:
        row["label"] = labels.get(row["question_id"], row["judge"])
        del row["judge"]
    return write_rows(config.parent / "labels.csv", rows)


def test_a_gate_may_hold_judged_measures_against_a_minimum(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    change(judged, gate={"rules": ["faithfulness>=0.8", "Passed >= 0.5", "Answered>=0.1"], "min_n": 1})
    ended = cli("gate", judged, "--json")
    assert ended.code == 0, (ended.out, ended.err)
    assert "judging: about" in ended.err
    assert wire.received


def test_a_gate_fails_where_the_judge_finds_nothing_supported(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    wire.decide = j.judging(holds=False, score=1)
    change(judged, gate={"rules": ["Faithfulness >= 0.8"], "min_n": 1})
    assert cli("gate", judged).code == 1


def test_a_gate_on_answers_alone_asks_no_judge(judged: Path, cli: CommandLine, wire: Wire) -> None:
    change(judged, gate={"rules": ["Answered >= 0.1"], "min_n": 1})
    assert cli("gate", judged).code == 0
    assert wire.received == []


def test_a_gate_without_enough_verdicts_is_not_measurable(judged: Path, cli: CommandLine, wire: Wire) -> None:
    wire.decide = lambda request: j.replied(request, "no")
    change(judged, gate={"rules": ["Faithfulness >= 0.1"], "min_n": 1})
    ended = cli("gate", judged)
    assert ended.code == 4
    assert "max_judge_failures" in ended.out + ended.err


@pytest.mark.parametrize(
    ("rules", "judge", "told"),
    [
        (["ContextRecall >= 0.5"], {"measures": ["Faithfulness"]}, "evaluation.judge.measures"),
        (["Faithfulness >= 0.5"], {"min_agreement": 0.6}, "evaluation.judge.labels"),
        (["Faithfullness >= 0.5"], {}, "gate.rules"),
    ],
)
def test_a_rule_that_nothing_can_decide_is_refused_before_any_work(
    judged: Path, cli: CommandLine, wire: Wire, rules: list[str], judge: dict[str, Any], told: str
) -> None:
    change(judged, gate={"rules": rules}, judge=judge)
    cli("gate", judged).tells(2, told)
    assert wire.received == []


def test_a_gate_goes_by_a_judge_that_agrees_with_people_and_by_no_other(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    wire.decide = varied()
    labels = export(cli, judged)
    change(judged, gate={"rules": ["Faithfulness >= 0"], "min_n": 1})
    change(judged, judge={"labels": str(labels), "min_agreement": 0.6})
    agreeing = cli("gate", judged)
    rows = rows_of(labels)
    grades = {row["question_id"]: row["label"] for row in rows if row["measure"] == "Faithfulness"}
    assert len(set(grades.values())) > 1, "the judge must vary for agreement to be defined"
    assert agreeing.code == 0, (agreeing.out, agreeing.err)
    opposed = [{**row, "label": str(6 - int(row["label"]))} for row in rows]
    write_rows(labels, opposed)
    ended = cli("gate", judged)
    assert ended.code == 4
    assert "agreement with people of at least 0.6" in ended.out + ended.err


def test_labels_of_another_judge_do_not_speak_for_this_one(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    wire.decide = varied()
    labels = export(cli, judged)
    change(judged, gate={"rules": ["Faithfulness >= 0"], "min_n": 1})
    change(judged, judge={"labels": str(labels), "min_agreement": 0.1, "model": "judge-2"})
    ended = cli("gate", judged)
    assert ended.code == 4
    assert "labels of answers that this judge graded" in ended.out + ended.err


def test_an_exported_sample_hides_the_judges_grades_unless_asked(judged: Path, cli: CommandLine) -> None:
    cli("eval", judged, "--judge")
    path = judged.parent / "s.csv"
    assert cli("judge", "export", "latest", "-o", path).code == 0
    rows = rows_of(path)
    assert "judge" not in rows[0]
    assert {row["label"] for row in rows} == {""}
    assert all(row["answer"] and row["passages"] and row["question"] for row in rows)
    again = judged.parent / "again.csv"
    cli("judge", "export", "latest", "-o", again)
    assert path.read_bytes() == again.read_bytes()
    lines = judged.parent / "s.jsonl"
    assert cli("judge", "export", "latest", "-o", lines, "--size", 3).code == 0
    assert len(read_labels(lines)) == 3


def test_calibration_says_how_far_judge_and_people_agree(judged: Path, cli: CommandLine, wire: Wire) -> None:
    wire.decide = varied()
    labels = export(cli, judged)
    found = cli("judge", "calibrate", labels, "--json").json
    (pair,) = found["people"]
    assert (pair["first"], pair["overall"]["kappa"], pair["overall"]["exact"]) == ("people", 1.0, 1.0)
    assert sum(map(sum, pair["overall"]["confusion"])) == found["labelled"] == pair["overall"]["n"]
    shown = cli("judge", "calibrate", labels)
    assert "agreement of people and judge" in shown.out
    assert "people (rows) against judge (columns)" in shown.out


def test_two_judge_columns_show_the_drift_between_versions(
    judged: Path, tmp_path: Path, cli: CommandLine
) -> None:
    rows = [
        {
            "question_id": f"q{n}",
            "measure": "Faithfulness",
            "label": 1 + n % 5,
            "judge_v1": 1 + n % 5,
            "judge_v2": 5,
        }
        for n in range(20)
    ]
    found = cli("judge", "calibrate", write_rows(tmp_path / "l.csv", rows), "--json").json
    assert [pair["second"] for pair in found["people"]] == ["judge_v1", "judge_v2"]
    (drift,) = found["drift"]
    assert (drift["first"], drift["second"], drift["overall"]["shift"]) == ("judge_v1", "judge_v2", 2.0)


def test_another_runs_judge_counts_only_where_it_graded_the_same_answer(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    wire.decide = varied()
    labels = export(cli, judged)
    change(judged, judge={"model": "judge-2"})
    assert cli("eval", judged, "--judge").code == 0
    ended = cli("judge", "calibrate", labels, "--run", "latest~1", "--run", "latest", "--json")
    assert len(ended.json["people"]) == 2
    assert ended.json["drift"][0]["overall"]["n"] == ended.json["labelled"]
    rows = rows_of(labels)
    rows[0]["answer"] = "Something else."
    write_rows(labels, rows)
    ended = cli("judge", "calibrate", labels, "--run", "latest", "--json")
    assert ended.json["people"][0]["overall"]["n"] == len(rows) - 1
    assert "1 rows are left out" in ended.json["notes"][0]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "columns"),
        ("question_id,measure,label\n", "at least one label"),
        ("question_id,measure,label\nq1,Faithfulness,6\n", "found '6'"),
        ("question_id,measure,label\nq1,Faithful,3\n", "one of the measures"),
        ("question_id,measure,label\nq1,Faithfulness,3\nq1,Faithfulness,4\n", "on line 2"),
        ("question_id,measure,label\nq1,Faithfulness,3\n", "no column judge and no run"),
        ("a,b\n1,2\n", "label, measure, question_id"),
    ],
)
def test_labels_with_faults_are_refused_with_their_line(
    tmp_path: Path, cli: CommandLine, content: str, told: str
) -> None:
    path = tmp_path / "labels.csv"
    path.write_text(content)
    cli("judge", "calibrate", path).tells(2, told)


def test_labels_saved_by_a_spreadsheet_with_semicolons_and_a_mark_are_read(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_bytes(
        '\ufeffquestion_id;measure;label;judge\r\nq1;faithfulness;"4,0";5/5\r\nq2;Faithfulness;;3\r\n'.encode()
    )
    first, second = read_labels(path)
    assert (first.grade, dict(first.judges), second.grade) == (4, {"judge": 5}, None)


def test_without_any_label_there_is_nothing_to_measure(tmp_path: Path, cli: CommandLine) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("question_id,measure,label,judge\nq1,Faithfulness,,3\n")
    cli("judge", "calibrate", path).tells(4, "0 of 1 rows are labelled")


def test_runs_compare_under_judged_measures_and_noise_is_flagged(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    calls = iter(range(10**6))

    def noisy(request: Received) -> Answer:
        score = 5 if (next(calls) // 2 + len(j.bodies(wire))) % 3 else 2
        return j.replied(request, json.dumps(j.good_verdicts(request, score=score)))

    wire.decide = noisy
    assert cli("eval", judged, "--judge", "--repeat", 2).code == 0
    change(judged, retrieval={"top_k": 1})
    assert cli("eval", judged, "--judge", "--repeat", 2).code == 0
    ended = cli("compare", "latest", "latest~1", "--measure", "AnswerRelevance", "--json")
    assert ended.code == 0, ended.err
    assert ended.json["primary"]["measure"] == "AnswerRelevance"
    assert ended.json["primary"]["n"] >= 2
    noises = [
        find_run(judged.parent / ".strata" / "runs", ref).record.answers.noise
        for ref in ("latest", "latest~1")
    ]
    assert all(noises)
    difference = abs(ended.json["primary"]["pairs"][0]["difference"])
    flagged = any("no more than the judge's own noise" in note for note in ended.json["notes"])
    spread = (
        sum(found[next(m for m in found if m.name == "AnswerRelevance")].of_mean ** 2 for found in noises)
        ** 0.5
    )
    assert flagged == (0 < difference <= spread) or any(
        "Faithfulness" in note for note in ended.json["notes"]
    )


def test_without_repetitions_a_comparison_says_that_noise_is_unknown(judged: Path, cli: CommandLine) -> None:
    cli("eval", judged, "--judge")
    cli("eval", judged, "--judge")
    ended = cli("compare", "latest", "latest~1", "--measure", "Faithfulness", "--json")
    assert any("noise is not known in every run (Faithfulness" in note for note in ended.json["notes"])


def test_a_judge_that_is_not_swayed_shows_no_difference(judged: Path, cli: CommandLine, wire: Wire) -> None:
    cli("eval", judged, "--judge")
    ended = cli("judge", "bias", judged, "latest", "--json")
    assert ended.code == 0, ended.err
    assert "judging: about" in ended.err
    checks = {(one["name"], one["measure"]): one for one in ended.json["checks"]}
    assert set(checks) == {
        ("position", "Faithfulness"), ("position", "ContextPrecision"), ("verbosity", "AnswerRelevance"),
    }  # fmt: skip
    assert all(one["difference"] == 0 and not one["swayed"] and one["n"] > 0 for one in checks.values())


def test_a_judge_that_likes_length_is_found_out(judged: Path, cli: CommandLine, wire: Wire) -> None:
    def decide(request: Received) -> Answer:
        score = 5 if "In other words" in j.material(request) else 2
        return j.replied(request, json.dumps(j.good_verdicts(request, score=score)))

    wire.decide = decide
    cli("eval", judged, "--judge")
    ended = cli("judge", "bias", judged, "latest", "--check", "verbosity", "--json")
    (check,) = ended.json["checks"]
    assert (check["difference"], check["swayed"], check["changed"]) == (0.75, True, 1.0)
    assert "swayed" in cli("judge", "bias", judged, "latest", "--check", "verbosity").out


def test_a_judge_that_goes_by_the_first_place_is_found_out(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    def decide(request: Received) -> Answer:
        reply = j.good_verdicts(request, score=3)
        if j.measure_of(request) == "ContextPrecision":
            reply["verdicts"] = [{**one, "relevant": one["id"] == 1} for one in reply["verdicts"]]
        return j.replied(request, json.dumps(reply))

    wire.decide = decide
    cli("eval", judged, "--judge")
    found = cli("judge", "bias", judged, "latest", "--check", "position", "--json").json["checks"]
    (precision,) = [one for one in found if one["measure"] == "ContextPrecision"]
    assert precision["changed"] == 1.0


def test_bias_checks_stop_at_their_budget(judged: Path, cli: CommandLine, wire: Wire) -> None:
    cli("eval", judged, "--judge")
    before = len(wire.received)
    assert cli("judge", "bias", judged, "latest", "--max-calls", 2).code == 3
    assert len(wire.received) == before + 2


def test_a_judge_that_favours_its_own_model_is_found_out(judged: Path, cli: CommandLine, wire: Wire) -> None:
    golden = "".join(
        f"- {{id: q{n}, question: Where does the red pump stand {n}?, relevant: [atlas/parts/pump.md], "
        f"reference_answer: In hall four.}}\n"
        for n in range(4)
    )
    (judged.parent / "golden.yaml").write_text(golden)

    def decide(request: Received) -> Answer:
        if j.measure_of(request) is None:
            text = (
                "It is in hall four [1]."
                if request.body["model"] == "judge-1"
                else "It stands in hall four [1]."
            )
            return j.replied(request, text)
        score = 5 if "It is in hall four" in j.material(request) else 3
        return j.replied(request, json.dumps(j.good_verdicts(request, score=score)))

    wire.decide = decide
    model = {"provider": "openai", "base_url": f"{wire.url}/v1"}
    for name in ("other-1", "judge-1"):
        change(judged, generation={**model, "model": name})
        assert cli("eval", judged, "--judge").code == 0
    before = len(wire.received)
    ended = cli(
        "judge",
        "bias",
        judged,
        "latest",
        "--other",
        "latest~1",
        "--check",
        "position",
        "--sample",
        1,
        "--json",
    )
    assert ended.code == 0, ended.err
    own = [
        one
        for one in ended.json["checks"]
        if one["name"] == "self-preference" and one["measure"] == "AnswerRelevance"
    ]
    assert (own[0]["difference"], own[0]["swayed"]) == (0.5, True)
    assert len(wire.received) <= before + 4
    cli("judge", "bias", judged, "latest~1", "--other", "latest").tells(2, "the judge's own model")


def test_a_report_shows_answers_with_their_coverage_and_the_ones_that_do_not_pass(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    good = j.judging()

    def decide(request: Received) -> Answer:
        if "CD-77?" in j.material(request):
            return j.replied(request, json.dumps(j.good_verdicts(request, holds=False, score=1)))
        return good(request) if "vessel" not in j.material(request) else j.replied(request, "<b>no</b>")

    wire.decide = decide
    assert cli("eval", judged, "--judge").code == 4
    page = judged.parent / "r.html"
    ended = cli("report", "latest", "-o", page)
    assert ended.code == 0, ended.err
    text = page.read_text(encoding="utf-8")
    assert "Answers that do not pass" in text
    assert "Which part is CD-77?" in text
    assert "does not hold" in text
    assert "of 4 scored; 1 unparsable" in text or "of 4 scored; 2 unparsable" in text, text[
        text.index("Faithfulness") :
    ][:400]
    assert "judged by openai judge-1" in text
    assert "<b>no</b>" not in text
    assert cli("runs", "show", "latest").code == 0


def test_check_looks_at_the_judge_and_at_the_labels(judged: Path, cli: CommandLine, tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("question_id,measure,label,judge\nq1,Faithfulness,4,5\nq2,Faithfulness,,5\n")
    change(judged, judge={"labels": str(labels)})
    ended = cli("check", judged, "--json")
    said = [one["message"] for one in ended.json["findings"] if one["area"] == "judge"]
    assert any(message.endswith("1 of 2 rows are labelled") for message in said)
    labels.write_text("question_id,measure,label\nq1,Faithfulness,9\n")
    assert cli("check", judged).code in (2, 3)
