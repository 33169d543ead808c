"""Who reads which folder: the adapters and families that plugins bring, held by one engine, never by the process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from strata_rag.corpus.adapter import SourceAdapter
from strata_rag.documents import SourceDocument
from strata_rag.errors import PluginError

AdapterFactory = Callable[[Path, Sequence[str]], SourceAdapter]
"""Makes an adapter from its folder and the files it may read: paths below the folder, with ``/``, sorted."""

KeyRule = Callable[[SourceDocument], str]
"""Returns the key of a document's row in the roster of its family."""

DOCUMENT_COLUMN = "doc_id"


@dataclass(frozen=True, slots=True)
class Plugin:
    """A module that registers adapters and families.

    Attributes:
        name: Its module's name, or the entry point's.
        version: What it says of itself (``__version__``), or its distribution's; may be empty.
        origin: Its file or folder, or the entry point.
        digest: SHA-256 over its files, in hexadecimal digits.
        files: The files it was loaded from.
    """

    name: str
    version: str
    origin: str
    digest: str
    files: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class RegisteredAdapter:
    """What reads one source folder.

    Attributes:
        folder: Name of the folder right under the corpus root.
        make: Makes the adapter.
        plugin: Who registered it.
    """

    folder: str
    make: AdapterFactory
    plugin: Plugin


@dataclass(frozen=True, slots=True)
class Family:
    """Documents whose further fields stand in a roster.

    Attributes:
        name: What the documents' field ``family`` holds.
        roster: Path of the roster below the rosters' folder, without ``.tsv``.
        plugin: Who registered it.
        folders: Folders below the corpus root whose documents belong to it.
        column: The roster's column that holds the keys.
        key: Gives a document's key; None means its id.
        columns: The columns that are joined; None means all but the key's.
        numbers: Columns whose cells are numbers; the others stay text.
    """

    name: str
    roster: str
    plugin: Plugin
    folders: tuple[str, ...]
    column: str = DOCUMENT_COLUMN
    key: KeyRule | None = None
    columns: tuple[str, ...] | None = None
    numbers: tuple[str, ...] = ()


class Registry:
    """The adapters and families of one engine."""

    def __init__(self) -> None:
        self.plugins: list[Plugin] = []
        self._adapters: dict[str, RegisteredAdapter] = {}
        self._families: dict[str, Family] = {}

    @property
    def adapters(self) -> Sequence[RegisteredAdapter]:
        """By folder."""
        return [self._adapters[folder] for folder in sorted(self._adapters)]

    @property
    def families(self) -> Sequence[Family]:
        """By name."""
        return [self._families[name] for name in sorted(self._families)]

    def adapter(self, folder: str) -> RegisteredAdapter | None:
        """Return what reads `folder`, or None where no plugin does."""
        return self._adapters.get(folder)

    def add_adapter(self, adapter: RegisteredAdapter) -> None:
        """Add an adapter.

        Raises:
            PluginError: Another one reads the same folder.
        """
        if known := self._adapters.get(adapter.folder):
            raise _claimed_twice(f"folder `{adapter.folder}`", "adapter", known.plugin, adapter.plugin)
        self._adapters[adapter.folder] = adapter

    def add_family(self, family: Family) -> None:
        """Add a family.

        Raises:
            PluginError: The name or one of the folders belongs to another one.
        """
        if known := self._families.get(family.name):
            raise _claimed_twice(f"family `{family.name}`", "roster", known.plugin, family.plugin)
        for other in self._families.values():
            if shared := {*family.folders} & {*other.folders}:
                what = f"folder `{min(shared)}`"
                raise _claimed_twice(what, "family", other.plugin, family.plugin)
        self._families[family.name] = family

    def in_use(self, root: Path) -> tuple[list[Plugin], list[Family]]:
        """Return the plugins and families that concern the corpus at `root`, in their order.

        A family does if one of its folders is there, or one that an adapter of the same plugin reads.
        """
        origins = {one.plugin.origin for one in self.adapters if (root / one.folder).is_dir()}
        families = [
            family
            for family in self.families
            if family.plugin.origin in origins or any((root / folder).is_dir() for folder in family.folders)
        ]
        origins |= {family.plugin.origin for family in families}
        return [plugin for plugin in self.plugins if plugin.origin in origins], families


def _claimed_twice(what: str, role: str, first: Plugin, second: Plugin) -> PluginError:
    return PluginError(
        f"{what}: expected one {role}, found two: of {first.origin} and of {second.origin}",
        hint="take one of the two plugins away, or let it register another name",
    )
