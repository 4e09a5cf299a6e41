"""Failure rates of tools and shell programs, with confidence intervals."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from memoranda.lessons.model import Lesson, LessonKind, key
from memoranda.lessons.task_record import called, error_line, kind_of_failure, step_line, target
from memoranda.lessons.vocabulary import tools
from memoranda.memories.model import Category
from memoranda.observations.model import Observation, ObservationType
from memoranda.scope import Scope
from memoranda.store.database import Database
from memoranda.tools import call_table as calls
from memoranda.tools.call_table import ToolCall
from memoranda.tools.reliability import ToolRecord

MIN_CALLS = 10
MIN_RATE = 0.2
"""Minimum failure rate of a tool that is reported."""
SURE = 1.96
"""Number of standard deviations of a 95 % two-sided interval, which is 97.5 % one-sided."""
EXAMPLES = 3
UNKNOWN_STAGE = "no stage"

Step: TypeAlias = Observation | ToolCall

_WORD = re.compile(r"[\w./@:+=-]+|&&|\|\||;|\|")
_ASSIGNED = re.compile(r"[A-Za-z_]\w{0,60}=")
_BETWEEN = frozenset({"&&", "||", ";", "|"})


def tool_records(steps: Sequence[Step]) -> list[ToolRecord]:
    """Return the failure record of every tool in the given steps.

    Tools that clearly fail more often than the others come first; the rest are sorted by lower
    bound, highest first.

    A tool clearly fails more often if it was called at least ten times, failed in at least a fifth
    of the calls, and the lower bound of its failure rate is above the upper bound of all other
    tools together.
    """
    done = _by_tool(steps)
    failed = {name: [item for item in found if fails(item)] for name, found in done.items()}
    fixes = {step.resolves: step for step in steps if step.resolves}
    calls, failures = sum(map(len, done.values())), sum(map(len, failed.values()))
    records = []
    for name, own in done.items():
        others = wilson(failures - len(failed[name]), calls - len(own))[1]
        records.append(_record(name, own, failed[name], others, fixes))
    return sorted(
        records, key=lambda record: (not record.unreliable, -record.low, -record.calls, record.tool)
    )


def _by_tool(steps: Sequence[Step]) -> dict[str, list[Step]]:
    """Group calls by tool.

    Equal calls share the slow search for the program.
    """
    names: dict[tuple[str | None, str], str] = {}
    result: dict[str, list[Step]] = defaultdict(list)
    for step in steps:
        what = step.tool, called(step)
        if what not in names:
            names[what] = tool_name(step)
        if name := names[what]:
            result[name].append(step)
    return result


def _record(
    name: str, own: Sequence[Step], failed: Sequence[Step], others: float, fixes: Mapping[str, Step]
) -> ToolRecord:
    newest = sorted(failed, key=lambda one: one.id, reverse=True)
    low, high = wilson(len(failed), len(own))
    rate = len(failed) / len(own)
    fixing_step = next((fixes[item.id] for item in newest if item.id in fixes), None)
    return ToolRecord(
        tool=name,
        calls=len(own),
        failures=len(failed),
        findings=sum(one.type is ObservationType.ERROR for one in own) - len(failed),
        rate=rate,
        low=low,
        high=high,
        others=others,
        unreliable=len(own) >= MIN_CALLS and rate >= MIN_RATE and low > others,
        kinds=_counted(kind_of_failure(one) for one in failed),
        stages=_counted(one.stage or UNKNOWN_STAGE for one in failed),
        examples=tuple(one.id for one in newest[:EXAMPLES]),
        line=error_line(newest[0]) if newest else "",
        ended_by=step_line(fixing_step) if fixing_step else "",
    )


def lesson_of(record: ToolRecord) -> Lesson:
    """Return the lesson about an unreliable tool."""
    kinds = ", ".join(f"{kind.replace('_', ' ')} ({count})" for kind, count in record.kinds[:3])
    stages = ", ".join(f"{stage} ({count})" for stage, count in record.stages[:2])
    ended = f" Resolved once by: {record.ended_by}." if record.ended_by else ""
    return Lesson(
        kind=LessonKind.TOOL,
        key=key(LessonKind.TOOL, record.tool),
        category=Category.TROUBLESHOOTING,
        title=f"{record.tool} often fails here",
        content=f"{record.tool} failed in {record.failures} of {record.calls} calls "
        f"({record.rate:.0%}, with 95 % between {record.low:.0%} and {record.high:.0%}; all other "
        f"tools together below {record.others:.0%}): {kinds}; in {stages}. "
        f"Last: \u201c{record.line}\u201d.{ended}",
        confidence=round(record.low, 2),
        worth=1.0,
        evidence=record.examples,
    )


def wilson(hits: int, tries: int) -> tuple[float, float]:
    """Return the confidence interval of a failure rate.

    Method: Wilson, Journal of the American Statistical Association 22 (1927).
    """
    if tries == 0:
        return 0.0, 1.0
    rate, square = hits / tries, SURE * SURE
    middle = rate + square / (2 * tries)
    spread = SURE * math.sqrt(rate * (1 - rate) / tries + square / (4 * tries * tries))
    whole = 1 + square / tries
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def fails(one: Step) -> bool:
    """Return whether the tool itself failed.

    A tool that reports an error in the work has not failed.
    """
    return one.type is ObservationType.ERROR and kind_of_failure(one) not in tools("finding")


def tool_name(one: Step) -> str:
    """Return the tool of a step, or the program of a shell call.

    The result is empty for a step that is not a call.
    """
    if one.tool is None:
        return ""
    return (program(target(one)) if _is_shell(one.tool) else "") or one.tool


@lru_cache(maxsize=1_024)
def _is_shell(tool: str) -> bool:
    plain = "".join(char for char in tool.rpartition("__")[2].lower() if char.isalnum())
    return plain in tools("shell")


def program(line: str) -> str:
    """Return the first program of a command line that has a real effect.

    Changes of the current folder are skipped. The subcommand is included if the program has
    subcommands: ``git push``, but only ``pytest``.
    """
    words: list[str] = _WORD.findall(line)
    at = _start(words, 0)
    while at < len(words) and words[at] in tools("before"):
        ends = tools("inside") if words[at] in tools("block") else _BETWEEN
        while at < len(words) and words[at] not in ends:
            at += 1
        at = _start(words, at + 1)
    if at >= len(words) or words[at].endswith(":"):
        return ""
    name = words[at].rpartition("/")[2]
    rest = words[at + 1 :]
    if name.startswith("python") and rest[:1] == ["-m"]:
        return rest[1] if len(rest) > 1 else name
    verb = rest[0] if rest and name in tools("verb") and rest[0].isalpha() else ""
    return f"{name} {verb}".rstrip()


def _start(words: Sequence[str], at: int) -> int:
    """Return the position of the program in a command.

    Assignments, and programs that only run another program, are skipped.
    """
    wrapped = False
    while at < len(words):
        runs = words[at] in tools("wrapper")
        option = wrapped and (words[at].startswith("-") or words[at].isdecimal())
        if not (runs or option or _ASSIGNED.match(words[at])):
            break
        wrapped, at = wrapped or runs, at + 1
    return at


def _counted(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(names).items(), key=lambda one: (-one[1], one[0])))


EXAMINED = 10_000
"""Number of newest steps that are examined."""


class ToolReliability:
    """Counts calls and failures of tools."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, scope: Scope) -> Sequence[ToolRecord]:
        """Return the failure record of every tool over the newest 10,000 steps.

        The tools with the highest failure rates come first.
        """
        team, place = scope.team, scope.workspace
        tool_calls = self._database.read(lambda tx: calls.newest(tx, team, place, limit=EXAMINED))
        return tool_records(tool_calls)
