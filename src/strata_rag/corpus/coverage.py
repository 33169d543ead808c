"""Coverage: how much of a corpus was read, and what of it stands out."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from strata_rag.corpus.adapter import FileOutcome
from strata_rag.corpus.walk import is_machinery

OUTLIER_RULE = (
    "length beyond 3 interquartile ranges of log length from the quartiles, and 8 times longer or shorter than them; "
    "at least 8 documents"
)
_FENCE = 3.0
_LEAST_FACTOR = 8.0
_FEWEST_DOCUMENTS = 8


@dataclass(frozen=True, slots=True)
class MeasuredFile:
    """A file's outcome with the length of its documents.

    Attributes:
        outcome: What became of it.
        lengths: Code points by document id; 0 for one that holds white space alone.
    """

    outcome: FileOutcome
    lengths: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Share:
    """How many files of one kind were read.

    Attributes:
        name: The kind: a suffix such as ``.pdf``, or a folder such as ``atlas/parts``; empty for files without one.
        files: All of them.
        included: Those whose documents are in the corpus.
        excluded: Those that a rule left out.
        failed: Those that could not be read.
        documents: Documents they gave.
    """

    name: str
    files: int
    included: int
    excluded: int
    failed: int
    documents: int

    @property
    def read(self) -> float:
        """The share of files that are included."""
        return self.included / self.files if self.files else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return every field as a JSON value, and the share."""
        return {**asdict(self), "share_read": self.read}


@dataclass(frozen=True, slots=True)
class EmptyPages:
    """A file some of whose pages hold no text.

    Attributes:
        path: The file.
        pages: Number of its pages, or None where that is not known.
        empty: Those without text, counted from 1.
    """

    path: str
    pages: int | None
    empty: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Outlier:
    """A document far longer or shorter than the others."""

    doc_id: str
    characters: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a corpus was read, hidden files and virtual environments aside.

    Attributes:
        types: By suffix.
        folders: By source and project folder.
        without_adapter: Source folders read by the default adapter, or None where no plugin names any adapter.
        without_documents: Source and project folders no file of which gave a document with text.
        empty_documents: Documents without text.
        long: Documents far longer than the others, the longest first.
        short: Documents far shorter, the shortest first.
        pages: Pages of all files that have pages.
        empty_pages: Files with pages that hold no text.
    """

    types: tuple[Share, ...] = ()
    folders: tuple[Share, ...] = ()
    without_adapter: tuple[str, ...] | None = None
    without_documents: tuple[str, ...] = ()
    empty_documents: tuple[str, ...] = ()
    long: tuple[Outlier, ...] = ()
    short: tuple[Outlier, ...] = ()
    pages: int = 0
    empty_pages: tuple[EmptyPages, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return every field as a JSON value, with the rule that outliers were found by."""
        without_adapter = None if self.without_adapter is None else list(self.without_adapter)
        return {
            "types": [one.as_json() for one in self.types],
            "folders": [one.as_json() for one in self.folders],
            "folders_without_adapter": without_adapter,
            "folders_without_documents": list(self.without_documents),
            "empty_documents": list(self.empty_documents),
            "outliers": {
                "rule": OUTLIER_RULE,
                "long": [asdict(one) for one in self.long],
                "short": [asdict(one) for one in self.short],
            },
            "pages": self.pages,
            "pages_without_text": sum(len(one.empty) for one in self.empty_pages),
            "empty_pages": [{**asdict(one), "empty": list(one.empty)} for one in self.empty_pages],
        }


