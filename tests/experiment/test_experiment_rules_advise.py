"""A model only proposes rules: what stands is a diff that a person applies, and nothing is written."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from llm import wire
from strata_rag.corpus import load_rules
from strata_rag.errors import InputError, LLMError, NotMeasurable
from strata_rag.experiment.rules import advise_rules
from strata_rag.llm import Completion, ScriptedClient
from strata_rag.progress import Silent
from strata_rag.report import RuleAdvice, advice_document, advice_notes
from workbench import CommandLine, load, write_config, write_files

RULES = """# Kept by hand.
version: 1
rules:
  - name: drafts # old
    exclude: {folder: drafts}
# the end
"""


def proposal(**values: Any) -> dict[str, Any]:
    empty = {"source": [], "path": [], "folder": [], "type": [], "larger_than": "", "smaller_than": ""}
    return {"action": "exclude", "name": "a name", "why": "a reason", **empty, **values}


@pytest.fixture
def asked(config: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The five documents, two of them private, an intent and a rules file."""
    monkeypatch.chdir(config.parent)
    write_files(
        config.parent,
        {
            "docs/mail/zoe.quill@canary.example/a.md": "Reach zoe.quill@canary.example at once.",
            "docs/mail/drafts/b.md": "A draft.",
            "docs/mail/export.bin": "\0",
            "corpus-rules.yaml": RULES,
        },
    )
    corpus = {
        "root": "docs",
        "rules": "corpus-rules.yaml",
        "intent": "Machines; ask zoe.quill@canary.example.",
    }
    return write_config(config, tiny_model, corpus=corpus)


def advise(config: Path, *proposals: Any, client: ScriptedClient | None = None) -> RuleAdvice:
    client = client or ScriptedClient([json.dumps({"proposals": proposals})])
    return advise_rules(load(config), client, config_folder=config.parent, progress=Silent())


def test_what_stands_is_a_diff_and_nothing_is_written(asked: Path) -> None:
    before = {path: path.read_bytes() for path in asked.parent.rglob("*") if path.is_file()}
    found = advise(asked, proposal(name="travel", folder=["notes"], why="no machine in it"))
    assert found.diff == (
        "--- corpus-rules.yaml\n+++ corpus-rules.yaml\n@@ -3,4 +3,7 @@\n rules:\n   - name: drafts # old\n"
        "     exclude: {folder: drafts}\n"
        '+  - name: "travel"\n+    why: "no machine in it"\n+    exclude: {folder: ["notes"]}\n'
        " # the end\n"
    )
    assert advice_notes(found) == ["rule 2 `travel`: exclude, 1 files, 1 of them in the corpus now"]
    assert {path: path.read_bytes() for path in asked.parent.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("tool", ["patch", "git"])
def test_the_diff_can_be_applied(asked: Path, tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} on this machine")
    found = advise(asked, proposal(folder=["notes"]), proposal(action="keep", type=["txt"]))
    command = (
        ["patch", "-p0"] if tool == "patch" else ["git", "apply", "-p0", "--unsafe-paths", "--directory=."]
    )
    subprocess.run(command, input=found.diff, text=True, check=True, capture_output=True, cwd=asked.parent)
    rules = load_rules(asked.parent / "corpus-rules.yaml").rules
    assert [(rule.action, rule.folder, rule.type) for rule in rules] == [
        ("exclude", ("drafts",), ()),
        ("exclude", ("notes",), ()),
        ("keep", (), ("txt",)),
    ]


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ("x", "expected an action, one of include, exclude, keep"),
        (proposal(action="delete", folder=["notes"]), "expected an action"),
        (proposal(), "expected at least one of source, path"),
        (proposal(path=["a//b"]), "path: expected names between single slashes"),
        (proposal(larger_than="huge"), "larger_than: expected a size"),
        (proposal(folder=["absent"]), "it matches no file"),
        (proposal(folder=["drafts"]), "it says what a rule says already"),
        (proposal(path=["**"]), "it would leave out every file"),
        (proposal(folder=["notes"], name="a\u202eb"), "expected printable text"),
        (proposal(folder=["notes"], name="n" * 400), "expected one line of at most 300"),
        (proposal(folder=["notes"], name=["x"]), "name: expected text, found a list"),
        (proposal(folder={"notes": 1}), "folder: expected text"),
        (proposal(type=["md', evil: ["]), "type: expected an ending"),
    ],
)
def test_a_proposal_that_does_not_stand_is_named_and_left_out(asked: Path, stated: Any, reason: str) -> None:
    found = advise(asked, stated, proposal(name="second", folder=["parts"]))
    (dropped,) = found.dropped
    assert reason in dropped.reason
    assert [one.rule.name for one in found.proposals] == ["second"]
    assert advice_document(found)["dropped"][0]["reason"] == dropped.reason


def test_one_rule_proposed_twice_stands_once(asked: Path) -> None:
    found = advise(asked, proposal(folder=["notes"]), proposal(folder=["notes"], name="again"))
    assert (len(found.proposals), len(found.dropped)) == (1, 1)


