"""Every failure a user can meet, each with its exit code and a hint.

    StrataError                    exit code
    ├── AnswerIsNo                 1   the command ran; the answer is no
    ├── InputError                 2   the files or arguments given are wrong
    │   ├── ConfigError                a config, with every fault found in it
    │   ├── PolicyError                a privacy policy, with every fault found in it
    │   ├── CorpusError                the documents
    │   └── GoldenError                the golden set, with every fault found in it
    ├── Unavailable                3   something needed is missing, busy or unreachable
    │   ├── CollectionError            missing, incomplete, or made by another config
    │   ├── CollectionBusy             another process holds it
    │   ├── ModelUnavailable           weights that no step of the resolution found
    │   ├── ServerUnavailable          no server answers, or it refuses the key
    │   ├── LLMError                   a language model that gave no reply
    │   ├── ExtraMissing               an optional package that is not installed
    │   └── WriteFailed                the disk or the engine refused
    └── NotMeasurable              4   the question could not be decided

A message reads ``where: what was expected, what was found``; the hint says what to do next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal


class StrataError(Exception):
    """Base of every error meant for a user.

    Attributes:
        message: One line, ``where: what was expected, what was found``.
        hint: One line, what to do next.
        exit_code: The process's exit code.
    """

    exit_code = 5

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def lines(self) -> list[str]:
        """What stands after ``error:``, one entry per line."""
        return [self.message]


class AnswerIsNo(StrataError):
    exit_code = 1


class InputError(StrataError):
    exit_code = 2


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a file.

    Attributes:
        where: ``file:line:column`` (1-based), or the origin of a value that stands in no file.
        problem: ``key: what was expected, what was found``.
        hint: What would mend it, or an empty string.
    """

    where: str
    problem: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.problem}"


class _FaultyFile(InputError):
    """An input file with one or more faults, all of them reported together."""

    def __init__(self, faults: Sequence[Fault], *, hint: str) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(map(str, self.faults)), hint=hint)

    @property
    def lines(self) -> list[str]:
        return [str(fault) for fault in self.faults]


class ConfigError(_FaultyFile):
    pass


class PolicyError(_FaultyFile):
    pass


class GoldenError(_FaultyFile):
    pass


class CorpusError(InputError):
    pass


class Unavailable(StrataError):
    exit_code = 3


class CollectionError(Unavailable):
    pass


class CollectionBusy(Unavailable):
    pass


class ModelUnavailable(Unavailable):
    pass


class ServerUnavailable(Unavailable):
    pass


LLMErrorKind = Literal[
    "auth", "quota", "not_found", "bad_request", "rate_limit", "overloaded", "server", "timeout", "connection",
    "budget", "deadline",
]  # fmt: skip
_ENDS_RUN = ("auth", "quota", "not_found", "budget", "deadline")


class LLMError(Unavailable):
    """A call that brought no reply.

    Attributes:
        kind: What went wrong, in one word for all providers.
        retry_after: Seconds that the provider asks to wait before the next call, or None.
    """

    def __init__(
        self, message: str, *, hint: str, kind: LLMErrorKind = "server", retry_after: float | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.kind = kind
        self.retry_after = retry_after

    @property
    def ends_run(self) -> bool:
        """Whether every later call would fail for the same reason."""
        return self.kind in _ENDS_RUN


class ExtraMissing(Unavailable):
    pass


class WriteFailed(Unavailable):
    pass


class NotMeasurable(StrataError):
    exit_code = 4
