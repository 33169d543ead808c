from __future__ import annotations

import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strata_rag.config.nodes import Document, Node, Source
from strata_rag.config.yaml_source import MAX_ALIASED_NODES, MAX_DEPTH, parse_file, parse_yaml, resolve_plain

SOURCE = Source(1, "a.yaml", Path("/folder"))


def plain(node: Node | None) -> Any:
    assert node is not None
    if isinstance(node.value, Mapping):
        return {key: plain(item) for key, item in node.value.items()}
    if isinstance(node.value, tuple):
        return [plain(item) for item in node.value]
    return node.value


def only_problem(document: Document) -> str:
    (problem,) = document.problems
    return str(problem.fault)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("010", 10),
        ("-7", -7),
        ("+5", 5),
        ("0o17", 15),
        ("0x1f", 31),
        ("0b1", "0b1"),
        ("1_000", "1_000"),
        ("1e-3", 0.001),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1.5E+2", -150.0),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("1:30", "1:30"),
        ("2024-01-02", "2024-01-02"),
        ("1.2.3", "1.2.3"),
        ("=", "="),
        (".", "."),
        ("~", None),
        ("null", None),
        ("NULL", None),
        ("", None),
        ("nULL", "nULL"),
    ],
)
def test_a_plain_scalar_means_what_yaml_1_2_core_says(text: str, value: object) -> None:
    found = plain(parse_yaml(f"a: {text}", SOURCE).root)["a"]
    assert found == value
    assert type(found) is type(value)
    assert resolve_plain(text) == value


def test_not_a_number_is_read() -> None:
    assert math.isnan(plain(parse_yaml(".nan", SOURCE).root))


@pytest.mark.parametrize("text", ["'5'", '"true"', "|-\n  5"])
def test_a_quoted_text_stays_text_and_is_not_plain(text: str) -> None:
    root = parse_yaml(f"a: {text}", SOURCE).root
    assert root is not None
    assert isinstance(root.value, Mapping)
    assert isinstance(root.value["a"].value, str)
    assert not root.value["a"].plain


def test_every_key_and_value_knows_its_line_and_column() -> None:
    root = parse_yaml("# comment\na:\n  b: [x,  y]\n", SOURCE).root
    assert root is not None
    assert isinstance(root.value, Mapping)
    inner = root.value["a"]
    assert str(inner.key_place) == "a.yaml:2:1"
    assert isinstance(inner.value, Mapping)
    items = inner.value["b"]
    assert (str(items.key_place), str(items.place)) == ("a.yaml:3:3", "a.yaml:3:6")
    assert isinstance(items.value, tuple)
    assert [str(item.place) for item in items.value] == ["a.yaml:3:7", "a.yaml:3:11"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3", "a.yaml:3:1: a: expected each key once, found it on line 1 and on line 3"),
        ("a: {b: 1, 'b': 2}", "a.yaml:1:11: b: expected each key once, found it on line 1 and on line 1"),
        ("a: !secret x", "a.yaml:1:4: expected a value without the tag !secret"),
        (
            "a: !!python/name:os.system x",
            "a.yaml:1:4: expected a value without the tag !!python/name:os.system",
        ),
        ("a: !!timestamp 2024-01-02", "a.yaml:1:4: expected a value without the tag !!timestamp"),
        ("a: !!set {x}", "a.yaml:1:4: expected a value without the tag !!set"),
        ("a: !!int x", 'a.yaml:1:4: expected what the tag !!int says, found the text "x"'),
        ("<<: {a: 1}", "a.yaml:1:1: expected a key, found `<<`: merge keys are not supported"),
        ("? [x]\n: 1", "a.yaml:1:3: expected text as a key, found a list or map"),
        ("a: 1\n---\nb: 2", "a.yaml:2:4: expected one document, found a second document"),
        ("a: &x {b: *x}", "a.yaml:1:4: expected a finite tree, found an alias inside its own anchor"),
        ("a: 1\nb: *x", "a.yaml:2:4: expected YAML, found a mistake: found undefined alias 'x'"),
        ("a: b: c", "a.yaml:1:5: expected YAML, found a mistake: mapping values are not allowed here"),
        ("a:\n\tb: 1", "a.yaml:2:1: expected YAML, found a mistake while scanning for the next token"),
        ("a: x\x07y", "a.yaml:1:5: expected printable characters, found U+0007"),
        ('a: "x\\0"', "a.yaml:1:4: expected text, found a NUL or half a character in it"),
        ('a: "\\ud800"', "a.yaml:1:4: expected text, found a NUL or half a character in it"),
        ('a: "\\UFFFFFFFF"', "a.yaml:1:7: expected YAML, found a number out of range"),
        ("- 1", "a.yaml:1:1: expected a map of keys at the top level, found a list"),
        ("just text", 'a.yaml:1:1: expected a map of keys at the top level, found the text "just text"'),
        ("", "a.yaml:1:1: expected a map of keys at the top level, found an empty file"),
        ("# only a comment", "a.yaml:1:1: expected a map of keys at the top level, found an empty file"),
    ],
)
def test_what_a_config_may_not_hold_is_refused_at_its_place(text: str, message: str) -> None:
    assert only_problem(parse_file(text.encode(), SOURCE)).startswith(message)


def test_all_duplicates_are_found_at_once() -> None:
    assert len(parse_file(b"a: 1\na: 2\nb: {c: 1, c: 2}", SOURCE).problems) == 2


def test_bytes_that_are_no_utf8_are_refused_at_their_place() -> None:
    assert only_problem(parse_file("a: 1\nb: é\n".encode("latin-1"), SOURCE)) == (
        "a.yaml:2:4: expected UTF-8 text, found the byte 0xe9"
    )


def test_a_byte_order_mark_is_accepted() -> None:
    assert plain(parse_file(b"\xef\xbb\xbfa: 1", SOURCE).root) == {"a": 1}


def test_aliases_are_accepted_up_to_a_limit() -> None:
    assert plain(parse_yaml("a: &x {b: 1}\nc: *x", SOURCE).root) == {"a": {"b": 1}, "c": {"b": 1}}
    at_limit = "a: &x 1\nb: [" + "*x, " * MAX_ALIASED_NODES + "]"
    assert not parse_yaml(at_limit, SOURCE).problems
    assert only_problem(parse_yaml(at_limit[:-1] + "*x]", SOURCE)).endswith(
        "at most 10,000 values, found more"
    )


def test_an_alias_bomb_is_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    started = time.monotonic()
    assert "at most 10,000 values" in only_problem(parse_yaml("\n".join(lines), SOURCE))
    assert time.monotonic() - started < 2


def test_many_values_without_aliases_are_no_bomb() -> None:
    assert not parse_yaml("a: [" + "x, " * (MAX_ALIASED_NODES + 1) + "]", SOURCE).problems


def test_nesting_has_a_limit() -> None:
    assert not parse_yaml("[" * MAX_DEPTH + "]" * MAX_DEPTH, SOURCE).problems
    deep = parse_yaml("[" * 5000 + "]" * 5000, SOURCE)
    assert f"expected at most {MAX_DEPTH} nested levels, found more" in only_problem(deep)


def test_a_number_of_thousands_of_digits_is_no_crash() -> None:
    assert isinstance(resolve_plain("9" * 5000), str)


@given(st.text(max_size=60) | st.text(alphabet="ab:-[]{}&*!%\"'|>#?,\n\t 01\\xUu<~", max_size=60))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    document = parse_file(text.encode("utf-8", "surrogatepass"), SOURCE)
    assert document.problems or isinstance(document.root and document.root.value, Mapping)
