"""Moments of recorded sessions: the data on disk when a context is built.

Transcripts of Claude Code, Codex and Cursor are read into steps without the product's readers, so
that contexts can be compared with what happened.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from measuring.projects import keys_of, write_transcript

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """A message of a person or an agent, or a tool call with its outcome."""

    kind: str
    """``user``, ``assistant`` or ``tool``."""
    text: str
    """The message, or the output of a tool."""
    command: str = ""
    """The command of a shell; empty for other tools."""
    arguments: str = ""
    """The arguments of a tool, as JSON."""
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """A part of a recording, up to some line of its last transcript."""

    source: str
    place: str
    """The transcript, and the number of its lines read so far."""
    files: dict[Path, str]
    """Transcripts that are new or grew since the moment before."""
    steps: Sequence[Step]
    """Every step so far."""
    resolved: Sequence[Record] = ()
    """Failures that are resolved, according to the author's annotation."""
    corrections: Sequence[Record] = ()
    """Corrections in the last session so far, according to the annotation."""


@dataclass(slots=True)
class Recording:
    """Transcripts in order of recording, with their author's annotations."""

    name: str
    transcripts: Sequence[tuple[Path, Sequence[str]]]
    gold: Sequence[Record] = field(default_factory=list)
    """For each transcript; ``at`` is the index of a step."""

    def moments(self, each: int) -> Iterator[Moment]:
        """Yield ``each`` moments of every transcript; the last has all of it."""
        before: list[Step] = []
        for number, (path, lines) in enumerate(self.transcripts):
            for part in range(1, each + 1):
                count = max(1, len(lines) * part // each)
                read = list(steps_of(lines[:count]))
                yield Moment(
                    self.name,
                    f"{path.name} {count}/{len(lines)}",
                    {path: "\n".join(lines[:count]) + "\n"},
                    [*before, *read],
                    self._resolved(number) if part == each else [],
                    self._corrections(number, len(read)),
                )
            before += steps_of(lines)

    def _resolved(self, number: int) -> list[Record]:
        """Return the failures resolved at the end of a session."""
        return self.gold[number].get("resolved", []) if number < len(self.gold) else []

    def _corrections(self, number: int, steps: int) -> list[Record]:
        gold = self.gold[number] if number < len(self.gold) else {}
        return [one for one in gold.get("corrections", []) if one["at"] < steps]


def project(path: Path, folder: Path) -> Recording:
    """Read a recorded project as transcripts of Claude Code.

    The format is described in `measuring.projects`.
    """
    sessions = json.loads(path.read_text("utf-8"))["sessions"]
    folder.mkdir(parents=True, exist_ok=True)
    files = [write_transcript(one, number, folder) for number, one in enumerate(sessions)]
    transcripts = [(file, file.read_text("utf-8").splitlines()) for file in files]
    gold = [one["gold"] for one in sessions]
    for one in gold:
        for items in one.values():
            for item in items:
                if "id" in item:
                    item["keys"] = keys_of(item)
    return Recording(path.stem, transcripts, gold)


def recording(name: str, paths: Sequence[Path], folder: Path) -> Recording:
    """Read transcripts as one recording, copied below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return Recording(
        name, [(folder / one.name, one.read_text("utf-8").splitlines()) for one in paths]
    )


def steps_of(lines: Sequence[str]) -> Iterator[Step]:
    """Yield the steps of a transcript.

    A call and its output are one step, at the position of the output; calls without an output come
    last.
    """
    calls: dict[str, Record] = {}
    for line in lines:
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            yield from _steps(found, calls)
    for call in calls.values():
        yield _tool(call, "", None)


def _steps(found: Record, calls: dict[str, Record]) -> Iterator[Step]:
    payload = found.get("payload", found)
    if payload.get("type") == "function_call":
        calls[payload.get("call_id", "")] = {"input": _loaded(payload.get("arguments"))}
    elif payload.get("type") == "function_call_output":
        yield _tool(calls.pop(payload.get("call_id", ""), {}), payload.get("output"), None)
    elif payload.get("type") == "user_message":
        yield Step("user", str(payload.get("message", "")))
    elif isinstance(message := payload.get("message", payload), str):
        yield Step("user", message)
    elif isinstance(message, dict):
        role = str(message.get("role") or payload.get("role") or payload.get("type"))
        yield from _parts(role, message.get("content"), calls)


def _parts(role: str, content: object, calls: dict[str, Record]) -> Iterator[Step]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    for part in content if isinstance(content, list) else []:
        if not isinstance(part, dict):
            continue
        if part.get("type") == "tool_use":
            calls[part.get("id", str(len(calls)))] = part
        elif part.get("type") == "tool_result":
            call = calls.pop(part.get("tool_use_id", ""), {})
            yield _tool(call, part.get("content"), part.get("is_error"))
        elif isinstance(part.get("text"), str):
            yield Step("assistant" if role == "assistant" else "user", part["text"])


def _tool(call: Record, output: object, failed: object) -> Step:
    values = call.get("input") or {}
    command = values.get("command") or values.get("cmd") or "" if isinstance(values, dict) else ""
    text = output if isinstance(output, str) else "\n".join(_texts(output))
    arguments = json.dumps(values, ensure_ascii=False)
    return Step("tool", text, str(command), arguments, bool(failed))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)


def _loaded(text: object) -> object:
    try:
        return json.loads(text) if isinstance(text, str) else {}
    except ValueError:
        return {}
