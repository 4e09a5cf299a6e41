"""Chat logs in Markdown: aider, OpenCode, GitHub Copilot, Cursor, SpecStory.

They are conversations, not notes: only some of their text is a person's. A log is recognised by
lines that name the next speaker ("## User", "**Assistant:**"), outside of code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.json_fields import fingerprint
from memoranda.integrations.imports.imported_items import ImportContext, ImportedEvent
from memoranda.json_data import parse_iso_time
from memoranda.language.prose import FENCE_LINE
from memoranda.observations.model import Origin

_AIDER = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s*$")
_PROMPT, _CONSOLE, _LINE_BREAK = "#### ", "> ", "  "
_PERSONS = "user human you participant"
_AGENTS = (
    "assistant agent ai copilot cursor chatgpt claude codex gemini opencode cline model"
    " github.copilot claude.code"
)
_NAMES = "|".join(f"{_PERSONS} {_AGENTS}".split()).replace(".", " ")
_MARK = re.compile(
    rf"(?P<style>#{{1,4}} (?P<symbol>[^\w\s#*]{{1,4}} )?|_?\*\*)(?P<name>{_NAMES})"
    r"(?: ?\([^()\n]{0,200}\))?(?P<end>:?\*\*_?:?|:)?[ \t]*(?P<text>.*)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?P<name>[^\s:#*>`][^:\n]{0,60}): (?P<text>.*)")
_COPILOT = "GitHub Copilot: "
_IGNORED = re.compile(r"\s*(?:<sub>.*</sub>)?\s*")
_SEPARATOR = re.compile(r"(?:-{3,}|\*{3,}|_{3,})\s*")
_SESSION = re.compile(r"(?:\*\*|<!-- .{0,40}|> \*\*)Session(?: ID:\*\*)? `?([\w-]{8,80})")
_TITLE = re.compile(r"#+ .*\b(?:(?:chat|conversation) (?:log|history)|transcript)\b", re.IGNORECASE)
_HEAD = 20
"""Number of lines in which the title and the id of a session are searched for."""


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """One message of a log; ``origin`` is its speaker."""

    origin: Origin
    text: str


@dataclass(frozen=True, slots=True)
class ChatLog:
    """One conversation in a file."""

    id: str
    """Id of the session, if the file has one; otherwise its number in the file."""
    turns: Sequence[ChatTurn]
    began: int | None = None
    """Time in microseconds, if the log has one."""


def chat_logs(text: str) -> list[ChatLog]:
    """Return the conversations of a page; empty if it is not a chat log."""
    lines = text.split("\n")
    if any(map(_AIDER.match, lines)):
        return list(_aider(lines))
    found = next(filter(None, map(_SESSION.match, lines[:_HEAD])), None)
    titled = bool(found) or any(map(_TITLE.match, lines[:_HEAD]))
    turns = _labelled(lines) or list(_marked(lines, titled=titled))
    return [ChatLog(found[1] if found else "", turns)] if turns else []


def chat_events(
    logs: Iterable[ChatLog], key: str, written_at: int, reading: ImportContext
) -> Iterator[ImportedEvent]:
    """Yield the messages of logs; ``key`` identifies the file."""
    for log in logs:
        session = fingerprint(f"{key}\0{log.id}")
        numbers = Counter[ChatTurn]()
        for turn in log.turns:
            numbers[turn] += 1
            event = Event(
                kind=EventKind.MESSAGE,
                host="markdown-chat",
                session=session,
                source=EventSource.TRANSCRIPT,
                key=f"{turn.origin}:{fingerprint(turn.text)}:{numbers[turn]}",
                origin=turn.origin,
                occurred_at=log.began or written_at,
                text=turn.text,
            )
            yield ImportedEvent(event, reading.workspace)


def _aider(lines: Sequence[str]) -> Iterator[ChatLog]:
    """Yield the sessions of an aider history."""
    starts = [number for number, line in enumerate(lines) if _AIDER.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        head = _AIDER.match(lines[start])
        turns = _joined(_aider_lines(lines[start + 1 : end]))
        if head and turns:
            began = parse_iso_time(f"{head[1]}T{head[2]}")
            yield ChatLog(lines[start].strip(), turns, began)


def _aider_lines(lines: Sequence[str]) -> Iterator[ChatTurn]:
    """Yield the lines of a session with their speakers.

    Each line of a prompt begins with "#### ". aider ends it with two spaces, unlike the headings of
    an answer; lines that begin with "> " are its own output.
    """
    prompts = [line for line in lines if line.startswith(_PROMPT)]
    break_ = _LINE_BREAK if any(line.endswith(_LINE_BREAK) for line in prompts) else ""
    for line, in_code in _with_fences(lines):
        if line.startswith(_PROMPT) and line.endswith(break_) and not in_code:
            yield ChatTurn(Origin.HUMAN, line.removeprefix(_PROMPT).rstrip())
        elif in_code or not line.startswith(_CONSOLE):
            yield ChatTurn(Origin.AGENT, line)


def _labelled(lines: Sequence[str]) -> list[ChatTurn]:
    """Return the turns of a chat copied from GitHub Copilot; nothing for other text.

    Its messages begin with "name: " and "GitHub Copilot: ".
    """
    first = _LABEL.match(next((line for line in lines if line.strip()), ""))
    if first is None or not any(line.startswith(_COPILOT) for line in lines):
        return []
    return _joined(_copied(lines, f"{first['name']}: "))


def _copied(lines: Sequence[str], person: str) -> Iterator[ChatTurn]:
    speaker = Origin.HUMAN
    for line, in_code in _with_fences(lines):
        for label, origin in ((person, Origin.HUMAN), (_COPILOT, Origin.AGENT)):
            if line.startswith(label) and not in_code:
                speaker, line = origin, line.removeprefix(label)
                yield ChatTurn(Origin.GENERATED, "")
        yield ChatTurn(speaker, line)


def _marked(lines: Sequence[str], *, titled: bool) -> Iterator[ChatTurn]:
    """Yield the turns of a log with a line for each speaker; nothing for other text.

    ``titled``: whether the page has the title or the id of a session.
    """
    marks = list(_marks(lines))
    speakers = Counter((mark.style, mark.origin) for mark in marks)
    styles = {mark.style: _turns(speakers, mark.style) for mark in marks}
    style = max(styles, key=styles.__getitem__, default=None)
    if style is None or not styles[style]:
        return
    marks = [mark for mark in marks if mark.style == style]
    is_separated = 2 * sum(mark.separated for mark in marks) >= len(marks)
    if is_separated and not style.symbol:
        marks = [mark for mark in marks if mark.separated or mark is marks[0]]
    signs = sum((style.is_bold, speakers[style, Origin.HUMAN] > 1, is_separated))
    if not (titled or style.symbol or signs > 1):
        return
    ends = [*(mark.line for mark in marks[1:]), len(lines)]
    for mark, end in zip(marks, ends, strict=True):
        text = _trimmed([mark.text, *lines[mark.line + 1 : end]])
        if text and mark.origin is not Origin.GENERATED:
            yield ChatTurn(mark.origin, text)


@dataclass(frozen=True, slots=True)
class MarkStyle:
    """Markup of the lines that name a speaker in one log."""

    markup: str
    symbol: bool
    """Whether a symbol precedes the name; other names are then steps by neither speaker."""

    @property
    def is_bold(self) -> bool:
        """Whether the lines are bold text, and not headings."""
        return "*" in self.markup


def _turns(speakers: Mapping[tuple[MarkStyle, Origin], int], style: MarkStyle) -> int:
    """Return how often both speakers are named in a style."""
    return min(speakers[style, origin] for origin in (Origin.HUMAN, Origin.AGENT))


@dataclass(frozen=True, slots=True)
class SpeakerMark:
    """A line that names the next speaker."""

    line: int
    style: MarkStyle
    origin: Origin
    text: str
    separated: bool
    """Whether a rule precedes it."""


def _marks(lines: Sequence[str]) -> Iterator[SpeakerMark]:
    rule, steps = False, ""
    for number, (line, in_code) in enumerate(_with_fences(lines)):
        if in_code:
            rule = False
            continue
        match = _MARK.fullmatch(line.rstrip())
        if match and _is_alone(match):
            style = MarkStyle(match["style"].split(" ")[0], bool(match["symbol"]))
            steps = f"{style.markup} " if style.symbol else steps
            is_person = match["name"].lower() in _PERSONS.split()
            origin = Origin.HUMAN if is_person else Origin.AGENT
            yield SpeakerMark(number, style, origin, match["text"], rule)
        elif steps and line.startswith(steps) and not line[len(steps) :][:1].isalnum():
            style = MarkStyle(steps.strip(), symbol=True)
            yield SpeakerMark(number, style, Origin.GENERATED, "", rule)
        rule = bool(_SEPARATOR.fullmatch(line)) or (rule and bool(_IGNORED.fullmatch(line)))


def _is_alone(match: re.Match[str]) -> bool:
    """Return whether a line is only a mark, or a mark with a colon before a text."""
    end = match["end"] or ""
    if match["style"].startswith("#"):
        return "*" not in end and not match["text"]
    return "**" in end and (":" in end or not match["text"])


def _with_fences(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield each line, and whether it belongs to fenced code."""
    fence = ""
    for line in lines:
        mark = FENCE_LINE.match(line)
        inside = bool(fence or mark)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        yield line, inside


def _joined(turns: Iterable[ChatTurn]) -> list[ChatTurn]:
    """Join lines of one speaker to a message; leave out empty ones."""
    joined: list[tuple[Origin, list[str]]] = []
    for turn in turns:
        if not joined or joined[-1][0] is not turn.origin:
            if not turn.text.strip() and turn.origin is Origin.AGENT:
                continue
            joined.append((turn.origin, []))
        joined[-1][1].append(turn.text)
    found = (
        (origin, _trimmed(lines)) for origin, lines in joined if origin is not Origin.GENERATED
    )
    return [ChatTurn(origin, text) for origin, text in found if text]


def _trimmed(lines: Sequence[str]) -> str:
    """Return a message without the rule and the marks that end it."""
    end = len(lines)
    while end and (_IGNORED.fullmatch(lines[end - 1]) or _SEPARATOR.fullmatch(lines[end - 1])):
        end -= 1
    return "\n".join(lines[:end]).strip()
