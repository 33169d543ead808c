"""From the privacy keys to a redactor, and a source whose documents come out redacted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from strata_rag.config import Privacy
from strata_rag.corpus import FileOutcome, NotedSource, SourceAdapter
from strata_rag.documents import SourceDocument
from strata_rag.errors import InputError, StrataError, Unavailable
from strata_rag.experiment.privacy_parts import moved_pages, moved_records, moved_sections
from strata_rag.experiment.workspace import Workspace
from strata_rag.privacy import (
    Detector,
    Policy,
    PresidioDetector,
    Redacted,
    Redactor,
    RegexDetector,
    SecretScanner,
    default_policy,
    load_policy,
)

_BATCH = 32


def build_redactor(privacy: Privacy, workspace: Workspace) -> Redactor:
    """Return the redactor that the config asks for.

    Raises:
        PolicyError: The policy file has faults.
        InputError: The policy is neither `default` nor a path.
        Unavailable: The variable that holds the key of its pseudonyms is not set.
    """
    policy = read_policy(privacy)
    return Redactor(
        detector=build_detector(privacy, privacy.detector),
        policy=policy,
        secrets=SecretScanner() if privacy.secrets else None,
        threshold=privacy.threshold,
        key=_pseudonym_key(policy, workspace),
    )


def build_detector(privacy: Privacy, name: str) -> Detector:
    """Return the detector called `name`, with the config's settings for it.

    Raises:
        ExtraMissing: It needs a package or model that is not installed.
    """
    if name == "presidio":
        return PresidioDetector(
            spacy_model=privacy.spacy_model,
            entities=privacy.presidio.entities,
            languages=privacy.presidio.languages,
        )
    return RegexDetector(
        entities=[entity for key, entity in _SWITCHES.items() if getattr(privacy.regex, key)],
        phone_regions=privacy.regex.phone_regions,
    )


_SWITCHES = {
    "email": "EMAIL_ADDRESS",
    "phone": "PHONE_NUMBER",
    "iban": "IBAN_CODE",
    "card": "CREDIT_CARD",
    "ip": "IP_ADDRESS",
    "url_credentials": "URL_CREDENTIALS",
}


def said_privacy(privacy: Privacy, workspace: Workspace) -> Mapping[str, Any]:
    """Return the keys that stand in a collection's identity: not those at their default, nor of another detector."""
    others = {"regex"} if privacy.detector == "presidio" else {"presidio", "spacy_model"}
    said = privacy.model_dump(mode="json", exclude_defaults=True, exclude=others)
    if "policy" in said:
        said["policy"] = workspace.place(Path(privacy.policy))
    return said


def read_policy(privacy: Privacy) -> Policy:
    """Return the policy that the config names."""
    if privacy.policy == "default":
        return default_policy()
    if not Path(privacy.policy).is_absolute():
        raise InputError(
            f"privacy.policy: expected `default` or a path that starts with ./, ../, / or ~; found {privacy.policy!r}",
            hint=f"write privacy.policy: ./{privacy.policy}",
        )
    return load_policy(Path(privacy.policy))


def _pseudonym_key(policy: Policy, workspace: Workspace) -> bytes:
    if policy.pseudonyms is None:
        return b""
    variable = policy.pseudonyms.key_env
    key = workspace.environ.get(variable, "")
    if not key:
        raise Unavailable(
            f"pseudonyms.key_env: expected the variable {variable} to hold a key, found it unset or empty",
            hint=f"set {variable} to a long random text, or take pseudonyms out of the policy",
        )
    return key.encode()


class RedactingSource:
    """A source whose documents, file names, warnings and errors come out redacted.

    Args:
        source: Where the documents come from.
        redactor: Redacts them.
        limit: Documents past it keep only their id, since nothing else of them is used.
    """

    def __init__(self, source: SourceAdapter, redactor: Redactor, *, limit: int | None = None) -> None:
        self._source = source
        self._redactor = redactor
        self._limit = limit
        self._shown: dict[str, str] = {}
        self._small: dict[tuple[str, str], Redacted] = {}

    def discover(self) -> Iterator[SourceDocument]:
        self._shown.clear()
        seen = 0
        documents = self._documents()
        while batch := list(islice(documents, _BATCH)):
            left = len(batch) if self._limit is None else max(self._limit - seen, 0)
            whole = [
                document if at < left else replace(document, text="", pages=(), sections=(), records=())
                for at, document in enumerate(batch)
            ]
            yield from self._redacted(whole)
            seen += len(batch)

    @property
    def outcomes(self) -> Sequence[FileOutcome]:
        """Each file once, as it may be shown."""
        shown = [
            replace(
                outcome,
                path=self._id(outcome.path),
                reason=self._line(outcome.reason, outcome.path),
                doc_ids=tuple(map(self._id, outcome.doc_ids)),
                warnings=tuple(self._line(warning, outcome.path) for warning in outcome.warnings),
            )
            for outcome in self._source.outcomes
        ]
        return sorted(shown, key=lambda outcome: outcome.path)

    @property
    def notes(self) -> Sequence[str]:
        """What the source says of the corpus as a whole, as it may be shown."""
        notes = self._source.notes if isinstance(self._source, NotedSource) else ()
        return [self._line(note, "") for note in notes]

    def _documents(self) -> Iterator[SourceDocument]:
        try:
            yield from self._source.discover()
        except StrataError as error:
            raise type(error)(self._line(error.message, ""), hint=self._line(error.hint, "")) from None

    def _redacted(self, batch: Sequence[SourceDocument]) -> Iterator[SourceDocument]:
        paths = [document.doc_id for document in batch]
        texts = self._redactor.redact_many([document.text for document in batch], documents=paths)
        for document, text in zip(batch, texts, strict=True):
            path = document.doc_id
            title = self._short(document.title, path)
            metadata = {
                key: self._short(value, path)
                for key, value in document.metadata.items()
                if isinstance(value, str)
            }
            redact = partial(self._short, path=path)
            parts = [text, title, self._short(path, path), *metadata.values()]
            yield replace(
                document,
                doc_id=self._id(path),
                text=text.text,
                title=title.text,
                source=self._line(document.source, path),
                project=self._line(document.project, path),
                family=self._line(document.family, path),
                pages=moved_pages(document, text),
                sections=moved_sections(document, text, redact),
                records=moved_records(document, text, redact),
                metadata={**document.metadata, **{key: value.text for key, value in metadata.items()}},
                redactions=sum(part.redactions for part in parts),
                secrets=sum(part.secrets for part in parts),
            )

    def _id(self, path: str) -> str:
        """Return a path as it is shown; two that look alike once redacted are told apart by a number."""
        if path not in self._shown:
            plain = shown = self._line(path, path)
            taken = set(self._shown.values()) if plain != path else set()
            number = 2
            while shown in taken:
                shown, number = f"{plain}~{number}", number + 1
            self._shown[path] = shown
        return self._shown[path]

    def _line(self, text: str, path: str) -> str:
        return self._short(text, path).text

    def _short(self, text: str, path: str) -> Redacted:
        if not text:
            return Redacted("", 0, 0, ())
        if (text, path) not in self._small:
            self._small[text, path] = self._redactor.redact(text, document=path)
        return self._small[text, path]
