"""Golden questions drafted by a language model, each anchored in words that stand in its document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strata_rag.errors import LLMError
from strata_rag.evaluation.golden import Evidence, Question
from strata_rag.evaluation.judge.json_text import find_objects
from strata_rag.generation import read_prompt
from strata_rag.llm import LLMClient, Message, Request, fence_marker

_SHORTEST = 200  # characters; shorter chunks seldom answer anything
_FEWEST_WORDS = 3
_KEYS = ("question", "answer", "quote")
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {key: {"type": "string"} for key in _KEYS},
    "required": list(_KEYS),
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class SourcePassage:
    """A stored chunk that a question may be drafted from.

    Attributes:
        chunk_id: Its id.
        doc_id: Its document.
        text: What it shows.
    """

    chunk_id: str
    doc_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Draft:
    """What came of one passage.

    Attributes:
        question: The question, not reviewed; None where there is none.
        reason: Why there is none, or an empty string.
    """

    question: Question | None
    reason: str = ""


def draw_passages(passages: Sequence[SourcePassage], *, size: int, seed: int) -> list[SourcePassage]:
    """Draw passages that are long enough to ask about, from as many documents as there are.

    Args:
        passages: All there are.
        size: How many, at most.
        seed: The same seed draws the same.
    """
    able = sorted((one for one in passages if len(one.text) >= _SHORTEST), key=lambda one: one.chunk_id)
    rng = np.random.Generator(np.random.PCG64(seed))
    seen: Counter[str] = Counter()
    turns: list[tuple[int, int, SourcePassage]] = []
    for place in rng.permutation(len(able)):
        turns.append((seen[able[place].doc_id], len(turns), able[place]))
        seen[able[place].doc_id] += 1
    return [passage for _, _, passage in sorted(turns, key=lambda turn: turn[:2])[:size]]


def draft_request(passage: SourcePassage, *, key: bytes) -> Request:
    """Return what is asked about a passage."""
    marker = fence_marker(key, [passage.text])
    material = f"The marker is {marker}.\n[{marker} passage]\n{passage.text}\n[{marker} end]"
    system = read_prompt("golden-draft", package="strata_rag.evaluation.draft_prompts").parts["system"]
    return Request((Message("system", system), Message("user", material)), _SCHEMA)


def draft_question(client: LLMClient, passage: SourcePassage, *, key: bytes) -> Draft:
    """Draft one question; the quote must stand in the passage.

    Raises:
        LLMError: An error that every later call would meet as well.
    """
    request = draft_request(passage, key=key)
    try:
        completion = client.complete(request.messages, schema=request.schema)
    except LLMError as error:
        if error.ends_run:
            raise
        return Draft(None, error.message)
    if completion.status != "complete":
        return Draft(None, f"the reply is {completion.status.replace('_', ' ')}")
    found = next((one for one in find_objects(completion.text) if "question" in one), None)
    if found is None or not all(isinstance(found.get(name), str) for name in _KEYS):
        return Draft(None, "the reply is not of the form asked for")
    asked, answer, quote = (" ".join(found[name].split()) for name in _KEYS)
    if not asked or not quote:
        return Draft(None, "the model found nothing worth asking")
    if len(quote.split()) < _FEWEST_WORDS or quote not in " ".join(passage.text.split()):
        return Draft(None, "the quote does not stand in the passage")
    return Draft(
        Question(
            id=f"draft-{passage.chunk_id}",
            text=asked,
            reference_answer=answer or None,
            evidence=(Evidence(passage.doc_id, quote=quote),),
            reviewed=False,
        )
    )
