"""Passages that tests answer from."""

from __future__ import annotations

from strata_rag.generation import ContextPassage

PUMP = "The red pump stands in hall four. It is oiled every month with grade 46 oil."
VALVE = "A blue valve closes the outlet. The valve opens at 9 bar."


def passage(number: int, text: str, doc_id: str = "", **fields: object) -> ContextPassage:
    """Return a passage that is the whole of its document."""
    doc_id = doc_id or f"doc{number}.md"
    return ContextPassage(
        number,
        f"{doc_id}#0-{len(text)}",
        doc_id,
        0,
        len(text),
        text,
        **fields,  # type: ignore[arg-type]
    )


def passages(*texts: str) -> tuple[ContextPassage, ...]:
    """Return passages numbered from 1."""
    return tuple(passage(number, text) for number, text in enumerate(texts, 1))


def tagged(text: str) -> str:
    """Return ASCII as tag characters, which show nothing."""
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)
