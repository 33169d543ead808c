"""Writes ``docs/config.md`` from the schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from strata_rag.config.keys import Key, all_keys, split_path
from strata_rag.config.yaml_text import to_yaml

_HEAD = """\
# Config reference

Generated from `src/strata_rag/config/schema.py`; a test holds it to that file.

One YAML file is one experiment. Values are taken, weakest first, from: the default, the files named by
`extends`, the file itself, the environment, `--set`.

- `extends: base.yaml` takes the values of another file, relative to the one that states it. Maps merge,
  lists replace; `name` is not inherited.
- `STRATA_RETRIEVAL__TOP_K=10` overrides `retrieval.top_k`. Only names that start with `STRATA_` and hold
  `__` are overrides. `RAGEVAL_USE_RERANK=false` is an older name for
  `STRATA_RETRIEVAL__RERANK__SCORER=none`.
- `--set retrieval.top_k=10` overrides both. The value is read as YAML, so `[nDCG@10]`, `{k: 10}` and
  `null` work.
- Texts may hold `${VAR}` and `${VAR:-default}`; `$${` stands for `${`.
- Paths are relative to the file that states them; in the environment and in `--set`, to the current
  folder. `~` is the home folder.
- YAML 1.2: `010` is ten, `no` is a text that only a true-or-false key reads as false, `1:30` and dates
  are texts. A section with nothing in it means its defaults. Duplicate and unknown keys are refused.
"""


def render_reference() -> str:
    """Return the page: one table per section."""
    keys = all_keys().values()
    parts = [
        _HEAD,
        *_table("Top level", "", (key for key in keys if "." not in key.path and not key.section)),
    ]
    for section in keys:
        if section.section:
            inside = (key for key in keys if split_path(key.path)[0] == section.path and not _has_table(key))
            parts += _table(f"`{section.path}`", section.description, inside)
    return "\n".join(parts)


def _has_table(key: Key) -> bool:
    return key.section and not key.nullable


def _table(title: str, text: str, keys: Iterable[Key]) -> Iterator[str]:
    yield f"## {title}\n"
    if text:
        yield f"{text}\n"
    yield "| key | takes | default | description |\n|---|---|---|---|"
    for key in keys:
        takes = ", ".join(f"`{choice}`" for choice in key.choices) + (" or null" if key.nullable else "")
        cells = (f"`{key.path}`", takes if key.choices else key.expected, _default(key), key.description)
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def _default(key: Key) -> str:
    if key.path == "name":
        return "the file's name"
    return "required" if key.required else f"`{to_yaml(key.default)}`"
