from __future__ import annotations

from pathlib import Path

from strata_rag.config import render_reference
from strata_rag.config.keys import all_keys

PAGE = Path(__file__).parents[2] / "docs" / "config.md"


def test_the_reference_page_is_current() -> None:
    # To write it anew: Path("docs/config.md").write_text(render_reference(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == render_reference()


def test_the_reference_page_holds_every_key_once() -> None:
    page = render_reference()
    for key in all_keys().values():
        in_table = not key.section or key.nullable
        assert page.count(f"| `{key.path}` |") == in_table
