import re
from pathlib import Path

import yaml

from strata_rag.config import Gate
from strata_rag.evaluation import KINDS, NAMES, Rule

PAGE = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")

EXAMPLES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def test_the_golden_set_on_the_page_loads(load):
    example = next(text for text in EXAMPLES if text.startswith("kinds:"))
    golden = load(example)
    assert [question.id for question in golden.questions] == ["007", "q2", "q3", "q4"]
    assert golden.questions[1].judged == {"valves/ab.md": 3.0, "valves/index.md": 1.0, "valves/ac.md": 0.0}


def test_the_page_has_a_formula_for_every_measure_and_names_every_kind():
    assert re.findall(r"^\| `(.+?)@k` \|", PAGE, re.MULTILINE) == list(NAMES)
    assert all(f"`{kind}`" in PAGE for kind in KINDS)


def test_the_evidence_on_the_page_loads(load):
    example = next(text for text in EXAMPLES if text.startswith("- id: q5"))
    (question,) = load(example).questions
    assert [evidence.quote is None for evidence in question.evidence] == [False, True]


def test_the_gate_on_the_page_is_one_the_schema_takes_and_the_gate_reads():
    example = next(text for text in EXAMPLES if text.startswith("gate:"))
    section = Gate.model_validate(
        {**yaml.safe_load(example)["gate"], "rules": tuple(yaml.safe_load(example)["gate"]["rules"])}
    )
    assert [Rule.parse(rule).bound for rule in section.rules] == [
        "minimum",
        "drop",
        "minimum",
        "drop",
        "minimum",
    ]
