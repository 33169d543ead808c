"""The base that adapters of plugins are written on: one method per file, and every file is accounted for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from strata_rag.corpus.adapter import FileOutcome
from strata_rag.corpus.formats import Extraction, Unreadable, extract
from strata_rag.corpus.formats.plain import read_plain
from strata_rag.documents import Record, Scalar, Section, SourceDocument


class Skip(Exception):
    """Raised by an adapter for a file that holds nothing of use: it is excluded with this reason."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that an adapter may read.

    Attributes:
        path: Relative to the corpus root, with ``/``.
        location: Where it lies.
    """

    path: str
    location: Path

    @property
    def name(self) -> str:
        """Its last part."""
        return self.path.rpartition("/")[2]


class FolderAdapter:
    """Reads a source folder file by file; a subclass says what documents a file holds.

    Args:
        folder: The source folder, right under the corpus root.
        files: The files it may read: paths below the folder, with ``/``.

    Attributes:
        suffixes: Endings of the files it reads, in small letters; empty means every file.
    """

    suffixes: ClassVar[tuple[str, ...]] = ()

    def __init__(self, folder: Path, files: Sequence[str]) -> None:
        self.folder = folder
        self.files = tuple(files)
        self.reading: SourceFile | None = None
        self._warnings: list[str] = []
        self._outcomes: list[FileOutcome] = []
        self._by_folder: dict[str, list[str]] = {}

    def documents(self, file: SourceFile) -> Iterable[SourceDocument]:
        """Return the documents of one file, each made by `document`.

        Raises:
            Unreadable: The file can't be read.
            Skip: It holds nothing of use.
        """
        raise NotImplementedError(f"{type(self).__name__} must define documents(self, file)")

    def document(
        self,
        file: SourceFile,
        text: str,
        *,
        part: str = "",
        title: str = "",
        project: str | None = None,
        family: str = "",
        metadata: Mapping[str, Scalar] | None = None,
        pages: Sequence[int] = (),
        sections: Sequence[Section] = (),
        records: Sequence[Record] = (),
    ) -> SourceDocument:
        """Return a document of `file`; its id is the file's path, and ``/part`` where the file holds several.

        Args:
            file: Where it comes from.
            text: What is cut, matched and shown.
            part: Tells the documents of one file apart.
            title: What stands above the text when it is matched.
            project: By default the second folder of the path.
            family: A registered family, where it is not the folder's.
            metadata: Further fields, for filters.
            pages: First code point of each page, ascending.
            sections: Where its parts begin, ascending.
            records: The rows of its tables, ascending.
        """
        folders = file.path.split("/")[:-1]
        return SourceDocument(
            doc_id=f"{file.path}/{part}" if part else file.path,
            text=text,
            title=title,
            source=folders[0],
            project=(folders[1] if len(folders) > 1 else "") if project is None else project,
            metadata=dict(metadata or {}),
            pages=tuple(pages),
            sections=tuple(sections),
            records=tuple(records),
            family=family,
        )

    def beside(self, file: SourceFile) -> list[SourceFile]:
        """Return the other files of a file's own folder that the adapter may read, in the order of their paths."""
        if not self._by_folder:
            for path in self.files:
                self._by_folder.setdefault(path.rpartition("/")[0], []).append(path)
        own = file.path.removeprefix(f"{self.folder.name}/")
        names = self._by_folder.get(own.rpartition("/")[0], [])
        return [SourceFile(f"{self.folder.name}/{one}", self.folder / one) for one in names if one != own]

    def read_text(self, file: SourceFile) -> str:
        r"""Return a text file's text, its encoding detected, with line ends as ``\n``; what is odd is warned of.

        Raises:
            Unreadable: It holds something else.
        """
        return self._noted(read_plain(file.location.read_bytes())).text

    def extract(self, file: SourceFile) -> Extraction:
        """Return what the reader of the file's format makes of it: text, pages, sections; what is odd is warned of.

        It runs in this process, without the limits on time and memory that hold for other files.

        Raises:
            Unreadable: It can't be read.
        """
        return self._noted(extract(file.location))

    def _noted(self, found: Extraction) -> Extraction:
        self._warnings += found.warnings
        return found

    def warn(self, warning: str) -> None:
        """Add a warning to the row of the file that is being read."""
        self._warnings.append(warning)

    def discover(self) -> Iterator[SourceDocument]:
        """Yield every document, file after file."""
        self._outcomes.clear()
        for path in self.files:
            file = SourceFile(f"{self.folder.name}/{path}", self.folder / path)
            if self.suffixes and not path.lower().endswith(self.suffixes):
                self._outcomes.append(
                    FileOutcome(file.path, "excluded", f"not one of {', '.join(self.suffixes)}")
                )
            else:
                yield from self._read(file)

    @property
    def outcomes(self) -> Sequence[FileOutcome]:
        """Each file once, as far as `discover` has come."""
        return self._outcomes

    def _read(self, file: SourceFile) -> Sequence[SourceDocument]:
        self.reading = file
        self._warnings = []
        documents: list[SourceDocument] = []
        try:
            documents = list(self.documents(file))
        except Skip as reason:
            outcome = FileOutcome(file.path, "excluded", str(reason))
        except Unreadable as reason:
            outcome = FileOutcome(file.path, "failed", str(reason))
        except OSError as error:
            outcome = FileOutcome(file.path, "failed", f"can't be read: {error.strerror or error}")
        except UnicodeError as error:
            outcome = FileOutcome(file.path, "failed", f"can't be decoded: {error}")
        else:
            outcome = self._included(file, documents)
        self._outcomes.append(outcome)
        self.reading = None
        return documents if outcome.status == "included" else ()

    def _included(self, file: SourceFile, documents: Sequence[SourceDocument]) -> FileOutcome:
        if not documents:
            return FileOutcome(file.path, "excluded", "the adapter found no document in it")
        warnings = [
            "the file is empty: no chunk"
            if len(documents) == 1
            else f"document {one.doc_id} is empty: no chunk"
            for one in documents
            if not one.text.strip()
        ]
        doc_ids = tuple(one.doc_id for one in documents)
        return FileOutcome(file.path, "included", doc_ids=doc_ids, warnings=(*self._warnings, *warnings))
