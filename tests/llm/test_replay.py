from __future__ import annotations

from pathlib import Path

import pytest

from strata_rag.errors import InputError, LLMError, WriteFailed
from strata_rag.llm import (
    Completion,
    Message,
    RecordingClient,
    ReplayClient,
    ScriptedClient,
    Usage,
    fence_marker,
)

MESSAGES = [Message("user", "How high?")]


def test_what_was_recorded_is_replayed(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    replies = [
        Completion("forty", usage=Usage(3, 2)),
        Completion("cut", status="truncated", stop_reason="length"),
    ]
    recording = RecordingClient(ScriptedClient(replies), path)
    recording.complete(MESSAGES)
    recording.complete(MESSAGES, schema={"type": "object"}, repetition=1)
    replaying = ReplayClient(path)
    shown: list[str] = []
    assert replaying.complete(MESSAGES, on_text=shown.append).text == "forty"
    assert shown == ["forty"]
    assert replaying.complete(MESSAGES).usage == Usage(3, 2)
    assert replaying.complete(MESSAGES).cost == 0.0
    assert replaying.complete(MESSAGES, schema={"type": "object"}, repetition=1).status == "truncated"


def test_a_request_that_was_not_recorded_is_named(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    RecordingClient(ScriptedClient(["forty"]), path).complete(MESSAGES)
    for messages, options in (([Message("user", "How wide?")], {}), (MESSAGES, {"repetition": 1})):
        with pytest.raises(LLMError, match=r"replies\.jsonl: expected a recorded reply.*How") as caught:
            ReplayClient(path).complete(messages, **options)  # type: ignore[arg-type]
        assert caught.value.kind == "bad_request"


def test_a_marker_of_another_workspace_finds_the_same_reply(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"

    def fenced(key: bytes) -> list[Message]:
        marker = fence_marker(key, ["text"])
        return [Message("user", f"<{marker}>text</{marker}>")]

    RecordingClient(ScriptedClient(["forty"]), path).complete(fenced(b"one"))
    assert ReplayClient(path).complete(fenced(b"two")).text == "forty"


def test_replies_of_several_models_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    for model in ("a", "b"):
        RecordingClient(ScriptedClient([f"of {model}"], model), path).complete(MESSAGES)
    assert ReplayClient(path, "a").complete(MESSAGES).text == "of a"
    assert ReplayClient(path, "b").complete(MESSAGES).text == "of b"
    assert ReplayClient(path).complete(MESSAGES).text == "of b"
    with pytest.raises(LLMError, match="of c"):
        ReplayClient(path, "c").complete(MESSAGES)


def test_recording_the_same_again_adds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    for _ in range(2):
        recording = RecordingClient(ScriptedClient(["forty", "forty"]), path)
        recording.complete(MESSAGES)
        recording.complete(MESSAGES)
    assert len(path.read_text().splitlines()) == 1


@pytest.mark.parametrize("line", ["{", "[]", "{}", '{"digest": "x", "model": "m", "reply": {"text": "t"}}'])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(InputError, match=r"replies\.jsonl:2: expected a recorded reply"):
        ReplayClient(path).complete(MESSAGES)


def test_a_missing_file_and_a_folder_that_refuses_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none"):
        ReplayClient(tmp_path / "none").complete(MESSAGES)
    with pytest.raises(WriteFailed):
        RecordingClient(ScriptedClient(["forty"]), tmp_path / "no" / "x").complete(MESSAGES)


def test_another_recording_is_another_model(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    RecordingClient(ScriptedClient(["forty"]), path).complete(MESSAGES)
    first = ReplayClient(path).describe()
    RecordingClient(ScriptedClient(["fifty"]), path).complete(MESSAGES)
    assert ReplayClient(path).describe() != first
