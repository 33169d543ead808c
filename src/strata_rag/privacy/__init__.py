"""Personal data and secrets: detectors that propose, a policy that decides."""

from strata_rag.privacy.compare import (
    Agreement,
    EntityFigures,
    MaskedFinding,
    PiiComparison,
    compare,
    count_entities,
)
from strata_rag.privacy.labels import LabelledText, Score, read_labels, score
from strata_rag.privacy.policy import Decision, Policy, Pseudonyms, SourceRule
from strata_rag.privacy.policy_file import default_policy, load_policy, parse_policy
from strata_rag.privacy.presidio import PresidioDetector
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
    "Agreement",
    "BatchDetector",
    "Decision",
    "Detector",
    "EntityFigures",
    "FakeDetector",
    "LabelledText",
    "MaskedFinding",
    "PiiComparison",
    "Policy",
    "PresidioDetector",
    "Pseudonyms",
    "Redacted",
    "Redactor",
    "RegexDetector",
    "Score",
    "SecretScanner",
    "SourceRule",
    "Span",
    "compare",
    "count_entities",
    "default_policy",
    "detect_all",
    "load_policy",
    "merge_spans",
    "parse_policy",
    "read_labels",
    "score",
]
