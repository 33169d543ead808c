"""Rules that a model proposes: held to the schema, counted on the files, and written as a diff for a person."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import yaml

from strata_rag.corpus.rules import ACTIONS, Rule, Rules
from strata_rag.corpus.rules_file import CONDITIONS, RULES_VERSION, parse_rules
from strata_rag.errors import InputError, RulesError
from strata_rag.yaml_nodes import compose

_LISTS = ("source", "path", "folder", "type")
_SIZES = ("larger_than", "smaller_than")
_SHOWN = 120

PROPOSALS_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["proposals"],
    "properties": {
        "proposals": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["action", "name", "why", *CONDITIONS],
                "properties": {
                    "action": {"type": "string", "enum": list(ACTIONS)},
                    "name": {"type": "string"},
                    "why": {"type": "string"},
                    **{key: {"type": "array", "items": {"type": "string"}} for key in _LISTS},
                    **{key: {"type": "string"} for key in _SIZES},
                },
            },
        }
    },
}
"""What a reply must look like; an empty list or text means that the condition is not used."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """A file that rules can speak of.

    Attributes:
        path: Relative to the corpus root.
        size: In bytes, or None.
        read: Whether its documents are in the corpus now.
    """

    path: str
    size: int | None
    read: bool


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed rule that holds to the schema and means something here.

    Attributes:
        rule: The rule; its number is the one it would have.
        text: Its lines in the rules file.
        files: Files that it matches.
        read: How many of them are in the corpus now.
    """

    rule: Rule
    text: str
    files: int
    read: int


@dataclass(frozen=True, slots=True)
class Dropped:
    """A proposal that was left out.

    Attributes:
        proposal: What was proposed, shortened.
        reason: Why it was left out.
    """

    proposal: str
    reason: str


class BadReply(Exception):
    """A reply that holds no proposals at all."""


def read_proposals(
    reply: str, rules: Rules, files: Sequence[FileFacts]
) -> tuple[list[Proposal], list[Dropped]]:
    """Return the proposals of a reply that stand, and those that don't with the reason.

    Args:
        reply: The model's text, a JSON object as `PROPOSALS_SCHEMA` says.
        rules: The rules there are.
        files: What the corpus holds.

    Raises:
        BadReply: It is no such object.
    """
    try:
        stated = json.loads(reply[reply.index("{") : reply.rindex("}") + 1])["proposals"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadReply(f"{reply.strip()[:_SHOWN]!r}") from error
    if not isinstance(stated, list):
        raise BadReply(f"{stated!r:.{_SHOWN}}")
    known = {_meaning(rule) for rule in rules.rules}
    stands: list[Proposal] = []
    dropped: list[Dropped] = []
    for one in stated:
        found = _proposal(one, len(rules.rules) + len(stands) + 1, files)
        if isinstance(found, Proposal) and _meaning(found.rule) in known:
            found = "it says what a rule says already"
        if isinstance(found, Proposal):
            known.add(_meaning(found.rule))
            stands.append(found)
        else:
            dropped.append(Dropped(f"{json.dumps(one, ensure_ascii=True):.{_SHOWN}}", found))
    return stands, dropped


def _proposal(stated: Any, number: int, files: Sequence[FileFacts]) -> Proposal | str:
    """Return what stands of one entry of a reply, or why nothing does."""
    if not isinstance(stated, Mapping) or stated.get("action") not in ACTIONS:
        return f"expected an action, one of {', '.join(ACTIONS)}"
    conditions = {key: stated[key] for key in CONDITIONS if stated.get(key)}
    text = f"- name: {_quoted(stated.get('name', ''))}\n  why: {_quoted(stated.get('why', ''))}\n"
    text += (
        f"  {stated['action']}: {{{', '.join(f'{key}: {_quoted(conditions[key])}' for key in conditions)}}}\n"
    )
    if not all(line.isprintable() for line in text.splitlines()) or text.count("\n") != 3:
        return "expected printable text"
    try:
        (rule,) = parse_rules(f"version: {RULES_VERSION}\nrules:\n{text}", "proposal").rules
    except RulesError as error:
        return "; ".join(fault.problem for fault in error.faults)
    matched = [file for file in files if rule.matches(file.path, file.size) is not None]
    read = sum(file.read for file in matched)
    if not matched:
        return "it matches no file"
    if rule.action == "exclude" and read == sum(file.read for file in files):
        return "it would leave out every file"
    return Proposal(replace(rule, number=number), text, len(matched), read)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _meaning(rule: Rule) -> Rule:
    return replace(rule, number=0, name="", why="")


def rules_diff(text: str, proposals: Sequence[Proposal], *, before: str, after: str) -> str:
    """Return a unified diff that adds `proposals` to a rules file; empty without any.

    Args:
        text: The file; empty where there is none.
        proposals: What to add.
        before: The file's name in the diff's first line.
        after: Its name in the second.

    Raises:
        InputError: The file is written in a way that nothing can be added to.
    """
    if not proposals:
        return ""
    end = "\r\n" if "\r\n" in text else "\n"
    changed = _with_items(text, [one.text.replace("\n", end) for one in proposals], end)
    old = parse_rules(text, before).rules if text.strip() else ()
    try:
        stands = parse_rules(changed, after).rules == (*old, *(one.rule for one in proposals))
    except RulesError:
        stands = False
    if not stands:
        raise InputError(
            f"{before}: expected rules written as a list with a line per entry, found a form that can't be added to",
            hint="write each rule on lines of its own, beginning with `- `",
        )
    lines = difflib.unified_diff(text.splitlines(True), changed.splitlines(True), before, after)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def _with_items(text: str, items: Sequence[str], end: str) -> str:
    """Return the file's text with entries added at the end of its list, whatever form the list has."""
    if not text.strip():
        return f"version: {RULES_VERSION}{end}rules:{end}{_indented(items, 2, end)}"
    root = compose(text, "rules")
    keys = {key.value: node for key, node in root.value} if isinstance(root, yaml.MappingNode) else {}
    node = keys.get("rules")
    if node is None:
        return f"{text.rstrip()}{end}rules:{end}{_indented(items, 2, end)}"
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        last = len(text[: _end_of(node)].rstrip())
        line_end = text.find("\n", last)
        at = len(text) if line_end < 0 else line_end + 1
        before = text[:at] if text[:at].endswith("\n") else text[:at] + end
        return before + _indented(items, node.start_mark.column, end) + text[at:]
    known = [] if not isinstance(node, yaml.SequenceNode) else node.value
    kept = [f"- {text[one.start_mark.index : one.end_mark.index]}{end}" for one in known]
    start, stop = node.start_mark.index, node.end_mark.index
    return text[:start].rstrip() + end + _indented([*kept, *items], 2, end) + text[stop:].lstrip("\r\n")


def _end_of(node: yaml.Node) -> int:
    """Return where a node's last value ends; a block's own mark lies behind the comments that follow it."""
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return int(node.end_mark.index)


def _indented(items: Sequence[str], column: int, end: str) -> str:
    lines = [line for item in items for line in item.rstrip().split(end)]
    return "".join(f"{' ' * column}{line}{end}" for line in lines)
