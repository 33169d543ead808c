"""Loads plugins: the modules of a folder, in name order, and installed entry points."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import logging
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from strata_rag.corpus.registration import Registration, registering
from strata_rag.corpus.registry import Plugin, Registry
from strata_rag.errors import PluginError, StrataError

ENTRY_POINTS = "strata_rag.plugins"
_REGISTER = "register"
_loads = itertools.count(1)
_log = logging.getLogger(__name__)


def load_plugins(folder: Path | None, *, installed: Sequence[EntryPoint] | None = None) -> Registry:
    """Return a registry of its own with all that plugins bring.

    Installed plugins come first, by name, then the modules of `folder`, by name. Files and packages whose name
    begins with ``_``, ``.`` or ``test_``, and ``conftest.py``, are no plugins.

    Args:
        folder: Where plugins lie; None means nowhere, and one that is not there is warned of.
        installed: Entry points; None means those of the installed packages.

    Raises:
        PluginError: A plugin can't be loaded, or two claim the same. Nothing of the registry is kept, so that
            the next call meets the same error or the mended file.
    """
    registry = Registry()
    found = entry_points(group=ENTRY_POINTS) if installed is None else installed
    for entry in sorted(found, key=lambda entry: (entry.name, entry.value)):
        _load_installed(entry, registry)
    if folder is not None:
        _load_folder(folder, registry)
    return registry


def _load_folder(folder: Path, registry: Registry) -> None:
    if not folder.exists():
        _log.warning("corpus.plugins_dir: %s is not there: no plugin of it is loaded", folder)
        return
    if not folder.is_dir():
        raise PluginError(
            f"{folder}: expected corpus.plugins_dir, a folder; found a file",
            hint="name the folder that holds it",
        )
    try:
        entries = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as error:
        raise PluginError(
            f"{folder}: expected a folder of plugins, found: {error.strerror}", hint="check its permissions"
        ) from error
    parent = f"_strata_plugins_{next(_loads)}"
    helpers = [path for path in entries if path.name.startswith("_") and path.suffix == ".py"]
    with _private_package(parent, folder):
        for path in entries:
            if _is_plugin(path):
                _load_module(path, parent, helpers, registry)


def _is_plugin(path: Path) -> bool:
    if path.name.startswith((".", "_", "test_")) or path.name == "conftest.py":
        return False
    return (path.suffix == ".py" and path.is_file()) or (path / "__init__.py").is_file()


@contextmanager
def _private_package(name: str, folder: Path) -> Iterator[None]:
    """Give the folder's modules a package of their own; if loading fails, no trace of them is left.

    Neither ``sys.path`` nor a name that others could import changes, and nothing compiled is written beside the
    sources, where it could outlive an edit.
    """
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    writes = sys.dont_write_bytecode
    sys.modules[name] = package
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    try:
        yield
    except BaseException:
        for loaded in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
            del sys.modules[loaded]
        raise
    finally:
        sys.dont_write_bytecode = writes


def _load_module(path: Path, parent: str, helpers: Sequence[Path], registry: Registry) -> None:
    is_package = path.is_dir()
    file = path / "__init__.py" if is_package else path
    files = (*_files_of(path), *helpers)
    name = f"{parent}.{path.stem.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(
        name, file, submodule_search_locations=[str(path)] if is_package else None
    )
    assert spec is not None
    assert spec.loader is not None
    plugin = Plugin(path.stem, "", str(path), _digest(files, path.parent), files)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        with registering(Registration(registry, plugin)):
            spec.loader.exec_module(module)
        if callable(register := getattr(module, _REGISTER, None)):
            register(Registration(registry, plugin))
    except (Exception, SystemExit) as error:  # whatever a plugin raises is told with its place
        raise_broken(error, plugin)
    registry.plugins.append(replace(plugin, version=str(getattr(module, "__version__", ""))))


def _load_installed(entry: EntryPoint, registry: Registry) -> None:
    distribution = entry.dist
    origin = f"entry point {entry.name} = {entry.value}" + (f" ({distribution.name})" if distribution else "")
    files, base = _installed_files(entry)
    version = distribution.version if distribution else ""
    plugin = Plugin(entry.name, version, origin, _digest(files, base), files)
    try:
        with registering(None):
            loaded = entry.load()
        register = loaded if callable(loaded) else getattr(loaded, _REGISTER, None)
        if not callable(register):
            raise PluginError(
                f"expected a function that takes the registry, found {type(loaded).__name__}",
                hint=f"let the entry point name one: {entry.name} = {entry.module}:{_REGISTER}",
            )
        register(Registration(registry, plugin))
    except (Exception, SystemExit) as error:  # whatever a plugin raises is told with its place
        raise_broken(error, plugin)
    registry.plugins.append(plugin)


def _installed_files(entry: EntryPoint) -> tuple[tuple[Path, ...], Path]:
    """Return the files of an entry point's module or package, and the folder that holds them; loading finds faults."""
    try:
        spec = importlib.util.find_spec(entry.module)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.origin:
        return (), Path()
    file = Path(spec.origin)
    return _files_of(file.parent if spec.submodule_search_locations else file), file.parent


def raise_broken(error: BaseException, plugin: Plugin, *, doing: str = "", hint: str = "") -> NoReturn:
    """Raise what a plugin's code has raised as one line with the plugin's file and line.

    Args:
        error: What was raised.
        plugin: Whose code it was.
        doing: What it was at, for the message.
        hint: What to do; by default to mend the plugin.

    Raises:
        PluginError: Always.
    """
    where = _place(error, plugin)
    at = f" while {doing}" if doing else ""
    if isinstance(error, StrataError):
        raise PluginError(f"{where}: {error.message}{at}", hint=error.hint) from error
    text = " ".join(str(error.msg if isinstance(error, SyntaxError) else error).split()) or "no message"
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing and any(file.stem == missing for file in _neighbours(plugin)):
        hint = f"write `from . import {missing}`: a plugin's folder is not on the path"
    elif missing:
        hint = f"install what brings {missing}, or take the plugin out of the folder"
    raise PluginError(
        f"{where}: expected a plugin that works, found {type(error).__name__}: {text}{at}",
        hint=hint or "mend the plugin, or take it out of the folder",
    ) from error


def _neighbours(plugin: Plugin) -> list[Path]:
    folders = {file.parent for file in plugin.files} | {Path(plugin.origin).parent}
    return [file for folder in folders if folder.is_dir() for file in folder.glob("*.py")]


def _place(error: BaseException, plugin: Plugin) -> str:
    """Return file and line of the plugin where `error` came from, or the plugin's origin."""
    mine = {str(file) for file in plugin.files}
    if isinstance(error, SyntaxError) and error.filename in mine:
        return f"{error.filename}:{error.lineno}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in mine]
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else plugin.origin


def _files_of(path: Path) -> tuple[Path, ...]:
    """Return the file, or every file of the package but compiled ones."""
    if not path.is_dir():
        return (path,)
    inside = (file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return tuple(sorted(inside))


def _digest(files: Sequence[Path], folder: Path) -> str:
    total = sha256()
    for file in files:
        try:
            data = file.read_bytes()
        except OSError:
            continue  # importing it tells why
        total.update(
            f"{file.relative_to(folder).as_posix()}\0{len(data)}\n".encode("utf-8", "surrogateescape")
        )
        total.update(data)
    return total.hexdigest()
