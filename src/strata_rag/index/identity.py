"""What a collection is called: a digest of what the config says about the stored points."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SLUG_LENGTH = 40


def collection_name(experiment: str, model_id: str, says: Mapping[str, Any]) -> str:
    """Return ``<experiment>__<model slug>__<8 hex>``.

    Args:
        experiment: The config's name.
        model_id: The canonical model id; only its last part goes into the slug, which is for reading.
        says: Everything the config says about the stored points, keys at their default left out.
    """
    slug = _NOT_SLUG.sub("-", model_id.rsplit("/", 1)[-1].lower()).strip("-")[:_SLUG_LENGTH] or "model"
    canonical = json.dumps(
        {"name": experiment, "model": model_id, "says": says},
        sort_keys=True,
        separators=(",", ":"),
        allow_nan=False,
    )
    return f"{experiment}__{slug}__{hashlib.sha256(canonical.encode()).hexdigest()[:8]}"
