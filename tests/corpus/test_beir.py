from __future__ import annotations

import json
from pathlib import Path

import pytest

from strata_rag.corpus import BeirAdapter, FileOutcome
from strata_rag.documents import SourceDocument
from strata_rag.errors import CorpusError


def plant(root: Path, *lines: object, end: str = "\n") -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    (root / "corpus.jsonl").write_bytes(end.join(texts).encode())
    return root


def read(root: Path) -> list[SourceDocument]:
    return list(BeirAdapter(root).discover())


def refused(root: Path) -> str:
    with pytest.raises(CorpusError) as caught:
        read(root)
    return caught.value.message.replace(f"{root}/", "")


def test_a_line_is_a_document_with_title_and_text(tmp_path: Path) -> None:
    plant(tmp_path, {"_id": "1", "title": "T", "text": "body", "metadata": {}}, {"_id": "b/2", "text": "x"})
    assert read(tmp_path) == [SourceDocument("1", "body", title="T"), SourceDocument("b/2", "x")]


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    text = "a\u2028b\u0085c\x0bd"
    plant(tmp_path, {"_id": "1", "text": text}, "", {"_id": "2", "text": "x"}, end="\r\n")
    assert [(document.doc_id, document.text) for document in read(tmp_path)] == [("1", text), ("2", "x")]


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(b"\xef\xbb\xbf" + b'{"_id": "1", "text": "x"}')
    assert read(tmp_path)[0].doc_id == "1"


def test_a_number_is_the_id_it_is_written_as(tmp_path: Path) -> None:
    plant(tmp_path, {"_id": 7, "text": "x"})
    assert read(tmp_path)[0].doc_id == "7"


@pytest.mark.parametrize("text", ["", " ", None])
def test_a_document_without_text_stands_by_its_title(tmp_path: Path, text: str | None) -> None:
    plant(tmp_path, {"_id": "1", "title": "Only a title", "text": text})
    assert read(tmp_path) == [SourceDocument("1", "Only a title")]


def test_empty_documents_are_named_and_shift_no_id(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {"_id": "1", "text": ""},
        {"_id": "2", "text": "two"},
        {"_id": "3", "title": "", "text": " "},
    )
    adapter = BeirAdapter(tmp_path)
    assert [(one.doc_id, one.text) for one in adapter.discover()] == [("1", ""), ("2", "two"), ("3", "")]
    [outcome] = adapter.outcomes
    assert outcome.doc_ids == ("1", "2", "3")
    assert outcome.warnings == ("document 1 is empty: no chunk", "document 3 is empty: no chunk")


def test_an_id_that_stands_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    plant(tmp_path, {"_id": "a", "text": "x"}, "", {"_id": "b", "text": "x"}, {"_id": "a", "text": "y"})
    assert refused(tmp_path) == ("corpus.jsonl:4: expected ids that stand once, found 'a' on line 1 too")


def test_a_number_and_the_text_of_it_are_the_same_id(tmp_path: Path) -> None:
    plant(tmp_path, {"_id": 1, "text": "x"}, {"_id": "1", "text": "y"})
    assert refused(tmp_path).startswith("corpus.jsonl:2: expected ids that stand once")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "expected a JSON object, found: "),
        ("[1]", "expected a JSON object, found list"),
        ('{"text": "x"}', "_id: expected a text that is not empty, found None"),
        ('{"_id": "", "text": "x"}', "_id: expected a text that is not empty, found ''"),
        ('{"_id": true, "text": "x"}', "_id: expected a text that is not empty, found True"),
        ('{"_id": "1", "text": ["x"]}', "text: expected text, found ['x']"),
        ('{"_id": "1", "text": 0}', "text: expected text, found 0"),
        ('{"_id": "1", "title": false, "text": "x"}', "title: expected text, found False"),
        (r'{"_id": "1", "text": "a\ud800"}', "text: expected text, found half a surrogate pair"),
        (r'{"_id": "\udfff", "text": "a"}', "_id: expected text, found half a surrogate pair"),
    ],
)
def test_a_line_that_is_no_document_is_refused_with_its_number(
    tmp_path: Path, line: str, message: str
) -> None:
    plant(tmp_path, {"_id": "0", "text": "fine"}, line)
    assert refused(tmp_path).startswith(f"corpus.jsonl:2: {message}")


def test_a_whole_surrogate_pair_is_one_character(tmp_path: Path) -> None:
    plant(tmp_path, r'{"_id": "1", "text": "\ud83d\ude00"}')
    assert read(tmp_path)[0].text == "\U0001f600"


def test_bytes_that_are_not_utf_8_are_refused(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(b'{"_id": "1", "text": "caf\xe9"}')
    assert refused(tmp_path).startswith("corpus.jsonl: expected UTF-8, found: ")


def test_a_root_without_the_file_says_what_to_set(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="expected a BEIR corpus") as caught:
        read(tmp_path)
    assert "corpus.format" in caught.value.hint


def test_every_other_file_is_left_out_by_name(tmp_path: Path) -> None:
    plant(tmp_path, {"_id": "1", "text": "x"})
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").touch()
    (tmp_path / ".cache").touch()
    Path(str(tmp_path / "odd\udcff")).touch()
    adapter = BeirAdapter(tmp_path)
    list(adapter.discover())
    assert list(adapter.outcomes) == [
        FileOutcome(".cache", "excluded", "hidden: .cache"),
        FileOutcome("corpus.jsonl", "included", doc_ids=("1",)),
        FileOutcome(r"odd\xff", "excluded", "BEIR layout: not the corpus"),
        FileOutcome("qrels/test.tsv", "excluded", "BEIR layout: not the corpus"),
    ]
