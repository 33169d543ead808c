"""The schema as a flat list of dotted keys, for messages, overrides and the reference."""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from strata_rag.config.schema import ExperimentConfig
from strata_rag.config.section import Expected, FolderOrName


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the schema.

    Attributes:
        path: Dotted name.
        expected: What it takes, in words.
        item: What an entry takes, where the key takes a list; otherwise empty.
        description: What it means.
        choices: The texts it takes, where it takes only certain ones.
        default: Its default; None also where it has none.
        required: Whether it has none.
        section: Whether it holds further keys.
        nullable: Whether null is a value of its own.
        kind: ``text``, ``path``, ``model`` or ``other``: how a text given for it is read.
    """

    path: str
    expected: str
    item: str
    description: str
    choices: tuple[str, ...]
    default: Any
    required: bool
    section: bool
    nullable: bool
    kind: Literal["text", "path", "model", "other"]


@cache
def all_keys() -> Mapping[str, Key]:
    """Return every key by its dotted name, in schema order, sections before what they hold."""
    return types.MappingProxyType({key.path: key for key in _keys_of(ExperimentConfig, "")})


def nearest_keys(path: str) -> tuple[str, ...]:
    """Return the keys that an unknown one may have meant, best first, at most three."""
    known = list(all_keys())
    parent, last = split_path(path)
    namesakes = [key for key in known if split_path(key)[1] == last]
    if namesakes:
        by_likeness = difflib.get_close_matches(path, namesakes, n=3, cutoff=0)
        return tuple(by_likeness)
    siblings = {name: key for key in known for above, name in [split_path(key)] if above == parent}
    near = difflib.get_close_matches(last, list(siblings), n=1)
    if near:
        return (siblings[near[0]],)
    near = difflib.get_close_matches(path, known, n=1, cutoff=0.75)
    if near:
        return tuple(near)
    near = difflib.get_close_matches(last, [split_path(key)[1] for key in known], n=1, cutoff=0.75)
    return tuple(key for key in known if near and split_path(key)[1] == near[0])[:3]


def split_path(path: str) -> tuple[str, str]:
    """Split a dotted key into what is above it and its own name."""
    parent, _, last = path.rpartition(".")
    return parent, last


def _keys_of(model: type[BaseModel], prefix: str) -> Iterator[Key]:
    for name, info in model.model_fields.items():
        path = f"{prefix}{name}"
        shape = _Shape.of(info.annotation, info.metadata)
        required = info.default is PydanticUndefined
        yield Key(
            path=path,
            expected=shape.expected,
            item=shape.item,
            description=info.description or "",
            choices=shape.choices,
            default=None if required else info.default,
            required=required,
            section=shape.model is not None,
            nullable=shape.nullable,
            kind=shape.kind,
        )
        if shape.model is not None:
            yield from _keys_of(shape.model, f"{path}.")


@dataclass(frozen=True, slots=True)
class _Shape:
    expected: str
    kind: Literal["text", "path", "model", "other"] = "other"
    item: str = ""
    choices: tuple[str, ...] = ()
    nullable: bool = False
    model: type[BaseModel] | None = None

    @classmethod
    def of(cls, annotation: Any, metadata: Sequence[Any]) -> _Shape:
        origin = get_origin(annotation)
        if origin is Annotated:
            inner, *more = get_args(annotation)
            return cls.of(inner, [*_flat(more), *metadata])
        if origin in (Union, types.UnionType):
            inner = next(arg for arg in get_args(annotation) if arg is not type(None))
            shape = cls.of(inner, metadata)
            expected = f"{shape.expected} or null"
            return cls(expected, shape.kind, shape.item, shape.choices, True, shape.model)
        if origin is Literal:
            choices = get_args(annotation)
            listed = f"one of {', '.join(choices)}" if len(choices) > 1 else choices[0]
            return cls(listed, "text", choices=choices)
        if origin is dict:
            return cls(next(mark.text for mark in metadata if isinstance(mark, Expected)))
        if origin is tuple:
            item = cls.of(get_args(annotation)[0], ()).expected
            return cls(f"a list, each entry {item}", item=item)
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return cls("a map of keys", model=annotation)
        return cls(*_scalar(annotation, metadata))


def _scalar(
    annotation: Any, metadata: Sequence[Any]
) -> tuple[str, Literal["text", "path", "model", "other"]]:
    stated = next((mark.text for mark in metadata if isinstance(mark, Expected)), "")
    if annotation is Path:
        return stated or "a path", "path"
    if annotation is bool:
        return stated or "true or false", "other"
    if annotation is str:
        is_model = any(isinstance(mark, FolderOrName) for mark in metadata)
        return stated or "text", "model" if is_model else "text"
    noun = "a whole number" if annotation is int else "a number"
    return stated or noun + _bounds(metadata), "other"


def _bounds(metadata: Sequence[Any]) -> str:
    low = next((mark.ge for mark in metadata if isinstance(mark, annotated_types.Ge)), None)
    high = next((mark.le for mark in metadata if isinstance(mark, annotated_types.Le)), None)
    above = next((mark.gt for mark in metadata if isinstance(mark, annotated_types.Gt)), None)
    below = next((mark.lt for mark in metadata if isinstance(mark, annotated_types.Lt)), None)
    if above is not None and below is not None:
        return f" between {above} and {below}"
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f" of at least {low}"
    return f" above {above}" if above is not None else ""


def _flat(marks: Sequence[Any]) -> Iterator[Any]:
    """Yield marks, those inside a pydantic ``Field`` one by one."""
    for mark in marks:
        yield from getattr(mark, "metadata", [mark]) or [mark]
