"""An answer with its citations, for people and as JSON."""

from __future__ import annotations

import shutil
import textwrap
from typing import Any

from strata_rag.generation import Answer, ContextPassage, PassageFinding
from strata_rag.report.visible import visible

_EXCERPT = 160
_FINDINGS_SHOWN = 10


class StreamPrinter:
    """Prints an answer's pieces as they arrive, made safe for a terminal.

    Attributes:
        text: What has arrived, as it came.
    """

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, piece: str) -> None:
        """Print one piece."""
        self.text += piece
        print(visible(piece), end="", flush=True)

    def end(self) -> None:
        """End the line, for what comes after a reply that broke off."""
        if self.text and not self.text.endswith("\n"):
            print(flush=True)


def print_answer(answer: Answer, *, streamed: str = "") -> None:
    """Print the answer, what it cites, and what a reader should know of how it came about.

    Args:
        answer: The answer.
        streamed: What stands on the terminal already; printed again where the answer is another text.
    """
    if streamed:
        print()
    if streamed.strip() != answer.text or not streamed:
        _print_text(answer.text)
    if answer.status != "answered":
        print(f"\n{answer.status.replace('_', ' ')}: {visible(answer.reason)}")
    _print_sources(answer)
    print(f"\n{_summary(answer)}")
    for warning in answer.warnings:
        print(f"warning: {visible(warning)}")
    _print_findings(answer)


def answer_document(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON values."""
    completion = answer.completion
    return {
        "text": answer.text,
        "status": answer.status,
        "reason": answer.reason,
        "citations": [
            {"number": cited.number, "at": list(cited.at), **_passage(cited.passage)}
            for cited in answer.citations
        ],
        "unresolved": list(answer.unresolved),
        "lookalikes": [
            {"kind": one.kind, "at": list(one.at), "text": answer.text[slice(*one.at)]}
            for one in answer.lookalikes
        ],
        "sentences": answer.sentences,
        "uncited": answer.uncited,
        "passages": [{"number": passage.number, **_passage(passage)} for passage in answer.passages],
        "quarantined": [{"number": passage.number, **_passage(passage)} for passage in answer.quarantined],
        "findings": [_finding(found) for found in answer.findings],
        "guards": list(answer.guards),
        "warnings": list(answer.warnings),
        "prompt": answer.prompt,
        "usage": None
        if completion is None
        else {"input_tokens": completion.usage.input_tokens, "output_tokens": completion.usage.output_tokens},
        "cost": None if completion is None else completion.cost,
        "latency_ms": None if completion is None else completion.latency_ms,
        "stop_reason": None if completion is None else completion.stop_reason,
        "request_id": None if completion is None else completion.request_id,
        "cached": None if completion is None else completion.cached,
    }


def _passage(passage: ContextPassage) -> dict[str, Any]:
    return {
        "chunk_id": passage.chunk_id,
        "doc_id": passage.doc_id,
        "title": passage.title,
        "page": passage.page,
        "section": passage.section,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
    }


def _finding(found: PassageFinding) -> dict[str, Any]:
    finding = found.finding
    return {
        "number": found.number,
        "doc_id": found.doc_id,
        "kind": finding.kind,
        "sort": finding.sort,
        "severity": finding.severity,
        "start": finding.start,
        "end": finding.end,
        "text": finding.text,
    }


def _print_text(text: str) -> None:
    width = min(shutil.get_terminal_size((100, 24)).columns, 100)
    for line in visible(text).splitlines():
        print(textwrap.fill(line, max(width, 20), break_long_words=False, break_on_hyphens=False))


def _print_sources(answer: Answer) -> None:
    cited = {citation.number: citation.passage for citation in answer.citations}
    if cited:
        print("\nsources")
    for number, passage in sorted(cited.items()):
        print(f"[{number}] {visible(_place(passage))}")
        print(f"    {visible(_excerpt(passage.text))}")


def _place(passage: ContextPassage) -> str:
    parts = [passage.doc_id]
    if passage.page is not None:
        parts.append(f"page {passage.page}")
    if passage.section:
        parts.append(passage.section)
    return f"{', '.join(parts)}, characters {passage.start}-{passage.end}"


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else f"{line[:_EXCERPT]} ..."


def _summary(answer: Answer) -> str:
    """Return the counts of an answer in one line."""
    parts = []
    if answer.status == "answered":
        parts.append(f"{_count(answer.sentences, 'sentence')}, {answer.uncited} without a citation")
    if answer.unresolved:
        parts.append(f"{_count(len(answer.unresolved), 'cited number')} that no passage has")
    read = f"{_count(len(answer.passages), 'passage')} read"
    held = f", {len(answer.quarantined)} held back" if answer.quarantined else ""
    parts += [read + held, f"guards: {', '.join(answer.guards) or 'none'}"]
    return "; ".join([*parts, *_spent(answer)])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _spent(answer: Answer) -> list[str]:
    completion = answer.completion
    if completion is None:
        return ["no language model was asked"]
    if completion.cached:
        return ["from the cache, nothing was paid"]
    usage = completion.usage
    tokens = (
        []
        if usage.input_tokens is None
        else [f"{usage.input_tokens} tokens read, {usage.output_tokens} written"]
    )
    cost = "cost unknown" if completion.cost is None else f"{completion.cost:.6f} US dollars"
    return [*tokens, cost, f"{completion.latency_ms / 1000:.1f} s"]


def _print_findings(answer: Answer) -> None:
    held = {passage.number for passage in answer.quarantined}
    read = [found for found in answer.findings if found.number not in held]
    for found in read[:_FINDINGS_SHOWN]:
        finding = found.finding
        print(
            f"scan: passage {found.number} ({visible(found.doc_id)}) was read, {finding.severity}: {finding.kind}, "
            f"{visible(repr(finding.text))}"
        )
    if len(read) > _FINDINGS_SHOWN:
        print(f"scan: {len(read) - _FINDINGS_SHOWN} more; all are in --json")
