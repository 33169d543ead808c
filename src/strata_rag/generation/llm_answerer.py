"""Answers by a language model, held to the passages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from strata_rag.errors import LLMError
from strata_rag.generation.admission import Admission, GuardSettings, admit
from strata_rag.generation.answer import REFUSAL, Answer, AnswerStatus, Citation, ContextPassage, Lookalike
from strata_rag.generation.citations import CitedText, read_citations
from strata_rag.generation.fence import fence_label, fenced, plain, request_marker
from strata_rag.generation.guards.output import check_output
from strata_rag.generation.prompt import Prompt, read_prompt
from strata_rag.llm import Completion, LLMClient, Message

_NO_ANSWER: dict[str, tuple[AnswerStatus, str]] = {
    "truncated": ("truncated", "the reply was cut off at its longest"),
    "empty": ("empty", "the model replied with nothing"),
    "refused": ("filtered", "the model declined to reply"),
    "filtered": ("filtered", "the provider held the reply back"),
    "prompt_cut": ("prompt_cut", "the provider cut the prompt, so that the model has not read all of it"),
}
_LETTERS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Request:
    """What is sent for one question.

    Attributes:
        messages: The conversation.
        marker: The fences' marker, or an empty string.
        rules: Every part that instructs the model.
    """

    messages: tuple[Message, ...]
    marker: str
    rules: str


class LLMAnswerer:
    """Asks a model to answer from the passages, with citations or the fixed refusal.

    Args:
        client: The model.
        guards: Which guards run.
        key: Random bytes that markers are derived from; stay the same as long as a cache should know requests again.
        prompt: The instructions; None takes those of the package.
        on_text: Given each piece of the reply as it arrives.
        redact: Makes a question fit to be sent.
    """

    def __init__(
        self,
        client: LLMClient,
        *,
        guards: GuardSettings,
        key: bytes,
        prompt: Prompt | None = None,
        on_text: Callable[[str], None] | None = None,
        redact: Callable[[str], str] = str,
    ) -> None:
        self._client = client
        self._guards = guards
        self._key = key
        self._prompt = prompt or read_prompt("answer")
        self._on_text = on_text
        self._redact = redact

    def answer(self, question: str, passages: tuple[ContextPassage, ...]) -> Answer:
        """Return the model's answer, checked; without a passage the refusal, and no model is asked.

        Raises:
            LLMError: The model can't be reached, now or by any later call. Another failure is the status ``failed``.
        """
        admission = admit(passages, self._guards)
        if not admission.passages:
            return admission.no_context(question)
        asked = self._redact(question)
        request = self.request(asked, admission.passages)
        try:
            completion = self._client.complete(request.messages, on_text=self._on_text)
        except LLMError as error:
            if error.ends_run:
                raise
            failed = admission.answer(question, "", "failed", reason=error.message)
            return replace(failed, prompt=self._prompt.id, hint=error.hint)
        answer = read_reply(question, completion, admission)
        redacted = (
            ("personal data was taken out of the question before it was sent",) if asked != question else ()
        )
        answer = replace(answer, warnings=(*answer.warnings, *redacted, *completion.notes))
        return replace(self._checked(answer, request), prompt=self._prompt.id, completion=completion)

    def request(self, question: str, passages: tuple[ContextPassage, ...]) -> Request:
        """Return what is sent: rules first, the fenced passages, the question, and the rules once more."""
        spotlight, order = self._guards.spotlight, self._guards.order
        marker = request_marker(self._key, question, passages) if spotlight else ""
        rules = self._prompt.fill("rules", refusal=REFUSAL)
        fence = self._prompt.fill("fence", marker=marker) if marker else ""
        reminder = self._prompt.fill("reminder", refusal=REFUSAL)
        asked = self._prompt.fill("question", question=question)
        given = fenced(passages, marker) if marker else plain(passages)
        instructions = "\n\n".join(filter(None, [rules, fence]))
        if order:
            body = "\n\n".join([given, asked, reminder])
            messages = [Message("system", instructions), Message("user", body)]
        else:
            messages = [Message("user", "\n\n".join([instructions, asked, given]))]
        return Request(tuple(messages), marker, "\n".join([instructions, reminder]))

    def _checked(self, answer: Answer, request: Request) -> Answer:
        """Return the answer with what the output check found, and the names of all guards that ran."""
        switched = {
            "spotlight": self._guards.spotlight,
            "order": self._guards.order,
            "output": self._guards.output,
        }
        answer = replace(answer, guards=(*answer.guards, *(name for name, on in switched.items() if on)))
        if not self._guards.output or not answer.text:
            return answer
        context = [
            answer.question,
            *(part for passage in answer.passages for part in (fence_label(passage), passage.text)),
        ]
        check = check_output(
            answer.text,
            context=context,
            rules=request.rules,
            marker=request.marker,
            allowed=REFUSAL,
            unresolved=answer.unresolved,
        )
        answer = replace(answer, warnings=(*answer.warnings, *check.warnings))
        if not check.leak or answer.status != "answered":
            return answer
        return replace(answer, status="filtered", reason=f"the reply gave away {check.leak}")


def read_reply(question: str, completion: Completion, admission: Admission) -> Answer:
    """Return what a reply amounts to: an answer with its citations, the refusal, or why it is neither."""
    text = completion.text.strip()
    cited = read_citations(text, {passage.number for passage in admission.passages})
    status, reason = _NO_ANSWER.get(completion.status, ("answered", ""))
    if status == "answered" and not any(map(str.isalnum, text)):
        status, reason = _NO_ANSWER["empty"]
    if completion.status == "refused" and completion.stop_reason:
        reason += f" ({completion.stop_reason})"
    if status == "answered" and (refusal := _refusal(text, cited)):
        base = admission.answer(question, REFUSAL, "refused", sentences=1, uncited=0, reason=refusal)
        further = refusal != _SAID_SO
        warning = (f"the reply refuses and goes on without a citation: {text!r}",) if further else ()
        return replace(base, warnings=(*base.warnings, *warning))
    passages = {passage.number: passage for passage in admission.passages}
    answer = admission.answer(
        question,
        text,
        status,
        citations=tuple(Citation(number, passages[number], at) for number, at in cited.citations),
        sentences=len(cited.sentences),
        uncited=len(cited.uncited),
        reason=reason,
    )
    warnings = answer.warnings
    if status == "answered" and not answer.citations:
        warnings = (*warnings, "the answer cites no passage")
    if status == "answered" and _refuses(text, cited):
        warnings = (*warnings, "the answer also says that the passages do not answer")
    lookalikes = tuple(
        Lookalike(mark.kind, (mark.start, mark.end)) for mark in cited.marks if mark.kind != "citation"
    )
    return replace(answer, unresolved=cited.unresolved, lookalikes=lookalikes, warnings=warnings)


_SAID_SO = "the model found no answer in the passages"


def _refusal(text: str, cited: CitedText) -> str:
    """Return why a reply counts as the refusal, or an empty string.

    It is one where the sentence stands alone, whatever quotes, marks or emphasis surround it, and where nothing that
    stands beside it cites a passage.
    """
    if not _refuses(text, cited):
        return ""
    if len(cited.sentences) == 1:
        return _SAID_SO
    others = [span for span in cited.sentences if _letters(text, span) != _REFUSAL_LETTERS]
    supported = [span for span in others if span not in cited.uncited]
    return "" if supported else "the model found no answer in the passages, and wrote more than that"


def _refuses(text: str, cited: CitedText) -> bool:
    return any(_letters(text, span) == _REFUSAL_LETTERS for span in cited.sentences)


def _letters(text: str, span: tuple[int, int]) -> list[str]:
    """Return the words of a sentence, numbers left out."""
    return [word.lower() for word in _LETTERS.findall(text[span[0] : span[1]]) if not word.isdigit()]


_REFUSAL_LETTERS = _letters(REFUSAL, (0, len(REFUSAL)))
