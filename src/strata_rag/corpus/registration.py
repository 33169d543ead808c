"""How a plugin registers what it brings: with the engine that loads it, and without a registry of the process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from strata_rag.corpus.registry import (
    DOCUMENT_COLUMN,
    AdapterFactory,
    Family,
    KeyRule,
    Plugin,
    RegisteredAdapter,
    Registry,
)
from strata_rag.errors import PluginError


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
        """Let `adapter` read a source folder; the arguments are those of `register_adapter`.

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
        """Let documents form a family whose fields stand in a roster; the arguments are those of `register_family`.

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
