"""A tool call as the summariser sees it: the call, a bounded output, how it went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memoranda.capture.analysis.command import CommandLine, parse
from memoranda.capture.analysis.failures import CallFailure, exit_header, failure_in, split_call
from memoranda.capture.analysis.lines import window
from memoranda.capture.analysis.testruns import test_counts
from memoranda.capture.analysis.tools import command_line, family, member
from memoranda.capture.event import Event, EventKind
from memoranda.json_data import JsonValue
from memoranda.text import clip, one_line, strip_ansi


@dataclass(frozen=True, slots=True)
class CallView:
    """One tool call, read once."""

    event: Event
    kind: str
    """The family of its tool."""
    line: str
    """Its shell command; '' when it has none."""
    command: CommandLine | None
    output: str
    """What it printed: head and tail of it, without escape sequences."""
    length: int
    """Lines of the whole output."""
    failure: CallFailure | None
    counts: Mapping[str, int]
    """A test runner's totals, where the output of a command holds them."""

    @property
    def tool(self) -> str:
        """The tool's name as the host writes it."""
        return self.event.tool or "tool"

    def given(self, *keys: str) -> str:
        """Give the first of these members of the input that is a string; else ''."""
        return member(self.event.input, *keys)

    def told(self, key: str) -> JsonValue:
        """Give a member of a structured output; None when there is none."""
        return self.event.output.get(key) if isinstance(self.event.output, dict) else None

    def told_number(self, key: str) -> int | None:
        """Give a count in a structured output; None when there is none, or none that can be."""
        return _count(self.told(key))

    def given_number(self, key: str) -> int | None:
        """Give a count in the input; None when there is none, or none that can be."""
        return _count(self.event.input.get(key)) if isinstance(self.event.input, dict) else None


@dataclass(frozen=True, slots=True)
class CallSketch:
    """A call in words: what was called, what came of it, details in the order of their worth."""

    label: str
    outcome: str = ""
    details: tuple[str, ...] = ()
    extent: str = ""
    """What the label is followed by when the call went well: how many lines, in which function."""


def _count(value: JsonValue) -> int | None:
    return value if type(value) is int and 0 <= value < 1_000_000_000 else None


def view(event: Event, text: str) -> CallView:
    """Read a tool event and its readable text once, at bounded cost."""
    line = command_line(event)
    command = parse(line) if line else None
    if event.kind is EventKind.TOOL_CALL:
        return CallView(event, family(event), line, command, "", 0, None, {})
    known = f"$ {line}"
    whole = text[len(known) + 1 :] if line and text.startswith(known) else None
    if whole is None:
        whole = split_call(text, event.tool)[1]
    found = failure_in(whole, event.tool, event.failed, command)
    _, output = exit_header(strip_ansi(window(whole)))
    if output.startswith("<tool_use_error>"):
        output = output.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
    length = whole.rstrip("\n").count("\n") + 1 if output.strip() else 0
    counts = test_counts(output) if line else {}
    return CallView(event, family(event), line, command, output, length, found, counts)


def counted(number: int, noun: str) -> str:
    """Write a count with its noun: 1 line, 2 lines, 3 matches, 2 entries."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith('ch') else 's'}"


def shown_path(path: str, cwd: str | None) -> str:
    """Write a path short: relative to the folder, of long ones the end."""
    path = path.replace("\\", "/") if "\\" in path else path
    base = f"{cwd.rstrip('/')}/" if cwd else ""
    if base and path.startswith(base):
        path = path[len(base) :] or path
    if len(path) > 48 and path.count("/") > 2:
        path = "…/" + "/".join(path.split("/")[-2:])
    return one_line(path)


def quoted(text: str, limit: int = 40) -> str:
    """Write a text in single quotes, short."""
    return f"'{clip(one_line(text), limit)}'"
