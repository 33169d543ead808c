import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.evaluation.judge.json_text import find_objects


def first(text):
    return next(find_objects(text), None)


@pytest.mark.parametrize(
    "text",
    [
        '{"score": 4}',
        '```json\n{"score": 4}\n```',
        '```\n{"score": 4}```',
        'Sure! Here is my verdict:\n\n{"score": 4}\n\nLet me know {if} you need more.',
        '[{"score": 4}]',
        '{"score": 4,}',
        'Thinking {about} it.\n```json\n{"score": 4,\n}\n```\nDone.',
        '\ufeff  {"score": 4}'.replace("\ufeff", ""),
    ],
)
def test_an_object_is_found_whatever_stands_around_it(text):
    assert first(text) == {"score": 4}


def test_braces_and_commas_inside_strings_are_text():
    text = 'so: {"reason": "uses { and }, and ,} too", "score": 2}'
    assert first(text) == {"reason": "uses { and }, and ,} too", "score": 2}


def test_a_raw_line_break_in_a_string_is_tolerated():
    assert first('{"reason": "one\ntwo", "score": 2}') == {"reason": "one\ntwo", "score": 2}


def test_of_several_objects_in_prose_the_last_comes_first():
    assert [*find_objects('at first {"score": 1} but then {"score": 5}')] == [{"score": 5}, {"score": 1}]


@pytest.mark.parametrize(
    "text", ["", "no", "[1, 2]", '{"score": ', "{" * 5000, '"' * 999 + "{", "[" * 100_000]
)
def test_what_holds_no_object_gives_none(text):
    assert first(text) is None


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(min_size=1), values, min_size=1, max_size=4), st.sampled_from([None, 2]))
def test_any_object_is_read_back_from_a_fence(value, indent):
    assert first(f"Here:\n```json\n{json.dumps(value, indent=indent)}\n```\nend") == value


@given(st.text(alphabet='{}[]",:\\ \n`a1', max_size=80))
def test_no_text_makes_it_fail(text):
    assert all(isinstance(found, dict) for found in find_objects(text))
