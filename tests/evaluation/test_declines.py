import pytest

from strata_rag.evaluation.declines import is_decline


@pytest.mark.parametrize(
    "text",
    [
        "I do not know.",
        "I don't know.",
        "I don\u2019t know the answer to that.",
        "I'm sorry, but I cannot answer this question.",
        "Unfortunately, the passages do not contain the answer.",
        "The provided context does not mention a valve.",
        "The documents don't say. I can't answer.",
        "No information is available.",
        "There is no information about this in the passages.",
        "This cannot be determined from the text.",
        "Unknown.",
    ],
)
def test_a_text_that_only_says_there_is_no_answer_is_a_decline(text):
    assert is_decline(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The valve opens at 9 bar.",
        "I do not know the exact figure, which varies. The valve opens at 7 bar.",
        "Answer the phone if you know who calls.",
        "Press the red button if the pump does not stop.",
        "No smoking is allowed in hall four.",
        "The warranty does not cover wear.",
    ],
)
def test_a_text_that_says_something_of_the_world_is_none(text):
    assert not is_decline(text)
