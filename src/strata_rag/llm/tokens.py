"""How many tokens a text has, roughly and without any provider's tokenizer."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from strata_rag.llm.completion import Message

_SPACES = re.compile(r"\s+")
_ASCII_PER_TOKEN = 4.0
_OTHERS_PER_TOKEN = 1.5
_PER_MESSAGE = 4
_AMPLE = 1.5
_MARGIN = 256
_FEWEST_CUT = 500
"""Windows are larger: what is missing of a shorter prompt was not cut by one."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens `text` has: four ASCII characters each, other characters three for two."""
    squeezed = _SPACES.sub(" ", text)
    plain = len(squeezed) if squeezed.isascii() else len(squeezed.encode("ascii", "ignore"))
    return math.ceil(plain / _ASCII_PER_TOKEN + (len(squeezed) - plain) / _OTHERS_PER_TOKEN)


def estimate_prompt(messages: Sequence[Message]) -> int:
    """Return about how many tokens a conversation has, with what frames its turns."""
    return sum(estimate_tokens(message.content) + _PER_MESSAGE for message in messages)


def ample(tokens: int) -> int:
    """Return more tokens than an estimate of `tokens` should ever fall short of."""
    return math.ceil(tokens * _AMPLE) + _MARGIN


def most_tokens(messages: Sequence[Message]) -> int:
    """Return more tokens than a conversation has in any common tokenizer: one for two bytes of UTF-8."""
    sizes = (len(message.content.encode("utf-8", "surrogatepass")) for message in messages)
    return sum(math.ceil(size / 2) + _PER_MESSAGE for size in sizes)


def prompt_was_cut(messages: Sequence[Message], read: int | None, *, window: int | None = None) -> bool:
    """Tell whether a server read far less than it was sent: under half of the estimate, or just a full window.

    Args:
        messages: What was sent.
        read: Tokens that the server says it read; None or 0 where it does not say.
        window: Size of its context window in tokens, where known.
    """
    if not read:
        return False
    if window is not None and read >= window - 1:
        return True
    if 2 * read >= _most_estimated(messages):
        return False
    sent = estimate_prompt(messages)
    return 2 * read < sent and sent - read > _FEWEST_CUT


def _most_estimated(messages: Sequence[Message]) -> float:
    """Return what no estimate exceeds, without a look at every character of an ASCII text."""
    return sum(
        len(message.content) / (_ASCII_PER_TOKEN if message.content.isascii() else _OTHERS_PER_TOKEN)
        + 1
        + _PER_MESSAGE
        for message in messages
    )
