"""Modules and entry points register with the engine that loads them; what is broken is told each time."""

from __future__ import annotations

import logging
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from strata_rag.corpus import Registry, load_plugins
from strata_rag.errors import PluginError
from strata_rag.plugins import register_adapter, register_family

ADAPTER = "from strata_rag.plugins import FolderAdapter, register_adapter\n"


def write(folder: Path, **modules: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def claims(folder: str) -> str:
    return f"{ADAPTER}register_adapter({folder!r}, FolderAdapter)\n"


def load(folder: Path | None) -> Registry:
    return load_plugins(folder, installed=[])


def refused(folder: Path) -> PluginError:
    with pytest.raises(PluginError) as caught:
        load(folder)
    return caught.value


def test_modules_are_loaded_in_the_order_of_their_names(tmp_path: Path) -> None:
    write(
        tmp_path, b=claims("two"), a=claims("one"), _helper="x = 1", test_a="raise SystemExit", conftest="1/0"
    )
    registry = load(tmp_path)
    assert [plugin.name for plugin in registry.plugins] == ["a", "b"]
    assert [adapter.folder for adapter in registry.adapters] == ["one", "two"]


def test_two_engines_share_nothing(tmp_path: Path) -> None:
    write(tmp_path, a=claims("one"))
    first, second = load(tmp_path), load(tmp_path)
    assert first.adapter("one") is not second.adapter("one")
    assert load(None).adapters == []


def test_two_folders_with_modules_of_one_name_do_not_collide(tmp_path: Path) -> None:
    first = write(tmp_path / "x", a="from . import _common", _common=claims("one"))
    second = write(tmp_path / "y", a="from . import _common", _common=claims("two"))
    assert [one.folder for one in load(first).adapters] == ["one"]
    assert [one.folder for one in load(second).adapters] == ["two"]


def test_loading_leaves_the_path_and_the_folder_as_they_were(tmp_path: Path) -> None:
    write(tmp_path, a=f"from . import _b\n{claims('one')}", _b="")
    path, modules = list(sys.path), set(sys.modules)
    load(tmp_path)
    assert sys.path == path
    assert all(name.startswith("_strata_plugins_") for name in set(sys.modules) - modules)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["_b.py", "a.py"]


def test_a_package_is_a_plugin_and_all_its_files_are_in_its_hash(tmp_path: Path) -> None:
    package = write(
        tmp_path / "mail", __init__=f"from . import parts\n{claims('mail')}__version__ = '2'", parts=""
    )
    (plugin,) = load(tmp_path).plugins
    assert (plugin.name, plugin.version, plugin.origin) == ("mail", "2", str(package))
    (package / "parts.py").write_text("x = 2")
    assert load(tmp_path).plugins[0].digest != plugin.digest


def test_a_shared_helper_is_in_the_hash_of_each_plugin(tmp_path: Path) -> None:
    write(tmp_path, a=claims("one"), b=claims("two"), _common="x = 1")
    before = [plugin.digest for plugin in load(tmp_path).plugins]
    assert before == [plugin.digest for plugin in load(tmp_path).plugins]
    write(tmp_path, _common="x = 2")
    assert all(old != new.digest for old, new in zip(before, load(tmp_path).plugins, strict=True))


def test_dataclasses_in_a_plugin_work(tmp_path: Path) -> None:
    text = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\nfrom typing import ClassVar\n"
        "@dataclass(frozen=True, slots=True)\nclass A:\n    x: ClassVar[int] = 1\n    y: int = 2\n"
    )
    write(tmp_path, a=text)
    assert len(load(tmp_path).plugins) == 1


def test_a_register_function_takes_the_registry(tmp_path: Path) -> None:
    write(
        tmp_path,
        a="from strata_rag.plugins import FolderAdapter\n"
        "def register(registry):\n    registry.register_adapter('one', FolderAdapter)\n"
        "    registry.register_family('f', 'people.tsv', folders=['one/', 'two'])\n",
    )
    (family,) = load(tmp_path).families
    assert (family.name, family.roster, family.folders) == ("f", "people", ("one", "two"))


