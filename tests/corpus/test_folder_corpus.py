"""Plugins read their folders, the default adapter the rest, and every file has one row."""

from __future__ import annotations

from pathlib import Path

import pytest

from strata_rag.corpus import FilesAdapter, FolderCorpus, files_digest, open_corpus
from strata_rag.errors import CorpusError, PluginError

from .plugged import opened, read, registry_of, rows, rules_of, write

LINES = """
class Lines(FolderAdapter):
    suffixes = (".lines",)
    def documents(self, file):
        for number, line in enumerate(self.read_text(file).splitlines(), 1):
            yield self.document(file, line, part=str(number), metadata={"line": number})
register_adapter("logs", Lines)
"""
FILES = {
    "a.md": "first",
    "logs/2026/a.lines": "one\ntwo",
    "logs/empty.lines": "",
    "logs/bad.lines": b"\xff\xfe\xff",
    "logs/readme.md": "not for the plugin",
    "logs/.hidden/x.lines": "hidden",
    "other/logs/a.md": "not at the top",
    "z.md": "last",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "docs", FILES)


def test_a_plugin_reads_its_folder_and_the_rest_is_read_as_ever(root: Path, tmp_path: Path) -> None:
    source = opened(root, registry=registry_of(tmp_path / "plugins", LINES))
    documents = read(source)
    assert list(documents) == [
        "a.md",
        "logs/2026/a.lines/1",
        "logs/2026/a.lines/2",
        "other/logs/a.md",
        "z.md",
    ]
    one = documents["logs/2026/a.lines/1"]
    assert (one.text, one.source, one.project, one.metadata) == ("one", "logs", "2026", {"line": 1})


def test_each_file_has_one_row_whoever_read_it(root: Path, tmp_path: Path) -> None:
    source = opened(root, registry=registry_of(tmp_path / "plugins", LINES))
    for _ in range(2):
        read(source)
        found = rows(source)
        assert found.keys() == FILES.keys()
        assert found["logs/2026/a.lines"] == "included: "
        assert found["logs/empty.lines"] == "excluded: the adapter found no document in it"
        assert found["logs/bad.lines"].startswith("failed: expected utf-16-le text")
        assert found["logs/readme.md"] == "excluded: not one of .lines"
        assert found["logs/.hidden/x.lines"] == "excluded: hidden: .hidden"


def test_without_plugins_rules_and_families_nothing_stands_between(root: Path) -> None:
    assert isinstance(open_corpus(root), FilesAdapter)


def test_a_rule_hides_a_file_from_the_adapter(root: Path, tmp_path: Path) -> None:
    plugin = LINES + "\nLines.suffixes = ()\n"
    rules = rules_of("  - {name: old, exclude: {path: '2026/**'}}\n  - {exclude: {type: md, source: logs}}\n")
    source = opened(root, registry=registry_of(tmp_path / "plugins", plugin), rules=rules)
    assert not any("2026" in doc_id or "readme" in doc_id for doc_id in read(source))
    assert rows(source)["logs/2026/a.lines"] == "excluded: rule 1 `old`: exclude path 2026/**"
    assert rows(source)["logs/readme.md"] == "excluded: rule 2: exclude source logs and type md"


def test_an_excluded_file_is_never_opened(root: Path) -> None:
    (root / "a.md").chmod(0)
    source = opened(root, rules=rules_of("  - exclude: {path: a.md}\n"))
    read(source)
    assert rows(source)["a.md"] == "excluded: rule 1: exclude path a.md"


def test_a_file_with_a_name_that_is_no_text_fails_for_a_plugin_too(root: Path, tmp_path: Path) -> None:
    try:
        (root / "logs" / b"caf\xe9.lines".decode("utf-8", "surrogateescape")).write_text("x")
    except OSError:
        pytest.skip("the file system takes no such name")
    source = opened(root, registry=registry_of(tmp_path / "plugins", LINES))
    read(source)
    assert rows(source)["logs/caf\\xe9.lines"] == "failed: the file's name is not UTF-8"


@pytest.mark.parametrize(
    ("rule", "changed", "noticed"),
    [
        ("  - exclude: {path: /z.md}\n", "z.md", False),
        ("  - exclude: {path: /z.md}\n", "a.md", True),
        ("  - exclude: {path: /z.md}\n", "logs/2026/a.lines", True),
        ("  - exclude: {source: logs}\n", "logs/2026/a.lines", False),
    ],
)
def test_the_digest_of_files_sees_what_the_corpus_reads(
    root: Path, tmp_path: Path, rule: str, changed: str, noticed: bool
) -> None:
    registry, rules = registry_of(tmp_path / "plugins", LINES), rules_of(rule)
    before = files_digest(root, rules=rules, registry=registry)
    (root / changed).write_text("something longer than before")
    assert (files_digest(root, rules=rules, registry=registry) != before) is noticed


def test_rules_for_a_beir_folder_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"corpus.jsonl": '{"_id": "1", "text": "x"}'})
    with pytest.raises(CorpusError, match="judges files; found a BEIR folder"):
        open_corpus(tmp_path, rules=rules_of("  - exclude: {path: x}\n"))


RAW = """
class Raw:
    def __init__(self, folder, files):
        self.folder, self.files = folder, files
        self.outcomes = []
    def discover(self):
        {body}
register_adapter("logs", Raw)
"""


