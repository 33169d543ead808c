"""Personal data and secrets: detectors that propose, a policy that decides."""

from strata_rag.privacy.policy import Decision, Policy, Pseudonyms, SourceRule
from strata_rag.privacy.policy_file import default_policy, load_policy, parse_policy
from strata_rag.privacy.redact import Redacted, Redactor
from strata_rag.privacy.regex import REGEX_ENTITIES, RegexDetector
from strata_rag.privacy.secrets import SecretScanner
from strata_rag.privacy.span import (
    BatchDetector,
    Detector,
    FakeDetector,
    Span,
    detect_all,
    merge_spans,
)

__all__ = [
    "REGEX_ENTITIES",
    "BatchDetector",
    "Decision",
    "Detector",
    "FakeDetector",
    "Policy",
    "Pseudonyms",
    "Redacted",
    "Redactor",
    "RegexDetector",
    "SecretScanner",
    "SourceRule",
    "Span",
    "default_policy",
    "detect_all",
    "load_policy",
    "merge_spans",
    "parse_policy",
]
