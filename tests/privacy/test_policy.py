from __future__ import annotations

from pathlib import Path

import pytest

from strata_rag.errors import PolicyError
from strata_rag.privacy import (
    FakeDetector,
    Policy,
    Pseudonyms,
    Redactor,
    RegexDetector,
    SourceRule,
    Span,
    default_policy,
    load_policy,
    parse_policy,
)

REDACT_ALL = Policy()


def redact(text: str, policy: Policy, document: str = "", key: bytes = b"") -> str:
    return Redactor(detector=RegexDetector(), policy=policy, key=key).redact(text, document=document).text


def reasons(text: str, policy: Policy, spans: list[Span], **more: object) -> list[tuple[str, str]]:
    return [(one.action, one.reason) for one in policy.decide(spans, text, **more)]  # type: ignore[arg-type]


def test_the_default_policy_redacts_people_and_keeps_roles_and_private_addresses() -> None:
    text = "ada.finch@example.com, Support+de@example.com, INFO@example.com, 10.0.0.7, 203.0.113.7, 127.0.0.1"
    assert redact(text, default_policy()) == (
        "[EMAIL], Support+de@example.com, INFO@example.com, 10.0.0.7, [IP], 127.0.0.1"
    )


@pytest.mark.parametrize(
    "value", ["ada@example.com", "ADA@Example.com", "ａｄａ@example.com", "a\u200bda@example.com"]
)
def test_the_allow_list_matches_whole_findings_in_any_case_and_disguise(value: str) -> None:
    policy = Policy(allow=("ada@example.com", "example.com", "ada"))
    assert redact(f"to {value}.", policy) == f"to {value}."
    assert redact(f"to x{value}.", policy) == "to [EMAIL_ADDRESS]."


def test_case_82_the_allow_list_is_no_hole(shared: Path) -> None:
    text = (shared / "cases/82-pii-false-alarms-allow-list/noise.txt").read_text(encoding="utf-8")
    policy = parse_policy("version: 1\nallow: [help@acme.example, acme]", "policy.yaml")
    assert redact(text, policy) == text[:97] + "[EMAIL_ADDRESS]" + text[117:]


def test_each_kind_is_switched_by_itself() -> None:
    policy = Policy(entities={"EMAIL_ADDRESS": "keep"}, private_addresses="redact")
    assert redact("ada@example.com 10.0.0.7", policy) == "ada@example.com [IP_ADDRESS]"


def test_the_first_source_rule_that_names_the_kind_decides() -> None:
    policy = Policy(
        sources=(
            SourceRule("published/private/*", redact=("EMAIL_ADDRESS",)),
            SourceRule("published/*", keep=("EMAIL_ADDRESS", "PERSON")),
        )
    )
    text = "ada@example.com"
    assert redact(text, policy, "published/a/team.md") == text
    assert redact(text, policy, "published/private/a.md") == "[EMAIL_ADDRESS]"
    assert redact(text, policy, "drafts/published/a.md") == "[EMAIL_ADDRESS]"


def test_what_is_below_the_threshold_stays_and_is_told() -> None:
    spans = [Span(0, 3, "PERSON", 0.4), Span(4, 7, "PERSON", 0.6)]
    decided = reasons("Ada Bob", Policy(entities={"PERSON": "redact"}), spans, threshold=0.5)
    assert decided == [("keep", "below the threshold"), ("redact", "entities.PERSON")]


def test_a_finding_inside_a_kept_contact_stays_with_it() -> None:
    spans = [Span(0, 20, "EMAIL_ADDRESS"), Span(8, 20, "URL")]
    decided = reasons("support@acme.example", Policy(role_accounts=("support",)), spans)
    assert decided == [("keep", "role account"), ("keep", "part of a kept finding")]


def test_a_contact_inside_a_redacted_finding_does_not_open_it() -> None:
    detector = FakeDetector({"support@acme.example": "EMAIL_ADDRESS", "Ada support@acme.example": "PERSON"})
    policy = Policy(role_accounts=("support",))
    assert Redactor(detector=detector, policy=policy).redact("Ada support@acme.example!").text == "[PERSON]!"


def test_an_address_in_a_kept_link_still_goes() -> None:
    detector = FakeDetector(
        {"https://x.example/?q=ada@example.com": "URL", "ada@example.com": "EMAIL_ADDRESS"}
    )
    policy = Policy(entities={"URL": "keep"})
    redacted = Redactor(detector=detector, policy=policy).redact("https://x.example/?q=ada@example.com")
    assert redacted.text == "https://x.example/?q=[EMAIL_ADDRESS]"


