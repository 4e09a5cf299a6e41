"""Live mode: short outputs for the agent, complete ones in the store."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from happenings import environment, ran
from hooking import HOOK, HOOKS, Ended, command, hook, tool_used, without_drain

import forked_processes
from memoranda import Memoranda, hook_event, hook_output
from memoranda.capture.live_output_table import LiveSavings
from memoranda.config import Settings
from memoranda.memories.removal import RemovalSelection
from memoranda.observations.model import FullObservation
from memoranda.text import NOTICE
from transcript_files import assistant_line, call_block, result_line, user_line, write

pytestmark = pytest.mark.integration

LIVE = ("live", "claude-code", "6000")
LONG = "".join(f"line {'abcdefgh'[n % 8]} of the build, {n}\n" for n in range(2_000)) + "the end"


def long_event(session: str = "s1", number: int = 1, **more: Any) -> dict[str, Any]:
    """A shell command with a long output."""
    arguments = {"tool_input": {"command": "make"}, "tool_response": output(LONG)}
    return tool_used(session, number, **(arguments | more))


def output(text: str) -> dict[str, Any]:
    return {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}


def shown(ended: Ended) -> dict[str, Any]:
    """Return the host's replacement of the output."""
    assert (ended.code, ended.err) == (0, b"")
    answer = json.loads(ended.out)["hookSpecificOutput"]
    assert answer["hookEventName"] == "PostToolUse"
    replaced: dict[str, Any] = answer["updatedToolOutput"]
    return replaced


def live(data_dir: Path, event: Any) -> dict[str, Any]:
    """Run the hook on an event that it must shorten, at most ten times."""
    for _ in range(9):
        ended = hook(data_dir, event, *LIVE)
        if ended.out:
            return shown(ended)
    return shown(hook(data_dir, event, *LIVE))


def named(text: str) -> list[str]:
    """Return the arguments of the command in the note."""
    note = text.partition("\n")[0]
    return shlex.split(note.rpartition("whole output: ")[2].rstrip("]"))[1:]


def savings(memory: Memoranda) -> dict[str, LiveSavings]:
    return {one.tool: one for one in memory.capture.live_report()}


def test_the_agent_sees_less_and_retrieves_the_whole_by_the_shown_command(
    data_dir: Path,
) -> None:
    without_drain(data_dir)
    seen = live(data_dir, long_event())
    assert seen.keys() == output("").keys()
    assert len(seen["stdout"]) < 4_200
    assert seen["stdout"].endswith("\nthe end")
    words = named(seen["stdout"])
    assert words[-2:] == ["--data-dir", str(data_dir)]
    whole = command(data_dir, *words).split("\n")
    assert "\n".join(whole[2:-2]) == f"$ make\n{LONG}"
    assert (whole[1], whole[-2]) == (NOTICE, "</memoranda-answer>")
    assert json.loads(command(data_dir, *words, "--format", "json"))["content"] == f"$ make\n{LONG}"


def test_every_show_of_the_whole_is_counted_once_and_others_are_not(data_dir: Path) -> None:
    without_drain(data_dir)
    name = named(live(data_dir, long_event())["stdout"])[2]
    live(data_dir, long_event(number=2))
    hook(data_dir, tool_used("s1", 3), *LIVE)
    with Memoranda.open(data_dir) as memory:
        memory.capture.drain(light=True)
        found = savings(memory)["Bash"]
        assert (found.outputs, found.expanded, found.expansions) == (2, 0, 0)
        for _ in range(3):
            memory.observations.show(name, full=True)
        memory.observations.show(name)
        memory.observations.show("1#3", full=True)
        found = savings(memory)["Bash"]
        assert (found.outputs, found.expanded, found.expansions) == (2, 1, 3)
        assert found.whole_bytes == 2 * len(LONG)
        assert found.saved_tokens == found.whole_tokens - found.shown_tokens
        assert found.saved_tokens > found.whole_tokens / 2


