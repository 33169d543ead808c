"""Plugins and rosters as commands show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from strata_rag.corpus import FamilyCheck, FolderCorpus, Mismatch, Registry, Roster, load_plugins
from strata_rag.documents import Scalar
from strata_rag.errors import InputError
from strata_rag.experiment.build import Experiment
from strata_rag.privacy import Redactor
from strata_rag.progress import Progress
from strata_rag.report import PluginList, PluginRow


def list_plugins(experiment: Experiment) -> PluginList:
    """Return the plugins that the experiment's engine loads.

    Raises:
        PluginError: One is broken.
    """
    corpus = experiment.config.corpus
    used = {plugin.origin for plugin in experiment.registry.in_use(corpus.root)[0]}
    return _listed(experiment.registry, corpus.plugins_dir, used)


def list_plugins_in(plugins_dir: Path | None) -> PluginList:
    """Return the installed plugins and those of a folder, without a corpus.

    Raises:
        PluginError: One is broken.
    """
    return _listed(load_plugins(plugins_dir), plugins_dir, None)


def _listed(registry: Registry, plugins_dir: Path | None, used: set[str] | None) -> PluginList:
    rows = [
        PluginRow(
            name=plugin.name,
            version=plugin.version,
            origin=plugin.origin,
            digest=plugin.digest,
            folders=tuple(one.folder for one in registry.adapters if one.plugin.origin == plugin.origin),
            families=tuple(
                (one.name, one.roster) for one in registry.families if one.plugin.origin == plugin.origin
            ),
            in_use=None if used is None else plugin.origin in used,
        )
        for plugin in registry.plugins
    ]
    return PluginList(plugins_dir, tuple(rows))


def check_rosters(experiment: Experiment, *, progress: Progress) -> Sequence[FamilyCheck]:
    """Read the corpus and return how each family meets its roster; what is shown of both is redacted.

    Raises:
        InputError: No family concerns the corpus.
        CorpusError: A roster or the corpus can't be read.
    """
    source = experiment.raw_source()
    if not isinstance(source, FolderCorpus) or not source.family_checks:
        raise InputError(
            "roster check: expected a family that a plugin registered and whose folder is in the corpus, found none",
            hint="set corpus.plugins_dir; `strata plugins CONFIG` lists what the plugins bring",
        )
    progress.phase("reading")
    for _ in source.discover():
        progress.advance()
    progress.close()
    return [_redacted(check, experiment.redactor) for check in source.family_checks]


def _redacted(check: FamilyCheck, redactor: Redactor) -> FamilyCheck:
    def shown(text: str) -> str:
        return redactor.redact(text).text

    def value(found: Scalar) -> Scalar:
        return shown(found) if isinstance(found, str) else found

    roster = check.roster
    problems = tuple(replace(one, text=shown(one.text)) for one in roster.problems)
    return FamilyCheck(
        check.family,
        Roster(
            roster.path,
            {shown(key): row for key, row in roster.rows.items()},
            roster.columns,
            problems,
            roster.unusable,
        ),
        keys={shown(doc_id): shown(key) for doc_id, key in check.keys.items()},
        missing_row={shown(doc_id): shown(key) for doc_id, key in check.missing_row.items()},
        mismatches=[
            Mismatch(shown(one.doc_id), one.line, one.field, value(one.document), value(one.roster))
            for one in check.mismatches
        ],
    )
