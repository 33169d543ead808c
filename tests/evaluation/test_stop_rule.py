from math import nan

import pytest

from strata_rag.errors import InputError
from strata_rag.evaluation import Measure, StopRule, Summary


@pytest.mark.parametrize("text", ["Hit@5<0.5", "hit@5 < .5", "  Hit@5  <0.50 "])
def test_a_condition_is_read_with_or_without_spaces(text):
    assert StopRule.parse(text) == StopRule(Measure("Hit", 5), "<", 0.5)


@pytest.mark.parametrize(
    ("text", "value", "stops"),
    [
        ("Hit@5 < 0.5", 0.4, True),
        ("Hit@5 < 0.5", 0.5, False),
        ("Hit@5 <= 0.5", 0.5, True),
        ("Hit@5 > 0.5", 0.5, False),
        ("Hit@5 >= 0.5", 0.5, True),
        ("Hit@5 < 0.5", nan, True),
    ],
)
def test_a_condition_stops_where_it_holds_or_cannot_be_decided(text, value, stops):
    reason = StopRule.parse(text).stops({Measure("Hit", 5): Summary(value, 3, nan, nan)})
    assert bool(reason) == stops
    assert not stops or "Hit@5" in reason


@pytest.mark.parametrize(
    "text", ["", "Hit@5", "Hit@5 = 0.5", "Hit@5 < 1.5", "Hit@5 < x", "Hit < 0.5", "Faithfulness<1"]
)
def test_what_is_no_condition_is_refused(text):
    with pytest.raises(InputError):
        StopRule.parse(text)
