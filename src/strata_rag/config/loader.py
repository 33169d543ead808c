"""Loads an experiment from its file, the files it extends, the environment and ``--set``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from strata_rag.config.faults import node_at, schema_problems
from strata_rag.config.keys import all_keys
from strata_rag.config.layers import Layers
from strata_rag.config.nodes import Node, Place, Problem, Source
from strata_rag.config.schema import ExperimentConfig
from strata_rag.config.values import ValueReader
from strata_rag.errors import ConfigError

DEFAULT = "default"
_REFERENCE = "see docs/config.md for all keys"


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """An experiment and where each of its values comes from.

    Attributes:
        config: The experiment.
        path: Its file, absolute.
        origins: Per dotted key, sections aside: ``default``, ``file:line:column`` of the key,
            ``environment NAME`` or ``--set``.
        notes: Remarks on older names that were accepted.
    """

    config: ExperimentConfig
    path: Path
    origins: Mapping[str, str]
    notes: tuple[str, ...] = ()


def load_config(
    path: str | os.PathLike[str],
    *,
    overrides: Sequence[str] = (),
    environ: Mapping[str, str],
) -> LoadedConfig:
    """Load an experiment.

    Args:
        path: Its YAML file.
        overrides: ``key=value`` texts, the value in YAML; stronger than everything else.
        environ: Variables: ``STRATA_SECTION__KEY`` override, others are read where a text holds ``${VAR}``.

    Raises:
        ConfigError: With every fault of every source, in the order of the sources.
    """
    main = Path(path)
    layers = Layers(environ)
    tree = layers.file(main, os.fspath(path))
    top = Place(Source(1, os.fspath(path), Path(os.path.abspath(main)).parent), 1, 1)
    # Without the file's tree the overrides are still checked, but what they lack is not its fault.
    merged = layers.overrides(layers.environment(tree or Node({}, top, top)), overrides)
    reader = ValueReader(environ)
    values = reader.read(merged)
    problems = [*layers.problems, *reader.problems]
    config: ExperimentConfig | None = None
    if tree is not None:
        config, refused = _validate(values, merged, main.stem, top)
        problems += _without_repeats(refused, problems, top)
    if problems or config is None:
        raise _config_error(problems)
    return LoadedConfig(config, Path(os.path.abspath(main)), _origins(config, merged), tuple(layers.notes))


def _validate(
    values: dict[str, Any], tree: Node, stem: str, top: Place
) -> tuple[ExperimentConfig | None, list[Problem]]:
    if values.get("name") is None:
        values["name"] = stem
    values.setdefault("corpus", {})
    try:
        return ExperimentConfig.model_validate(values), []
    except ValidationError as error:
        return None, schema_problems(error, tree, values, top)


def _without_repeats(refused: list[Problem], known: Sequence[Problem], top: Place) -> list[Problem]:
    """Drop what the schema says about values that already have a fault of their own."""
    places = {problem.place for problem in known} - {top}
    return [problem for problem in refused if problem.place not in places]


def _config_error(problems: Sequence[Problem]) -> ConfigError:
    faults = [problem.fault for problem in sorted(problems, key=lambda problem: problem.place)]
    if len(faults) == 1:
        return ConfigError(faults, hint=faults[0].hint or _REFERENCE)
    # One line serves several faults: say which each hint is for, leave out pointers to the reference.
    hints = [f"{fault.where}: {fault.hint}" for fault in faults if fault.hint and "docs/" not in fault.hint]
    return ConfigError(faults, hint="; ".join(hints) or _REFERENCE)


def _origins(config: ExperimentConfig, tree: Node) -> Mapping[str, str]:
    origins: dict[str, str] = {}
    for path, key in all_keys().items():
        loc = path.split(".")
        section: Any = config
        for name in loc[:-1]:
            section = getattr(section, name, None)
        if section is None or (key.section and getattr(section, loc[-1]) is not None):
            continue
        node = node_at(tree, loc)
        origins[path] = DEFAULT if node is None else str(node.key_place)
    return MappingProxyType(origins)
