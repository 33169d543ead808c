"""Conditions under which the paid part of an evaluation is skipped."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from strata_rag.errors import InputError
from strata_rag.evaluation.intervals import Summary
from strata_rag.evaluation.measures import Measure

_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_WRITTEN = re.compile(r"\s*([^\s<>=]+)\s*(<=|>=|<|>)\s*([0-9]*\.?[0-9]+)\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class StopRule:
    """A condition on the mean of a measure that needs no judge, such as ``Hit@5 < 0.5``.

    Attributes:
        measure: What is looked at.
        sign: ``<``, ``<=``, ``>`` or ``>=``.
        limit: From 0 to 1.
    """

    measure: Measure
    sign: str
    limit: float

    def __str__(self) -> str:
        return f"{self.measure} {self.sign} {self.limit:g}"

    @classmethod
    def parse(cls, text: str) -> StopRule:
        """Read ``Hit@5<0.5``; spaces do not matter.

        Raises:
            InputError: It is no condition, or one on a measure that only a judge can give.
        """
        written = _WRITTEN.fullmatch(text)
        if written is None or float(written[3]) > 1:
            raise InputError(
                f"--stop-if: expected a measure, a sign and a limit from 0 to 1, found {text!r}",
                hint="write it like: --stop-if 'Hit@5 < 0.5'",
            )
        measure = Measure.parse(written[1])
        if measure.judged:
            raise InputError(
                f"--stop-if: expected a measure that needs no judge, found {measure}",
                hint="the condition decides whether the judge is asked at all; take Hit@5 or TokenF1",
            )
        return cls(measure, written[2], float(written[3]))

    def stops(self, measures: Mapping[Measure, Summary]) -> str:
        """Return why the paid part is skipped, or an empty string; a mean that is undefined stops too."""
        value = measures[self.measure].value
        if math.isnan(value):
            return f"{self.measure} has no value, and {self} could not be decided"
        return f"{self.measure} is {value:.3f}: {self}" if _OPERATORS[self.sign](value, self.limit) else ""
