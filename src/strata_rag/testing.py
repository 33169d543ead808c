"""Tests that the author of a plugin inherits: they hold an adapter to what the engine and its readers rely on."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import ClassVar

from strata_rag.corpus.adapter import FileOutcome
from strata_rag.corpus.checked_adapter import FORGOTTEN, CheckedAdapter
from strata_rag.corpus.plugin_loading import load_plugins
from strata_rag.documents import SourceDocument


class AdapterContract:
    """A test class to inherit; a subclass whose name begins with ``Test`` is run by pytest.

    Attributes:
        plugins_dir: The folder that holds the plugin.
        folder: The source folder that its adapter registered.
        files: Sample files of that folder, by path below it; texts are written as UTF-8.
        doc_ids: The ids they must give, in order, where the author wants to pin them.
    """

    plugins_dir: ClassVar[Path]
    folder: ClassVar[str]
    files: ClassVar[Mapping[str, str | bytes]]
    doc_ids: ClassVar[Collection[str]] = ()

    def test_the_sample_files_give_documents_that_keep_every_promise(self) -> None:
        documents, _ = self._read(self.files)
        assert documents, "expected a document from the sample files, found none"
        if self.doc_ids:
            assert [one.doc_id for one in documents] == list(self.doc_ids)

    def test_a_document_has_text(self) -> None:
        empty = [one.doc_id for one in self._read(self.files)[0] if not one.text.strip()]
        assert not empty, f"documents without text: {empty}"

    def test_each_file_is_accounted_for(self) -> None:
        _, rows = self._read(self.files)
        assert [row.path for row in rows] == [f"{self.folder}/{path}" for path in sorted(self.files)]
        forgotten = [row.path for row in rows if row.reason == FORGOTTEN]
        assert not forgotten, f"files that the adapter did not mention: {forgotten}"
        assert all(row.reason for row in rows if row.status != "included"), "a row without a reason"

    def test_reading_twice_gives_the_same(self) -> None:
        assert self._read(self.files) == self._read(self.files)

    def test_only_the_files_that_it_is_given_are_read(self) -> None:
        for left_out in sorted(self.files):
            some = sorted({*self.files} - {left_out})
            _, rows = self._read(self.files, given=some)
            assert [row.path for row in rows] == [f"{self.folder}/{path}" for path in some]

    def test_an_empty_folder_gives_nothing(self) -> None:
        assert self._read({}) == ([], [])

    def test_a_damaged_file_fails_without_ending_the_run(self) -> None:
        for path, content in self.files.items():
            data = content.encode() if isinstance(content, str) else content
            for damaged in (b"", data[: len(data) // 2], b"\xff\xfe\x00" + data[::-1], bytes(range(256))):
                _, rows = self._read({**self.files, path: damaged})
                assert f"{self.folder}/{path}" in [row.path for row in rows]

    def _read(
        self, files: Mapping[str, str | bytes], given: Collection[str] | None = None
    ) -> tuple[list[SourceDocument], list[FileOutcome]]:
        """Write the files, and return the documents and rows that the adapter gives."""
        adapter = load_plugins(self.plugins_dir, installed=[]).adapter(self.folder)
        assert adapter is not None, f"no plugin in {self.plugins_dir} registers an adapter of {self.folder!r}"
        with tempfile.TemporaryDirectory() as root:
            folder = Path(root) / self.folder
            folder.mkdir()
            for path, content in files.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
            source = CheckedAdapter(Path(root), adapter, sorted(files if given is None else given))
            return list(source.discover()), list(source.outcomes)
