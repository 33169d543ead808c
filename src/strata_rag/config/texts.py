"""Texts that a key takes in one form only: measures and gate rules."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from strata_rag.config.section import Expected

MEASURES = ("nDCG", "Recall", "Precision", "Hit", "MRR", "MAP")
_MEASURE = re.compile(rf"(?:{'|'.join(MEASURES)})@[1-9][0-9]*")
_GATE_RULE = re.compile(
    rf"{_MEASURE.pattern} (?:>=|drop <=) (?:0|1|0?\.[0-9]+|1\.0+)(?: for (?:kind|lang|tag) = \S.*)?"
)
GATE_EXAMPLE = "`nDCG@10 >= 0.40` or `nDCG@10 drop <= 0.02`, with `for kind = code` behind it for a slice"


def _check_measure(text: str) -> str:
    if not _MEASURE.fullmatch(text):
        raise ValueError(text)
    return text


def _check_gate_rule(text: str) -> str:
    if not _GATE_RULE.fullmatch(text):
        raise ValueError(text)
    return text


Measure = Annotated[
    str,
    AfterValidator(_check_measure),
    Expected(f"a measure and its cutoff, such as nDCG@10 (one of {', '.join(MEASURES)})"),
]
GateRule = Annotated[
    str,
    AfterValidator(_check_gate_rule),
    Expected(f"a rule with a limit from 0 to 1, such as {GATE_EXAMPLE}"),
]
