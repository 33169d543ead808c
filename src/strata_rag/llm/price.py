"""What a call costs; prices are told, never known here."""

from __future__ import annotations

from dataclasses import dataclass

from strata_rag.llm.completion import Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """US dollars per million tokens.

    Attributes:
        input: For tokens read.
        output: For tokens written.
    """

    input: float
    output: float

    def cost(self, usage: Usage) -> float | None:
        """Return US dollars, or None where the provider did not count."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / _MILLION