def measure_coverage(files: Sequence[MeasuredFile], *, adapters: Sequence[str] | None = None) -> Coverage:
    """Return the coverage of a corpus.

    Args:
        files: Every file once, sorted by path.
        adapters: Source folders that have an adapter of their own, or None where no plugin names any.
    """
    files = [one for one in files if not is_machinery(one.outcome.reason)]
    lengths = {doc_id: length for one in files for doc_id, length in one.lengths.items()}
    long, short = find_outliers(lengths)
    outcomes = [one.outcome for one in files]
    return Coverage(
        types=_shares(files, _suffix),
        folders=_shares(files, _folder),
        without_adapter=_without_adapter(outcomes, adapters),
        without_documents=_without_documents(files),
        empty_documents=tuple(sorted(doc_id for doc_id, length in lengths.items() if not length)),
        long=long,
        short=short,
        pages=sum(one.pages or 0 for one in outcomes),
        empty_pages=tuple(
            EmptyPages(one.path, one.pages, one.empty_pages) for one in outcomes if one.empty_pages
        ),
    )


def find_outliers(lengths: Mapping[str, int]) -> tuple[tuple[Outlier, ...], tuple[Outlier, ...]]:
    """Return the documents far longer and far shorter than the others, by `OUTLIER_RULE`.

    The fences are Tukey's outer ones (Exploratory Data Analysis, 1977), on the natural logarithm of the length.

    Args:
        lengths: Code points by document id; documents without text are left out.
    """
    logs = {doc_id: math.log(length) for doc_id, length in lengths.items() if length}
    if len(logs) < _FEWEST_DOCUMENTS:
        return (), ()
    low, _, high = statistics.quantiles(logs.values(), n=4, method="inclusive")
    reach = max(_FENCE * (high - low), math.log(_LEAST_FACTOR))
    outside = {doc_id: length for doc_id, length in lengths.items() if length}
    long = [Outlier(doc_id, outside[doc_id]) for doc_id, log in logs.items() if log > high + reach]
    short = [Outlier(doc_id, outside[doc_id]) for doc_id, log in logs.items() if log < low - reach]
    return (
        tuple(sorted(long, key=lambda one: (-one.characters, one.doc_id))),
        tuple(sorted(short, key=lambda one: (one.characters, one.doc_id))),
    )


def _suffix(path: str) -> str:
    """Return the suffix of a file's name in lower case; empty where it has none."""
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return f".{suffix.lower()}" if stem and dot else ""


def _folder(path: str) -> str:
    """Return the source and project folder that `path` lies in; empty for files in the root."""
    return "/".join(path.split("/")[:-1][:2])


def _shares(files: Iterable[MeasuredFile], kind: Callable[[str], str]) -> tuple[Share, ...]:
    groups: defaultdict[str, list[FileOutcome]] = defaultdict(list)
    for one in files:
        groups[kind(one.outcome.path)].append(one.outcome)
    return tuple(
        Share(
            name=name,
            files=len(group),
            included=sum(one.status == "included" for one in group),
            excluded=sum(one.status == "excluded" for one in group),
            failed=sum(one.status == "failed" for one in group),
            documents=sum(len(one.doc_ids) for one in group),
        )
        for name, group in sorted(groups.items())
    )


def _without_adapter(
    outcomes: Iterable[FileOutcome], adapters: Sequence[str] | None
) -> tuple[str, ...] | None:
    if adapters is None:
        return None
    sources = {one.path.split("/")[0] for one in outcomes if "/" in one.path and one.status == "included"}
    return tuple(sorted(sources - set(adapters)))


def _without_documents(files: Iterable[MeasuredFile]) -> tuple[str, ...]:
    """Return the folders without a document with text; a project in a source that is listed itself is left out."""
    projects: defaultdict[str, int] = defaultdict(int)
    sources: defaultdict[str, int] = defaultdict(int)
    for one in files:
        folder = _folder(one.outcome.path)
        with_text = sum(map(bool, one.lengths.values()))
        projects[folder] += with_text
        sources[folder.split("/")[0]] += with_text
    empty = {name for name, documents in sources.items() if name and not documents}
    inside = {
        name
        for name, documents in projects.items()
        if "/" in name and not documents and name.split("/")[0] not in empty
    }
    return tuple(sorted(empty | inside))
