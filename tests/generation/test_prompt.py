from __future__ import annotations

import hashlib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.generation import REFUSAL, parse_prompt, read_prompt


def test_the_prompt_is_named_by_its_files_digest() -> None:
    content = (files("strata_rag.generation.prompts") / "answer.md").read_bytes()
    prompt = read_prompt("answer")
    assert prompt.digest == hashlib.sha256(content).hexdigest()
    assert prompt.id == f"answer@{prompt.digest[:12]}"


def test_every_part_of_the_answer_prompt_can_be_filled() -> None:
    prompt = read_prompt("answer")
    assert set(prompt.parts) == {"rules", "fence", "question", "reminder"}
    assert REFUSAL in prompt.fill("rules", refusal=REFUSAL)
    assert REFUSAL in prompt.fill("reminder", refusal=REFUSAL)
    assert "m-1" in prompt.fill("fence", marker="m-1")


def test_one_changed_letter_changes_the_digest() -> None:
    assert parse_prompt("p", "# a\n\nSay it.").digest != parse_prompt("p", "# a\n\nSay it!").digest


@given(st.text())
def test_a_value_is_put_in_as_it_is(value: str) -> None:
    prompt = parse_prompt("p", "# ask\n\nQuestion: {{question}}\nOnce more: {{question}}\n")
    assert prompt.fill("ask", question=value) == f"Question: {value}\nOnce more: {value}"


def test_a_place_inside_a_value_stays() -> None:
    prompt = parse_prompt("p", "# ask\n\n{{one}} {{two}}\n")
    assert prompt.fill("ask", one="{{two}}", two="{{one}}") == "{{two}} {{one}}"


def test_missing_and_unknown_values_are_refused() -> None:
    prompt = parse_prompt("p", "# ask\n\n{{one}}\n")
    with pytest.raises(KeyError, match="one"):
        prompt.fill("ask")
    with pytest.raises(TypeError, match="no place for other"):
        prompt.fill("ask", one="1", other="2")
    with pytest.raises(KeyError, match="tell"):
        prompt.fill("tell")
