"""Signs that a chunk will be of little use: too short, said already, too long for the model, mostly boilerplate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from strata_rag.chunking.likeness import near_duplicates
from strata_rag.chunking.repetition import boilerplate_share, repeated_lines
from strata_rag.documents import Chunk, SourceDocument

TOO_SHORT = "too short"
NEAR_DUPLICATE = "near-duplicate"
OVER_LIMIT = "over the model's limit"
BOILERPLATE = "mostly boilerplate"
FLAGS = (TOO_SHORT, NEAR_DUPLICATE, OVER_LIMIT, BOILERPLATE)

_FEWEST_LETTERS = 40


def quality_flags(
    documents: Iterable[SourceDocument],
    chunks: Mapping[str, Sequence[Chunk]],
    tokens: Mapping[str, int],
    limit: int | None,
) -> dict[str, tuple[str, ...]]:
    """Return the flags of each chunk by its id, in the order of `FLAGS`.

    A chunk is too short below 40 letters and digits; a near-duplicate of an earlier one if 80 % of their
    five-word runs agree; mostly boilerplate if more than half of its characters stand in lines that three or
    more documents have.

    Args:
        documents: Every document.
        chunks: By document id.
        tokens: By chunk id; empty where no tokenizer was at hand.
        limit: Most tokens the model reads, or None.
    """
    texts = {document.doc_id: document.text for document in documents}
    units = {
        chunk.chunk_id: texts[chunk.doc_id][chunk.start : chunk.end]
        for each in chunks.values()
        for chunk in each
    }
    repeated = repeated_lines(texts.values())
    duplicates = near_duplicates(units)
    return {
        chunk_id: tuple(
            flag
            for flag, holds in (
                (TOO_SHORT, sum(map(str.isalnum, text[:1000])) < _FEWEST_LETTERS),
                (NEAR_DUPLICATE, chunk_id in duplicates),
                (OVER_LIMIT, limit is not None and tokens.get(chunk_id, 0) > limit),
                (BOILERPLATE, boilerplate_share(text, repeated) > 0.5),
            )
            if holds
        )
        for chunk_id, text in units.items()
    }
