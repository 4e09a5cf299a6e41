"""What must hold when damaged transcripts and hook payloads come into an empty store."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from memoranda import Memoranda, hook
from memoranda.capture.hosts.gemini.transcript import GeminiReader
from memoranda.capture.hosts.transcript_lines import TranscriptLine, read_lines
from memoranda.capture.hosts.transcript_reader import TranscriptReader
from memoranda.capture.hosts.transcripts import reader_for
from memoranda.capture.intake_report import IntakeReport
from memoranda.capture.transcript_importer import TranscriptImportReport
from memoranda.exceptions import InvalidInput
from mutations import Form, Lines, Mutant, mutated, repeated

FIXTURES = Path(__file__).parent / "fixtures"
HOSTS = ("claude-code", "codex", "gemini-cli", "cursor", "generic")
NAMELESS = ("cursor",)
"""Whose transcripts name no entry, so that a repeated line may be said again."""
LIFECYCLE = re.compile(
    rb'"(SessionStart|SessionEnd|SubagentStart|sessionStart|sessionEnd|task_start|task_end'
    rb'|agent_start)"'
)
"""Events that change a task and are no observation."""
MOST_PAYLOADS = 12
"""That come in one trial."""
WAITING = re.compile(
    rb"tool_use|function_call|custom_tool_call|session_meta"
    rb"|CommandExecution|FileChange|McpToolCall|(exec_command|patch_apply|mcp_tool_call)_end"
)
"""In lines of a transcript that may give no event themselves."""
TIME = 1_790_000_000_000_000_000
"""Nanoseconds since the epoch at which the first payload came."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """The sound records of a transcript, and how they make a file."""

    lines: Lines
    form: Form | None = None
    """Makes a document of them; without one each is a line."""

    @classmethod
    def at(cls, path: Path) -> Transcript:
        """Read a transcript; the records of a document are its messages."""
        if path.suffix != ".json":
            return cls(_lines(path))
        document = json.loads(path.read_bytes())
        if isinstance(document, list):
            return cls([json.dumps(one).encode() for one in document], _listed)
        header = {name: value for name, value in document.items() if name != "messages"}
        return cls([json.dumps(one).encode() for one in (header, *document["messages"])], _chat)


def _listed(lines: Lines) -> bytes:
    return b"[\n  " + b",\n  ".join(lines) + b"\n]"


def _chat(lines: Lines) -> bytes:
    """Make a document of a header and the messages after it."""
    header, messages = lines[:1], lines[1:]
    opened = b"".join(header).strip().removesuffix(b"}") or b"{"
    comma = b"," if opened.strip() != b"{" else b""
    return (
        opened.replace(b"{", b"{\n  ", 1) + comma + b'\n  "messages": ' + _listed(messages) + b"\n}"
    )


@dataclass(frozen=True, slots=True)
class Seeds:
    """The sound records of one host."""

    host: str
    transcripts: tuple[Transcript, ...]
    payloads: Lines
    recorded: bool
    """Whether payloads and transcripts are of the same sessions."""

    @classmethod
    def of(cls, host: str) -> Seeds:
        """Read what the fixtures have of a host."""
        recorded = sorted((FIXTURES / "hosts" / host).glob("transcript-*.jsonl"))
        samples = {
            "claude-code": "cc-*.jsonl",
            "codex": "codex-*.jsonl",
            "cursor": "cursor-*",
            "gemini-cli": "gemini-*.json",
        }
        paths = recorded + sorted((FIXTURES / "transcripts").glob(samples.get(host, "nothing")))
        composed = [
            json.dumps(event["payload"]).encode()
            for event in json.loads((FIXTURES / "hooks.json").read_text("utf-8"))["events"]
            if event["host"] == host
        ]
        hooks = FIXTURES / "hosts" / host / "hooks.jsonl"
        payloads = _lines(hooks) if hooks.exists() else []
        transcripts = [Transcript.at(path) for path in paths]
        if host == "generic":
            transcripts, composed = [Transcript(GENERIC)], [*GENERIC, *composed]
        return cls(host, tuple(transcripts), payloads + composed, bool(recorded))


GENERIC_EVENTS: tuple[dict[str, Any], ...] = (
    {"kind": "task_start", "text": "Make the cart tests pass"},
    {"kind": "message", "origin": "human", "text": "Never touch the tax table."},
    {"kind": "tool_result", "tool": "shell", "input": {"command": "pytest"},
     "output": "1 failed", "failed": True, "duration_ms": 1840},
    {"kind": "agent_start", "agent": "reviewer"},
    {"kind": "agent_end", "agent": "reviewer", "text": "Two call sites use total()."},
    {"kind": "message", "origin": "agent", "text": "The tests pass.", "tokens_used": 812},
    {"kind": "task_end", "text": "done"},
)  # fmt: skip
GENERIC: Lines = [
    json.dumps({"session": "run-42", "id": f"e{number}", "cwd": "/srv/shop", **event}).encode()
    for number, event in enumerate(GENERIC_EVENTS)
]


def _lines(path: Path) -> Lines:
    return [line for line in path.read_bytes().split(b"\n") if line.strip()]


def _unstored(report: IntakeReport, lines: Lines) -> list[str]:
    lost = report.events - report.observations - report.duplicates
    expected = sum(1 for line in lines if LIFECYCLE.search(line))
    return [f"{lost} events are not stored, {expected} may"] if lost > expected else []


def silent_lines(path: Path) -> list[str]:
    """Return what a transcript has in lines that give no event and are not counted as left out.

    A call waits for its result, which may say more of how it ended in a line of its own, and what
    names the session is needed by the others.
    """
    reader = reader_for(path)
    if isinstance(reader, GeminiReader):
        return silent_records(path)
    silent: list[str] = []

    def watched() -> Iterator[TranscriptLine]:
        for line in read_lines(path, tally=reader.tally):
            before = _told(reader)
            yield line  # and when the next line is asked for, all of this one has been seen
            if _told(reader) == before and not WAITING.search(line.raw):
                silent.append(_beginning(line.raw))

    for _ in reader.events(watched()):
        pass
    return silent


def silent_records(path: Path) -> list[str]:
    """Return the records of a transcript without which as much is stored and counted.

    For a reader that gives events at the end of a file, not line by line.
    """
    lines = list(read_lines(path))
    silent: list[str] = []

    def told(raw: bytes, at: int) -> tuple[int, int]:
        reader = reader_for(path)
        changed = [*lines[:at], *([replace(lines[at], raw=raw)] if raw else ()), *lines[at + 1 :]]
        for _ in reader.events(changed):
            pass
        return _told(reader)

    whole = told(lines[0].raw, 0) if lines else None
    for at, line in enumerate(lines):
        if told(b"", at) == whole:
            silent.append(_beginning(line.raw))
        for record, rest in _records_within(line.raw):
            if told(rest, at) == whole:
                silent.append(f"in a document: {_beginning(record)}")
    return silent


def _records_within(raw: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield each new message of a document that is one line, and the document without it."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        return
    messages = document.get("messages") if isinstance(document, dict) else None
    for at, one in enumerate(messages if isinstance(messages, list) else ()):
        others = [*messages[:at], *messages[at + 1 :]]
        yield json.dumps(one).encode(), json.dumps(document | {"messages": others}).encode()


def _session(lines: Lines) -> object:
    """Return the session that a chat's header names: no other record of it does."""
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and "sessionId" in entry:
            return entry["sessionId"]
    return None


