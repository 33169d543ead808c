"""The command line: the app, its exit codes, and how failures are told."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import re
import shlex
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from strata_rag.cli.check import check_command, doctor_command
from strata_rag.cli.collections import collections_app
from strata_rag.cli.common import Told, print_json
from strata_rag.cli.compare import compare_command
from strata_rag.cli.config import config_app
from strata_rag.cli.evaluate import evaluate_command
from strata_rag.cli.gate import gate_command
from strata_rag.cli.golden import golden_app
from strata_rag.cli.ingest import ingest_command
from strata_rag.cli.init import init_command
from strata_rag.cli.inspect import inspect_command
from strata_rag.cli.pii_compare import pii_compare_command
from strata_rag.cli.query import query_command
from strata_rag.cli.report import report_command
from strata_rag.cli.runs import runs_app
from strata_rag.errors import StrataError
from strata_rag.version import __version__

_CLOSED_PIPE = 141
_INTERRUPTED = 130
_DISK_ERRORS = {
    errno.EACCES,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
}


class StrataGroup(TyperGroup):
    """Turns every way a command can end into an exit code and at most two lines on stderr."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        arguments = list(sys.argv[1:] if args is None else args)
        debug = _take_flag(arguments, "--debug")
        _prepare_streams()
        if not arguments:
            arguments = ["--help"]
        try:
            code = self._run(arguments, prog_name or "strata", **extra)
            if sys.stdout is not None:  # None where the caller closed it
                sys.stdout.flush()
        except BrokenPipeError:
            code = _close_quietly()
        except KeyboardInterrupt:
            code = _tell(
                "interrupted",
                "what was finished is kept; run the same command again to continue",
                _INTERRUPTED,
            )
            if standalone_mode:  # taking a model library apart would cost a second of the two there are
                os._exit(code)
        except Exception as error:  # the last stop: whatever is left becomes an exit code and two lines
            if debug:
                traceback.print_exc()
            code = _tell_error(error, arguments)
        if standalone_mode:
            sys.exit(code)
        return code

    def _run(self, arguments: list[str], prog_name: str, **extra: Any) -> int:
        try:
            with self.make_context(prog_name, arguments, **extra) as context:
                self.invoke(context)
        except typer.Exit as ended:
            return ended.exit_code
        return 0


def _take_flag(arguments: list[str], flag: str) -> bool:
    """Remove `flag` from what stands before ``--`` and tell whether it was there."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    if flag not in arguments[:end]:
        return False
    arguments.remove(flag)
    return True


def _prepare_streams() -> None:
    """Print whatever a document holds on whatever terminal there is, and let warnings of the library through."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("warning: %(message)s"))
    logger = logging.getLogger("strata_rag")
    logger.handlers = [handler]
    logger.propagate = False


def _close_quietly() -> int:
    """Point stdout at nothing, so that the interpreter's own flush at exit has no one to complain to."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return _CLOSED_PIPE


def _tell_error(error: Exception, arguments: Sequence[str]) -> int:
    as_json = "--json" in arguments
    if isinstance(error, Told):
        as_json, error = False, error.error
    if type(error).__name__ == "NoArgsIsHelpError":
        print(error, file=sys.stderr)
        return 2
    if isinstance(error, StrataError):
        lines, hint, code = error.lines, _with_config(error.hint, arguments), error.exit_code
    elif isinstance(error, typer.TyperException) and hasattr(error, "format_message"):
        lines, hint, code = [error.format_message().replace("\n", " ")], _usage_hint(error), 2
    elif isinstance(error, OSError) and error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
        shown = f"{error.filename!s:.60}"
        lines, hint, code = [f"{shown}: expected a path, found: {error.strerror}"], "check the paths given", 2
    elif isinstance(error, OSError) and error.errno in _DISK_ERRORS:
        lines = [f"{error.filename or 'disk'}: expected to read and write, found: {error.strerror}"]
        hint, code = "check disk space and permissions, or point STRATA_HOME elsewhere", 3
    else:
        lines = [
            f"internal: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no message'}"
        ]
        hint, code = "run again with --debug and report what it prints", 5
    if as_json:
        with contextlib.suppress(BrokenPipeError):
            print_json({"error": "\n".join(lines), "hint": hint, "exit_code": code})
    return _tell("\nerror: ".join(lines), hint, code)


def _with_config(hint: str, arguments: Sequence[str]) -> str:
    """Return the hint with the config's path where it says CONFIG, so that its command can be pasted."""
    config = next((one for one in arguments if one.endswith((".yaml", ".yml"))), "CONFIG")
    return re.sub(r"\bCONFIG\b", lambda _: shlex.quote(config), hint)


def _usage_hint(error: Exception) -> str:
    context = getattr(error, "ctx", None)
    return f"see `{context.command_path if context else 'strata'} --help`"


def _tell(line: str, hint: str, code: int) -> int:
    with contextlib.suppress(BrokenPipeError):  # no one listens; the exit code still tells
        print(f"error: {line}\nhint: {hint}", file=sys.stderr, flush=True)
    return code


app = typer.Typer(
    name="strata",
    cls=StrataGroup,
    help="Retrieval-augmented-generation experiments from YAML files.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("init")(init_command)
app.command("check")(check_command)
app.command("ingest")(ingest_command)
app.command("query")(query_command)
app.command("eval")(evaluate_command)
app.command("pii-compare")(pii_compare_command)
app.command("doctor")(doctor_command)
app.add_typer(collections_app, name="collections")
app.command("compare")(compare_command)
app.command("gate")(gate_command)
app.command("report")(report_command)
app.command("inspect")(inspect_command)
app.add_typer(config_app, name="config")
app.add_typer(golden_app, name="golden")
app.add_typer(runs_app, name="runs")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"strata {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version."
    ),
    debug: bool = typer.Option(
        False, "--debug", help="Show the traceback of an error; anywhere on the line."
    ),
) -> None:
    """Retrieval-augmented-generation experiments from YAML files."""


def main() -> None:
    """Run the command line."""
    app()
