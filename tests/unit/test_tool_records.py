"""Failure rates of tools, counted from steps."""

from __future__ import annotations

from typing import Any

import pytest

from contract.records import Records
from memoranda.lessons.model import LessonKind
from memoranda.lessons.tool_failure_rates import MIN_CALLS, lesson_of, program, tool_records, wilson
from memoranda.memories.model import Category
from memoranda.observations.model import Observation, ObservationType
from memoranda.tools.reliability import ToolRecord
from tables import each

RECORDS = Records()
TASK = RECORDS.task("shop")
ERROR = ObservationType.ERROR


def calls(summary: str, count: int, failed: int = 0, kind: str = "network") -> list[Observation]:
    """Make calls of a tool, the last of which failed."""
    made = []
    for number in range(count):
        fails = number >= count - failed
        arguments: dict[str, Any] = {"type": ERROR, "tags": (kind,)} if fails else {}
        result = f"{summary} → no answer\nno answer from {number}" if fails else f"{summary} → ok"
        made.append(RECORDS.observation(TASK, number + 1, result, **arguments).observation)
    return made


def of(steps: list[Observation], tool: str) -> ToolRecord:
    """Return the record of one tool."""
    (found,) = [one for one in tool_records(steps) if one.tool == tool]
    return found


def test_calls_and_failures_are_counted_by_program() -> None:
    steps = [*calls("curl -s x", 12, 6), *calls("git push", 3, 1), *calls("ls", 30)]
    found = of(steps, "curl")
    assert (found.calls, found.failures, found.rate) == (12, 6, 0.5)
    assert found.kinds == (("network", 6),)
    assert found.stages == (("no stage", 6),)
    assert found.line == "no answer from 11"
    assert [one.tool for one in tool_records(steps)] == ["curl", "git push", "ls"]
    assert of(steps, "git push").calls == 3


def test_a_tool_that_clearly_fails_more_often_than_the_others_is_unreliable() -> None:
    steps = [*calls("curl x", 12, 6), *calls("ls", 60, 1)]
    assert of(steps, "curl").unreliable
    assert not of(steps, "ls").unreliable


@pytest.mark.parametrize(
    ("count", "failed", "others", "failing"),
    [
        (MIN_CALLS - 1, MIN_CALLS - 1, 200, 0),
        (10, 2, 200, 20),
        (200, 30, 2_000, 0),
        (12, 6, 0, 0),
        (20, 10, 200, 90),
    ],
    ids=["too-few", "by-chance", "seldom", "alone", "all-fail"],
)
def test_a_tool_is_not_called_unreliable_without_ground(
    count: int, failed: int, others: int, failing: int
) -> None:
    steps = [*calls("curl x", count, failed), *calls("ls", others, failing)]
    assert not of(steps, "curl").unreliable


@pytest.mark.parametrize("kind", ["test_failure", "lint_failure", "type_error", "denied"])
def test_a_tool_that_found_a_mistake_has_done_its_work(kind: str) -> None:
    steps = [*calls("pytest -q", 20, 15, kind), *calls("ls", 100)]
    found = of(steps, "pytest")
    assert (found.failures, found.findings, found.unreliable) == (0, 15, False)


def test_what_is_no_call_of_a_tool_is_not_counted() -> None:
    observation = RECORDS.observation(TASK, 1, "I am done", tool=None, type=ERROR).observation
    assert tool_records([observation]) == []
    assert tool_records([]) == []


@each(
    ("line", "name"),
    [
        ("pytest -q tests", "pytest"),
        ("python -m pytest -q", "pytest"),
        ("python3 run.py", "python3"),
        ("/usr/bin/git push origin main", "git push"),
        ("git --version", "git"),
        ("cd /srv/shop && npm run build", "npm run"),
        ("export A=1; B=2 make -j4", "make"),
        ("sudo -n systemctl restart nginx", "systemctl restart"),
        ("timeout 30 curl -s x", "curl"),
        ("FOO=bar ./run.sh x", "run.sh"),
        ("for f in a b; do gzip $f; done", "gzip"),
        ("if true; then ls; fi", "ls"),
        ("for f in a b…", ""),
        ("cd /srv", ""),
        ("Bash: content excluded from capture", ""),
        ("", ""),
    ],
)
def test_a_command_line_is_recorded_by_its_program(line: str, name: str) -> None:
    assert program(line) == name


def test_a_tool_that_is_no_shell_has_its_own_name() -> None:
    edit = RECORDS.observation(TASK, 1, "Edit a.py: +1 \u22120", tool="Edit").observation
    other = RECORDS.observation(TASK, 2, "ran", tool="mcp__fs__run_command").observation
    assert {one.tool for one in tool_records([edit, other])} == {"Edit", "ran"}


@pytest.mark.parametrize("line", ["a=" * 50_000, "sudo " * 50_000, "cd x && " * 30_000, "for " * 9])
def test_a_hostile_command_line_is_parsed_in_linear_time(line: str) -> None:
    assert len(program(line)) <= len(line)


@pytest.mark.parametrize(
    ("hits", "tries", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (0, 0, 0.0, 1.0)],
)
def test_the_interval_is_wilsons(hits: int, tries: int, low: float, high: float) -> None:
    assert wilson(hits, tries) == pytest.approx((low, high), abs=2e-4)


def test_a_lesson_on_a_tool_has_the_figures_and_the_resolution() -> None:
    steps = [*calls("curl x", 12, 6), *calls("ls", 60)]
    failed = steps[11]
    fix = RECORDS.observation(TASK, 99, "curl x → ok", resolves=failed.id).observation
    found = lesson_of(of([*steps, fix], "curl"))
    assert (found.kind, found.category) == (LessonKind.TOOL, Category.TROUBLESHOOTING)
    assert "curl failed in 6 of 13 calls (46%" in found.content
    assert "network (6)" in found.content
    assert "Resolved once by: curl x → ok." in found.content
    assert found.evidence[0] == failed.id
    more = lesson_of(of([*calls("curl x", 40, 30), *calls("ls", 60)], "curl"))
    assert more.key == found.key
