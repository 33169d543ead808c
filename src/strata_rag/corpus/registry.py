"""Who reads which folder: the adapters and families that plugins bring, held by one engine, never by the process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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


class Registration:
    """Where one plugin registers what it brings.

    Args:
        registry: Takes it.
        plugin: Brings it.
    """

    def __init__(self, registry: Registry, plugin: Plugin) -> None:
        self._registry = registry
        self._plugin = plugin

    def register_adapter(self, folder: str, adapter: AdapterFactory) -> None:
        """Let `adapter` read a source folder.

        Args:
            folder: Name of a folder right under the corpus root.
            adapter: Called with that folder and the files it may read.

        Raises:
            PluginError: An argument is of another kind, or another adapter reads the folder.
        """
        _require_name("register_adapter", "the name of a folder right under the corpus root", folder)
        if "/" in folder or "\\" in folder or folder in (".", ".."):
            raise PluginError(
                f"register_adapter: expected the name of a folder right under the corpus root, found {folder!r}",
                hint="register the first folder; the adapter sees everything below it",
            )
        if not callable(adapter):
            raise PluginError(
                f"register_adapter: expected the adapter's class, found {type(adapter).__name__}",
                hint="give the class itself, such as register_adapter('tickets', TicketAdapter)",
            )
        self._registry.add_adapter(RegisteredAdapter(folder, adapter, self._plugin))

    def register_family(
        self,
        family: str,
        roster: str,
        *,
        folders: Iterable[str] | None = None,
        column: str = DOCUMENT_COLUMN,
        key: KeyRule | None = None,
        columns: Iterable[str] | None = None,
        numbers: Iterable[str] = (),
    ) -> None:
        """Let documents form a family whose fields stand in a roster.

        Args:
            family: Its name.
            roster: The roster's file below ``corpus.rosters_dir``, without ``.tsv``.
            folders: Folders below the corpus root whose documents belong to it; by default the one of its name.
            column: The roster's column that holds the keys.
            key: Gives a document's key, compared exactly; by default its id.
            columns: The columns to join; by default all but the key's.
            numbers: Columns whose cells are numbers, so that filters such as ``year>=2020`` reach them.

        Raises:
            PluginError: An argument is of another kind, or the family or folder is taken.
        """
        _require_name("register_family", "the family's name", family)
        _require_name("register_family", "the stem of a .tsv file", roster)
        _require_name("register_family", "the name of the key's column", column)
        if key is not None and not callable(key):
            raise PluginError(
                f"register_family: key: expected a function from a document to its key, found {key!r:.60}",
                hint="such as key=lambda document: document.metadata['number']",
            )
        below = _names("folders", (family,) if folders is None else folders)
        self._registry.add_family(
            Family(
                name=family,
                roster=roster.removesuffix(".tsv"),
                plugin=self._plugin,
                folders=tuple(folder.strip("/") for folder in below),
                column=column,
                key=key,
                columns=None if columns is None else _names("columns", columns),
                numbers=_names("numbers", numbers),
            )
        )


def _require_name(function: str, expected: str, value: object) -> None:
    if not isinstance(value, str) or not value.strip():
        raise PluginError(f"{function}: expected {expected}, found {value!r:.60}", hint="see docs/plugins.md")


def _names(key: str, values: Iterable[str]) -> tuple[str, ...]:
    listed: tuple[Any, ...] = () if isinstance(values, str) else tuple(values)
    if isinstance(values, str) or not all(isinstance(value, str) and value.strip("/ ") for value in listed):
        raise PluginError(
            f"register_family: {key}: expected a list of names, found {values!r:.60}",
            hint="see docs/plugins.md",
        )
    return listed


_LOADING: ContextVar[Registration | None] = ContextVar("strata_rag_loading", default=None)


@contextmanager
def registering(registration: Registration | None) -> Iterator[None]:
    """Let `register_adapter` and `register_family` mean this registration inside the block; None: nobody's."""
    token = _LOADING.set(registration)
    try:
        yield
    finally:
        _LOADING.reset(token)


def register_adapter(folder: str, adapter: AdapterFactory) -> None:
    """Let `adapter` read a source folder, in the engine that loads the calling module.

    Args:
        folder: Name of a folder right under the corpus root.
        adapter: Called as ``adapter(folder, files)`` with the folder's path and the files it may read.

    Raises:
        PluginError: Nothing is loading, an argument is of another kind, or another adapter reads the folder.
    """
    _registration("register_adapter").register_adapter(folder, adapter)


def register_family(
    family: str,
    roster: str,
    *,
    folders: Iterable[str] | None = None,
    column: str = DOCUMENT_COLUMN,
    key: KeyRule | None = None,
    columns: Iterable[str] | None = None,
    numbers: Iterable[str] = (),
) -> None:
    """Let documents form a family whose fields stand in a roster, in the engine that loads the calling module.

    Args:
        family: Its name.
        roster: The roster's file below ``corpus.rosters_dir``, without ``.tsv``.
        folders: Folders below the corpus root whose documents belong to it; by default the one of its name.
        column: The roster's column that holds the keys.
        key: Gives a document's key, compared exactly; by default its id.
        columns: The columns to join; by default all but the key's.
        numbers: Columns whose cells are numbers, so that filters such as ``year>=2020`` reach them.

    Raises:
        PluginError: Nothing is loading, an argument is of another kind, or the family or folder is taken.
    """
    _registration("register_family").register_family(
        family, roster, folders=folders, column=column, key=key, columns=columns, numbers=numbers
    )


def _registration(function: str) -> Registration:
    if (registration := _LOADING.get()) is None:
        raise PluginError(
            f"{function}: expected to be called while strata loads the module, found no load at work",
            hint="call it at the top level of a module in corpus.plugins_dir, or inside `def register(registry)` "
            f"as registry.{function}(...); an installed package's entry point names such a function",
        )
    return registration
