"""``strata manifest``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strata_rag.cli.common import AsJson, Overrides, load_experiment, print_json, workspace_of

manifest_app = typer.Typer(help="Show a saved manifest, or what changed between two.", no_args_is_help=True)

_WHAT = (
    "A saved file; or a config or collection: its last ingest, ~1 the one before, @dry-run its last dry run."
)


@manifest_app.callback()
def _group() -> None:
    """Show a saved manifest, or what changed between two."""


@manifest_app.command("show")
def show_command(
    manifest: Annotated[str, typer.Argument(metavar="MANIFEST", help=_WHAT, show_default=False)],
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Show what became of every file, coverage and totals."""
    from strata_rag import report
    from strata_rag.corpus import read_manifest

    path = _find(manifest, overrides)
    found = read_manifest(path)
    if as_json:
        print_json({**found.as_json(), "manifest": str(path)})
        return
    report.print_manifest(found, path)
    print(f"manifest {path}")


@manifest_app.command("diff")
def diff_command(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help=_WHAT, show_default=False)],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="Likewise.", show_default=False)],
    overrides: Overrides = None,
    as_json: AsJson = False,
) -> None:
    """Show files added, removed, moved and decided otherwise, and counts and coverage that changed.

    The exit code is 0 whatever the difference.
    """
    from strata_rag import report
    from strata_rag.corpus import diff_manifests, read_manifest

    paths = [_find(one, overrides) for one in (before, after)]
    first, second = map(read_manifest, paths)
    found = report.ManifestComparison(first, paths[0], second, paths[1], diff_manifests(first, second))
    print_json(report.manifest_diff_document(found)) if as_json else report.print_manifest_diff(found)


def _find(reference: str, overrides: list[str] | None) -> Path:
    """Return the file that a reference names; a config stands for its collection."""
    from strata_rag.corpus import find_manifest, split_reference

    name, which = split_reference(reference)
    if name.endswith((".yaml", ".yml")):
        reference = load_experiment(Path(name), overrides).collection + which
    return find_manifest(workspace_of().manifests, reference)