def test_the_model_sees_counts_intent_rules_and_redacted_excerpts(asked: Path) -> None:
    client = ScriptedClient(['{"proposals": []}'])
    found = advise(asked, client=client)
    assert (found.diff, advice_notes(found)) == ("", ["nothing to add"])
    (messages,) = client.calls
    assert "canary.example" not in "".join(message.content for message in messages)
    evidence = json.loads(messages[1].content)
    assert evidence["intent"] == "Machines; ask [EMAIL]."
    assert evidence["rules_so_far"] == ['rule 1 `drafts`: exclude {"folder": ["drafts"]}']
    groups = {(one["folder"], one["type"]): (one["files"], one["read"]) for one in evidence["folders"]}
    assert groups["atlas/parts", "md"] == (2, 2)
    assert groups["mail/drafts", "md"] == (1, 0)
    assert {"path": "mail/[EMAIL]/a.md", "beginning": "Reach [EMAIL] at once."} in evidence["excerpts"]
    assert not any("drafts" in one["path"] for one in evidence["excerpts"])


def test_without_a_rules_file_the_diff_makes_one(asked: Path, tiny_model: Path) -> None:
    (asked.parent / "corpus-rules.yaml").unlink()
    write_config(asked, tiny_model, corpus={"root": "docs", "intent": "machines"})
    found = advise(asked, proposal(folder=["notes"]))
    assert found.diff.startswith(
        "--- /dev/null\n+++ corpus-rules.yaml\n@@ -0,0 +1,5 @@\n+version: 1\n+rules:\n"
    )
    assert advice_notes(found)[-1] == "the config names no rules yet: set corpus.rules to corpus-rules.yaml"


@pytest.mark.parametrize(
    "text",
    [
        "version: 1\n",
        "version: 1\nrules:\n",
        "version: 1\nrules: []\n",
        "rules: [{exclude: {type: md}}, {keep: {type: txt}}]\nversion: 1\n",
        "version: 1\nrules:\n- exclude: {type: log}",
        "version: 1\r\nrules:\r\n- exclude:\r\n    type: log\r\n\r\n# end\r\n",
        "rules:\n    - exclude: {type: log}\n\n    # more\n    - keep: {type: txt}\nversion: 1\n",
    ],
)
def test_a_rules_file_of_any_form_is_added_to(asked: Path, text: str) -> None:
    path = asked.parent / "corpus-rules.yaml"
    path.write_bytes(text.encode())
    before = load_rules(path).rules
    found = advise(asked, proposal(name="new", folder=["notes"]))
    if shutil.which("git"):
        subprocess.run(
            ["git", "apply", "-p0"],
            input=found.diff.encode(),
            check=True,
            cwd=asked.parent,
            capture_output=True,
        )
        rules = load_rules(path).rules
        assert rules[:-1] == before
        assert rules[-1].name == "new"


@pytest.mark.parametrize("reply", ["I would rather not.", "{}", '{"proposals": 3}', "[]", ""])
def test_a_reply_without_proposals_is_told(asked: Path, reply: str) -> None:
    with pytest.raises(NotMeasurable, match="expected proposals as JSON, found"):
        advise(asked, client=ScriptedClient([reply]))


def test_a_reply_that_was_cut_is_told(asked: Path) -> None:
    cut = Completion('{"proposals": []}', status="truncated", stop_reason="length")
    with pytest.raises(NotMeasurable, match="a reply that is truncated"):
        advise(asked, client=ScriptedClient([cut]))


def test_a_model_that_fails_is_told(asked: Path) -> None:
    with pytest.raises(LLMError):
        advise(asked, client=ScriptedClient([LLMError("x: y", hint="z")]))


def test_a_reply_in_a_code_fence_is_read(asked: Path) -> None:
    reply = f"Here:\n```json\n{json.dumps({'proposals': [proposal(folder=['notes'])]})}\n```"
    assert len(advise(asked, client=ScriptedClient([reply])).proposals) == 1


def test_without_an_intent_nothing_is_asked(config: Path) -> None:
    client = ScriptedClient([])
    with pytest.raises(InputError, match=r"corpus\.intent"):
        advise(config, client=client)
    assert client.calls == []


def test_the_command_asks_the_model_of_the_config_and_prints_the_diff_alone(
    asked: Path, tiny_model: Path, cli: CommandLine
) -> None:
    reply = json.dumps({"proposals": [proposal(name="travel", folder=["notes"])]})
    with wire.serving() as server:
        answer = wire.openai_reply(reply)
        answer.body["usage"]["prompt_tokens"] = 900
        server.answers = [answer]
        corpus = {"root": "docs", "rules": "corpus-rules.yaml", "intent": "machines"}
        generation = {"provider": "openai", "model": "m", "base_url": f"{server.url}/v1"}
        write_config(asked, tiny_model, corpus=corpus, generation=generation)
        found = cli("rules", "advise", asked)
        assert found.code == 0
        assert found.out.startswith("--- corpus-rules.yaml\n+++ corpus-rules.yaml\n")
        assert "note: rule 2 `travel`: exclude, 1 files, 1 of them in the corpus now" in found.err
        assert cli("rules", "advise", asked, "--json").json["proposals"][0]["files"] == 1
        assert len(server.received) == 1  # the second answer comes from the cache


def test_the_command_without_a_model_is_refused(asked: Path, cli: CommandLine) -> None:
    cli("rules", "advise", asked).tells(2, "generation")
