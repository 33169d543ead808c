"""Answers and a judge within an evaluation: offline with the extractive answerer, and over a real wire on loopback."""

from __future__ import annotations

import json
import math
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import judging as j
from judging import judged, wire
from llm.wire import Answer, Received, Wire, openai_reply
from strata_rag.evaluation import Measure, find_run, read_answers, read_per_query
from strata_rag.evaluation.judge import load_prompt
from workbench import CommandLine, Running, wait_until

__all__ = ["judged", "wire"]


def latest(config: Path) -> Any:
    return find_run(config.parent / ".strata" / "runs", "latest")


def test_answers_are_valued_without_a_judge_and_without_a_network(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    ended = cli("eval", judged, "--answers", "--json")
    assert ended.code == 0, ended.err
    measures = ended.json["measures"]
    assert set(measures) >= {"Hit@5", "ExactMatch", "TokenF1", "ROUGE-L", "EmbeddingSimilarity", "Facts"}
    assert set(measures) >= {"CitationPrecision", "CitationRecall", "Refused", "Answered"}
    assert measures["TokenF1"]["n"] == measures["EmbeddingSimilarity"]["n"] == 1
    assert measures["Refused"]["n"] == 1
    assert measures["Answered"]["n"] == 4
    answers = ended.json["answers"]
    assert answers["generator"]["provider"] == "extractive"
    assert answers["judge"] is None
    assert math.isclose(answers["false_refusal"]["value"], 1 - measures["Answered"]["value"])
    assert wire.received == []
    assert not any(name in measures for name in ("Faithfulness", "Passed"))


def test_a_judged_run_keeps_verdicts_prompts_models_and_costs(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    ended = cli("eval", judged, "--judge", "--json")
    assert ended.code == 0, ended.err
    run = latest(judged)
    record = run.record.answers
    assert record.prompts == {
        prompt.name: prompt.digest
        for prompt in map(
            load_prompt, ("Faithfulness", "AnswerRelevance", "ContextPrecision", "ContextRecall")
        )
    }
    assert (record.judge["provider"], record.judge["model"], record.same_model) == (
        "openai",
        "judge-1",
        False,
    )
    assert record.judging.calls == len(wire.received) > 0
    assert (
        0
        < record.judging.cost
        == pytest.approx((record.judging.input_tokens * 1 + record.judging.output_tokens * 2) / 1e6)
    )
    assert record.judging.cost < record.estimates["judging"].cost
    assert record.estimates["judging"].calls == len(wire.received)
    assert {model["role"] for model in run.record.models} == {"embedder", "generator", "judge"}
    stored = {answer.item.question_id: answer for answer in read_answers(run.path)}
    assert list(stored) == ["q1", "q2", "q3", "q4", "q5"]
    first = {one.measure: one for one in stored["q1"].judgements}
    assert first["Faithfulness"].verdicts[0].passages
    assert first["ContextRecall"].outcome == "scored"
    assert {one.measure: one for one in stored["q2"].judgements}[
        "ContextRecall"
    ].reason == "no reference answer"
    assert all(
        one.outcome == "not_scorable" for one in stored["q4"].judgements if one.measure.startswith("Context")
    )
    values = read_per_query(run)
    assert values.column(Measure("Faithfulness"))[0] == 1.0
    assert math.isnan(values.column(Measure("ContextRecall"))[1])
    assert ended.json["measures"]["ContextRecall"]["n"] == 1


def test_costs_are_said_before_the_first_call_and_after_the_last(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    said: list[int] = []

    def judge(request: Received) -> Answer:
        said.append(1)
        return j.judging()(request)

    wire.decide = judge
    ended = cli("eval", judged, "--judge")
    assert ended.err.count("judging: about") == 2, (
        ended.err
    )  # for a typical answer, then for those that were given
    assert "tokens in" in ended.err
    assert "at most $" in ended.err
    assert f"judging: {len(said)} calls, 0 more from the cache" in ended.out, ended.out


def test_runs_of_the_same_answers_and_verdicts_are_equal_byte_by_byte(judged: Path, cli: CommandLine) -> None:
    runs = []
    for _ in range(2):
        assert cli("eval", judged, "--judge").code == 0
        runs.append(latest(judged))
    one, two = (run.path for run in runs)
    assert one != two
    for name in ("answers.jsonl", "per_query.jsonl"):
        assert (one / name).read_bytes() == (two / name).read_bytes()


def test_a_second_run_makes_no_call_at_all(judged: Path, cli: CommandLine, wire: Wire) -> None:
    cli("eval", judged, "--judge")
    before = len(wire.received)
    ended = cli("eval", judged, "--judge", "--json")
    assert len(wire.received) == before
    assert ended.json["answers"]["judging"]["cached"] == before
    assert ended.json["answers"]["judging"]["cost"] == 0


@pytest.mark.parametrize("answer", [j.UNAUTHORISED, j.QUOTA], ids=["401", "quota"])
def test_an_error_that_every_later_call_would_meet_stops_the_run_which_then_continues(
    judged: Path, cli: CommandLine, wire: Wire, answer: Answer
) -> None:
    wire.decide = j.failing_at(6, answer, wire, j.judging())
    ended = cli("eval", judged, "--judge")
    assert ended.code == 3, ended.err
    assert "of 20 judgements are done and kept" in ended.err
    assert len(wire.received) == 6
    assert not [*(judged.parent / ".strata" / "runs").glob("[!.]*")]
    failed = j.bodies(wire)[5]
    assert cli("eval", judged, "--judge").code == 0
    counted = Counter(j.bodies(wire))
    assert counted.pop(failed) == 2
    assert set(counted.values()) == {1}


def test_a_bad_request_costs_one_judgement_and_the_run_is_not_measurable_by_its_share(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    wire.decide = j.failing_at(6, j.BAD_REQUEST, wire, j.judging())
    ended = cli("eval", judged, "--judge", "--json")
    assert ended.code == 4
    assert "max_judge_failures" in ended.err
    counted = Counter(j.bodies(wire))
    assert set(counted.values()) == {1}
    outcomes = Counter(one.outcome for a in read_answers(latest(judged).path) for one in a.judgements)
    assert outcomes["failed"] == 1
    assert ended.json["exit_code"] == 4
    assert ended.json["measures"]["Faithfulness"]["n"] > 0
    wire.decide = j.judging()
    assert cli("eval", judged, "--judge").code == 0
    assert sum(Counter(j.bodies(wire)).values()) == len(counted) + 1


def test_a_judge_that_never_replies_in_form_is_counted_and_never_scored(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    wire.decide = lambda request: j.replied(request, "I would rather not.")
    ended = cli("eval", judged, "--judge")
    assert ended.code == 4
    assert "unparsable" in ended.out
    assert latest(judged).record.measures[Measure("Faithfulness")].n == 0
    assert math.isnan(latest(judged).record.measures[Measure("Passed")].value)


def test_a_killed_run_asks_for_nothing_again_that_was_answered(
    judged: Path, cli: CommandLine, wire: Wire, start: Callable[..., Running]
) -> None:
    wire.decide = j.failing_at(7, openai_reply("never sent", hang=60), wire, j.judging())
    running = start("eval", judged, "--judge", OMP_NUM_THREADS="1")
    wait_until(lambda: len(wire.received) >= 7)
    running.signal(signal.SIGKILL)
    running.finish()
    answered, unanswered = j.bodies(wire)[:6], j.bodies(wire)[6]
    assert cli("eval", judged, "--judge").code == 0
    again = j.bodies(wire)[7:]
    assert not set(again) & set(answered)
    assert unanswered in again
    assert len(set(again)) == len(again)


def test_a_budget_stops_cleanly_and_a_larger_one_continues(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    ended = cli("eval", judged, "--judge", "--max-calls", 4)
    assert ended.code == 3
    assert "--max-calls" in ended.err
    assert len(wire.received) == 4
    assert cli("eval", judged, "--judge", "--max-calls", 100).code == 0
    assert set(Counter(j.bodies(wire)).values()) == {1}


def test_a_cost_below_the_first_call_asks_nothing(judged: Path, cli: CommandLine, wire: Wire) -> None:
    ended = cli("eval", judged, "--judge", "--max-cost", "0.000001")
    assert ended.code == 3
    assert wire.received == []


@pytest.mark.parametrize("condition", ["Hit@5>=0.1", "hit@5 >= 0.1", "TokenF1 < 1"])
def test_a_condition_skips_the_judge_and_says_why(
    judged: Path, cli: CommandLine, wire: Wire, condition: str
) -> None:
    ended = cli("eval", judged, "--judge", "--stop-if", condition, "--json")
    assert ended.code == 0, ended.err
    assert "skipped" in ended.json["answers"]["skipped"]
    assert ended.json["answers"]["skipped"] in ended.json["warnings"]
    assert wire.received == []
    assert "Faithfulness" not in ended.json["measures"]


def test_a_condition_that_does_not_hold_changes_nothing(judged: Path, cli: CommandLine, wire: Wire) -> None:
    ended = cli("eval", judged, "--judge", "--stop-if", "Hit@5<0.1", "--json")
    assert ended.json["answers"]["skipped"] == ""
    assert wire.received


@pytest.mark.parametrize(
    "flags",
    [
        ["--judge", "--stop-if", "Faithfulness < 1"],
        ["--judge", "--stop-if", "Hit@5 = 1"],
        ["--judge", "--stop-if", "nDCG@10 < 1"],
        ["--judge", "--stop-if", "Hit@5 < 2"],
        ["--stop-if", "Hit@5 < 1"],
        ["--max-calls", "3"],
        ["--repeat", "2"],
    ],
)
def test_flags_that_make_no_sense_are_refused_before_any_work(
    judged: Path, cli: CommandLine, wire: Wire, flags: list[str]
) -> None:
    cli("eval", judged, *flags).tells(2)
    assert wire.received == []


def test_without_anything_to_answer_or_judge_with_nothing_is_ranked(judged: Path, cli: CommandLine) -> None:
    cli("eval", judged, "--answers", "--set", "generation.provider=none").tells(2, "generation.provider")
    cli("eval", judged, "--judge", "--set", "evaluation.judge.provider=none").tells(
        2, "evaluation.judge.provider"
    )


def test_repetitions_show_the_judges_own_noise(judged: Path, cli: CommandLine, wire: Wire) -> None:
    scores = iter(range(10**6))

    def judge(request: Received) -> Answer:
        return j.replied(request, json.dumps(j.good_verdicts(request, score=4 if next(scores) % 2 else 2)))

    wire.decide = judge
    ended = cli("eval", judged, "--judge", "--repeat", 2)
    assert ended.code == 0, ended.err
    noise = latest(judged).record.answers.noise[Measure("AnswerRelevance")]
    assert (noise.repetitions, noise.differing) == (2, 1.0)
    assert noise.of_mean == pytest.approx(0.5 / math.sqrt(2))
    assert "judge's own noise, AnswerRelevance" in ended.out


def test_generator_and_judge_may_be_the_same_model_and_it_is_said(
    judged: Path, cli: CommandLine, wire: Wire
) -> None:
    wire.decide = j.answering("The red pump stands in hall four [1].")
    values = json.loads(judged.read_text())
    values["generation"] = values["evaluation"].pop("judge")
    judged.write_text(json.dumps(values))
    ended = cli("eval", judged, "--judge", "--json")
    assert ended.code == 0, ended.err
    answers = ended.json["answers"]
    assert answers["same_model"] is True
    assert any("the same model" in warning for warning in ended.json["warnings"])
    assert answers["generating"]["calls"] == 5
    assert answers["generator"]["prompts"]
    assert answers["generating"]["calls"] + answers["judging"]["calls"] == len(wire.received)
    assert answers["estimates"]["generating"]["calls"] == 5


def test_a_failing_generator_is_counted_and_fails_the_run(judged: Path, cli: CommandLine, wire: Wire) -> None:
    fine = j.answering("The red pump stands in hall four [1].")
    wire.decide = lambda request: j.BAD_REQUEST if "moon" in j.material(request) else fine(request)
    values = json.loads(judged.read_text())
    values["generation"] = values["evaluation"].pop("judge")
    judged.write_text(json.dumps(values))
    ended = cli("eval", judged, "--answers", "--json")
    assert ended.code == 4
    assert "1 of 5 answers never came" in ended.err
    assert ended.json["answers"]["statuses"] == {"answered": 4, "failed": 1}
