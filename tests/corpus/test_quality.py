from __future__ import annotations

import pytest

from strata_rag.corpus import RULES, DocumentQuality, corpus_quality
from strata_rag.corpus.quality import has_few_letters, is_garbled

ENGLISH = (
    "The pump in the north hall was replaced in spring because its bearings had worn out after nine years of use. "
    "Nobody had looked at them since they were fitted, and the log says that the oil was never changed in time."
)
GERMAN = (
    "Die Pumpe in der Nordhalle wurde im Frühjahr ersetzt, weil ihre Lager nach neun Jahren verschlissen waren. "
    "Niemand hatte sie seit dem Einbau angesehen, und nach dem Protokoll wurde das Öl nie rechtzeitig gewechselt."
)
FOOTER = "Copyright of the port authority, all rights reserved, do not copy this page or any part of it"


def qualities(texts: dict[str, str], language: str | None = None) -> dict[str, DocumentQuality]:
    return {one.doc_id: one for one in corpus_quality(texts, language=language).documents}


def flags(texts: dict[str, str], language: str | None = None) -> dict[str, tuple[str, ...]]:
    return {doc_id: one.flags for doc_id, one in qualities(texts, language).items() if one.flags}


def test_an_ordinary_document_has_no_flag() -> None:
    assert flags({"a": ENGLISH}) == {}


def test_an_empty_document_is_flagged() -> None:
    assert flags({"a": ENGLISH, "b": " \n "}) == {"b": ("empty",)}


def test_a_near_duplicate_names_the_first_document_like_it() -> None:
    found = qualities({"b": ENGLISH + " Yes.", "a": ENGLISH})
    assert found["b"].flags == ("near-duplicate",)
    assert found["b"].like is not None
    assert found["b"].like.first == "a"
    assert found["a"].flags == ()


def test_boilerplate_is_a_share_of_each_document() -> None:
    texts = {name: f"{FOOTER}\n{name} {number}" for number, name in enumerate(["x one", "y two", "z three"])}
    found = qualities({**texts, "long": f"{FOOTER}\n{ENGLISH}\n{ENGLISH[::-1]}"})
    assert all("mostly boilerplate" in found[name].flags for name in texts)
    assert 0.1 < found["long"].boilerplate < 0.3
    assert "mostly boilerplate" not in found["long"].flags


def test_copies_of_one_document_are_no_boilerplate() -> None:
    assert flags({"a": ENGLISH, "b": ENGLISH, "c": ENGLISH}) == {
        "b": ("near-duplicate",),
        "c": ("near-duplicate",),
    }


def test_a_document_in_another_language_than_the_analyser_is_flagged() -> None:
    texts = {"de": GERMAN, "en": ENGLISH}
    assert flags(texts, "english") == {"de": ("other language",)}
    assert flags(texts, "german") == {"en": ("other language",)}


def test_without_an_analysers_language_most_documents_decide() -> None:
    texts = {"de": GERMAN, "en": ENGLISH, "en2": ENGLISH.replace("pump", "crane").replace("nine", "two")[::1]}
    report = corpus_quality(texts, language=None)
    assert report.language == "english"
    assert report.languages() == {"english": 2, "german": 1}
    assert report.flag_counts()["other language"] == 1


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH.replace("e", "\ufffd"),
        ENGLISH.replace("pump", "\ue001\ue002\ue003\ue004\ue005\ue006"),
        "Größe und Höhe über dem Fluß sind höher als früher, sagt die Behörde".encode().decode("latin-1"),
        "(cid:12)(cid:7) some (cid:33) text " * 10,
        " ".join("The pump in the north hall was replaced".replace(" ", "")) * 3,
        "Thispumpinthenorthhallwasreplacedinspringbecauseofwornbearings " * 5,
    ],
)
def test_failed_extraction_is_flagged(text: str) -> None:
    assert is_garbled(text)


@pytest.mark.parametrize(
    "text",
    ["", ENGLISH, GERMAN, "1 2 3 a b c", "これは長い文章です。" * 40, "สวัสดีครับ" * 40, "x = a + b\n" * 3],
)
def test_ordinary_text_is_not_garbled(text: str) -> None:
    assert not is_garbled(text)


def test_a_table_of_figures_has_few_letters() -> None:
    assert has_few_letters("12.5 13.7 0.88 | 1024 x\n" * 20)
    assert not has_few_letters(ENGLISH)
    assert not has_few_letters("12345")


def test_the_order_of_documents_does_not_matter() -> None:
    texts = {"a": ENGLISH, "b": ENGLISH + " More.", "c": GERMAN, "d": ""}
    backwards = dict(reversed(texts.items()))
    assert corpus_quality(texts, language=None) == corpus_quality(backwards, language=None)


def test_every_flag_has_its_rule() -> None:
    texts = {"a": ENGLISH, "b": ENGLISH, "c": GERMAN, "d": "", "e": "\ufffd" * 200}
    given = {flag for found in flags(texts, "english").values() for flag in found}
    assert given <= set(RULES)
    assert {"near-duplicate", "other language", "empty", "garbled"} <= given
