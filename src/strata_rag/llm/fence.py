"""Markers around untrusted text that nobody who wrote it can know."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Sequence

MARKER = re.compile(r"strata-[0-9a-f]{24}")


def fence_marker(key: bytes, texts: Sequence[str]) -> str:
    """Return the marker that fences `texts`: the same for the same texts and key, unguessable without the key.

    Args:
        key: Secret bytes, from `fence_key` of the workspace.
        texts: All that stands between markers, and the question.
    """
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return f"strata-{digest.hexdigest()[:24]}"
