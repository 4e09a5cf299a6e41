"""Recorded runs of agents: the facts that their last third needs.

A run is split after two thirds; the values of the first part that the rest uses are facts to keep.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_CLOCK = re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?\]?")
_FACTS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<![\w/])(?:[A-Za-z]:)?(?:/[\w.@+-]+){2,}|\b[\w-]+/[\w./-]+\.\w{1,5}\b",
        r"https?://[^\s\"')]+",
        r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]{2,}\b|\b[A-Z]{2,}-\d+\b"
        r"|\b[A-Z]\w*(?:Error|Exception|BackOff|Killed)\b|\bexit code \d+\b",
        r"\b(?:sha256:)?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b",
        r"\bv?\d+\.\d+(?:\.\d+)+[\w.-]*\b",
        r"(?<![\w.:-])\d{2,}(?:\.\d+)?(?:%|ms|s|Mi|Gi|GiB|MB|kB|KB)?(?![\w:])",
    )
)
_TROUBLE = re.compile(
    r"\b(?:error|fatal|fail(?:ed|ure)?|exception|traceback|warn(?:ing)?|denied|timeout|exceed\w*"
    r"|oom\w*|killed|crash\w*|panic|rollback|revert\w*|conflict)\b",
    re.IGNORECASE,
)
_USED = re.compile(r"[\w./@-]*\d[\w./@-]*|(?:/?[\w-]+/)+[\w.-]+|\b\w+_\w+\b|\b[\w-]+\.py\b")
ENDS = 3
LEAST = 1500
"""Minimum tokens of a run, four characters each."""


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a run."""

    kind: str
    """``said``, ``done`` or ``seen``."""
    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """The first two thirds of a run."""

    items: list[str]
    used: frozenset[str]
    """Values seen in the first part that calls of the last third use."""
    salient: frozenset[str]
    """Values on error lines and at the ends of outputs."""


def runs(path: Path) -> list[Run]:
    """Read xz-compressed runs: SWE-agent JSON lines or a tau-bench JSON list."""
    with lzma.open(path, "rt") as file:
        text = file.read()
    if text.lstrip().startswith("["):
        recorded = [list(_talk(one["traj"])) for one in json.loads(text)]
    else:
        recorded = [list(_shell(json.loads(line)["trajectory"])) for line in text.splitlines()]
    return [run for steps in recorded if (run := _run(steps)) is not None]


def salient(text: str) -> set[str]:
    """Return the values of error lines and of the first and last three lines."""
    lines = [line for line in text.splitlines() if line.strip()]
    found: set[str] = set()
    for number, line in enumerate(lines):
        if _TROUBLE.search(line) or number < ENDS or number >= len(lines) - ENDS:
            plain = _CLOCK.sub(" ", line)
            found.update(v.rstrip(".,:;") for fact in _FACTS for v in fact.findall(plain))
    return found


def _run(steps: Sequence[Step]) -> Run | None:
    cut = len(steps) * 2 // 3
    items = [step.text for step in steps[:cut] if step.text.strip()]
    seen = {value for step in steps[:cut] if step.kind == "seen" for value in _values(step.text)}
    used = {value for step in steps[cut:] if step.kind == "done" for value in _values(step.text)}
    if sum((len(item) + 3) // 4 for item in items) < LEAST or not seen & used:
        return None
    salient_lines = [salient(step.text) for step in steps[:cut] if step.kind == "seen"]
    return Run(items, frozenset(seen & used), frozenset().union(*salient_lines))


def _values(text: str) -> set[str]:
    found = (value.strip(".,/-:") for value in _USED.findall(text))
    return {value for value in found if len(value) >= 3}


def _shell(steps: Sequence[dict[str, str]]) -> Iterator[Step]:
    for step in steps:
        yield Step("said", f"assistant: {(step.get('thought') or '').strip()}")
        yield Step("done", f"$ {(step.get('action') or '').strip()}")
        yield Step("seen", step.get("observation") or "")


def _talk(messages: Sequence[dict[str, object]]) -> Iterator[Step]:
    for message in messages:
        role, content = message["role"], str(message.get("content") or "")
        if role == "system":
            continue
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            function = call["function"]
            yield Step("done", f"assistant: call {function['name']} {function['arguments']}")
        if content:
            kind = "seen" if role in ("tool", "user") else "said"
            yield Step(kind, content if role == "tool" else f"{role}: {content}")
