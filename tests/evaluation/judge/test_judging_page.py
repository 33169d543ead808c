"""docs/judging.md shows what the program does."""

import re
from pathlib import Path

import yaml

from strata_rag.config.judge import Judge, JudgePolicy
from strata_rag.evaluation import ANSWER_NAMES, Rule
from strata_rag.evaluation.judge import JUDGE_MEASURES, OUTCOMES, SEVERITIES

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "judging.md").read_text(encoding="utf-8")
PROMPTS = ROOT / "src" / "strata_rag" / "evaluation" / "judge" / "prompts"


def test_the_page_shows_the_four_prompts_as_they_are():
    shown = re.findall(r"^### (\w+)\n\n```text\n(.*?)```$", PAGE, re.MULTILINE | re.DOTALL)
    assert [name for name, _ in shown] == list(JUDGE_MEASURES)
    assert sorted(text for _, text in shown) == sorted(path.read_text() for path in PROMPTS.glob("*.md"))


def test_the_page_names_every_measure_outcome_and_severity():
    assert all(f"`{name}`" in PAGE for name in (*ANSWER_NAMES, *OUTCOMES, *SEVERITIES))


def test_the_config_on_the_page_is_one_the_schema_takes():
    example = next(text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "judge:" in text)
    judge = yaml.safe_load(example)["evaluation"]["judge"]
    assert Judge.model_validate(judge).policy == JudgePolicy()


def test_the_rules_on_the_page_are_rules():
    example = next(
        text for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if text.startswith("gate:")
    )
    assert [Rule.parse(rule).measure.of_answers for rule in yaml.safe_load(example)["gate"]["rules"]] == [
        False,
        True,
        True,
    ]