def test_a_shortened_output_is_measured_once_however_often_it_is_marked(data_dir: Path) -> None:
    without_drain(data_dir)
    seen = live(data_dir, long_event())
    live(data_dir, long_event())
    with Memoranda.open(data_dir) as memory:
        assert memory.capture.drain(light=True).intake.duplicates >= 1
        (found,) = memory.capture.live_report()
        count = memory._services.counter.count
        assert found.outputs == 1
        assert found.shown_tokens == count(seen["stdout"])
        assert found.whole_tokens == count(LONG)
        assert memory.capture.live_report(workspace="shop") == [found]
        memory.forget(
            RemovalSelection(ids=[memory.observations.show("1#1").observation.id]), confirm=True
        )
        assert memory.capture.live_report() == []


def test_both_engines_count_alike(engine: Settings) -> None:
    seen = json.dumps({"session_id": "s1", "tool_use_id": "t1", "tool_response": output("short")})
    event = long_event(tool_use_id="t1")
    with Memoranda.open(settings=engine) as memory:
        hook_event.spool(str(engine.data_dir), "claude-code", json.dumps(event).encode())
        for _ in range(2):
            hook_event.spool(str(engine.data_dir), "claude-code", seen.encode(), "live")
        memory.capture.drain(light=True)
        assert memory.observations.show("1#1", full=True).content == f"$ make\n{LONG}"
        memory.capture.take([ran("other", "ls", "x")])
        memory.observations.show("2#1", full=True)
        (found,) = memory.capture.live_report()
        assert (found.tool, found.outputs, found.expansions) == ("Bash", 1, 1)
        assert (found.whole_bytes, found.shown_bytes) == (len(LONG), 5)
        assert [f for f in memory.store.doctor() if f.verdict == "failure"] == []


@pytest.mark.parametrize("event", HOOKS, ids=range(len(HOOKS)))
def test_events_of_every_kind_are_kept_in_silence(data_dir: Path, event: dict[str, Any]) -> None:
    without_drain(data_dir)
    padded = event["payload"] | {"padding": "x" * 9_000}
    assert hook(data_dir, padded, "live", event["host"], "6000").silent
    (spooled,) = (data_dir / "spool").glob("*.jsonl")
    assert json.loads(spooled.read_text("utf-8"))["p"] == padded


DEEP: Any = 1
for _ in range(200):
    DEEP = [DEEP]

