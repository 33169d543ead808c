"""What of a request a model or server does not take, learned from its refusals."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

from strata_rag.llm.failures import Refusal, failure
from strata_rag.llm.settings import ModelSettings

T = TypeVar("T")

TEMPERATURE = "temperature was not sent: the model refuses it"
SCHEMA = "the schema was asked for in words: the server enforces none"
TOKEN_LIMIT = "the limit of the reply was sent under its other name"
_SCHEMA_WORDS = (
    "response_format", "json_schema", "json schema", "output_config", "output_format", "structured output", "guided",
    "grammar", "chatrequest.format",
)  # fmt: skip
_REFUSING = (400, 404, 415, 422, 500, 501)


class Refused(Exception):
    """A server's refusal, on its way to become an error or another attempt."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class Adaptation:
    """Remembers what was refused, so that each thing is refused once.

    Attributes:
        notes: What is left out or sent otherwise, in the order it was learned.
    """

    def __init__(self) -> None:
        self.notes: tuple[str, ...] = ()
        self._lock = Lock()

    def send(
        self, settings: ModelSettings, attempt: Callable[[tuple[str, ...]], T], *, has_schema: bool
    ) -> tuple[T, tuple[str, ...]]:
        """Return what `attempt` returns and the notes it was made with.

        It is given what to leave out, and called anew while it is refused for something that is not left out yet.
        What is left out is remembered once that helped.

        Raises:
            LLMError: It is refused for anything else.
        """
        notes = self.notes
        while True:
            try:
                reply = attempt(notes)
            except Refused as error:
                note = _reason(error.refusal, has_schema=has_schema)
                if note is None or note in notes:
                    # Not chained: what the server said stands in a traceback too, and some repeat the key.
                    raise failure(settings, error.refusal) from None
                notes = (*notes, note)
            else:
                self._learn(notes)
                return reply, tuple(note for note in notes if note != SCHEMA or has_schema)

    def _learn(self, notes: tuple[str, ...]) -> None:
        with self._lock:
            self.notes += tuple(note for note in notes if note not in self.notes)


def _reason(refusal: Refusal, *, has_schema: bool) -> str | None:
    if refusal.status not in _REFUSING or refusal.kind in ("auth", "quota"):
        return None
    if refusal.mentions("max_tokens", "max_completion_tokens") and refusal.mentions(
        "unsupported", "not supported", "instead", "unrecognized", "unknown", "extra", "not permitted"
    ):
        return TOKEN_LIMIT
    if refusal.mentions("temperature"):
        return TEMPERATURE
    if has_schema and refusal.mentions(*_SCHEMA_WORDS):
        return SCHEMA
    return None
