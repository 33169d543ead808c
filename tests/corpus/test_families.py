"""Documents meet the rosters of their families by an exact key."""

from __future__ import annotations

from pathlib import Path

import pytest

from strata_rag.errors import CorpusError, PluginError

from .plugged import opened, read, registry_of, rows, write

FILES = {"harbor/p1.md": "one", "harbor/deep/p2.md": "two", "atlas/x.md": "three", "people.tsv": ""}
BY_STEM = (
    "register_family('harbor', 'people', column='id', numbers=('year',),\n"
    "    key=lambda document: document.doc_id.rpartition('/')[2].removesuffix('.md'))\n"
)


def corpus(tmp_path: Path, plugin: str, roster: str):
    root = write(tmp_path / "docs", {**FILES, "people.tsv": roster})
    return opened(root, registry=registry_of(tmp_path / "plugins", plugin))


def test_documents_of_the_folder_get_family_and_values(tmp_path: Path) -> None:
    source = corpus(tmp_path, BY_STEM, "id\towner\tyear\np1\tAda\t2020\np2\tBo\t2021\n")
    documents = read(source)
    assert documents["harbor/p1.md"].family == "harbor"
    assert documents["harbor/p1.md"].metadata == {"owner": "Ada", "year": 2020}
    assert documents["harbor/deep/p2.md"].metadata == {"owner": "Bo", "year": 2021}
    assert (documents["atlas/x.md"].family, documents["atlas/x.md"].metadata) == ("", {})
    assert list(source.notes) == []


def test_a_roster_inside_the_corpus_is_no_document(tmp_path: Path) -> None:
    source = corpus(tmp_path, BY_STEM, "id\towner\tyear\n")
    read(source)
    assert rows(source)["people.tsv"] == "excluded: roster of family harbor"


def test_by_default_the_key_is_the_id_of_the_document(tmp_path: Path) -> None:
    source = corpus(tmp_path, "register_family('atlas', 'people')", "doc_id\towner\natlas/x.md\tCy\n")
    assert read(source)["atlas/x.md"].metadata == {"owner": "Cy"}


def test_the_key_is_compared_exactly(tmp_path: Path) -> None:
    source = corpus(tmp_path, BY_STEM, "id\towner\tyear\nP1\tAda\t1\n p2\tBo\t1\n")
    assert read(source)["harbor/p1.md"].metadata == {}
    assert list(source.notes) == [
        "family harbor, people.tsv: 2 documents without a row, 2 rows without a document; "
        "see `strata roster check`"
    ]


def test_the_deepest_registered_folder_decides(tmp_path: Path) -> None:
    plugin = "register_family('h', 'people')\nregister_family('d', 'people', folders=['harbor/deep'])"
    plugin += "\nregister_family('r', 'people', folders=['harbor'])"
    documents = read(corpus(tmp_path, plugin, "doc_id\ta\n"))
    assert [documents[one].family for one in ("harbor/p1.md", "harbor/deep/p2.md")] == ["r", "d"]


def test_the_roster_is_stored_and_the_document_that_differs_is_told(tmp_path: Path) -> None:
    plugin = """
class Owned(FolderAdapter):
    def documents(self, file):
        return [self.document(file, "x", metadata={"owner": "Eve", "year": "2020", "own": 1})]
register_adapter("harbor", Owned)
"""
    source = corpus(tmp_path, plugin + BY_STEM, "id\towner\tyear\np1\tAda\t2020\np2\tEve\t2021\n")
    documents = read(source)
    assert documents["harbor/p1.md"].metadata == {"owner": "Ada", "year": 2020, "own": 1}
    (check,) = source.family_checks
    assert [(one.doc_id, one.line, one.field, one.document, one.roster) for one in check.mismatches] == [
        ("harbor/deep/p2.md", 3, "year", "2020", 2021),
        ("harbor/p1.md", 2, "owner", "Eve", "Ada"),
    ]
    assert check.matched == 0
    assert "2 fields that a document states otherwise" in source.notes[0]


def test_an_adapter_may_name_the_family(tmp_path: Path) -> None:
    plugin = """
class Owned(FolderAdapter):
    def documents(self, file):
        return [self.document(file, "x", family="f")]
register_adapter("harbor", Owned)
register_family("f", "people")
"""
    source = corpus(tmp_path, plugin, "doc_id\towner\nharbor/p1.md\tAda\n")
    documents = read(source)
    assert documents["harbor/p1.md"].metadata == {"owner": "Ada"}
    assert documents["harbor/deep/p2.md"].family == "f"


def test_a_family_of_a_folder_that_is_not_there_asks_for_no_roster(tmp_path: Path) -> None:
    root = write(tmp_path / "docs", {"a/x.md": "x"})
    plugin = "class A(FolderAdapter): pass\nregister_adapter('other', A)\nregister_family('absent', 'absent')"
    source = opened(root, registry=registry_of(tmp_path / "plugins", plugin))
    assert read(source)["a/x.md"].family == ""


@pytest.mark.parametrize(
    ("key", "error", "found"),
    [
        ("lambda d: d.metadata['no']", PluginError, "plugin.py:4: expected a plugin that works, found KeyError: 'no' "
         "while making the key of harbor/deep/p2.md"),
        ("lambda d: 3", CorpusError, "key of family harbor: expected text for harbor/deep/p2.md, found int"),
    ],
)  # fmt: skip
def test_a_key_rule_that_fails_is_told(tmp_path: Path, key: str, error: type[Exception], found: str) -> None:
    source = corpus(tmp_path, f"register_family('harbor', 'people', key={key})", "doc_id\ta\n")
    with pytest.raises(error, match=found.replace("(", r"\(")):
        read(source)


def test_the_figures_of_a_check_add_up(tmp_path: Path) -> None:
    (check,) = (
        source := corpus(tmp_path, BY_STEM, "id\towner\tyear\np1\tA\t1\np9\tB\t2\np8\n")
    ).family_checks
    read(source)
    (check,) = source.family_checks
    assert (check.matched, check.missing_row, check.missing_document) == (
        1,
        {"harbor/deep/p2.md": "p2"},
        {"p9": 3},
    )
    assert [problem.line for problem in check.roster.problems] == [4]
    assert not check.in_order
