"""Summaries of events without a model: a self-contained title and details.

The functions are pure, deterministic, linear in the length of the text, and total: every event has
a summary.
"""

from __future__ import annotations

from collections.abc import Iterable

from memoranda.capture.analysis.call_summary import describe
from memoranda.capture.analysis.constraints import constraints
from memoranda.capture.analysis.failures import failure
from memoranda.capture.analysis.line_search import flat, window
from memoranda.capture.analysis.output_digest import ending, failure_line, salient
from memoranda.capture.event import Event, EventKind
from memoranda.language.prose import prose_sentences
from memoranda.observations.content import DOING
from memoranda.observations.model import SUMMARY_LIMIT, Origin
from memoranda.text import clip, one_line, visible

TITLE_LIMIT = 80
"""Maximum number of characters of a title."""

_MIN_PART_LENGTH = 24
"""Minimum number of remaining characters for adding another detail."""
_MAX_PART_LENGTH = 320


def summarise(event: Event, text: str) -> str:
    """Summarise an event from its readable text in at most 500 characters.

    The title comes first. For a tool call: what was run on what, and its outcome; then the error,
    the failing tests, the code location, counts, and the end of the output. For a person's message:
    its first sentence, then the constraints it states, verbatim, then the rest.
    """
    if event.kind in (EventKind.TOOL_CALL, EventKind.TOOL_RESULT) and event.tool:
        title, details = describe(event, text)
    elif event.kind is EventKind.ERROR:
        title, details = _error(event, text)
    else:
        title, details = _message_parts(event, text)
    return assemble(title, details)


def assemble(title: str, details: Iterable[str]) -> str:
    """Join a title and details within the limit, without repetitions."""
    title = clip(_clean(title) or "(empty)", TITLE_LIMIT)
    summary = title
    room = SUMMARY_LIMIT - len(title)
    for detail in details:
        if room <= _MIN_PART_LENGTH:
            break
        part = _clean(detail[: 4 * SUMMARY_LIMIT])
        if not _contains(part) or _is_stated(part, summary):
            continue
        part = clip(part, min(room - 1, _MAX_PART_LENGTH))
        summary = f"{summary}\n{part}"
        room -= len(part) + 1
    return summary


_RULE = "=_-*!~# "
_RULERS = ("====", "____", "----", "****", "!!!!", "~~~~", "####", "_ _ ")
_FRAMING = (
    "test session starts", "short test summary info", "FAILURES", "ERRORS", "rootdir: ",
    "plugins: ", "cachedir: ", "configfile: ", "Traceback (most recent call last):",
    "The above exception ", "During handling of the above", "collected ", "platform ",
)  # fmt: skip
"""Starts of lines that a tool prints in every run."""


def _clean(text: str) -> str:
    line = flat(text)
    if line.startswith(_RULERS) or line.endswith(_RULERS):
        line = line.strip(_RULE)
    if line.startswith(_FRAMING):
        return ""
    return line if line.isprintable() else one_line(visible(line))


def _is_stated(part: str, summary: str) -> bool:
    return part in summary and (len(part) > 2 or part in summary.split("\n"))


def _contains(part: str) -> bool:
    """Return whether a detail contains a letter, not only dots or digits."""
    return part[:1].isalpha() or any(map(str.isalpha, part))


_MOMENTS = {
    EventKind.TASK_END: "Task ended",
    EventKind.AGENT_START: "Agent started",
    EventKind.AGENT_END: "Agent ended",
    EventKind.CHECKPOINT: "Checkpoint",
}
_KNOWN_AS = {"compaction": "Compaction summary", "thinking": "Thinking"}


def _message_parts(event: Event, text: str) -> tuple[str, list[str]]:
    """Summarise an event that consists of text, such as a message or thought."""
    text = visible(window(text))
    parts = prose_sentences(text)
    if not parts:
        parts = tuple(line for line in text.split("\n", 50)[:50] if line.strip())
    prefix = _MOMENTS.get(event.kind) or next(
        (name for tag, name in _KNOWN_AS.items() if tag in event.tags), ""
    )
    first = one_line(parts[0]) if parts else ""
    title = f"{prefix}: {first}" if prefix and first else prefix or first
    if event.kind in (EventKind.AGENT_START, EventKind.AGENT_END) and event.agent != "main":
        title = title.replace("Agent", f"Agent {event.agent}", 1)
    stated = constraints(text) if event.origin is Origin.HUMAN else ()
    whole = len(title) <= TITLE_LIMIT
    rest = parts[1:] if whole else parts
    return title, [*stated, " ".join(line for line in rest if line not in stated)]


def _error(event: Event, text: str) -> tuple[str, list[str]]:
    """Summarise an error that happened outside a tool."""
    call_failure = failure(text.partition(f"\n{DOING}")[0], event.tool, True)
    what = failure_line(call_failure) if call_failure else text
    title = what if "rror" in what[:24] else f"Error: {what}"
    return title, [what, *salient(window(text)), *ending(window(text))]
