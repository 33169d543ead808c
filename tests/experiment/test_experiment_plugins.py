"""Plugins, rosters and rules from the config to the index: what is stored, when it is refused, what an ingest mends."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from strata_rag.errors import CollectionError, InputError, PluginError
from strata_rag.experiment import Workspace
from strata_rag.experiment.build import Experiment
from strata_rag.experiment.ownership import require_same
from strata_rag.experiment.plugins import check_rosters
from strata_rag.progress import Silent
from workbench import CommandLine, assert_same, load, run_ingest, snapshot, write_config, write_files

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)

FAMILY = (
    "from strata_rag.plugins import register_family\n"
    "register_family('atlas', 'people', column='id', numbers=('year',),\n"
    "    key=lambda document: document.doc_id.rpartition('/')[2].removesuffix('.md'))\n"
)
ROSTER = "id\towner\tyear\npump\tAda ada@corp.example\t2020\nvalve\tBo\t2021\ntravel\tCy\t2022\n"


@pytest.fixture
def plugged(config: Path, tiny_model: Path) -> Path:
    """The five documents, three of them a family with a roster."""
    write_files(config.parent, {"plugins/family.py": FAMILY, "rosters/people.tsv": ROSTER})
    corpus = {"root": "docs", "plugins_dir": "plugins", "rosters_dir": "rosters"}
    return write_config(config, tiny_model, corpus=corpus)


def ruled(config: Path, rules: str, model: Path) -> Path:
    write_files(config.parent, {"corpus-rules.yaml": f"version: 1\nrules:\n{rules}"})
    return write_config(config, model, corpus={"root": "docs", "rules": "corpus-rules.yaml"})


def doc_ids(experiment: Experiment) -> set[str]:
    return {payload["doc_id"] for payload in snapshot(experiment).payloads.values()}


def refused(experiment: Experiment) -> str:
    record = experiment.collections.peek(experiment.collection)
    assert record is not None
    with pytest.raises(CollectionError) as caught:
        require_same(record, experiment.expected_record())
    assert "strata ingest" in caught.value.hint
    return caught.value.message


def test_a_plugin_written_from_the_page_alone_indexes_a_folder_of_a_new_shape(
    tmp_path: Path, tiny_model: Path, cli: CommandLine
) -> None:
    ticket = {
        "number": 17,
        "subject": "Crane 7 stops",
        "messages": [
            {"from": "quay", "text": "It stops at half load."},
            {"from": "shop", "text": "Fuse F3 was loose."},
        ],
    }
    write_files(
        tmp_path,
        {
            "plugins/tickets.py": BLOCKS[0],
            "docs/tickets/2026/17.json": json.dumps(ticket),
            "docs/tickets/2026/18.json": json.dumps({**ticket, "number": 18, "spam": True}),
            "docs/tickets/2026/19.json": "{torn",
            "docs/notes.md": "Nothing about cranes.",
        },
    )
    config = write_config(tmp_path / "my.yaml", tiny_model, corpus={"root": "docs", "plugins_dir": "plugins"})
    files = cli("ingest", config, "--dry-run", "--json").json["files"]
    assert {file["path"]: file["status"] for file in files} == {
        "notes.md": "included",
        "tickets/2026/17.json": "included",
        "tickets/2026/18.json": "excluded",
        "tickets/2026/19.json": "failed",
    }
    assert cli("ingest", config).code == 0
    hits = cli(
        "query",
        config,
        "Why did crane 7 stop? Fuse F3",
        "--filter",
        "source=tickets",
        "--filter",
        "number=17",
        "--json",
    ).json["hits"]
    assert [(hit["doc_id"], hit["source"], hit["project"]) for hit in hits] == [
        ("tickets/2026/17.json", "tickets", "2026")
    ]


def test_the_page_shows_the_example_and_its_tests_as_they_are() -> None:
    for block, name in zip(BLOCKS, ("tickets.py", "test_tickets.py"), strict=False):
        assert block == (ROOT / "plugins" / name).read_text(encoding="utf-8")


def test_family_and_values_are_payload_fields_redacted_like_all_else(plugged: Path, cli: CommandLine) -> None:
    assert cli("ingest", plugged).code == 0
    payloads = {payload["doc_id"]: payload for payload in snapshot(load(plugged)).payloads.values()}
    pump = payloads["atlas/parts/pump.md"]
    assert (pump["family"], pump["owner"], pump["year"]) == ("atlas", "Ada [EMAIL]", 2020)
    assert "family" not in payloads["harbor/log.txt"]
    found = cli(
        "query", plugged, "pump valve travel", "--filter", "family=atlas", "--filter", "year>=2021", "--json"
    )
    assert {hit["doc_id"] for hit in found.json["hits"]} == {"atlas/parts/valve.md", "atlas/notes/travel.md"}


def test_without_rules_plugins_and_families_record_and_name_are_as_before(
    config: Path, plugged: Path
) -> None:
    shutil.rmtree(plugged.parent / "plugins")
    plain = load(write_config(plugged.parent / "c.yaml", load(plugged).config.embedding.model))
    assert plain.expected_record().sources == {}
    assert plain.collection == load(plugged).collection


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("plugins/family.py", FAMILY + "# an edit\n", "sources.plugins.family"),
        ("rosters/people.tsv", ROSTER.replace("Bo", "Bob"), "sources.rosters.atlas"),
    ],
)
def test_after_a_change_of_plugin_or_roster_the_collection_is_refused_until_the_ingest_that_mends_it(
    plugged: Path, path: str, text: str, names: str
) -> None:
    run_ingest(load(plugged))
    require_same(load(plugged).collections.peek(load(plugged).collection), load(plugged).expected_record())
    write_files(plugged.parent, {path: text})
    assert names in refused(load(plugged))
    result = run_ingest(load(plugged))
    assert result.embedded == 0
    assert result.documents.changed == ("roster" in names)
    fresh = load(plugged, home=plugged.parent / "fresh")
    run_ingest(fresh)
    assert_same(snapshot(load(plugged), "pump"), snapshot(fresh, "pump"))


def test_a_document_that_a_new_rule_leaves_out_leaves_no_point(config: Path, tiny_model: Path) -> None:
    run_ingest(load(config))
    ruled(config, "  - {name: travel, exclude: {folder: notes}}\n", tiny_model)
    assert "sources.rules" in refused(load(config))
    result = run_ingest(load(config))
    assert (result.documents.removed, result.documents.unchanged, result.excluded) == (1, 4, 1)
    assert "atlas/notes/travel.md" not in doc_ids(load(config))
    fresh = load(config, home=config.parent / "fresh")
    run_ingest(fresh)
    assert_same(snapshot(load(config), "travel"), snapshot(fresh, "travel"))
    ruled(config, "  - {name: other name, exclude: {folder: notes}} # and a comment\n", tiny_model)
    require_same(load(config).collections.peek(load(config).collection), load(config).expected_record())


def test_the_manifest_names_the_rule_and_the_notes_those_that_match_nothing(
    config: Path, tiny_model: Path, cli: CommandLine
) -> None:
    rules = "  - {name: travel, exclude: {folder: notes}}\n  - {name: cards, keep: {folder: cards}}\n"
    found = cli("ingest", ruled(config, rules, tiny_model), "--dry-run", "--json").json
    reasons = {file["path"]: file["reason"] for file in found["files"]}
    assert reasons["atlas/notes/travel.md"] == "rule 1 `travel`: exclude folder notes"
    assert any("rule 2 `cards` matched no file" in warning for warning in found["warnings"])


def test_a_faulty_rules_file_ends_every_command_with_all_its_faults(
    config: Path, tiny_model: Path, cli: CommandLine
) -> None:
    ruled(config, "  - {exclude: {tpye: md}}\n  - {drop: 1}\n", tiny_model)
    for command in (("ingest", config, "--dry-run"), ("check", config)):
        found = cli(*command)
        assert found.code == 2
        assert "corpus-rules.yaml:3:16: unknown key `tpye`" in found.err + found.out
        assert "corpus-rules.yaml:4:6: unknown key `drop`" in found.err + found.out


def test_a_broken_plugin_ends_every_command_each_time(plugged: Path, cli: CommandLine) -> None:
    run_ingest(load(plugged))
    write_files(plugged.parent, {"plugins/family.py": "\n1/0\n"})
    for command in (
        ("ingest", plugged, "--dry-run"),
        ("ingest", plugged),
        ("query", plugged, "pump"),
        ("plugins", plugged),
        ("roster", "check", plugged),
    ):
        for _ in range(2):
            cli(*command).tells(2, "plugins/family.py:2: ", "ZeroDivisionError")
    assert cli("check", plugged).code == 2
    experiment = load(plugged)
    for _ in range(2):
        with pytest.raises(PluginError):
            _ = experiment.registry
    write_files(plugged.parent, {"plugins/family.py": FAMILY})
    assert len(experiment.registry.families) == 1


def test_an_absent_folder_is_one_line_of_warning(config: Path, cli: CommandLine, monkeypatch) -> None:
    monkeypatch.setenv("STRATA_PLUGINS_DIR", "absent")
    found = cli("ingest", config, "--dry-run")
    assert found.code == 0
    assert found.err.count("absent is not there: no plugin of it is loaded") == 1


def test_two_experiments_in_one_process_do_not_share_plugins(plugged: Path, tiny_model: Path) -> None:
    other = write_config(plugged.parent / "other.yaml", tiny_model)
    assert load(plugged).registry.families
    assert not load(other).registry.families


# The commands.


def test_plugins_are_listed_with_version_origin_and_hash(
    plugged: Path, cli: CommandLine, monkeypatch
) -> None:
    text = "__version__ = '1.2'\nfrom strata_rag.plugins import FolderAdapter, register_adapter\n"
    write_files(plugged.parent, {"plugins/mail.py": text + "register_adapter('mail', FolderAdapter)\n"})
    found = cli("plugins", plugged, "--json").json
    family, mail = found["plugins"]
    assert found["plugins_dir"] == str(plugged.parent / "plugins")
    assert (family["name"], family["families"], family["in_use"]) == ("family", {"atlas": "people"}, True)
    assert (mail["version"], mail["folders"], mail["in_use"]) == ("1.2", ["mail"], False)
    assert mail["origin"] == str(plugged.parent / "plugins/mail.py")
    assert re.fullmatch("[0-9a-f]{64}", mail["hash"])
    shown = cli("plugins", plugged)
    assert "adapter mail (not in this corpus)" in re.sub(r"\s+", " ", shown.out)
    assert "no plugin among the installed packages" in cli("plugins").out
    monkeypatch.setenv("RAGEVAL_PLUGINS_DIR", "plugins")
    assert [one["in_use"] for one in cli("plugins", "--json").json["plugins"]] == [None, None]


def test_a_roster_in_order_ends_with_0(plugged: Path, cli: CommandLine) -> None:
    found = cli("roster", "check", plugged)
    assert found.code == 0
    assert "3 match, 0 mismatch; without a row: 0, without a document: 0" in found.out


def test_a_roster_that_does_not_fit_ends_with_1_and_lists_each_side(plugged: Path, cli: CommandLine) -> None:
    roster = "id\towner\tyear\npump\tAda\t2020\nvalve\tBo\nbolt ada@corp.example\tCy\t2022\n"
    write_files(plugged.parent, {"rosters/people.tsv": roster})
    found = cli("roster", "check", plugged, "--json")
    assert found.code == 1
    assert found.json["in_order"] is False
    family = found.json["families"]["atlas"]
    assert family["match"] == 1
    assert [one["doc_id"] for one in family["missing_row"]] == [
        "atlas/notes/travel.md",
        "atlas/parts/valve.md",
    ]
    assert family["missing_document"] == [{"key": "bolt [EMAIL]", "line": 4}]
    assert family["problems"] == [{"line": 3, "problem": "expected 3 cells, found 2: the row is left out"}]
    text = cli("roster", "check", plugged)
    assert text.code == 1
    assert "no document: people.tsv:4: key 'bolt [EMAIL]'" in text.out
    assert "corp.example" not in text.out + text.err


def test_a_mismatch_names_field_and_both_values(plugged: Path, cli: CommandLine) -> None:
    plugin = (
        "from strata_rag.plugins import *\nclass A(FolderAdapter):\n    def documents(self, file):\n"
        "        return [self.document(file, 'x', metadata={'owner': 'Eve'})]\nregister_adapter('atlas', A)\n"
    )
    write_files(plugged.parent, {"plugins/adapter.py": plugin})
    mismatches = cli("roster", "check", plugged, "--json").json["families"]["atlas"]["mismatch"]
    assert mismatches[1] == {
        "doc_id": "atlas/parts/pump.md",
        "line": 2,
        "field": "owner",
        "document": "Eve",
        "roster": "Ada [EMAIL]",
    }


def test_a_check_without_a_family_is_refused(config: Path, cli: CommandLine) -> None:
    cli("roster", "check", config).tells(2, "expected a family that a plugin registered")
    with pytest.raises(InputError):
        check_rosters(Experiment(load(config).config, Workspace(home=config.parent)), progress=Silent())
