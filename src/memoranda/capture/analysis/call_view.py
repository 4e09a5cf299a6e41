"""View of a tool call for the summariser: call, bounded output, result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memoranda.capture.analysis.failures import CallFailure, exit_header, failure_in, split_call
from memoranda.capture.analysis.line_search import window
from memoranda.capture.analysis.test_runs import test_counts
from memoranda.capture.analysis.tool_families import command_line, family, member
from memoranda.capture.event import Event, EventKind
from memoranda.json_data import JsonValue
from memoranda.language.shell import CommandLine, parse
from memoranda.observations.content import past_arguments
from memoranda.text import clip, one_line, strip_ansi


@dataclass(frozen=True, slots=True)
class CallView:
    """Tool call, parsed once."""

    event: Event
    kind: str
    """Tool family, as `family` returns it."""
    line: str
    """Shell command of the call; '' if there is none."""
    command: CommandLine | None
    output: str
    """Head and tail of the output, without escape sequences."""
    length: int
    """Number of lines of the entire output."""
    failure: CallFailure | None
    counts: Mapping[str, int]
    """Totals of a test runner, if the output of a command contains them."""

    @property
    def tool(self) -> str:
        """Name of the tool as the host writes it."""
        return self.event.tool or "tool"

    def argument(self, *keys: str) -> str:
        """Return the first of these input members that is a string; else ''."""
        return member(self.event.input, *keys)

    def output_member(self, key: str) -> JsonValue:
        """Return a member of a structured output; None if there is none."""
        return self.event.output.get(key) if isinstance(self.event.output, dict) else None

    def output_number(self, key: str) -> int | None:
        """Return a count in a structured output; None if missing or invalid."""
        return _count(self.output_member(key))

    def input_number(self, key: str) -> int | None:
        """Return a count in the input; None if missing or invalid."""
        return _count(self.event.input.get(key)) if isinstance(self.event.input, dict) else None


@dataclass(frozen=True, slots=True)
class CallSketch:
    """Description of a call: title, outcome, and details by importance."""

    label: str
    outcome: str = ""
    details: tuple[str, ...] = ()
    extent: str = ""
    """Suffix of the label of a successful call: line count, or function."""


def _count(value: JsonValue) -> int | None:
    return value if type(value) is int and 0 <= value < 1_000_000_000 else None


def view(event: Event, text: str) -> CallView:
    """Parse a tool event and its readable text once, at bounded cost."""
    line = command_line(event)
    command = parse(line) if line else None
    if event.kind is EventKind.TOOL_CALL:
        return CallView(event, family(event), line, command, "", 0, None, {})
    prompt_line = f"$ {line}"
    whole = text[len(prompt_line) + 1 :] if line and text.startswith(prompt_line) else None
    whole = split_call(text, event.tool)[1] if whole is None else past_arguments(whole)
    failure = failure_in(whole, event.tool, event.failed, command)
    _, output = exit_header(strip_ansi(window(whole)))
    if output.startswith("<tool_use_error>"):
        output = output.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
    length = whole.rstrip("\n").count("\n") + 1 if output.strip() else 0
    counts = test_counts(output) if line else {}
    return CallView(event, family(event), line, command, output, length, failure, counts)


def counted(number: int, noun: str) -> str:
    """Format a count with its noun: 1 line, 2 lines, 3 matches, 2 entries."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith('ch') else 's'}"


def shown_path(path: str, cwd: str | None) -> str:
    """Make a path relative to ``cwd``; keep only the end of a long one."""
    path = path.replace("\\", "/") if "\\" in path else path
    base = f"{cwd.rstrip('/')}/" if cwd else ""
    if base and path.startswith(base):
        path = path[len(base) :] or path
    if len(path) > 48 and path.count("/") > 2:
        path = "…/" + "/".join(path.split("/")[-2:])
    return one_line(path)


def quoted(text: str, limit: int = 40) -> str:
    """Format a text in single quotes, shortened."""
    return f"'{clip(one_line(text), limit)}'"
