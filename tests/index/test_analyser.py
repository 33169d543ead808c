from __future__ import annotations

import subprocess
import time
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.index import Analyser, sparse_counts
from strata_rag.index.analyser import fold, term_index

ENGLISH = Analyser(language="english")
PLAIN = Analyser(language=None)
MULTILINGUAL = Analyser(language=None, tokenizer="multilingual")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("AB-1234/x", ["ab-1234/x", "ab", "1234", "x"]),
        ("C++ and C#, not C", ["c++", "c", "c#", "c", "c"]),
        ("os.path.join()", ["os.path.join", "os", "path", "join"]),
        ("std::vector", ["std::vector", "std", "vector"]),
        ("user@example.com.", ["user@example.com", "user", "exampl", "com"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("v1.2", ["v1.2", "v1", "2"]),
        ("state-of-the-art", ["state", "art"]),
        ("The dogs' bowls", ["dog", "bowl"]),
        ("John's John’s", ["john", "john"]),
        ("running runs", ["run", "run"]),
        ("Naïve CAFÉ ﬁne", ["naiv", "cafe", "fine"]),
        ("...", []),
        ("", []),
    ],
)
def test_english_words_are_stemmed_and_codes_kept_whole_and_in_parts(text: str, terms: list[str]) -> None:
    assert ENGLISH.terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("漢字テスト", ["漢", "字", "テ", "ス", "ト", "漢字", "字テ", "テス", "スト"]),
        ("在2024年", ["在", "2024", "年"]),
        ("用Python编写", ["用", "python", "编", "写", "编写"]),
        ("plain words", ["plain", "words"]),
        ("AB-12 码", ["ab-12", "ab", "12", "码"]),
    ],
)
def test_the_multilingual_tokenizer_cuts_unspaced_scripts(text: str, terms: list[str]) -> None:
    assert MULTILINGUAL.terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("हिन्दी किताबें", ["हिन्दी", "किताबें"]),
        ("ที่นี่", ["ที่นี่"]),
        ("Ёлка Москвы", ["елка", "москвы"]),
        ("ΆΝΘΡΩΠΟΣ", ["ανθρωποσ"]),
        ("مَرْحَبًا", ["مَرْحَبًا"]),
        ("й и\u0306", ["й", "й"]),
    ],
)
def test_words_of_other_scripts_stay_whole_with_their_marks(text: str, terms: list[str]) -> None:
    assert PLAIN.terms(text) == terms


def test_stop_words_and_stems_follow_the_language() -> None:
    assert Analyser(language="russian").terms("книги и книга") == ["книг", "книг"]
    assert Analyser(language="german").terms("die Häuser und das Haus") == ["haus", "haus"]
    assert PLAIN.terms("the runs") == ["the", "runs"]


def test_every_character_folds_to_what_folds_to_itself() -> None:
    characters = [chr(code) for code in range(0x20000) if not 0xD800 <= code < 0xE000]
    once = [fold(character) for character in characters]
    assert [a for a, b in zip(characters, map(fold, once), strict=True) if fold(a) != b] == []


@given(st.text(max_size=30))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=40), st.sampled_from([ENGLISH, PLAIN, MULTILINGUAL]))
def test_the_terms_of_a_text_do_not_depend_on_what_was_read_before(text: str, analyser: Analyser) -> None:
    assert analyser.terms(text) == analyser.terms(text)
    assert all(analyser.terms(text))


@given(st.lists(st.text("ab漢1", min_size=1, max_size=5), max_size=6))
def test_words_apart_give_the_terms_of_each(words: list[str]) -> None:
    assert MULTILINGUAL.terms(" ".join(words)) == [
        term for word in words for term in MULTILINGUAL.terms(word)
    ]


def test_long_joined_words_cost_no_backtracking() -> None:
    began = time.process_time()
    for script in ("न", "ক", "a", "ж", "\u0e01"):
        ENGLISH.terms(f"{script * 60}-{script * 60}/{'-' * 1000}")
        PLAIN.terms("-".join([script * 40] * 40))
    assert time.process_time() - began < 2  # with a word pattern that backtracks: hours


def test_a_long_line_of_mixed_scripts_is_no_deep_recursion() -> None:
    assert MULTILINGUAL.counts("漢a" * 5000) == Counter({"漢": 5000, "a": 5000})


@pytest.mark.parametrize(
    ("term", "place"),
    [
        ("alpha", 238_326_196),
        ("ab-1234/x", 3_182_980_637),
        ("漢", 564_526_683),
        ("", 309_448_485),
        ("\ud800", 953_833_447),
    ],
)
def test_a_term_stands_at_the_same_place_for_ever(term: str, place: int) -> None:
    assert term_index(term) == place


def test_counts_become_a_vector_whose_indices_rise() -> None:
    vector = sparse_counts(Counter({"alpha": 2, "beta": 1, "gamma": 5}))
    assert (np.diff(vector.indices.astype(np.int64)) > 0).all()
    found = dict(zip(vector.indices.tolist(), vector.values.tolist(), strict=True))
    assert found == {term_index("alpha"): 2.0, term_index("beta"): 1.0, term_index("gamma"): 5.0}
    assert (vector.indices.dtype, vector.values.dtype) == (np.uint32, np.float32)
    assert len(sparse_counts(Counter()).indices) == 0


SAMPLE = "The café's AB-1234/x ran C++ for हिन्दी and 漢字 in 2024"
ELSEWHERE = f"""
from strata_rag.index import Analyser, sparse_counts
vector = sparse_counts(Analyser(language="english").counts({SAMPLE!r}))
print(vector.indices.tolist(), vector.values.tolist())
"""


def test_every_process_gives_the_same_vector(start: Callable[..., subprocess.Popen[str]]) -> None:
    here = sparse_counts(ENGLISH.counts(SAMPLE))
    out, trouble = start(ELSEWHERE, env={"PYTHONHASHSEED": "77"}).communicate(timeout=60)
    assert trouble == ""
    assert out.strip() == f"{here.indices.tolist()} {here.values.tolist()}"
