"""Check a context for contradictions with what happened.

The checks use none of the product's own rules.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from measuring.moments import Moment, Step
from measuring.projects import OVER, tells

KINDS = (
    "failing, but passed later",
    "cut inside a word",
    "cut inside JSON",
    "escaped outside our tags",
    "longer than its source",
    "over budget",
    "block missing",
    "correction missing",
)
SMALL = 600
"""Tokens allowed for a context of any source, for fence and labels."""
ROOM = 120
"""Free tokens that would have had room for something short."""
LOOKBACK = 24
"""Characters before a cut that are looked for in the source."""

_SECTION = re.compile(r"^<(/?)([a-z-]+)>$")
_ENTRY = re.compile(r"^(?:#\d+ (?P<text>.*)|- (?P<named>.*) \([^()]*\))$")
_ESCAPE = re.compile(r"&(?:lt|gt|amp|quot|#\d+);")
_OURS = re.compile(
    r"&lt;\s*/?\s*(?:memoranda|[a-z]+-[a-z]+|profile|memories|blocks|system|user|assistant|human"
    r"|tool|developer|instruction|function|antml|hook|thinking|invoke|parameter|command|local"
    r"|trusted|untrusted|start_|end_|\||/?SYS)",
    re.IGNORECASE,
)
_FAILS = re.compile(r"still fail|fails?\b|failing|failed|broken|error", re.IGNORECASE)
_LINK = re.compile(r"\s*(?:&&|\|\||;|\n)\s*")
_PASSED = re.compile(r"\b\d+ passed\b")
_RED = re.compile(r"\b\d+ (?:failed|errors?)\b", re.IGNORECASE)
_TEST = re.compile(r"[\w./-]+\.py::[\w:]+")
_KEY = re.compile(r"\{\"[\w-]+\"\s*:")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True, slots=True)
class ReportedText:
    """A context as it was returned, and the data it was built from."""

    text: str
    tokens: int
    budget: int
    moment: Moment
    blocks: Sequence[str]
    """Values of blocks that the reader has."""
    source: int
    """Tokens of everything recorded or stored before."""
    count: Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation by a context, and the line that has it."""

    kind: str
    line: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of a context."""

    section: str
    text: str
    """The unescaped text without its label and name."""
    raw: str


def violations(result: ReportedText) -> list[Violation]:
    """Return the violations of a context."""
    found = list(entries(result.text))
    source = _Source(result)
    made = [
        *(Violation(KINDS[0], one.raw) for one in found if _still(one, result.moment)),
        *(Violation(KINDS[1], one.raw) for one in found if source.cuts_word(one.text)),
        *(Violation(KINDS[2], one.raw) for one in found if source.cuts_json(one.text)),
        *(Violation(KINDS[3], one.raw) for one in found if source.escapes(one.raw)),
    ]
    texts = "\n".join(one.text for one in found)
    if result.tokens > max(result.source, SMALL):
        made.append(Violation(KINDS[4], f"{result.tokens} tokens of {result.source}"))
    if result.count(result.text) > result.budget:
        made.append(Violation(KINDS[5], f"{result.count(result.text)} tokens of {result.budget}"))
    free = min(result.budget, max(result.source, SMALL)) - result.tokens
    flat = _flat(texts)
    made += [
        Violation(KINDS[6], f"{free} tokens free: {block}")
        for block in result.blocks
        if _flat(block) not in flat and free >= ROOM + result.count(block)
    ]
    made += [
        Violation(KINDS[7], f"{free} tokens free: {one['text']}")
        for one in result.moment.corrections
        if not tells(one["keys"], flat) and free >= ROOM + result.count(one["text"])
    ]
    return made


def entries(text: str) -> Iterator[Entry]:
    """Yield the entries of a context, each with its section."""
    section = ""
    for line in text.split("\n"):
        if mark := _SECTION.match(line):
            section = "" if mark[1] else mark[2]
        elif section and (entry := _ENTRY.match(line)):
            raw = entry["text"] or entry["named"]
            yield Entry(section, html.unescape(raw), raw)


class _Source:
    """The searchable text of everything that was recorded."""

    def __init__(self, result: ReportedText) -> None:
        steps = result.moment.steps
        parts = [part for one in steps for part in (one.text, one.arguments, one.command)]
        parts += [_unquoted(one.arguments) for one in steps]
        parts += result.blocks
        self._text = _flat("\n".join(parts))

    def cuts_word(self, text: str) -> bool:
        """Return whether a text ends, or is cut, inside a word of the source."""
        ends = [at for at, one in enumerate(text) if one == "…"]
        return any(self._inside(text[:at]) for at in [*ends, len(text)])

    def _inside(self, before: str) -> bool:
        tail = _flat(before)[-LOOKBACK:]
        if len(tail) < LOOKBACK or not tail[-1].isalnum() or _WIDE.match(tail[-1]):
            return False
        following = [self._text[at + len(tail)] for at in self._places(tail)]
        return bool(following) and all(one.isalnum() or one == "_" for one in following)

    def _places(self, part: str) -> Iterator[int]:
        at = self._text.find(part)
        while 0 <= at < len(self._text) - len(part):
            yield at
            at = self._text.find(part, at + 1)

    def cuts_json(self, text: str) -> bool:
        """Return whether a text has a truncated JSON object or a tool's input."""
        for found in _KEY.finditer(text):
            depth = 0
            for one in text[found.start() :]:
                depth += (one == "{") - (one == "}")
                if not depth or one == "…":
                    break
            if depth:
                return True
        return bool(re.search(r'"(?:file_path|old_string|userModified|tool_use_id)"\s*:', text))

    def escapes(self, raw: str) -> bool:
        """Return whether a text has an escape, ours aside, not in the source."""
        rest = _OURS.sub("", raw)
        return any(one not in self._text for one in _ESCAPE.findall(rest))


