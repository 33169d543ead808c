from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.evaluation.answer_text import exact_match, normalise, rouge_l, stated_facts, token_f1, words


def test_squad_normal_form_drops_case_articles_punctuation_and_spaces():
    assert normalise("  The  Valve's, an  A-seal. ") == "valves aseal"
    assert exact_match("The Eiffel Tower.", "eiffel tower") == 1.0
    assert exact_match("theory", "ory") == 0.0


def test_composed_and_decomposed_unicode_are_the_same():
    assert exact_match("cafe\u0301", "caf\u00e9") == 1.0


def test_token_f1_counts_each_token_as_often_as_both_have_it():
    # answer: valve opens at 7 bar (5), reference: it opens at 7 7 bar (6), shared: opens at 7 bar (4)
    assert isclose(token_f1("The valve opens at 7 bar", "It opens at 7 7 bar"), 2 * 4 / (5 + 6))
    assert token_f1("red", "blue") == 0.0
    assert token_f1("", "") == token_f1("the", "a") == 1.0
    assert token_f1("", "blue") == 0.0


def test_scripts_without_spaces_are_compared_by_character():
    assert isclose(token_f1("東京タワー", "東京"), 2 * 2 / (5 + 2))
    assert words("iPhone東京 15") == ["iphone", "東", "京", "15"]


def test_rouge_l_rests_on_the_longest_common_subsequence():
    # Lin 2004, section 3.1: police killed the gunman / police kill the gunman
    assert isclose(rouge_l("police kill the gunman", "police killed the gunman"), 3 / 4)
    assert isclose(rouge_l("the gunman kill police", "police killed the gunman"), 2 / 4)
    assert rouge_l("", "x") == rouge_l("x", "") == rouge_l("?", "!") == 0.0


def test_a_fact_must_stand_in_the_answer_word_by_word():
    assert stated_facts("It lasts Two Years.", ["two years", "1:30"]) == 1 / 2
    assert stated_facts("It lasts twenty-two years", ["two years"]) == 1.0
    assert stated_facts("forty", ["or"]) == 0.0


def brute_force_lcs(one, other):
    if not one or not other:
        return 0
    if one[0] == other[0]:
        return 1 + brute_force_lcs(one[1:], other[1:])
    return max(brute_force_lcs(one[1:], other), brute_force_lcs(one, other[1:]))


sentence = st.lists(st.sampled_from("abc"), min_size=1, max_size=7)


@given(sentence, sentence)
def test_rouge_l_agrees_with_every_subsequence_tried(one, other):
    length = brute_force_lcs(one, other)
    precision, recall = length / len(one), length / len(other)
    expected = 2 * precision * recall / (precision + recall) if length else 0.0
    assert isclose(rouge_l(" ".join(one), " ".join(other)), expected)


@given(st.text(max_size=40), st.text(max_size=40))
def test_measures_of_two_texts_stay_between_zero_and_one_and_are_symmetric(one, other):
    for measure in (exact_match, token_f1, rouge_l):
        assert 0 <= measure(one, other) <= 1
        assert isclose(measure(one, other), measure(other, one))


@given(st.text(min_size=1, max_size=40))
def test_a_text_is_its_own_best_answer(text):
    assert exact_match(text, text) == token_f1(text, text) == 1.0


@pytest.mark.parametrize("text", ["", "?", "the"])
def test_what_holds_no_word_is_compared_without_failing(text):
    assert token_f1(text, "word") == 0.0
