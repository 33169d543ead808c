"""Texts that a key takes in one form only: measures and gate rules."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from strata_rag.config.section import Expected

MEASURES = ("nDCG", "Recall", "Precision", "Hit", "MRR", "MAP")
ANSWER_MEASURES = (
    "Faithfulness", "AnswerRelevance", "ContextPrecision", "ContextRecall", "Passed", "ExactMatch", "TokenF1",
    "ROUGE-L", "EmbeddingSimilarity", "Facts", "CitationPrecision", "CitationRecall", "Refused", "Answered",
)  # fmt: skip
_MEASURE = re.compile(rf"(?:{'|'.join(MEASURES)})@[1-9][0-9]*")
_ANSWERS = "|".join("[-_]?".join(re.findall("ROUGE|[A-Z][a-z]+|F1|L", name)) for name in ANSWER_MEASURES)
_GATE_RULE = re.compile(
    rf"\s*(?:{_MEASURE.pattern}|(?i:{_ANSWERS}))(?:\s*>=\s*|\s+drop\s*<=\s*)(?:0|1|0?\.[0-9]+|1\.0+|0\.0*)"
    r"(?:\s+for\s+(?:kind|lang|tag)\s*=\s*\S.*)?\s*"
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
