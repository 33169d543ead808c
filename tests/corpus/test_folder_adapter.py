"""What the base of adapters offers besides rows and ids."""

from __future__ import annotations

from pathlib import Path

from strata_rag.plugins import FolderAdapter, Record, Section, SourceDocument, SourceFile

from .plugged import opened, read, registry_of, write


def test_a_file_of_any_format_can_be_read_by_its_reader(tmp_path: Path) -> None:
    plugin = """
class Any(FolderAdapter):
    def documents(self, file):
        found = self.extract(file)
        return [self.document(file, found.text, title=found.title, metadata=found.metadata, records=found.records)]
register_adapter("box", Any)
"""
    root = write(
        tmp_path / "docs",
        {"box/a.md": "---\ntitle: T\nyear: 2020\n---\nBody", "box/t.csv": "id,n\na,1\nb,2\n"},
    )
    source = opened(root, registry=registry_of(tmp_path / "plugins", plugin))
    documents = read(source)
    assert (documents["box/a.md"].title, documents["box/a.md"].metadata) == ("T", {"year": 2020})
    assert [record.values["id"] for record in documents["box/t.csv"].records] == ["a", "b"]


def test_a_text_file_in_another_encoding_is_read_and_warned_of(tmp_path: Path) -> None:
    plugin = """
class Any(FolderAdapter):
    def documents(self, file):
        return [self.document(file, self.read_text(file))]
register_adapter("box", Any)
"""
    root = write(tmp_path / "docs", {"box/a.txt": "Grüße, schöne Straße".encode("utf-16")})
    source = opened(root, registry=registry_of(tmp_path / "plugins", plugin))
    assert read(source)["box/a.txt"].text == "Grüße, schöne Straße"


def test_a_document_takes_its_place_from_the_path_unless_told_otherwise() -> None:
    adapter = FolderAdapter(Path("root/logs"), [])
    file = SourceFile("logs/2026/a.txt", Path("root/logs/2026/a.txt"))
    assert adapter.document(file, "x") == SourceDocument(
        "logs/2026/a.txt", "x", source="logs", project="2026"
    )
    assert adapter.document(file, "x", part="7", project="").doc_id == "logs/2026/a.txt/7"
    assert adapter.document(file, "x", project="").project == ""
    records, sections = [Record(0, 1, {"a": 1})], [Section(0, "t")]
    assert adapter.document(file, "x", records=records, sections=sections, pages=[0]).records == tuple(
        records
    )
    assert adapter.document(SourceFile("logs/a.txt", Path()), "x").project == ""
    assert file.name == "a.txt"


def test_the_other_files_of_a_folder_are_those_it_may_read() -> None:
    adapter = FolderAdapter(Path("root/cases"), ["T-1/a.txt", "T-1/case.json", "T-10/x.txt", "top.txt"])
    file = SourceFile("cases/T-1/case.json", Path("root/cases/T-1/case.json"))
    assert adapter.beside(file) == [SourceFile("cases/T-1/a.txt", Path("root/cases/T-1/a.txt"))]
    assert adapter.beside(SourceFile("cases/top.txt", Path("root/cases/top.txt"))) == []


def test_the_pages_plugin_for_several_files_makes_one_document_of_a_folder(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "plugins.md").read_text(encoding="utf-8")
    plugin = (
        page.partition("## Several files, one document")[2].partition("```python\n")[2].partition("```")[0]
    )
    files = {
        "cases/T-1/case.json": '{"subject": "Pump leaks"}',
        "cases/T-1/a.png": b"\x89PNG\r\n\x1a\n",
        "cases/T-1/body.txt": "The gasket is worn.\n",
        "cases/T-1/parts.csv": "name of part,price\nseal,7\n",
        "cases/T-2/body.txt": "alone",
        "cases/T-3/case.json": "broken",
    }
    source = opened(write(tmp_path / "docs", files), registry=registry_of(tmp_path / "plugins", plugin))
    documents = read(source)
    assert list(documents) == ["cases/T-1/case.json"]
    case = documents["cases/T-1/case.json"]
    assert case.title == "Pump leaks"
    assert [case.text[one.start :].split("\n")[0] for one in case.sections] == [
        "The gasket is worn.",
        "name of part: seal; price: 7",
    ]
    assert [case.text[one.start : one.end] for one in case.records] == ["name of part: seal; price: 7"]
    rows = {one.path: (one.status, one.reason, one.warnings) for one in source.outcomes}
    assert rows["cases/T-1/body.txt"] == ("excluded", "read with its case", ())
    assert rows["cases/T-1/case.json"] == ("included", "", ("a.png: a PNG picture: no reader",))
    assert rows["cases/T-2/body.txt"][:2] == ("failed", "expected a case.json beside it, found none")
    assert rows["cases/T-3/case.json"][0] == "failed"