@pytest.mark.parametrize("folder", [None, "absent"])
def test_no_folder_is_a_no_op_and_an_absent_one_is_warned_of_once(
    tmp_path: Path, folder: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, logger="strata_rag"):
        registry = load(tmp_path / folder if folder else None)
    assert (registry.plugins, list(registry.adapters)) == ([], [])
    assert [record.getMessage() for record in caplog.records] == (
        [f"corpus.plugins_dir: {tmp_path / 'absent'} is not there: no plugin of it is loaded"]
        if folder
        else []
    )


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path, a="")
    assert "expected corpus.plugins_dir, a folder; found a file" in refused(tmp_path / "a.py").message


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        ("x = 1\ndef broken(:\n", 2, "SyntaxError"),
        ("\n\nraise ValueError('no\\nluck')", 3, "ValueError: no luck"),
        ("import sys\nsys.exit(0)", 2, "SystemExit"),
        ("import no_such_package", 1, "ModuleNotFoundError"),
        ("x = (\n1/0)", 2, "ZeroDivisionError"),
        (f"{ADAPTER}register_adapter('a/b', FolderAdapter)", 2, "a folder right under the corpus root"),
        (f"{ADAPTER}register_adapter('', FolderAdapter)", 2, "found ''"),
        (f"{ADAPTER}register_adapter('a', 3)", 2, "expected the adapter's class, found int"),
        (
            "from strata_rag.plugins import register_family\nregister_family('a', 'b', columns='x')",
            2,
            "columns",
        ),
        ("from strata_rag.plugins import register_family\nregister_family('a', 'b', key='x')", 2, "key"),
        ("def register(registry):\n    raise KeyError('x')", 2, "KeyError: 'x'"),
    ],
)
def test_a_broken_plugin_is_told_with_file_and_line_now_and_on_every_retry(
    tmp_path: Path, text: str, line: int, found: str
) -> None:
    write(tmp_path, a=claims("fine"), b=text)
    modules = set(sys.modules)
    for _ in range(2):
        error = refused(tmp_path)
        assert error.message.startswith(f"{tmp_path / 'b.py'}:{line}: ")
        assert found in error.message
        assert "\n" not in error.message
    assert set(sys.modules) == modules
    write(tmp_path, b=claims("mended"))
    assert [one.folder for one in load(tmp_path).adapters] == ["fine", "mended"]


def test_a_sibling_imported_by_its_bare_name_has_a_hint(tmp_path: Path) -> None:
    write(tmp_path, a="import _common", _common="")
    assert "from . import _common" in refused(tmp_path).hint


@pytest.mark.parametrize("second", [claims("one"), claims("two") + claims("one")])
def test_two_plugins_that_claim_one_folder_are_both_named(tmp_path: Path, second: str) -> None:
    write(tmp_path, a=claims("one"), b=second)
    message = refused(tmp_path).message
    assert "folder `one`: expected one adapter, found two" in message
    assert str(tmp_path / "a.py") in message
    assert str(tmp_path / "b.py") in message


@pytest.mark.parametrize("second", ["'f', 'y'", "'g', 'y', folders=['f']"])
def test_two_families_of_one_name_or_folder_are_refused(tmp_path: Path, second: str) -> None:
    write(
        tmp_path,
        a="from strata_rag.plugins import register_family\n"
        f"register_family('f', 'x')\nregister_family({second})\n",
    )
    assert ":3: " in refused(tmp_path).message


@pytest.mark.parametrize("call", [lambda: register_adapter("a", Registry), lambda: register_family("a", "b")])
def test_registering_while_nothing_is_loaded_is_refused(call) -> None:
    with pytest.raises(PluginError, match="expected to be called while strata loads the module"):
        call()


def test_a_broken_plugin_leaves_no_load_at_work(tmp_path: Path) -> None:
    write(tmp_path, a="1/0")
    refused(tmp_path)
    with pytest.raises(PluginError):
        register_adapter("a", Registry)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of importable modules."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("acme_")]:
        del sys.modules[name]


def entry(value: str) -> EntryPoint:
    return EntryPoint("acme", value, "strata_rag.plugins")


def test_an_entry_point_registers_with_every_engine(installed: Path) -> None:
    write(
        installed,
        acme_a="from strata_rag.plugins import FolderAdapter\n"
        "def register(registry):\n    registry.register_adapter('one', FolderAdapter)\n",
    )
    for value in ("acme_a:register", "acme_a", "acme_a"):
        registry = load_plugins(None, installed=[entry(value)])
        (plugin,) = registry.plugins
        assert plugin.origin == f"entry point acme = {value}"
        assert len(plugin.digest) == 64
        assert registry.adapter("one") is not None


@pytest.mark.parametrize(
    ("text", "value", "found"),
    [
        (claims("one"), "acme_b", ":2: register_adapter: expected to be called while strata loads"),
        ("x = 1", "acme_b", "expected a function that takes the registry, found module"),
        ("x = 1", "acme_b:absent", "AttributeError"),
        ("x = 1", "acme_absent:register", "ModuleNotFoundError"),
        (
            "def register(registry):\n    1/0",
            "acme_b:register",
            ":2: expected a plugin that works, found ZeroDiv",
        ),
    ],
)
def test_a_broken_entry_point_is_told(installed: Path, text: str, value: str, found: str) -> None:
    write(installed, acme_b=text)
    for _ in range(2):
        with pytest.raises(PluginError) as caught:
            load_plugins(None, installed=[entry(value)])
        assert found in caught.value.message


def test_an_entry_point_and_a_module_that_claim_one_folder_are_both_named(installed: Path) -> None:
    write(installed, acme_c="def register(r):\n    r.register_adapter('one', object)\n")
    folder = write(installed / "plugins", a=claims("one"))
    with pytest.raises(PluginError) as caught:
        load_plugins(folder, installed=[entry("acme_c:register")])
    assert "entry point acme = acme_c:register" in caught.value.message
    assert str(folder / "a.py") in caught.value.message


def test_the_installed_plugins_are_those_of_the_group() -> None:
    assert load_plugins(None).plugins == []
