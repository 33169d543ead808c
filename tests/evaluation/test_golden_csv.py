from __future__ import annotations

from pathlib import Path

import pytest

from strata_rag.errors import GoldenError
from strata_rag.evaluation import load_golden


def write(folder: Path, text: str) -> Path:
    path = folder / "golden.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_row_is_a_question_with_its_judged_documents(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '\ufeff"id";"question";"relevant";"kind"\nq1;"Which; pump?";"a.md b.md";code\nq2;Which valve?;;\n',
    )
    first, second = load_golden(path).questions
    assert (first.id, first.text, dict(first.judged), first.kind) == (
        "q1",
        "Which; pump?",
        {"a.md": 1.0, "b.md": 1.0},
        "code",
    )
    assert (second.id, dict(second.judged), second.kind) == ("q2", {}, "retrieval")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("name,words\na,b\n", "the columns id and question (or text) were expected, found 'name', 'words'"),
        ("", "the columns id and question (or text) were expected, found no header"),
        ("id,text\n,b\n", "an id and a question were expected, found one of them empty"),
        ("id,text\na,b\na,c\n", "id: a unique id was expected, found 'a'"),
    ],
)
def test_faults_are_told_with_their_line(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(GoldenError) as caught:
        load_golden(write(tmp_path, text))
    assert fault in str(caught.value)
