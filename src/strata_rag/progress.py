"""How long work reports its progress without knowing who shows it."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Shows phases of work; a phase ends when the next one starts or on ``close``."""

    def phase(self, name: str, total: int | None = None) -> None:
        """Start a phase of `total` steps, or of unknown length."""

    def advance(self, steps: int = 1) -> None:
        """Count `steps` as done in the current phase."""

    def close(self) -> None:
        """End the last phase."""


class Silent:
    """A `Progress` that shows nothing."""

    def phase(self, name: str, total: int | None = None) -> None:
        pass

    def advance(self, steps: int = 1) -> None:
        pass

    def close(self) -> None:
        pass
