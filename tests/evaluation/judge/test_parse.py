import json
from pathlib import Path

import pytest

from strata_rag.evaluation.judge import Mismatch, Unparsable, parse_reply
from strata_rag.generation import ContextPassage

DATA = Path(__file__).parents[2] / "data" / "judge"
FIVE = json.loads((DATA / "statements.json").read_text())
PASSAGES = (
    ContextPassage(1, "v#0-9", "v", 0, 9, "The valve opens at 7 bar\nand closes at 5 bar."),
    ContextPassage(3, "w#0-9", "w", 0, 9, "It weighs \u201c2 kg\u201d."),
)


def verdict(number, supported=True, **more):
    passages = {"passages": [1]} if supported else {}
    return {"id": number, "supported": supported, **passages, **more}


def parse(verdicts, things=FIVE, **more):
    reply = json.dumps({"verdicts": verdicts, "score": 4, "severity": "minor", **more})
    return parse_reply("Faithfulness", reply, things=things, passages=PASSAGES)


def relevance(text):
    return parse_reply("AnswerRelevance", text, things=(), passages=())


def test_one_verdict_for_five_statements_is_a_mismatch_and_never_a_full_score():
    reply = (DATA / "reply.json").read_text()
    with pytest.raises(Mismatch):
        parse_reply("Faithfulness", reply, things=FIVE, passages=PASSAGES)


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        ([verdict(1)], "5 verdicts were expected, found none for 2, 3, 4, 5"),
        ([verdict(n) for n in range(1, 8)], "numbered 1 to 5 were expected, found one for 6"),
        ([verdict(n) for n in (1, 2, 2, 3, 4)], "found two for 2"),
        ([verdict(n) for n in (0, 1, 2, 3, 4)], "found one for 0"),
        ([], "5 verdicts were expected"),
    ],
)
def test_verdicts_that_are_missing_too_many_or_doubled_are_a_mismatch(verdicts, told):
    with pytest.raises(Mismatch, match=told):
        parse(verdicts)


def test_verdicts_are_tied_to_statements_by_number_not_by_place():
    found = parse([verdict(n, n != 2) for n in (5, 4, 3, 2, 1)])
    assert [(one.id, one.text, one.holds) for one in found.verdicts] == [
        (number, text, number != 2) for number, text in enumerate(FIVE, 1)
    ]
    assert (found.raw, found.severity) == (4, "minor")


def test_a_supported_statement_must_name_a_passage_that_exists():
    for passages in ([], [2], [9], None, "x"):
        with pytest.raises(Mismatch, match="statement 1: a supporting passage that exists"):
            parse([verdict(1, passages=passages)], things=["one"])


def test_a_passage_that_does_not_exist_beside_one_that_does_is_flagged():
    (found,) = parse([verdict(1, passages=[3, 7])], things=["one"]).verdicts
    assert (found.passages, found.flags) == ((3,), ("names a passage that does not exist",))


@pytest.mark.parametrize(
    ("quote", "flags"),
    [
        ("The valve opens at 7 bar and closes", ()),
        ("the VALVE  opens, at 7 bar", ()),
        ("valve opens ... at 5 bar", ()),
        ("", ()),
        ("The valve opens at 9 bar", ("quote not found",)),
        ("valve opens at 7 ba", ("quote not found",)),
    ],
)
def test_a_quote_is_looked_for_in_the_passages_it_names(quote, flags):
    (found,) = parse([verdict(1, quote=quote)], things=["one"]).verdicts
    assert found.flags == flags


def test_a_quote_of_another_passage_than_the_one_named_is_flagged():
    (found,) = parse([verdict(1, quote="It weighs '2 kg'")], things=["one"]).verdicts
    assert found.flags == ("quote not found",)


@pytest.mark.parametrize("score", [4, "4", "4/5", " 4 / 5 ", "4 out of 5", 4.0, "4.0"])
def test_a_score_is_read_in_the_forms_that_models_write(score):
    assert relevance(json.dumps({"score": score})).raw == 4


@pytest.mark.parametrize("score", [0, 6, "4/10", 3.5, "good", None, True, [4], "45", -4, 1e400])
def test_a_score_outside_one_to_five_is_unparsable(score):
    with pytest.raises(Unparsable):
        relevance(json.dumps({"score": score}))


@pytest.mark.parametrize(
    "reply",
    ["", "I can't judge this.", '{"verdicts": {"1": true}}', '{"verdicts": [true]}', '{"answer": 1}'],
)
def test_a_reply_without_verdicts_is_unparsable(reply):
    with pytest.raises(Unparsable):
        parse_reply("Faithfulness", reply, things=["one"], passages=PASSAGES)


def test_ids_and_decisions_given_as_text_are_read():
    reply = '{"verdicts": [{"id": "1", "supported": "yes", "passage": "3"}]}'
    (found,) = parse_reply("Faithfulness", reply, things=["one"], passages=PASSAGES).verdicts
    assert (found.holds, found.passages) == (True, (3,))


def test_a_decision_that_is_neither_yes_nor_no_is_unparsable():
    with pytest.raises(Unparsable):
        parse([{"id": 1, "supported": "partly", "passages": [1]}], things=["one"])


def test_passages_are_judged_by_their_place_in_the_list():
    reply = '{"verdicts": [{"id": 2, "relevant": false}, {"id": 1, "relevant": true}], "score": "3/5"}'
    found = parse_reply("ContextPrecision", reply, things=["v#0-9", "w#0-9"], passages=PASSAGES)
    assert [(one.text, one.holds) for one in found.verdicts] == [("v#0-9", True), ("w#0-9", False)]
