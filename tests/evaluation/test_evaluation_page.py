import re
from pathlib import Path

from strata_rag.evaluation import KINDS, NAMES

PAGE = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")


def test_the_golden_set_on_the_page_loads(load):
    (example,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    golden = load(example)
    assert [question.id for question in golden.questions] == ["007", "q2", "q3", "q4"]
    assert golden.questions[1].judged == {"valves/ab.md": 3.0, "valves/index.md": 1.0, "valves/ac.md": 0.0}


def test_the_page_has_a_formula_for_every_measure_and_names_every_kind():
    assert re.findall(r"^\| `(.+?)@k` \|", PAGE, re.MULTILINE) == list(NAMES)
    assert all(f"`{kind}`" in PAGE for kind in KINDS)
