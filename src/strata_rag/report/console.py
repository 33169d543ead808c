"""Results as tables for people and as JSON for programs."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from strata_rag.evaluation import Measure, Summary
from strata_rag.retrieval import STAGES, Hit

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from strata_rag.evaluation import RunRecord
    from strata_rag.experiment import DryRun, EvaluationResult, IngestResult, QueryResult
