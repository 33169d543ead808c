"""Every fault of a rules file is told with line and column, all together."""

from __future__ import annotations

from pathlib import Path

import pytest

from strata_rag.corpus import load_rules, parse_rules
from strata_rag.errors import RulesError


def lines(text: str) -> list[str]:
    with pytest.raises(RulesError) as caught:
        parse_rules(text, "rules.yaml")
    assert caught.value.exit_code == 2
    return caught.value.lines


def test_all_faults_are_told_together_with_their_places() -> None:
    text = """version: 2
rules:
  - name: a
    exclude: {path: "a//b", tpye: md}
  - {exclude: {type: md}, keep: {type: md}}
  - {exclude: {}}
  - {name: x}
  - exclude: {larger_than: 20 megabytes, folder: a/b}
  - drop
  - {exclude: "**/*.md"}
"""
    assert lines(text) == [
        "rules.yaml:1:10: version: expected 1, found '2'",
        "rules.yaml:4:29: unknown key `tpye`",
        "rules.yaml:4:21: path: expected names between single slashes, found 'a//b'",
        "rules.yaml:5:5: rule 2: expected one of include, exclude, keep; found exclude and keep",
        "rules.yaml:6:15: rule 3: exclude: expected at least one of source, path, folder, type, larger_than, "
        "smaller_than; found none",
        "rules.yaml:7:5: rule 4: expected one of include, exclude, keep; found none of them",
        "rules.yaml:8:50: folder: expected one name without /, found 'a/b'",
        "rules.yaml:8:28: larger_than: expected a size such as 500 KB, 20 MB or 1 MiB; found '20 megabytes'",
        "rules.yaml:9:5: rule 6: expected a map of keys, found 'drop'",
        "rules.yaml:10:15: rule 7: exclude: expected a map of keys, found '**/*.md'",
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "rules.yaml:1:1: expected a map of keys, found an empty file"),
        ("rules: []", "rules.yaml:1:1: version: expected 1, found nothing"),
        ("version: 1\nrules: {a: 1}", "rules.yaml:2:8: rules: expected a list, found a map"),
        ("version: 1\nrulez: []", "rules.yaml:2:1: unknown key `rulez`"),
        (
            "version: 1\nrules:\n  - {exclude: {type: []}}",
            "rules.yaml:3:22: type: expected at least one value",
        ),
        ("version: 1\nrules:\n  - {exclude: {type: [a/b]}}", "type: expected an ending such as pdf"),
        ("version: 1\nrules:\n  - {exclude: {path: }}", "path: expected text, found nothing"),
        ('version: 1\nrules:\n  - {name: "a\\nb", exclude: {type: a}}', "name: expected one line"),
        ("version: 1\nversion: 1", "version: expected each key once, found it again"),
        ("version: 1\nrules: [", "expected YAML, found a mistake"),
        ("version: 1\nrules: " + "[" * 5000, "expected YAML, found"),
        ("version: 1\nrules:\n  - {exclude: {smaller_than: -1}}", "smaller_than: expected a size"),
    ],
)
def test_a_fault_has_its_line(text: str, found: str) -> None:
    assert any(found in line for line in lines(text))


def test_values_are_read_as_written() -> None:
    (rule,) = parse_rules("version: 1\nrules:\n  - exclude: {type: [no, 010], path: yes}\n", "x").rules
    assert (rule.type, rule.path) == (("no", "010"), ("yes",))


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"version: 1 # caf\xe9")
    for name, found in (("absent.yaml", "No such file"), ("latin.yaml", "not UTF-8")):
        with pytest.raises(RulesError, match=found):
            load_rules(tmp_path / name)
