"""The JSON schema of each judge's reply, in the form that providers with structured output take."""

from __future__ import annotations

from typing import Any

from strata_rag.evaluation.judge.verdicts import SEVERITIES, JudgeMeasure

_OVERALL: dict[str, Any] = {
    "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
    "severity": {"type": "string", "enum": list(SEVERITIES)},
    "reason": {"type": "string"},
}
_SUPPORTED: dict[str, Any] = {
    "id": {"type": "integer"},
    "supported": {"type": "boolean"},
    "passages": {"type": "array", "items": {"type": "integer"}},
    "quote": {"type": "string"},
}
_RELEVANT: dict[str, Any] = {"id": {"type": "integer"}, "relevant": {"type": "boolean"}}


def reply_schema(measure: JudgeMeasure) -> dict[str, Any]:
    """Return the schema of a reply; every property is required and no other is allowed."""
    if measure == "AnswerRelevance":
        return _closed(_OVERALL)
    verdict = _closed(_RELEVANT if measure == "ContextPrecision" else _SUPPORTED)
    return _closed({"verdicts": {"type": "array", "items": verdict}, **_OVERALL})


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