def _still(entry: Entry, moment: Moment) -> bool:
    """Return whether an entry reports as failing what passed later."""
    low = entry.text.lower()
    if any(word in low for word in OVER):
        return False
    if "error" in entry.section and not low.startswith("told as"):
        if any(tells(one["keys"], entry.text) for one in moment.resolved):
            return _ran_again(entry.text, moment.steps)
        return any(_says(entry.text, one) for one in over(moment.steps))
    return "still fail" in low and any(_says(entry.text, one) for one in over(moment.steps))


def _ran_again(text: str, steps: Sequence[Step]) -> bool:
    """Return whether an entry's program succeeded after the entry's failure.

    A program that never ran again did not succeed. An entry without a known step counts as one that
    did.
    """
    called = re.split(r" \u2192 |\u2026", text.partition(": ")[2])[0][:LOOKBACK]
    program = called.partition(" ")[0]
    ran = [one for one in steps if one.kind == "tool" and one.command]
    failed = [at for at, one in enumerate(ran) if called and called in _flat(one.command)]
    return not failed or any(
        not one.failed and program in one.command.split() for one in ran[failed[-1] + 1 :]
    )


def _says(text: str, command: str) -> bool:
    """Return whether a line, its label aside, is about a command."""
    flat, command_text = _flat(text), _flat(command)
    if _TEST.fullmatch(command_text):
        return command_text in flat
    at = flat.find(command_text[:60])
    rest = flat[at + len(command_text) :].lstrip() if at >= 0 else ""
    return at >= 0 and (len(command_text) > 60 or not rest or rest[0] in "→·(…")


def over(steps: Sequence[Step]) -> list[str]:
    """Return commands and tests that failed and passed in their last run.

    A command may have run by itself or as part of a chain that succeeded.
    """
    last: dict[str, bool] = {}
    for step in steps:
        if step.kind != "tool" or not step.command:
            continue
        links = [" ".join(one.split()) for one in _LINK.split(step.command) if one.strip()]
        whole = " ".join(step.command.split())
        fine = not step.failed and "Exit code" not in step.text[:40]
        if fine and "||" not in whole and "|" not in whole and ";" not in whole:
            for link in links:
                if link in last:
                    last[link] = True
        if whole in last or not fine:
            last[whole] = fine
        _tests(step, last)
    return [name for name, passed in last.items() if passed]


def _tests(step: Step, last: dict[str, bool]) -> None:
    """Record the outcomes of single tests from an output of pytest."""
    for line in step.text.split("\n"):
        for name in _TEST.findall(line):
            if "FAILED" in line or "ERROR" in line:
                last[name] = False
            elif "PASSED" in line and name in last:
                last[name] = True
    if _PASSED.search(step.text) and not _RED.search(step.text) and "pytest" in step.command:
        paths = [one for one in step.command.split() if one.endswith(".py") or "::" in one]
        if " -k" not in step.command and "deselect" not in step.command:
            for name in last:
                if _TEST.fullmatch(name) and (not paths or any(name.startswith(a) for a in paths)):
                    last[name] = True


def _unquoted(text: str) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")


def _flat(text: str) -> str:
    return " ".join(text.split())


def counted(found: Sequence[Violation]) -> Mapping[str, int]:
    """Return the number of violations of each kind."""
    return {kind: sum(one.kind == kind for one in found) for kind in KINDS}
