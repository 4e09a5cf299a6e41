"""Salience of an event (critical, normal or low), from the event alone."""

from __future__ import annotations

from memoranda.capture.analysis.constraints import constraints
from memoranda.capture.analysis.failures import CallFailure, exit_header, plain_name, split_call
from memoranda.capture.analysis.tool_families import command_line, family
from memoranda.capture.event import REWOUND, Event, EventKind
from memoranda.capture.hosts.message_separation import is_envelope
from memoranda.language.shell import CommandLine, parse
from memoranda.language.words import word_set
from memoranda.observations.content import past_arguments
from memoranda.observations.model import Origin, Salience

_LOW_TAGS = frozenset(("thinking", "envelope", "recalled", "excluded"))
_IDLE_PROGRAMS = word_set("ls pwd cd echo printf clear true sleep which whoami date tree type")
_IDLE_TOOLS = word_set("todoread ls listdirectory listdir tasklist taskget bashoutput killshell")
_NOTHING = ("No files found", "No matches found", "No matches", "No results")
_SPOKEN = frozenset((EventKind.MESSAGE, EventKind.TASK_START, EventKind.CHECKPOINT))


def salience(event: Event, text: str, failure: CallFailure | None) -> Salience:
    """Return the salience of an event.

    CRITICAL for a person's constraints, LOW for routine calls, NORMAL otherwise. A failure is never
    LOW. Constraints in a rewound message do not count.
    """
    if _LOW_TAGS.intersection(event.tags):
        return Salience.LOW
    if event.branch == REWOUND and failure is None and not event.failed:
        return Salience.LOW
    if event.kind in _SPOKEN or event.tool is None:
        return _words(event, text)
    if failure is not None or event.failed:
        return Salience.NORMAL
    return Salience.LOW if _is_routine(event, text) else Salience.NORMAL


def _words(event: Event, text: str) -> Salience:
    if event.kind is EventKind.ERROR or event.failed:
        return Salience.NORMAL
    if not text[:4_000].strip() or is_envelope(text[:4_000]):
        return Salience.LOW
    if event.origin is Origin.HUMAN and constraints(text):
        return Salience.CRITICAL
    return Salience.NORMAL


def _is_routine(event: Event, text: str) -> bool:
    """Return whether a tool call only read something of short-lived interest."""
    if event.kind is not EventKind.TOOL_RESULT:
        return False
    if plain_name(event.tool) in _IDLE_TOOLS:
        return True
    line = command_line(event)
    output = _output(event, text, line)
    if line:
        return _idle(parse(line), output)
    if family(event) not in ("read", "search", "list"):
        return False
    return not output or output.startswith(_NOTHING) or _is_empty_search(event)


def _output(event: Event, text: str, line: str) -> str:
    prompt_line = f"$ {line}"
    output = text[len(prompt_line) + 1 :] if line and text.startswith(prompt_line) else None
    output = split_call(text, event.tool)[1] if output is None else past_arguments(output)
    return exit_header(output[:4_000])[1].strip()


def _is_empty_search(event: Event) -> bool:
    fields = event.output if isinstance(event.output, dict) else {}
    return fields.get("numFiles") == 0 and not fields.get("content")


def _idle(command: CommandLine, output: str) -> bool:
    if not command.shows:
        return False
    main = [step for step in command.steps if step.joined != "|"]
    if all(step.program in _IDLE_PROGRAMS for step in main):
        return True
    if any(step.program == "git" and "status" in step.words for step in main):
        return "nothing to commit" in output or not output
    return not output
