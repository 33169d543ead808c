"""Personal data and secrets: detectors that propose, a policy that decides."""

from strata_rag.privacy.regex import REGEX_ENTITIES, RegexDetector
from strata_rag.privacy.span import BatchDetector, Detector, FakeDetector, Span, detect_all, merge_spans

__all__ = [
    "REGEX_ENTITIES",
    "BatchDetector",
    "Detector",
    "FakeDetector",
    "RegexDetector",
    "Span",
    "detect_all",
    "merge_spans",
]
