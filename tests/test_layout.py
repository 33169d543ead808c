"""Rules of the layout that the import contracts in pyproject.toml cannot see."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "strata_rag"
MODULES = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}

HEAVY = {
    "anthropic",
    "matplotlib",
    "openai",
    "presidio_analyzer",
    "presidio_anonymizer",
    "qdrant_client",
    "scipy",
    "sentence_transformers",
    "spacy",
    "torch",
    "transformers",
}


def _at_import(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that run when a module is imported: not function bodies, not `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield other
                yield from _at_import(other)
            continue
        yield child
        yield from _at_import(child)


def _imported(nodes: Iterator[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names


def heavy_imports(source: str) -> set[str]:
    return _imported(_at_import(ast.parse(source))) & HEAVY


def imports_pydantic(source: str) -> bool:
    return "pydantic" in _imported(ast.walk(ast.parse(source)))


def prints(source: str) -> bool:
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"print", "pprint"}
        for node in ast.walk(ast.parse(source))
    )


def touches_environment(source: str) -> bool:
    """Tell whether the source names the process's environment in any of its spellings."""
    names = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(value=ast.Name(id="os"), attr=attribute) if attribute in names:
                return True
            case ast.ImportFrom(module="os", names=aliases) if names & {alias.name for alias in aliases}:
                return True
    return False


@pytest.mark.parametrize("module", MODULES)
def test_heavy_packages_are_imported_inside_functions(module: str) -> None:
    assert heavy_imports(MODULES[module].read_text(encoding="utf-8")) == set()


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith("config/")])
def test_pydantic_lives_in_config(module: str) -> None:
    assert not imports_pydantic(MODULES[module].read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith(("cli/", "report/"))])
def test_only_cli_and_report_print(module: str) -> None:
    assert not prints(MODULES[module].read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", [name for name in MODULES if not name.startswith("cli/")])
def test_only_cli_reads_the_environment(module: str) -> None:
    assert not touches_environment(MODULES[module].read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import torch.nn", {"torch"}),
        ("try:\n    from scipy import stats\nexcept ImportError:\n    pass", {"scipy"}),
        ("class A:\n    import spacy", {"spacy"}),
        ("def f():\n    import torch", set()),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import torch", set()),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    import torch", {"torch"}),
        ("from .torch import encode", set()),
    ],
)
def test_the_check_for_heavy_imports_sees_what_runs_at_import(source: str, found: set[str]) -> None:
    assert heavy_imports(source) == found


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import os\nos.environ['A']", True),
        ("import os\nx = os.getenv('A')", True),
        ("from os import environ", True),
        ("def load(environ): return environ['A']", False),
        ("import os\nos.path.join('a', 'b')", False),
    ],
)
def test_the_check_for_the_environment_tells_the_process_from_a_parameter(source: str, found: bool) -> None:
    assert touches_environment(source) is found
