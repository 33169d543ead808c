from __future__ import annotations

import json
from pathlib import Path

import pytest

from strata_rag.corpus.language import PROFILED, detect_language

DECLARATION = {
    "danish": "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og "
    "samvittighed, og de bør handle mod hverandre i en broderskabets ånd.",
    "dutch": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand "
    "en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
    "english": "All human beings are born free and equal in dignity and rights. They are endowed with reason and "
    "conscience and should act towards one another in a spirit of brotherhood.",
    "french": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison "
    "et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "german": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen "
    "begabt und sollen einander im Geiste der Brüderlichkeit begegnen.",
    "italian": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione "
    "e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
    "portuguese": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de "
    "consciência, devem agir uns para com os outros em espírito de fraternidade.",
    "spanish": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón "
    "y conciencia, deben comportarse fraternalmente los unos con los otros.",
    "swedish": "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med förnuft och "
    "samvete och bör handla gentemot varandra i en anda av gemenskap.",
    "chinese": "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。",
    "japanese": "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "korean": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "arabic": "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق.",
    "greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα.",
}
UNKNOWN = {
    "polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni "
    "rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa.",
    "ukrainian": "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і "
    "совістю і повинні діяти у відношенні один до одного в дусі братерства.",
}


@pytest.mark.parametrize("language", DECLARATION)
def test_one_article_of_the_declaration_tells_its_language(language: str) -> None:
    assert detect_language(DECLARATION[language]) == language


@pytest.mark.parametrize("language", UNKNOWN)
def test_a_language_without_a_profile_is_unknown_and_not_another(language: str) -> None:
    assert detect_language(UNKNOWN[language]) is None


@pytest.mark.parametrize("text", ["", "   ", "12 + 3 = 15", "E-0472 ATL-4417/c", "Please read the manual."])
def test_too_little_text_tells_nothing(text: str) -> None:
    assert detect_language(text) is None


def test_names_of_places_are_no_language() -> None:
    assert detect_language("Los Angeles, Las Vegas, El Paso, San Diego, La Jolla, Santa Fe, " * 5) is None


def test_code_is_not_taken_for_a_language() -> None:
    code = "for at in range(10):\n    values[at] = compute(at, other=values)\n" * 20
    assert detect_language(code) in (None, "english")


def test_every_profiled_language_has_stop_words() -> None:
    from strata_rag.index import stop_words

    assert all(len(stop_words(language)) > 50 for language in PROFILED)


@pytest.mark.parametrize(("name", "language"), [("xquad-en", "english"), ("xquad-de", "german")])
def test_paragraphs_of_two_languages_are_told_apart(shared: Path, name: str, language: str) -> None:
    lines = (shared / f"data/beir/{name}/corpus.jsonl").read_text(encoding="utf-8").splitlines()
    found = [detect_language(json.loads(line)["text"]) for line in lines]
    assert found.count(language) >= 0.98 * len(found)
    assert set(found) <= {language, None}