def test_pseudonyms_stay_the_same_for_the_same_value_and_key_only() -> None:
    policy = Policy(
        pseudonyms=Pseudonyms("KEY", ("EMAIL_ADDRESS",)), placeholders={"EMAIL_ADDRESS": "[EMAIL]"}
    )
    first, again, other = redact("ada@example.com ADA@example.com bob@example.com", policy, key=b"k").split()
    assert first == again != other
    assert first.startswith("[EMAIL-")
    assert redact("ada@example.com", policy, key=b"l") != first
    assert redact("ada@example.com", policy) == "[EMAIL]"
    assert redact(f"{first} {other}", policy, key=b"k") == f"{first} {other}"


def test_comments_and_order_do_not_change_the_digest_but_every_value_does() -> None:
    base = "version: 1\nother: keep\nallow: [a, b]"
    assert (
        parse_policy(base, "p").digest
        == parse_policy("# x\nallow: [a, b]\nother: keep\nversion: 1", "p").digest
    )
    changed = [
        "other: redact",
        "allow: [a]",
        "entities: {PERSON: keep}",
        "role_accounts: [x]",
        "sources: [{match: a}]",
    ]
    changed += [
        "placeholders: {PERSON: x}",
        "private_addresses: redact",
        "pseudonyms: {key_env: K, entities: [PERSON]}",
    ]
    digests = {parse_policy(f"version: 1\n{text}", "p").digest for text in ["", *changed]}
    assert len(digests) == len(changed)  # `other: redact` is the default
    assert parse_policy("version: 1\nother: redact", "p").digest in digests


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("", "p.yaml:1:1", "an empty file"),
        ("- a", "p.yaml:1:1", "expected a map of keys, found a list"),
        ("entities: {}", "p.yaml:1:1", "version: expected 1, found nothing"),
        ("version: 2", "p.yaml:1:10", "version: expected 1, found '2'"),
        ("version: 1\nentites: {}", "p.yaml:2:1", "unknown key `entites`"),
        ("version: 1\nversion: 1", "p.yaml:2:1", "expected each key once"),
        ("version: 1\nentities: {PERSON: hide}", "p.yaml:2:20", "expected redact or keep, found 'hide'"),
        (
            "version: 1\nentities: {person: keep}",
            "p.yaml:2:20",
            "expected a kind such as EMAIL_ADDRESS, found 'person'",
        ),
        ("version: 1\nother: [keep]", "p.yaml:2:8", "expected text, found a list"),
        ("version: 1\nallow: a@b.c", "p.yaml:2:8", "expected a list, found 'a@b.c'"),
        ("version: 1\nallow: ['']", "p.yaml:2:9", "expected text, found nothing"),
        ("version: 1\nsources: [{keep: [PERSON]}]", "p.yaml:2:11", "expected `match`"),
        ("version: 1\nsources: [{match: a, keep: [X], redact: [X]}]", "p.yaml:2:11", "found it under both"),
        ('version: 1\nplaceholders: {PERSON: "a\\nb"}', "p.yaml:2:24", "expected one line of text"),
        (
            "version: 1\npseudonyms: {key_env: 'my key', entities: [PERSON]}",
            "p.yaml:2:23",
            "never the key itself",
        ),
        ("version: 1\npseudonyms: {entities: [PERSON]}", "p.yaml:2:13", "pseudonyms.key_env: expected it"),
        ("version: 1\n\tother: keep", "p.yaml:2:1", "expected YAML"),
    ],
)
def test_faults_are_told_with_their_place(text: str, where: str, said: str) -> None:
    with pytest.raises(PolicyError) as caught:
        parse_policy(text, "p.yaml")
    assert any(line.startswith(f"{where}: ") and said in line for line in caught.value.lines), (
        caught.value.lines
    )


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(PolicyError) as caught:
        parse_policy("version: 3\nother: x\nallow: y", "p.yaml")
    assert len(caught.value.lines) == 3


def test_a_policy_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"none\.yaml: privacy\.policy: expected a policy file"):
        load_policy(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes(b"version: 1 # caf\xe9")
    with pytest.raises(PolicyError, match="not UTF-8"):
        load_policy(tmp_path / "latin.yaml")
