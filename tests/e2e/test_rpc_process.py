"""A real `memoranda rpc` process, spoken to over its pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import SOURCES, ask, forked

import forked_processes
from memoranda.api.jsonrpc.requests import MAX_BODY

pytestmark = pytest.mark.e2e


class Speaker:
    """The other end of a process."""

    def __init__(self, data_dir: Path, *words: str, **variables: str) -> None:
        plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
        own = {"HOME": str(data_dir.parent), "PYTHONPATH": SOURCES, "MEMORANDA_EMBEDDER": "none"}
        own["MEMORANDA_DATA_DIR"] = str(data_dir)
        self.process = forked_processes.command(
            ["rpc", *words], plain | own | variables, data_dir.parent
        )

    def write(self, data: bytes) -> None:
        self.process.stdin.write(data.decode("utf-8", "surrogateescape"))
        self.process.stdin.flush()

    def line(self) -> Any:
        return json.loads(self.process.stdout.readline())

    def send(self, method: str, **params: Any) -> Any:
        """Call on a line of its own; the answer."""
        message = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
        self.write(json.dumps(message).encode() + b"\n")
        return self.line()

    def end(self) -> tuple[int, str, str]:
        """Close its input; return the code, what else it wrote, and what it logged."""
        out, err = self.process.communicate(timeout=60)
        return self.process.wait(), out, err


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


Speak = Callable[..., Speaker]


@pytest.fixture
def speak(data_dir: Path) -> Iterator[Speak]:
    """Start processes with some words and variables; none is left afterwards."""
    made: list[Speaker] = []

    def start(*words: str, **variables: str) -> Speaker:
        made.append(Speaker(data_dir, *words, **variables))
        return made[-1]

    yield start
    for one in made:
        one.process.kill()
        one.process.wait()
        one.process.close()


@pytest.fixture
def speaker(speak: Speak) -> Speaker:
    return speak()


def proposers(data_dir: Path) -> list[str]:
    """The agents whose proposals wait."""
    output = forked(data_dir, "pending", "list", "--workspace", "all", "--format", "json")
    return [one["agent"] for one in output.json["items"]]


def framed(message: Any) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def test_a_session_of_an_agent_is_carried_on_and_kept(speaker: Speaker, data_dir: Path) -> None:
    stored = speaker.send("memory.store", content="The parser is in src/parser.py", task_id="one")
    task = stored["result"]["task_id"]
    speaker.write(b'{"jsonrpc":"2.0","method":"observe","params":["a notification"]}\n\n')
    speaker.write(b'[{"jsonrpc":"2.0","method":"memory.record_error","params":{"error_type":'
                  b'"hallucination","error_description":"no --strict flag","task_id":"%b"},"id":2},'
                  b'{"jsonrpc":"2.0","method":"stats","id":3}]\n' % task.encode())  # fmt: skip
    error, stats = speaker.line()
    assert error["result"]["error_type"] == "hallucination"
    assert stats["result"]["observations"] == 3  # the error recorded is one
    found = speaker.send("memory.retrieve", query="parser", k=1)["result"]["memories"]
    assert found[0]["content"] == "The parser is in src/parser.py"
    context = speaker.send("memory.get_error_aware_context", task_id=task)["result"]
    assert "no --strict flag" in context["context"]["context"]
    assert speaker.end() == (0, "", "")
    assert len(ask(data_dir, "errors", "list", "--task", "1")["items"]) == 1


def test_frames_are_answered_in_frames(speaker: Speaker) -> None:
    speaker.write(framed({"jsonrpc": "2.0", "method": "proposals.count", "id": "ü"}))
    stream = speaker.process.stdout.buffer  # type: ignore[attr-defined] # of a file
    length = int(stream.readline().removeprefix(b"Content-Length: "))
    assert stream.readline() == b"\r\n"
    assert json.loads(stream.read(length)) == {"jsonrpc": "2.0", "result": 0, "id": "ü"}
    assert speaker.send("proposals.count")["result"] == 0
    assert speaker.end()[0] == 0


def test_nonsense_is_answered_and_the_next_call_too(speaker: Speaker) -> None:
    for line in (b"nonsense", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"null"):
        speaker.write(line + b"\n")
        answer = speaker.line()
        assert answer["error"]["code"] in (-32700, -32600)
        assert answer["id"] is None
    assert speaker.send("proposals.count")["result"] == 0


def test_a_line_that_is_too_long_is_refused_and_read_past(speaker: Speaker) -> None:
    speaker.write(b'"' + b"x" * (MAX_BODY + 100_000) + b'"\n')
    assert speaker.line()["error"]["data"]["code"] == "too_large"
    assert speaker.send("proposals.count")["result"] == 0


def test_an_agent_is_served_as_an_agent(speak: Speak, data_dir: Path) -> None:
    speaker = speak("--agent", "critic", "--workspace", "shop")
    made = speaker.send("remember", statement="Lamps are blue.")["result"]
    assert (made["status"], made["origin"]) == ("pending", "agent")
    assert speaker.send("proposals.approve", id="x", shown="y")["error"]["code"] == -32012
    assert speaker.send("store.stats", a2a_context={"agent_id": "rival"})["error"]["code"] == -32012
    assert speaker.send("store.stats", a2a_context={"agent_id": "critic"})["result"]
    assert speaker.end()[0] == 0
    assert proposers(data_dir) == ["critic"]


def test_the_agent_of_the_settings_is_served_unless_a_person_is_named(
    speak: Speak, data_dir: Path
) -> None:
    named = {"MEMORANDA_AGENT_ID": "scribe"}
    speaker = speak(**named)
    made = speaker.send("remember", statement="Lamps are blue.", workspace="shop")["result"]
    assert (made["status"], made["origin"]) == ("pending", "agent")
    assert speaker.end()[0] == 0
    assert proposers(data_dir) == ["scribe"]
    speaker = speak("--role", "member", **named)
    made = speaker.send("remember", statement="Lamps are red.", workspace="shop")["result"]
    assert (made["status"], made["origin"]) == ("approved", "human")
    assert speaker.end()[0] == 0


def test_a_reader_only_reads(speak: Speak) -> None:
    speaker = speak("--role", "reader")
    assert speaker.send("remember", statement="x")["error"]["code"] == -32012
    assert speaker.send("memory.store", content="x")["error"]["code"] == -32012
    assert speaker.send("store.stats")["result"]["observations"] == 0
    assert speaker.end()[0] == 0


@pytest.mark.parametrize("words", [("--agent", "a", "--role", "member"), ("--role", "agent")])
def test_who_is_meant_has_to_be_clear(data_dir: Path, words: tuple[str, ...]) -> None:
    response = forked(data_dir, "rpc", *words)
    assert (response.code, response.out) == (2, "")
    assert response.err.startswith("error (invalid): --")


def test_the_log_goes_to_standard_error_without_content(speak: Speak) -> None:
    speaker = speak("--verbose")
    context = {"trace_id": "t-1", "agent_id": "critic"}
    speaker.send("search", query="a quiet word", a2a_context=context)
    speaker.send("nonesuch.quiet")
    code, out, err = speaker.end()
    assert (code, out) == (0, "")
    assert "method=search outcome=ok milliseconds=" in err
    assert "trace_id=t-1 agent_id=critic" in err
    assert "method=unknown outcome=method_not_found" in err
    assert "quiet" not in err


def test_a_reader_that_goes_away_ends_it_without_a_trace(speaker: Speaker) -> None:
    assert speaker.send("proposals.count")["result"] == 0
    speaker.process.stdout.close()
    message = b'{"jsonrpc":"2.0","method":"rpc.discover","id":1}\n'
    speaker.write(message * 3)
    assert speaker.process.wait(60) == 0
    assert speaker.process.stderr.read() == ""


def test_what_was_acknowledged_before_a_kill_is_there_afterwards(speak: Speak) -> None:
    speaker = speak()
    kept = [
        speaker.send("memory.store", content=f"step {number}", task_id="one")["result"]["memory_id"]
        for number in range(5)
    ]
    speaker.process.send_signal(signal.SIGKILL)
    speaker.process.communicate()
    again = speak()
    for id in kept:
        assert again.send("observations.show", id=id)["result"]["observation"]["id"] == id
    assert again.end()[0] == 0


def test_what_hooks_have_left_is_taken_in(speak: Speak, data_dir: Path) -> None:
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Prices are net.",
             "cwd": str(data_dir.parent)}  # fmt: skip
    hook = Path(SOURCES) / "memoranda" / "hook.py"
    subprocess.run(
        [sys.executable, str(hook), "spool", "claude-code"],
        input=json.dumps(event).encode(),
        env={"MEMORANDA_DATA_DIR": str(data_dir), "PATH": "/usr/bin"},
        check=True,
    )
    assert list((data_dir / "spool").iterdir())
    speaker = speak()
    found = speaker.send("memory.retrieve", query="prices")["result"]["memories"]
    assert [one["content"] for one in found] == ["Prices are net."]
    assert speaker.end()[0] == 0


def test_an_unusable_data_directory_is_reported(data_dir: Path) -> None:
    response = forked(data_dir, "rpc", "--data-dir", "/dev/null/x")
    assert response.code == 13
    assert response.err.startswith("error (storage_unusable)")
