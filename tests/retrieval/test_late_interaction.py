from __future__ import annotations

import math

import numpy as np
import pytest

from strata_rag.retrieval import LateInteractionScorer, max_similarity

EYE = np.eye(4, dtype=np.float32)
WORDS = {"north": 0, "east": 1, "up": 2, "red": 3}


class WordEncoder:
    """One axis for each known word; writes down which documents it encodes."""

    def __init__(self) -> None:
        self.encoded: list[str] = []

    def query_token_vectors(self, text: str) -> np.ndarray:
        return EYE[[WORDS[word] for word in text.split()]]

    def document_token_vectors(self, text: str) -> np.ndarray:
        self.encoded.append(text)
        return self.query_token_vectors(text)


def scorer(encoder: WordEncoder, **options: int) -> LateInteractionScorer:
    return LateInteractionScorer(encoder, model_id="m", fingerprint="f", **options)


def test_the_score_is_the_mean_of_each_question_tokens_best_cosine() -> None:
    question = np.array([[1, 0], [0.6, 0.8]], np.float32)
    text = np.array([[0, 1], [0.8, 0.6]], np.float32)
    assert max_similarity(question, text) == pytest.approx((0.8 + (0.48 + 0.48)) / 2)
    assert max_similarity(text, question) == pytest.approx((0.8 + (0.48 + 0.48)) / 2)


def test_texts_are_scored_in_their_order() -> None:
    assert scorer(WordEncoder()).score("north east", ["north", "east north up", "red"]) == [0.5, 1.0, 0.0]
    assert scorer(WordEncoder()).score("north", []) == []


def test_a_question_or_text_without_tokens_has_no_score() -> None:
    assert math.isnan(scorer(WordEncoder()).score("", ["north"])[0])
    found = scorer(WordEncoder()).score("north", ["", "north"])
    assert math.isnan(found[0])
    assert found[1] == 1.0


def test_a_document_is_encoded_once_while_there_is_room() -> None:
    encoder = WordEncoder()
    kept = scorer(encoder)
    kept.score("north", ["north", "east"])
    kept.score("east", ["east", "north", "up"])
    assert encoder.encoded == ["north", "east", "up"]


def test_the_least_recently_used_vectors_make_room_for_new_ones() -> None:
    encoder = WordEncoder()
    one_token = 4 * np.dtype(np.float16).itemsize
    kept = scorer(encoder, memory_bytes=2 * one_token)
    kept.score("north", ["north", "east", "north", "up"])  # up takes the place of east
    kept.score("north", ["north", "up"])
    assert encoder.encoded == ["north", "east", "up"]
    kept.score("north", ["east"])
    assert encoder.encoded == ["north", "east", "up", "east"]


def test_a_text_larger_than_all_memory_is_scored_and_not_kept_beside_others() -> None:
    encoder = WordEncoder()
    kept = scorer(encoder, memory_bytes=1)
    assert kept.score("north", ["north east up red", "east"]) == [1.0, 0.0]
    kept.score("north", ["north east up red"])
    assert encoder.encoded == ["north east up red", "east", "north east up red"]


def test_a_scorer_tells_what_decides_its_scores() -> None:
    info = scorer(WordEncoder()).describe()
    assert (info.kind, info.model_id, info.fingerprint) == ("late-interaction", "m", "f")
    assert info.parameters == {"version": 1}
