"""The contract that plugin authors inherit passes what keeps its promises, and fails what does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from strata_rag.errors import PluginError
from strata_rag.testing import AdapterContract

ROOT = Path(__file__).parents[1]
READS_LINES = """
from strata_rag.plugins import FolderAdapter, Unreadable, register_adapter
class Lines(FolderAdapter):
    def documents(self, file):
        {body}
register_adapter("logs", Lines)
"""
TESTS = sorted(name for name in vars(AdapterContract) if name.startswith("test_"))


def failures(folder: Path, body: str) -> list[str]:
    """Return the tests that an adapter with this body fails."""
    (folder / "lines.py").write_text(READS_LINES.format(body=body))

    class Contract(AdapterContract):
        plugins_dir = folder
        # The name in capital letters sorts before the others.
        files = {"a.txt": "one", "B.txt": "two"}  # noqa: RUF012

    Contract.folder = "logs"
    failed = []
    for name in TESTS:
        try:
            getattr(Contract(), name)()
        except (AssertionError, PluginError):
            failed.append(name)
    return failed


def test_the_example_keeps_the_contract() -> None:
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(ROOT / "plugins")],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert found.returncode == 0, found.stdout
    assert found.stdout.startswith("." * len(TESTS))


@pytest.mark.parametrize(
    ("body", "failed"),
    [
        ("return [self.document(file, self.read_text(file))]", set()),
        ("return []", {"test_the_sample_files_give_documents_that_keep_every_promise"}),
        ("return [self.document(file, '')]", {"test_a_document_has_text"}),
        ("return [self.document(file, 'x' + str(id(object())) + str(__import__('time').perf_counter_ns()))]",
         {"test_reading_twice_gives_the_same"}),
        ("return [self.document(file, p.name, part=p.name) for p in self.folder.rglob('*.txt')]",
         set()),
        ("assert file.location.read_bytes(); return [self.document(file, 'x')]",
         {"test_a_damaged_file_fails_without_ending_the_run"}),
        ("return [self.document(file, 'x', metadata={'doc_id': 1})]",
         {name for name in TESTS if name != "test_an_empty_folder_gives_nothing"}),
    ],
)  # fmt: skip
def test_the_contract_fails_what_breaks_a_promise(tmp_path: Path, body: str, failed: set[str]) -> None:
    assert set(failures(tmp_path, body)) == failed


def test_it_asks_for_no_test_framework() -> None:
    code = "import sys, strata_rag.testing, strata_rag.plugins; sys.exit('pytest' in sys.modules)"
    environ = {"PYTHONPATH": str(ROOT / "src")}
    assert subprocess.run([sys.executable, "-c", code], env=environ, check=False).returncode == 0