HOSTILE: dict[str, Any] = {
    "no response": tool_used("s1", 1, tool_response=None, padding="x" * 9_000),
    "a number": tool_used("s1", 1, tool_response=7, padding="x" * 9_000),
    "a list": tool_used("s1", 1, tool_response=[7, [None], {"text": 7}], padding="x" * 9_000),
    "no tool": long_event(tool_name=None),
    "no session": {**long_event(), "session_id": None},
    "no id": long_event(tool_use_id=None),
    "an id for the shell": long_event(tool_use_id="$(reboot)"),
    "deep": long_event(tool_input={"command": "make", "more": DEEP}),
    "deeper": json.dumps(long_event()).encode()[:-1]
    + b',"x":'
    + b"[" * 90_000
    + b"]" * 90_000
    + b"}",
    "not UTF-8": json.dumps(long_event()).encode().replace(b"the end", b"\xff\xfe"),
    "half": json.dumps(long_event()).encode()[:30_000] + b"}",
    "zeros": b"{" + b"\0" * 90_000 + b"}",
    "read": long_event(tool_name="Read"),
    "an edit": long_event(tool_name="Edit"),
    "a file": long_event(tool_input={"command": "cat src/cart.py"}),
    "of a subagent": long_event(agent_id="agent-7c1"),
    "short": tool_used("s1", 1),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_odd_or_protected_outputs_stay_unchanged(data_dir: Path, name: str) -> None:
    without_drain(data_dir)
    assert hook(data_dir, HOSTILE[name], *LIVE).silent
    (spooled,) = (data_dir / "spool").glob("*.jsonl")
    assert spooled.read_bytes().count(b'"h":"claude-code"') == 1
    with Memoranda.open(data_dir) as memory:
        memory.capture.drain(light=True)
        assert memory.capture.live_report() == []


def test_a_limit_that_is_no_number_costs_no_event(data_dir: Path) -> None:
    without_drain(data_dir)
    assert hook(data_dir, long_event(), "live", "claude-code", "many").silent
    assert hook(data_dir, long_event(number=2), "live", "claude-code").silent
    with Memoranda.open(data_dir) as memory:
        assert memory.capture.drain(light=True).intake.observations == 2


def test_a_lone_half_of_a_character_goes_through(data_dir: Path) -> None:
    without_drain(data_dir)
    seen = live(data_dir, long_event(tool_response=output(f"\ud800 {LONG} \udfff")))
    assert seen["stdout"].endswith("\udfff")


def test_an_event_of_fifty_megabytes_is_kept_and_never_in_the_way(data_dir: Path) -> None:
    without_drain(data_dir)
    event = long_event(tool_response=output("x y\n" * 12_500_000))
    ended = hook(data_dir, event, *LIVE)
    assert (ended.code, ended.err) == (0, b"")
    assert ended.seconds < 10
    size = (data_dir / "spool" / "s1.jsonl").stat().st_size
    assert size > 50_000_000
    if ended.out:
        assert len(shown(ended)["stdout"]) < 4_200


@pytest.mark.parametrize("place", ["file", "full", "pipe"])
def test_what_is_not_whole_on_the_disk_is_not_replaced(data_dir: Path, place: str) -> None:
    without_drain(data_dir)
    session, reader = data_dir / "spool" / "s1.jsonl", -1
    if place == "file":
        (data_dir / "spool").rename(data_dir / "gone")
        (data_dir / "spool").write_text("")
    if place == "pipe":
        os.mkfifo(session)
        reader = os.open(session, os.O_RDONLY | os.O_NONBLOCK)
    blocks = 8 if place == "full" else 1_000_000
    words = shlex.join([sys.executable, "-I", "-S", str(HOOK), *LIVE])
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f {blocks}; exec {words}"],
        input=json.dumps(long_event(tool_response=output(LONG[:30_000]))).encode(),
        env=environment(MEMORANDA_DATA_DIR=str(data_dir)),
        capture_output=True,
        timeout=30,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    if reader >= 0:
        os.close(reader)


@pytest.mark.parametrize("new", [False, True], ids=["taken", "another in its place"])
def test_what_a_drain_took_meanwhile_is_not_replaced(
    data_dir: Path, new: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    payload = json.dumps(long_event()).encode()
    place = hook_event.spool(str(data_dir), "claude-code", payload)
    assert place
    Path(place[0]).rename(data_dir / "spool" / "s1.1.draining")
    if new:
        Path(place[0]).write_text("another")
        assert hook_output.replace(place, "claude-code", payload, 6_000) is None
    else:
        with pytest.raises(FileNotFoundError):
            hook_output.replace(place, "claude-code", payload, 6_000)
    assert capfd.readouterr().out == ""


def test_the_whole_can_be_requested_while_another_process_drains(
    data_dir: Path, memory: Memoranda
) -> None:
    without_drain(data_dir)
    words = named(live(data_dir, long_event())["stdout"])
    with ThreadPoolExecutor(1) as other:
        with memory._services.spool.exclusively(wait=True):
            future = other.submit(command, data_dir, *words)
            with pytest.raises(TimeoutError):
                future.result(2)
        assert future.result(60).endswith("the end\n</memoranda-answer>\n")


def test_many_hooks_at_once_each_show_their_own(data_dir: Path) -> None:
    without_drain(data_dir)
    events = [
        long_event(number=n, tool_response=output(f"{LONG}\nof {'abcdefgh'[n]}")) for n in range(8)
    ]
    with ThreadPoolExecutor(4) as crowd:
        seen = list(crowd.map(lambda event: live(data_dir, event)["stdout"], events))
    with Memoranda.open(data_dir) as memory:
        memory.capture.drain(light=True)
        assert savings(memory)["Bash"].outputs == 8
        for text in seen:
            whole = memory.observations.show(named(text)[2], full=True).content
            assert whole.splitlines()[-1] == text.splitlines()[-1]


def test_a_mark_within_an_output_is_data(data_dir: Path) -> None:
    without_drain(data_dir)
    fake = (
        '\n{"v":1,"t":1,"h":"claude-code","live":{"session_id":"s1","tool_use_id":"toolu_s1_2"}}\n'
    )
    hook(data_dir, tool_used("s1", 2), *LIVE)
    live(data_dir, long_event(number=1, tool_response=output(fake + LONG)))
    with Memoranda.open(data_dir) as memory:
        assert memory.capture.drain(light=True).rejected == 0
        assert savings(memory)["Bash"].outputs == 1
        kept = {memory.observations.show(entry.id).content for entry in memory.observations.index()}
        assert any(fake in content for content in kept)


def test_invalid_marks_are_set_aside(data_dir: Path) -> None:
    without_drain(data_dir)
    for payload in (b"{}", b"7", b'{"session_id":"s1"}', b'{"tool_use_id":"t"}'):
        hook_event.spool(str(data_dir), "claude-code", payload, "live")
    unknown = b'{"session_id":"s1","tool_use_id":"t","tool_response":"x"}'
    hook_event.spool(str(data_dir), "claude-code", unknown, "live")
    with Memoranda.open(data_dir) as memory:
        assert memory.capture.drain(light=True).rejected == 4
        assert memory.capture.live_report() == []


def test_the_transcript_of_the_short_form_never_takes_the_place_of_the_whole(
    data_dir: Path, tmp_path: Path
) -> None:
    without_drain(data_dir)
    seen = live(data_dir, long_event(tool_use_id="toolu_1"))
    transcript = write(
        tmp_path / "s1.jsonl",
        [
            user_line("u1", None, "Build it."),
            assistant_line("a1", "u1", call_block("toolu_1")),
            result_line("u2", "a1", "toolu_1", seen["stdout"]),
        ],
    )
    with Memoranda.open(data_dir) as memory:
        memory.capture.import_transcript(transcript)
        memory.capture.drain(light=True)
        (tool,) = (entry for entry in memory.observations.index() if entry.type != "message")
        found: FullObservation = memory.observations.show(tool.id)
        assert found.content.endswith(LONG)
        assert savings(memory)["Bash"].outputs == 1


def test_installing_turns_it_on_and_off_and_doctor_reports_it(
    data_dir: Path, tmp_path: Path
) -> None:
    def run(*words: str) -> str:
        environ = environment(CLAUDE_CONFIG_DIR=str(tmp_path / "claude"))
        words = ("--data-dir", str(data_dir), *words)
        done = forked_processes.run(words, environ, Path.cwd(), seconds=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.decode()

    def verdict() -> str:
        (found,) = (
            f for f in json.loads(run("doctor", "--format", "json")) if f["check"] == "live mode"
        )
        assert found["verdict"] == "ok"
        return str(found["detail"])

    settings = tmp_path / "claude" / "settings.json"
    run("install", "claude-code")
    assert verdict() == "off"
    run("install", "claude-code", "--live")
    assert verdict() == f"on: outputs over 6,000 bytes ({settings})"
    hooks = json.loads(settings.read_text("utf-8"))["hooks"]
    (result,) = (one["command"] for group in hooks["PostToolUse"] for one in group["hooks"])
    ended = subprocess.run(
        result, shell=True, input=json.dumps(long_event()).encode(), env=environment(),
        capture_output=True, check=True, timeout=30,
    )  # fmt: skip
    assert ended.stderr == b""
    assert (data_dir / "spool" / "s1.jsonl").exists()
    assert [event for event, groups in hooks.items() if "live" in json.dumps(groups)] == [
        "PostToolUse"
    ]
    run("install", "claude-code")
    assert verdict() == "off"
    run("install", "claude-code", "--live")
    run("uninstall", "claude-code")
    assert not settings.exists()
    assert verdict() == "off"


def test_what_the_host_cuts_itself_is_left_to_it(data_dir: Path) -> None:
    assert live(data_dir, long_event(number=2))
    event = long_event()
    event["tool_response"] |= {"persistedOutputPath": "/x/tool-results/b1.txt"}
    event["tool_response"] |= {"persistedOutputSize": 93_465}
    assert hook(data_dir, event, *LIVE).out == b""


def test_no_more_is_shown_or_counted_than_the_host_would_have_shown_itself(
    data_dir: Path, memory: Memoranda
) -> None:
    text = "\n".join(f"src/app.py:{n}: {chr(97 + n % 26) * 40} called" for n in range(500))
    event = long_event() | {"tool_name": "Grep", "tool_input": {"pattern": "called"}}
    event["tool_response"] = {"mode": "content", "content": text, "numLines": 500}
    seen = live(data_dir, event)["content"]
    assert len(seen.encode()) <= 2_200
    memory.capture.drain(wait=True)
    found = savings(memory)["Grep"]
    assert found.whole_bytes <= 2_300
    assert found.shown_bytes == len(seen)
