"""What a run may spend on language models, and what it has spent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Condition

from strata_rag.errors import LLMError
from strata_rag.llm.client import LLMClient, Schema
from strata_rag.llm.completion import Completion, LLMInfo, Message, Usage
from strata_rag.llm.price import TokenPrice
from strata_rag.llm.tokens import most_tokens


@dataclass(frozen=True, slots=True)
class Spent:
    """What language models were used for.

    Attributes:
        calls: Calls that were sent, each counted once however often it was tried again.
        cached: Replies that came from the cache.
        input_tokens: Tokens read, as far as the provider counts.
        output_tokens: Tokens written, likewise.
        cost: In US dollars; None where a call's cost is not known.
        uncosted: Calls whose cost is not known.
    """

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    uncosted: int = 0


class Budget:
    """Counts what is spent, and refuses the call that would go over; one for all models of a run.

    Args:
        max_cost: Most US dollars. A call counts for the most it can cost until its reply tells what it did.
        max_calls: Most calls; replies from the cache are free.
    """

    def __init__(self, *, max_cost: float | None = None, max_calls: int | None = None) -> None:
        self.max_cost = max_cost
        self.max_calls = max_calls
        self._changed = Condition()
        self._in_flight = 0
        self._calls = self._cached = self._input = self._output = self._uncosted = 0
        self._known = 0.0
        self._held = 0.0

    @property
    def spent(self) -> Spent:
        with self._changed:
            cost = None if self._uncosted else self._known
            return Spent(self._calls, self._cached, self._input, self._output, cost, self._uncosted)

    def reserve(self, at_most: float | None) -> None:
        """Hold what the next call can cost; wait for calls in flight where their true cost may leave room for it.

        Args:
            at_most: US dollars, or None where the price is not known.

        Raises:
            LLMError: The call would go over the budget; it must not be made.
        """
        with self._changed:
            if self.max_calls is not None and self._calls >= self.max_calls:
                raise _exceeded(f"at most {self.max_calls} calls", f"{self._calls} made", "--max-calls")
            if self.max_cost is not None:
                self._require_room(self.max_cost, at_most)
            self._calls += 1
            self._in_flight += 1
            self._held += at_most or 0.0

    def _require_room(self, max_cost: float, at_most: float | None) -> None:
        if at_most is None:
            raise _exceeded(f"at most ${max_cost:g}", "a model whose price is not known", "--max-cost")
        self._changed.wait_for(lambda: self._known + self._held + at_most <= max_cost or self._in_flight == 0)
        if self._known + self._held + at_most > max_cost:
            found = f"${self._known + self._held:.4f} spent, and up to ${at_most:.4f} for the next call"
            raise _exceeded(f"at most ${max_cost:g}", found, "--max-cost")

    def settle(self, at_most: float | None, *, usage: Usage | None, cost: float | None) -> None:
        """Book what a call did cost in place of what was held for it; `usage` None: it failed and cost nothing."""
        with self._changed:
            self._in_flight -= 1
            self._held -= at_most or 0.0
            self._changed.notify_all()
            if usage is None:
                return
            self._input += usage.input_tokens or 0
            self._output += usage.output_tokens or 0
            if cost is None:
                self._uncosted += 1
                self._held += at_most or 0.0  # may have been spent: it stays held
            else:
                self._known += cost

    def count_cached(self) -> None:
        """Count a reply that came from the cache."""
        with self._changed:
            self._cached += 1


def _exceeded(expected: str, found: str, flag: str) -> LLMError:
    return LLMError(
        f"budget: expected {expected}, found {found}; the run stops here",
        hint=f"what was answered is kept: run again with a higher {flag} to continue",
        kind="budget",
    )


class BudgetedClient:
    """Asks the budget before every call.

    Args:
        client: Makes the call.
        budget: What may be spent.
        price: Of the model's tokens; None: unknown.
        max_tokens: Most tokens of a reply.
    """

    def __init__(
        self, client: LLMClient, budget: Budget, *, price: TokenPrice | None, max_tokens: int
    ) -> None:
        self._client = client
        self._budget = budget
        self._price = price
        self._max_tokens = max_tokens

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Schema | None = None,
        repetition: int = 0,
        on_text: Callable[[str], None] | None = None,
    ) -> Completion:
        most = Usage(most_tokens(messages), self._max_tokens)
        at_most = self._price.cost(most) if self._price else None
        self._budget.reserve(at_most)
        try:
            completion = self._client.complete(
                messages, schema=schema, repetition=repetition, on_text=on_text
            )
        except LLMError as error:
            # A call that timed out may be on the bill; one that was refused is not.
            billed = Usage() if error.kind in ("timeout", "connection") else None
            self._budget.settle(at_most, usage=billed, cost=None)
            raise
        except BaseException:
            self._budget.settle(at_most, usage=Usage(), cost=None)
            raise
        self._budget.settle(at_most, usage=completion.usage, cost=completion.cost)
        return completion

    def describe(self) -> LLMInfo:
        return self._client.describe()
