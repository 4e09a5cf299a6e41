"""The hook records every event without any effect on the host."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from happenings import environment
from hooking import HOOKS, PROMPT, command, hook, tool_used, without_drain

import forked_processes
from memoranda import Memoranda
from secrets_corpus import SAMPLES
from transcript_files import assistant_line, call_block, result_line, user_line, write

pytestmark = pytest.mark.integration


def test_every_payload_becomes_an_event(data_dir: Path) -> None:
    without_drain(data_dir)
    for event in HOOKS:
        assert hook(data_dir, event["payload"], "spool", event["host"]).silent
    with Memoranda.open(data_dir) as memory:
        report = memory.capture.drain()
        assert report.rejected == 0
        by_task = {
            (task.host, task.session): [
                e.type.value for e in memory.observations.index(task=task.id)
            ]
            for task in memory.tasks.list()
        }
        expected: dict[tuple[str, str], list[str]] = {}
        for event in HOOKS:
            values = event["payload"]
            session = values.get("session_id") or values.get("conversation_id") or values["session"]
            if event["keeps"]:
                expected.setdefault((event["host"], session), []).append(event["keeps"])
        assert by_task == expected
        assert "Ada" not in memory.observations.show("1#1").content


def test_sixty_hooks_at_once_become_sixty_observations_in_order(data_dir: Path) -> None:
    sent = [(f"s{number % 5}", number) for number in range(60)]
    with ThreadPoolExecutor(16) as crowd:
        ended = list(crowd.map(lambda one: hook(data_dir, tool_used(*one)), sent))
    assert all(one.silent for one in ended)
    spooled = {
        session: [json.loads(line)["p"]["tool_use_id"] for line in _lines(data_dir, session)]
        for session in {session for session, _ in sent}
    }
    with Memoranda.open(data_dir) as memory:
        report = memory.capture.drain()
        assert (report.files, report.intake.observations, report.rejected) == (5, 60, 0)
        for task in memory.tasks.list():
            page = memory.observations.list(task=task.id)
            assert [o.sequence for o in page] == list(range(1, 13))
            stored = [memory.observations.show(o.id).content.split()[-1] for o in page]
            assert [f"toolu_{task.session}_{n}" for n in stored] == spooled[task.session]
        assert [finding for finding in memory.store.doctor() if finding.verdict != "ok"] == []


def _lines(data_dir: Path, session: str) -> list[str]:
    text = (data_dir / "spool" / f"{session}.jsonl").read_text("utf-8")
    return [line for line in text.split("\n") if line]


def test_events_of_one_session_keep_their_order_over_several_drains(data_dir: Path) -> None:
    without_drain(data_dir)
    for number in range(6):
        assert hook(data_dir, tool_used("s", number)).silent
        if number % 2:
            with Memoranda.open(data_dir) as memory:
                memory.capture.drain()
    with Memoranda.open(data_dir) as memory:
        contents = [memory.observations.show(f"1#{n}").content.split()[-1] for n in range(1, 7)]
    assert contents == [str(number) for number in range(6)]


def test_a_pause_starts_a_drain_by_itself(data_dir: Path) -> None:
    assert hook(data_dir, PROMPT).silent
    stop = {**PROMPT, "hook_event_name": "Stop", "last_assistant_message": "Done."}
    assert hook(data_dir, stop).silent
    end = time.monotonic() + 30
    with Memoranda.open(data_dir) as memory:
        while memory.store.stats().observations < 2 and time.monotonic() < end:
            time.sleep(0.05)
        assert memory.store.stats().observations == 2
        memory.capture.drain(wait=True)


def test_a_second_pause_soon_after_starts_no_second_drain(data_dir: Path) -> None:
    spool = data_dir / "spool"
    spool.mkdir(mode=0o700, parents=True)
    (spool / ".drain").touch()
    mark = (spool / ".drain").stat().st_mtime_ns
    for pause in ("SubagentStop", "PreCompress", "SessionStart"):
        assert hook(data_dir, {**PROMPT, "hook_event_name": pause}).silent
    assert (spool / ".drain").stat().st_mtime_ns == mark
    assert not (data_dir / "memoranda.db").exists()


def test_no_second_drain_starts_while_one_has_yet_to_take_what_is_spooled(data_dir: Path) -> None:
    (data_dir / "spool").mkdir(mode=0o700, parents=True)
    (data_dir / "spool" / ".due").touch()
    assert hook(data_dir, {**PROMPT, "hook_event_name": "SessionEnd"}).silent
    assert not (data_dir / "spool" / ".drain").exists()
    with Memoranda.open(data_dir) as memory:
        assert memory.capture.drain().intake.events == 1
    assert not (data_dir / "spool" / ".due").exists()


def test_the_end_of_a_session_is_stored_however_soon_it_follows(data_dir: Path) -> None:
    assert hook(data_dir, PROMPT).silent
    stop = {**PROMPT, "hook_event_name": "Stop", "last_assistant_message": "Done."}
    assert hook(data_dir, stop).silent
    assert hook(data_dir, {**PROMPT, "prompt": "Last of all."}).silent
    assert hook(data_dir, {**PROMPT, "hook_event_name": "SessionEnd", "reason": "other"}).silent
    end = time.monotonic() + 30
    with Memoranda.open(data_dir) as memory:
        while time.monotonic() < end and [one.status.value for one in memory.tasks.list()] != [
            "completed"
        ]:
            time.sleep(0.05)
        (task,) = memory.tasks.list()
        assert (task.status.value, task.observations) == ("completed", 3)
        assert list((data_dir / "spool").glob("*.jsonl")) == []
        memory.capture.drain(wait=True)


def test_without_an_environment_of_its_own_data_lies_where_the_command_line_looks(
    tmp_path: Path,
) -> None:
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": ""}
    assert hook(None, tool_used("s", 1), **home).silent
    done = forked_processes.run(["drain", "--format", "json"], environment(**home), tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["observations"] == 1


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        (b"Fix\tit\x1b[0m \x01\x00now", "Fix\tit"),
        ("caf\u00e9 first".encode("latin-1"), "caf\ufffd first"),
        ("cut \U0001f600".encode()[:-1], "cut \ufffd"),
    ],
    ids=["control characters", "latin-1", "cut character"],
)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "byte order mark"])
def test_a_prompt_in_json_that_is_not_quite_valid_is_stored(
    data_dir: Path, sent: bytes, stored: str, mark: bytes
) -> None:
    without_drain(data_dir)
    payload = mark + json.dumps({**PROMPT, "prompt": "<>"}).encode().replace(b"<>", sent)
    assert hook(data_dir, payload).silent
    with Memoranda.open(data_dir) as memory:
        report = memory.capture.drain()
        assert (report.rejected, report.intake.observations) == (0, 1)
        assert stored in memory.observations.show("1#1").content


def test_a_start_in_json_that_is_not_quite_valid_prints_the_context(data_dir: Path) -> None:
    with Memoranda.open(data_dir) as memory:
        memory.remember("Totals are rounded half up.")
        memory.capture.drain()
    start = {"session_id": "s2", "hook_event_name": "SessionStart", "cwd": "/srv/shop", "x": "<>"}
    payload = json.dumps(start).encode().replace(b"<>", b"a\tb\xe9")
    assert b"rounded half up" in hook(data_dir, payload, "context").out


def test_a_generic_event_needs_no_name_of_a_host(data_dir: Path) -> None:
    without_drain(data_dir)
    event = {"kind": "message", "session": "run-42", "origin": "human", "text": "Fix the cart."}
    assert hook(data_dir, event, "spool").silent
    with Memoranda.open(data_dir) as memory:
        assert memory.capture.drain().intake.observations == 1
        assert [(one.host, one.session) for one in memory.tasks.list()] == [("generic", "run-42")]


@pytest.mark.parametrize("hook_first", [True, False])
def test_a_call_from_hook_and_transcript_is_one_observation(
    hook_first: bool, data_dir: Path, tmp_path: Path
) -> None:
    now = datetime.now(UTC).isoformat()
    lines: list[dict[str, Any]] = [
        user_line("u1", None, PROMPT["prompt"]),
        assistant_line("a1", "u1", call_block("toolu_1")),
        result_line("u2", "a1", "toolu_1", "cart.py"),
    ]
    transcript = write(tmp_path / "s1.jsonl", [{**one, "timestamp": now} for one in lines])
    without_drain(data_dir)
    result = tool_used("s1", 1, tool_use_id="toolu_1", tool_input={"command": "ls"})
    with Memoranda.open(data_dir) as memory:
        if not hook_first:
            memory.capture.import_transcript(transcript)
        assert hook(data_dir, PROMPT).silent
        assert hook(data_dir, result).silent
        if hook_first:
            dry = memory.capture.import_transcript(transcript, dry_run=True)
            stored = memory.capture.import_transcript(transcript)
            counts = dry.intake.observations, stored.intake.observations
            assert counts == (0, 0), "the dry run stores what is spooled, and knows its messages"
        memory.capture.drain()
        assert memory.store.stats().by_type == {"message": 1, "tool_call": 1}
        assert [entry.sequence for entry in memory.observations.index(task="1")] == [1, 2]


@pytest.mark.parametrize("levels", [62, 400, 100_000])
def test_an_output_nested_deeply_is_stored_as_text(data_dir: Path, levels: int) -> None:
    without_drain(data_dir)
    event = json.dumps(tool_used("s", 1, tool_response="LISTS")).encode()
    lists = b"[" * levels + b'"ocelot ] \\" {", {}' + b"]" * levels
    assert hook(data_dir, event.replace(b'"LISTS"', lists)).silent
    assert hook(data_dir, event.replace(b'"LISTS"', b"[" * levels)).silent  # cut off
    report = json.loads(command(data_dir, "--format", "json", "drain"))
    assert (report["observations"], report["rejected"]) == (1, 1)
    assert "ocelot ]" in command(data_dir, "observation", "show", "1#1")


def test_a_line_of_a_transcript_nested_deeply_is_imported(data_dir: Path, tmp_path: Path) -> None:
    line = json.dumps({**user_line("u1", None, "Count the ocelots"), "extra": "LISTS"})
    path = tmp_path / "deep.jsonl"
    path.write_text(line.replace('"LISTS"', "[" * 400 + "]" * 400) + "\n", "utf-8")
    command(data_dir, "import", str(path))
    assert "Count the ocelots" in command(data_dir, "observation", "list")


def test_a_secret_in_a_payload_is_nowhere_after_the_drain(data_dir: Path) -> None:
    without_drain(data_dir)
    secrets = {sample.text: sample.secret for sample in SAMPLES if sample.vendor}
    text = "\n".join(secrets)
    payloads: list[dict[str, Any]] = [
        {**PROMPT, "prompt": f"use {text}"},
        tool_used("s1", 1, tool_input={"command": f"curl {text}", text: text}),
        tool_used("s1", 2, tool_response={"stdout": text, "stderr": text, text: [text]}),
        {**tool_used("s1", 3), "hook_event_name": "PostToolUseFailure", "error": text},
        {**PROMPT, "hook_event_name": "SessionEnd", "reason": text},
        {**PROMPT, "hook_event_name": "Stop", "last_assistant_message": text},
        {**PROMPT, "hook_event_name": "PostCompact", "compact_summary": text},
        {**PROMPT, "hook_event_name": "StopFailure", "error": text, "error_details": text},
    ]
    for payload in payloads:
        assert hook(data_dir, payload).silent
    broken = f'{{"session_id":"s1", {text} <private>Ada</private> }}'.encode()
    assert hook(data_dir, broken).silent
    with Memoranda.open(data_dir) as memory:
        report = memory.capture.drain()
        assert report.rejected == 1
        shown = [memory.context(budget=100_000).text]
        for entry in memory.observations.index(limit=1_000):
            shown += [entry.title, memory.observations.show(entry.id).content]
            shown += [memory.observations.show(entry.id).observation.summary]
        shown += [task.goal for task in memory.tasks.list()]
    kept = "\n".join(shown).encode()
    for path in data_dir.rglob("*"):
        kept += path.read_bytes() if path.is_file() else b""
    assert b"Ada" not in kept
    assert [secret for secret in secrets.values() if secret.encode() in kept] == []