def raw(root: Path, tmp_path: Path, body: str) -> FolderCorpus:
    return opened(root, registry=registry_of(tmp_path / "plugins", RAW.format(body=body)))


def test_an_adapter_without_the_base_class_works_and_what_it_forgets_has_a_row(
    root: Path, tmp_path: Path
) -> None:
    body = (
        "yield SourceDocument('logs/x', 'text', source='logs')\n"
        "        self.outcomes = [FileOutcome('logs/2026/a.lines', 'included', doc_ids=('logs/x',))]"
    )
    source = raw(root, tmp_path, body)
    assert "logs/x" in read(source)
    assert rows(source)["logs/bad.lines"] == "excluded: the adapter did not mention it"
    assert rows(source).keys() == FILES.keys()


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("yield 'x'", "expected a SourceDocument, found str"),
        ("yield SourceDocument('x', 'y', source='logs')", "expected an id that begins with logs/"),
        ("yield SourceDocument('logs/', 'y', source='logs')", "expected an id that begins with logs/"),
        ("yield SourceDocument(3, 'y', source='logs')", "doc_id: expected text, found int"),
        ("yield SourceDocument('logs/x', None, source='logs')", "text: expected text, found NoneType"),
        ("yield SourceDocument('logs/x', '\\ud800', source='logs')", "text: expected text, found half a"),
        ("yield SourceDocument('logs/x', 'y')", "source: expected 'logs', found ''"),
        (
            "for _ in (1, 2): yield SourceDocument('logs/x', 'y', source='logs')",
            "expected an id that stands once",
        ),
        ("yield SourceDocument('logs/x', 'y', source='logs', metadata={'doc_id': 1})", "found 'doc_id'"),
        ("yield SourceDocument('logs/x', 'y', source='logs', metadata={'_x': 1})", "found '_x'"),
        ("yield SourceDocument('logs/x', 'y', source='logs', metadata={'x': [1]})", "metadata.x: expected"),
        ("yield SourceDocument('logs/x', 'y', source='logs', metadata={'x': float('nan')})", "metadata.x"),
        ("yield SourceDocument('logs/x', 'y', source='logs', metadata=3)", "metadata: expected a map"),
        ("yield SourceDocument('logs/x', 'y', source='logs', pages=(0, 5))", "pages: expected rising places"),
        (
            "yield SourceDocument('logs/x', 'yy', source='logs', sections=(Section(1, 'b'), Section(0, 'a')))",
            "sec",
        ),
        ("yield SourceDocument('logs/x', 'y', source='logs', sections=('b',))", "sections: expected Section"),
        ("yield SourceDocument('logs/x', 'y', source='logs', family='f')", "family"),
        ("yield SourceDocument('logs/x', 'y', source='logs')", "found that no file names it"),
        ("self.outcomes = [FileOutcome('logs/no', 'failed')]; yield from ()", "found 'logs/no' beside them"),
        ("self.outcomes = [3]; yield from ()", "found 'int' beside them"),
        (
            "self.outcomes = [FileOutcome('logs/bad.lines', 'included', doc_ids=('logs/x',))]; yield from ()",
            "never came",
        ),
    ],
)
def test_what_an_adapter_must_not_give_is_refused_with_its_file(
    root: Path, tmp_path: Path, body: str, found: str
) -> None:
    with pytest.raises(PluginError) as caught:
        read(raw(root, tmp_path, body))
    assert found in caught.value.message
    assert "plugin.py" in caught.value.message or "family" in found


def test_an_error_in_an_adapter_names_its_line_and_the_file_it_read(root: Path, tmp_path: Path) -> None:
    plugin = LINES.replace("for number", "self.path.split\n        for number")
    with pytest.raises(PluginError) as caught:
        read(opened(root, registry=registry_of(tmp_path / "plugins", plugin)))
    assert caught.value.exit_code == 2
    assert caught.value.message.startswith(f"{tmp_path / 'plugins' / 'plugin.py'}:8: ")
    assert caught.value.message.endswith("while reading logs/2026/a.lines")
    assert "raise Unreadable" in caught.value.hint


@pytest.mark.parametrize(
    ("statement", "row"),
    [
        ("raise Unreadable('torn')", "failed: torn"),
        ("raise Skip('dull')", "excluded: dull"),
        ("open('/nowhere/at/all')", "failed: can't be read: No such file or directory"),
        ("b'\\xff'.decode()", "failed: can't be decoded: 'utf-8' codec can't decode byte 0xff in position 0: "
         "invalid start byte"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_one_file_stays_with_it(
    root: Path, tmp_path: Path, statement: str, row: str
) -> None:
    plugin = LINES.replace("for number", f"if '2026' in file.path: {statement}\n        for number")
    source = opened(root, registry=registry_of(tmp_path / "plugins", plugin))
    assert "a.md" in read(source)
    assert rows(source)["logs/2026/a.lines"] == row


def test_a_warning_stands_in_the_row_of_its_file(root: Path, tmp_path: Path) -> None:
    plugin = LINES.replace("for number", "self.warn('looks odd')\n        for number")
    source = opened(root, registry=registry_of(tmp_path / "plugins", plugin))
    read(source)
    warned = {row.path for row in source.outcomes if "looks odd" in row.warnings}
    assert warned == {"logs/2026/a.lines"}