def _told(reader: TranscriptReader) -> tuple[int, int]:
    return reader.tally.events, reader.tally.skipped.total()


def _beginning(raw: bytes) -> str:
    return raw[:200].decode("utf-8", "replace")


@dataclass
class Laboratory:
    """Gives each set of records a store of its own."""

    folder: Path
    seeds: Seeds
    _sound: dict[tuple[int, bool], int] = field(default_factory=dict)

    def transcript_faults(
        self, chance: random.Random, *, after_hooks: bool, repeats: float = 0.2
    ) -> list[str]:
        """Import a damaged transcript, twice; return what should not have happened.

        ``repeats`` is the share of those whose only damage is that lines stand there twice.
        """
        index = chance.randrange(len(self.seeds.transcripts))
        after_hooks = after_hooks and self.seeds.recorded
        lines, form = self.seeds.transcripts[index].lines, self.seeds.transcripts[index].form
        repeat = self.seeds.host not in NAMELESS and chance.random() < repeats
        mutant = (repeated if repeat else mutated)(lines, chance)
        sound = self._sound.get((index, after_hooks))
        if sound is None:
            sound, faults = self._imported(Mutant(lines, (), 0), form, after_hooks=after_hooks)
            assert not faults, f"sound records: {faults}"
            self._sound[index, after_hooks] = sound
        stored, faults = self._imported(mutant, form, after_hooks=after_hooks)
        lost = self.seeds.host == "gemini-cli" and _session(mutant.lines) != _session(lines)
        if stored > sound + mutant.touched and not lost:
            faults.append(f"{stored} observations, {sound} when sound")
        if repeat and stored != sound:
            faults.append("a repeated line is counted twice")
        return [f"{'+'.join(mutant.names)}: {fault}" for fault in faults]

    def payload_faults(self, chance: random.Random) -> list[str]:
        """Spool damaged hook payloads, drain them twice; return what should not have happened."""
        at = chance.randrange(len(self.seeds.payloads))
        mutant = mutated(self.seeds.payloads[at : at + MOST_PAYLOADS], chance)
        faults = []
        with self._store() as memory:
            spooled = self._spool(memory, mutant.lines)
            report = memory.capture.drain()
            if report.stuck:
                faults.append("the spool is stuck")
            if report.intake.events + report.ignored + report.rejected != spooled:
                faults.append(f"{spooled} payloads, drained {report}")
            faults += _unstored(report.intake, mutant.lines)
            self._spool(memory, mutant.lines)
            if stored := memory.capture.drain().intake.observations:
                faults.append(f"{stored} stored again")
        return [f"{'+'.join(mutant.names)}: {fault}" for fault in faults]

    def process_faults(self, chance: random.Random) -> list[str]:
        """Give a damaged payload to the hook as a host does: it must end well and say nothing."""
        line = chance.choice(mutated(self.seeds.payloads, chance).lines or [b""])
        command = [sys.executable, "-I", "-S", str(hook.__file__), "spool", self.seeds.host]
        done = subprocess.run(
            command,
            input=line,
            capture_output=True,
            env={"MEMORANDA_DATA_DIR": str(self.folder / "process")},
            timeout=60,
            check=False,
        )
        silent = (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        return [] if silent else [f"hook.py: {done}"]

    def _imported(
        self, mutant: Mutant, form: Form | None, *, after_hooks: bool
    ) -> tuple[int, list[str]]:
        with self._store() as memory:
            if after_hooks:
                self._spool(memory, self.seeds.payloads)
                memory.capture.drain()
            before = self._stored(memory)
            path = self._path.with_suffix(".json" if form else ".jsonl")
            path.write_bytes(mutant.text(form))
            try:
                report = memory.capture.import_transcript(path)
            except InvalidInput:
                changed = self._stored(memory) != before
                return before, ["refused, but stored"] if changed else []
            faults = _unstored(report.intake, mutant.lines)
            faults += self._import_faults(memory, path, report)
            faults += [f"left out uncounted: {line}" for line in silent_lines(path)]
            return self._stored(memory), faults

    def _import_faults(
        self, memory: Memoranda, path: Path, report: TranscriptImportReport
    ) -> list[str]:
        faults = []
        stored = self._stored(memory)
        again = memory.capture.import_transcript(path, again=True)
        if again.intake.observations or self._stored(memory) != stored:
            faults.append(f"{again.intake.observations} stored again")
        if again.skipped != report.skipped or again.lines != report.lines:
            faults.append("the second import counts otherwise")
        return faults

    def _spool(self, memory: Memoranda, payloads: Lines) -> int:
        """Write payloads as the hook does, always at the same times; return how many it takes."""
        path = self._path / "spool" / "fuzzed.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        taken = [one.strip() for one in payloads]
        taken = [one for one in taken if one.startswith(b"{") and one.endswith(b"}")]
        with path.open("wb") as file:
            for number, payload in enumerate(taken):
                plain = payload.replace(b"\r", b" ").replace(b"\n", b" ")
                envelope = b'\n{"v":1,"t":%d,"h":"%s","p":%s}\n'
                file.write(envelope % (TIME + number * 10**9, self.seeds.host.encode(), plain))
        return len(taken)

    def _stored(self, memory: Memoranda) -> int:
        return memory.store.stats(summaries=False).observations

    @property
    def _path(self) -> Path:
        return self.folder / "store"

    @cached_property
    def _empty(self) -> Path:
        path = self.folder / "empty"
        with Memoranda.open(data_dir=path):
            return path

    @contextmanager
    def _store(self) -> Iterator[Memoranda]:
        shutil.rmtree(self._path, ignore_errors=True)
        shutil.copytree(self._empty, self._path)
        with Memoranda.open(data_dir=self._path) as memory:
            yield memory
