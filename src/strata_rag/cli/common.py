"""What every command that reads a config shares: arguments, the environment, output."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strata_rag.errors import InputError, StrataError, WriteFailed

if TYPE_CHECKING:
    from strata_rag.experiment import Experiment, Workspace

ConfigPath = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="The experiment's YAML file.", show_default=False)
]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a key of the config; may be repeated."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Mode = Annotated[
    str | None,
    typer.Option("--mode", metavar="dense|lexical|hybrid", help="First stage, in place of the config's."),
]
DenseOnly = Annotated[
    bool,
    typer.Option("--dense-only", help="Dense search alone: --mode dense --no-rerank, any floor ignored."),
]
NoRerank = Annotated[bool, typer.Option("--no-rerank", help="Leave the reranker out.")]

_BEGINNING = 12
_STEERING = re.compile("[\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_TRUE = {"1", "true", "yes", "on"}


def load_experiment(path: Path, overrides: list[str] | None) -> Experiment:
    """Load a config and make its components in the workspace that the environment names.

    Raises:
        ConfigError: The config has faults.
    """
    from strata_rag.config import load_config
    from strata_rag.experiment import Experiment

    loaded = load_config(path, overrides=overrides or (), environ=os.environ)
    print_notes(loaded.notes)
    return Experiment(
        loaded.config, workspace_of(), announce=lambda line: print(line, file=sys.stderr, flush=True)
    )


def workspace_of() -> Workspace:
    """Return the workspace that the environment names."""
    from strata_rag.experiment import Workspace

    environ = os.environ
    models_dir = environ.get("STRATA_MODELS_DIR")
    return Workspace(
        home=Path(environ.get("STRATA_HOME") or ".strata"),
        models_dir=Path(models_dir) if models_dir else None,
        offline=any(environ.get(name, "").lower() in _TRUE for name in ("STRATA_OFFLINE", "HF_HUB_OFFLINE")),
        environ=environ,
    )


def check_mode(mode: str | None) -> str | None:
    """Return `mode` if there is such a first stage.

    Raises:
        BadParameter: There is none.
    """
    if mode not in (None, "dense", "lexical", "hybrid"):
        raise typer.BadParameter(f"--mode: expected dense, lexical or hybrid, found {mode!r}")
    return mode


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document on stdout, in escapes what stdout can't take and what would steer a terminal or hide."""
    text = json.dumps(document, ensure_ascii=not _takes_unicode(), allow_nan=False, indent=2)
    print(_STEERING.sub(lambda match: json.dumps(match.group())[1:-1], text), flush=True)


def _takes_unicode() -> bool:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return encoding.lower().replace("_", "-") in ("utf-8", "utf8")


def error_document(error: StrataError) -> dict[str, Any]:
    """Return an error as ``--json`` prints it."""
    return {"error": "\n".join(error.lines), "hint": error.hint, "exit_code": error.exit_code}


class Told(Exception):
    """An error that stands in the JSON document already; only its lines on stderr are still due."""

    def __init__(self, error: StrataError) -> None:
        super().__init__(error.message)
        self.error = error


def print_notes(notes: Sequence[str]) -> None:
    """Print notes on stderr."""
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


def write_text(path: Path, text: str) -> None:
    """Write a file beside its place and rename it there; a device or pipe is written to as it is.

    Raises:
        InputError: The file holds something of another kind, which stays.
        WriteFailed: The disk refused; what was there before stays.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    target = path.resolve()
    if target.is_file() and not _begins_alike(target, text):
        raise InputError(
            f"{path}: expected a new file or an earlier one of this kind, found another file",
            hint="give another name, or remove the file first",
        )
    partial = target.with_name(f".{target.name}.partial")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise WriteFailed(
            f"{path}: expected to write the file, found: {error.strerror or error}",
            hint="check the path, disk space and permissions",
        ) from error


def _begins_alike(path: Path, text: str) -> bool:
    """Tell whether the file begins like `text`, so that writing replaces an earlier version of the same thing."""
    begin = text[:_BEGINNING].encode()
    with path.open("rb") as file:
        return file.read(len(begin)) in (begin, b"")


def print_warnings(warnings: Sequence[str], *, more: str) -> None:
    """Print the first warnings on stderr, and `more` says where the rest stands."""
    from strata_rag.report import visible

    shown = 5
    for warning in warnings[:shown]:
        print(f"warning: {visible(warning)}", file=sys.stderr)
    if len(warnings) > shown:
        print(f"warning: {len(warnings) - shown} more warnings; {more}", file=sys.stderr)
