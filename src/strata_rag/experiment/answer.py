"""Answering: from hits to numbered passages, and from a config to what answers from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from strata_rag.chunking import HEADING_PATH
from strata_rag.errors import InputError
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.llm import fence_key
from strata_rag.generation import (
    Answer,
    Answerer,
    ContextPassage,
    ExtractiveAnswerer,
    GuardSettings,
    LLMAnswerer,
)
from strata_rag.llm import LLMClient
from strata_rag.retrieval import Hit, Passage, merge_hits

_BYTES_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Context:
    """What an answer is made from.

    Attributes:
        passages: Numbered from 1, in the order of their best hit.
        warnings: What did not fit.
    """

    passages: tuple[ContextPassage, ...]
    warnings: tuple[str, ...]


def build_answerer(
    experiment: Experiment,
    *,
    client: LLMClient | None = None,
    on_text: Callable[[str], None] | None = None,
) -> Answerer:
    """Return what the config's `generation` answers with; safe to call from several threads if its client is.

    Args:
        experiment: The components.
        client: The language model; None makes the config's own.
        on_text: Given each piece of a language model's reply as it arrives.

    Raises:
        InputError: The config names no provider, or one that lacks a key.
    """
    generation = experiment.config.generation
    guards = guard_settings(experiment)
    if generation.provider == "none":
        raise InputError(
            "generation.provider: expected what writes answers, found none",
            hint="add --set generation.provider=extractive for an answer without a language model, or set "
            "generation.provider and generation.model in the config",
        )
    if generation.provider == "extractive":
        return ExtractiveAnswerer(experiment.analyser.counts, guards=guards)
    return LLMAnswerer(
        client or experiment.llm(),
        guards=guards,
        key=fence_key(experiment.workspace),
        on_text=on_text,
        redact=experiment.redacted,
    )


def answer_from_hits(
    experiment: Experiment, answerer: Answerer, question: str, hits: Sequence[Hit]
) -> Answer:
    """Return the answer to `question` from what the hits show, within the config's budget of context."""
    context = build_context(hits, max_tokens=experiment.config.generation.context_tokens)
    answer = answerer.answer(question, context.passages)
    return replace(answer, warnings=(*context.warnings, *answer.warnings))


def guard_settings(experiment: Experiment) -> GuardSettings:
    """Return the config's guards."""
    return GuardSettings(**experiment.config.generation.guards.model_dump())


def build_context(hits: Sequence[Hit], *, max_tokens: int) -> Context:
    """Return the passages that `hits` show, numbered, as far as they fit.

    Args:
        hits: Best first; those that overlap become one passage.
        max_tokens: Budget of their texts, a token taken as four bytes of UTF-8. A passage that does not fit is left
            out; the first is cut instead.
    """
    left = max_tokens * _BYTES_A_TOKEN
    passages: list[ContextPassage] = []
    warnings: list[str] = []
    for number, merged in enumerate(merge_hits(hits), 1):
        passage = _numbered(number, merged)
        if (size := _size(passage.text)) <= left:
            passages.append(passage)
            left -= size
        elif number == 1:
            cut = _cut(passage, left)
            passages.append(cut)
            left = 0
            warnings.append(
                f"passage 1 ({passage.doc_id}) was cut to {len(cut.text)} of its {len(passage.text)} characters: "
                f"generation.context_tokens is {max_tokens}"
            )
        else:
            warnings.append(
                f"passage {number} ({passage.doc_id}) was left out: it does not fit into generation.context_tokens "
                f"{max_tokens}"
            )
    return Context(tuple(passages), tuple(warnings))


def _numbered(number: int, merged: Passage) -> ContextPassage:
    best = merged.hits[0]
    page = best.payload.get("page")
    section = best.payload.get("section") or best.payload.get(HEADING_PATH) or ""
    return ContextPassage(
        number=number,
        chunk_id=best.chunk_id,
        doc_id=merged.doc_id,
        start=merged.start,
        end=merged.end,
        text=merged.text,
        title=str(best.payload.get("title", "")),
        page=page if isinstance(page, int) and not isinstance(page, bool) else None,
        section=str(section),
    )


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _cut(passage: ContextPassage, size: int) -> ContextPassage:
    """Return the beginning of a passage in at most `size` bytes, ended at white space where there is some."""
    text = passage.text.encode("utf-8", "surrogatepass")[:size].decode("utf-8", "ignore")
    words = text.rstrip()
    if words == text and passage.text[len(text) : len(text) + 1].strip():
        words = words.rpartition(" ")[0].rstrip() or words
    return replace(passage, text=words, end=passage.start + len(words))
