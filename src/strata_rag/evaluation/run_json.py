"""`run.json`: a run record as JSON, NaN as null, and back."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from strata_rag.errors import InputError
from strata_rag.evaluation.answers_record import answers_from_json, answers_to_json
from strata_rag.evaluation.intervals import Summary
from strata_rag.evaluation.measures import Measure
from strata_rag.evaluation.runs import GoldenRef, RunRecord, Timing

FORMAT = 1

# Legal inside JSON strings, but line breaks to many readers of JSON lines; surrogates are not UTF-8.
_ESCAPED = re.compile("[\\x7f-\\x9f\\u2028\\u2029\\ud800-\\udfff]")


def dump(value: object, *, indent: int | None = None) -> str:
    """Write JSON: readable Unicode, NaN and infinities as null, keys in the order given."""
    text = json.dumps(_without_nan(value), ensure_ascii=False, allow_nan=False, indent=indent)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def to_json(record: RunRecord) -> dict[str, object]:
    """Lay a record out as `run.json` has it."""
    return {
        "format": FORMAT,
        "run_id": record.run_id,
        "created": record.created.astimezone(UTC).isoformat(),
        "label": record.label,
        "name": record.name,
        "collection": record.collection,
        "mode": record.mode,
        "level": record.level,
        "depth": record.depth,
        "seed": record.seed,
        "measures": _summaries(record.measures),
        "slices": {
            by: {name: _summaries(measures) for name, measures in parts.items()}
            for by, parts in record.slices.items()
        },
        "counts": dict(record.counts),
        "timings_ms": {stage: {"p50": t.p50, "p95": t.p95} for stage, t in record.timings_ms.items()},
        "warnings": list(record.warnings),
        "golden": {
            "path": record.golden.path,
            "digest": record.golden.digest,
            "questions": record.golden.questions,
            "judged": record.golden.judged,
        },
        "corpus_digest": record.corpus_digest,
        "config_digest": record.config_digest,
        "code_version": record.code_version,
        "models": [dict(model) for model in record.models],
        "libraries": dict(sorted(record.libraries.items())),
        "answers": None if record.answers is None else answers_to_json(record.answers),
        "config": dict(record.config),
    }


def from_json(text: str, *, origin: str) -> RunRecord:
    """Read `run.json`.

    Raises:
        InputError: It is no run record, or one of another format.
    """
    try:
        raw = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _bad(origin, f"JSON was expected, found: {error}") from None
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        found = f"format {raw.get('format')!r}" if isinstance(raw, dict) else "no object"
        raise _bad(origin, f"a run record of format {FORMAT} was expected, found {found}")
    try:
        return _record(raw)
    except KeyError as error:
        raise _bad(origin, f"the key {error} was expected, found nothing") from None
    except (TypeError, ValueError, AttributeError, InputError) as error:
        raise _bad(origin, f"a run record was expected, found: {error}") from None


def _record(raw: dict[str, Any]) -> RunRecord:
    return RunRecord(
        **{
            key: str(raw[key])
            for key in (
                "run_id",
                "label",
                "name",
                "collection",
                "mode",
                "level",
                "config_digest",
                "code_version",
                "corpus_digest",
            )
        },
        created=datetime.fromisoformat(raw["created"]),
        depth=int(raw["depth"]),
        seed=int(raw["seed"]),
        config=dict(raw["config"]),
        golden=GoldenRef(**{key: raw["golden"][key] for key in ("path", "digest", "questions", "judged")}),
        measures=_read_summaries(raw["measures"]),
        slices={
            by: {name: _read_summaries(measures) for name, measures in parts.items()}
            for by, parts in raw["slices"].items()
        },
        models=tuple(dict(model) for model in raw["models"]),
        libraries=dict(raw["libraries"]),
        timings_ms={
            stage: Timing(_number(t["p50"]), _number(t["p95"])) for stage, t in raw["timings_ms"].items()
        },
        counts={name: int(count) for name, count in raw["counts"].items()},
        warnings=tuple(raw["warnings"]),
        answers=answers_from_json(raw["answers"]) if raw.get("answers") else None,
    )


def _summaries(measures: Mapping[Measure, Summary]) -> dict[str, dict[str, float]]:
    return {
        str(measure): {"value": found.value, "n": found.n, "low": found.low, "high": found.high}
        for measure, found in measures.items()
    }


def _read_summaries(raw: dict[str, dict[str, Any]]) -> dict[Measure, Summary]:
    return {
        Measure.parse(name): Summary(
            _number(found["value"]), int(found["n"]), _number(found["low"]), _number(found["high"])
        )
        for name, found in raw.items()
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _without_nan(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value


def _bad(origin: str, problem: str) -> InputError:
    hint = "the run is damaged, or was written by another version; evaluate again"
    return InputError(f"{origin}: {problem}", hint=hint)
