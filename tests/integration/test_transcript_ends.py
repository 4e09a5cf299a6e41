"""Transcript parts after the last hook are read at the next session."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hooking import hook

from memoranda import Memoranda
from memoranda.capture.final_messages import LARGEST

pytestmark = pytest.mark.integration

SESSION, NEXT = "99999999-0000-4000-8000-000000000001", "99999999-0000-4000-8000-000000000002"
AT = 1_790_848_802
"""Seconds since the epoch: the beginning of the transcript."""
ANSWER = "All sums are added, the total is twelve."


def entry(number: int, role: str, *content: dict[str, Any], **more: str) -> dict[str, Any]:
    return {
        "type": role,
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number > 1 else None,
        "sessionId": SESSION,
        "cwd": "/home/x/shop",
        "timestamp": f"2026-10-01T10:00:{number:02}.000Z",
        "message": {"role": role, "id": f"m{number}", "content": list(content)},
        **more,
    }


ENTRIES = (
    entry(1, "user", {"type": "text", "text": "Add the sums"}, promptId="p1"),
    entry(2, "assistant", {"type": "thinking", "thinking": "Six and six."}),
    entry(3, "assistant", {"type": "text", "text": ANSWER}),
)


@pytest.fixture
def memory(data_dir: Path) -> Iterator[Memoranda]:
    with Memoranda.open(data_dir) as memory:
        yield memory


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / f"{SESSION}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in ENTRIES), "utf-8")
    return path


def spool(
    memory: Memoranda, session: str, transcript: Path | str, event: str, **fields: str
) -> None:
    payload = {"session_id": session, "transcript_path": str(transcript), "cwd": "/home/x/shop"}
    line = {"v": 1, "t": AT * 10**9, "h": "claude-code"}
    path = memory.settings.spool_dir / f"{session}.jsonl"
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | {"p": payload | {"hook_event_name": event} | fields}) + "\n")


def prompted(memory: Memoranda, transcript: Path) -> None:
    spool(memory, SESSION, transcript, "UserPromptSubmit", prompt="Add the sums", prompt_id="p1")
    memory.capture.drain()


def texts(memory: Memoranda) -> list[str]:
    return [one.summary for one in memory.observations.list(task="1").items]


def test_an_answer_without_a_hook_is_stored_once_and_what_was_thought_is_not(
    memory: Memoranda, transcript: Path
) -> None:
    prompted(memory, transcript)
    for session in (NEXT, SESSION):  # another session begins, and the same one goes on
        spool(memory, session, transcript.with_stem(session), "SessionStart", source="startup")
        memory.capture.drain()
        assert texts(memory) == ["Add the sums", ANSWER]


def test_the_end_of_a_session_continued_while_capture_was_off_is_not_read(
    memory: Memoranda, data_dir: Path, transcript: Path
) -> None:
    prompted(memory, transcript)
    off = {"session_id": SESSION, "hook_event_name": "Stop", "cwd": "/home/x/shop"}
    assert hook(data_dir, off, MEMORANDA_DISABLED="1").silent
    spool(memory, NEXT, transcript.with_stem(NEXT), "SessionStart", source="startup")
    memory.capture.drain()
    assert texts(memory) == ["Add the sums"]


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("last", ["UserPromptSubmit", "Stop"])
def test_the_end_is_found_after_messages_that_hooks_report_without_an_id(
    memory: Memoranda, tmp_path: Path, last: str, named: bool
) -> None:
    first = entry(1, "user", {"type": "text", "text": "Add the sums"})
    said = [entry(2, "assistant", {"type": "text", "text": "Done."})] if last == "Stop" else []
    transcript = tmp_path / f"{SESSION}.jsonl"
    rest = [*said, entry(9, "assistant", {"type": "text", "text": ANSWER})]
    transcript.write_text("".join(json.dumps(one) + "\n" for one in [first, *rest]), "utf-8")
    spool(memory, SESSION, transcript, "UserPromptSubmit", prompt="Add the sums")
    if said:
        spool(memory, SESSION, transcript, "Stop", last_assistant_message="Done.")
    memory.capture.drain()
    following = transcript.with_stem(NEXT) if named else ""
    spool(memory, NEXT, following, "SessionStart", source="startup")
    memory.capture.drain()
    assert texts(memory) == ["Add the sums", *(["Done."] if said else []), ANSWER]


def test_a_drain_that_a_hook_waits_for_reads_no_transcript(
    memory: Memoranda, transcript: Path
) -> None:
    prompted(memory, transcript)
    spool(memory, NEXT, transcript.with_stem(NEXT), "SessionStart", source="startup")
    memory.capture.drain(light=True)
    assert texts(memory) == ["Add the sums"]
    memory.capture.drain()
    assert texts(memory) == ["Add the sums", ANSWER]


def test_another_workspace_reads_no_transcript(memory: Memoranda, transcript: Path) -> None:
    prompted(memory, transcript)
    spool(memory, NEXT, transcript.with_stem(NEXT), "SessionStart", cwd="/home/x/till")
    memory.capture.drain()
    assert texts(memory) == ["Add the sums"]


@pytest.mark.parametrize("kind", ["foreign", "large", "link", "gone"])
def test_other_files_than_a_short_transcript_of_the_session_are_left_alone(
    kind: str, memory: Memoranda, transcript: Path
) -> None:
    prompted(memory, transcript)
    if kind == "foreign":  # nothing in it is known from hooks
        transcript.write_text(json.dumps(ENTRIES[2]) + "\n", "utf-8")
    elif kind == "large":
        with transcript.open("ab") as file:
            file.truncate(LARGEST + 1)
    elif kind == "link":
        transcript.rename(transcript.with_stem("elsewhere"))
        transcript.symlink_to(transcript.with_stem("elsewhere"))
    else:
        transcript.unlink()
    spool(memory, NEXT, transcript.with_stem(NEXT), "SessionStart", source="startup")
    memory.capture.drain()
    assert texts(memory) == ["Add the sums"]


def test_the_end_is_found_in_the_folder_of_the_repository_of_a_work_tree(
    memory: Memoranda, tmp_path: Path
) -> None:
    projects = tmp_path / "projects"
    reported = projects / "-home-x-shop--claude-worktrees-totals" / f"{SESSION}.jsonl"
    written = projects / "-home-x-shop" / f"{SESSION}.jsonl"
    written.parent.mkdir(parents=True)
    written.write_text("".join(json.dumps(one) + "\n" for one in ENTRIES), "utf-8")
    prompted(memory, reported)
    spool(memory, NEXT, written.with_stem(NEXT), "SessionStart", source="startup")
    memory.capture.drain()
    assert texts(memory) == ["Add the sums", ANSWER]
