"""Errors are listed as records, and recurring ones as patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from acting import opened
from happenings import ran

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.capture.event import Event
from memoranda.config import Settings
from memoranda.errors.error_log import ErrorFilter
from memoranda.errors.model import ErrorType, PatternKind
from memoranda.exceptions import InvalidInput
from memoranda.memories.removal import RemovalSelection
from memoranda.scope import Scope

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

MISSING = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'wick'"
FAILED = "E   AssertionError: assert 3 == 4\n=== 1 failed, 8 passed in 0.2s ==="


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def failed(key: str, command: str, output: str) -> Event:
    return replace(ran(key, command, output), failed=True)


def session(name: str, *events: Event) -> Sequence[Event]:
    return [replace(one, session=name, key=f"{name} {one.key}") for one in events]


def test_a_failure_is_a_record_with_what_ended_it(memory: Memoranda) -> None:
    memory.capture.take(
        [
            failed("a", "python lamp.py", MISSING),
            failed("b", "pytest -q", FAILED),
            ran("c", "pytest -q", "=== 9 passed in 0.2s ==="),
        ]
    )
    test, missing = memory.errors.list().items
    assert (missing.type, missing.kind) == (ErrorType.MISSING_INFO, "import_error")
    assert "No module named" in missing.description
    assert missing.recovery == ""
    assert (test.type, test.context) == (ErrorType.TEST, "pytest -q")
    assert "9 passed" in test.recovery
    assert test.resolved_by == memory.observations.show("1#3").observation.id
    assert memory.errors.list(ErrorFilter(open=True)).items == (missing,)
    assert missing not in memory.errors.list(ErrorFilter(resolved=True)).items
    assert len(memory.errors.list(ErrorFilter(resolved=True))) == len(memory.errors.list()) - 1
    assert memory.errors.list(ErrorFilter(type=ErrorType.TEST)).items == (test,)
    assert memory.errors.list(ErrorFilter(severity=0.9)).items == ()
    first = memory.errors.list(limit=1)
    assert first.items == (test,)
    assert memory.errors.list(limit=1, cursor=first.cursor).items == (missing,)


def test_what_fails_while_tests_run_is_of_tests(memory: Memoranda) -> None:
    memory.capture.take(
        [
            failed("a", "npx vitest run", "FAIL src/a.test.ts\nError: Test timed out in 5000ms."),
            failed("b", "npm test", "ReferenceError: halfEven is not defined\n    at round"),
            failed("c", "npm test && git push", "Error: the remote hung up"),
            failed("d", "node ship.js", "ReferenceError: halfEven is not defined"),
        ]
    )
    assert [one.context for one in memory.errors.list(ErrorFilter(type=ErrorType.TEST))] == [
        "npm test",
        "npx vitest run",
    ]


def test_a_recurring_error_is_a_pattern_with_its_earlier_resolution(memory: Memoranda) -> None:
    for number in range(6):
        memory.capture.take(
            session(
                f"task {number}",
                failed("a", "python lamp.py", MISSING.replace("wick", "wick")),
                ran("b", "pip install wick", "Successfully installed wick"),
                ran("c", "python lamp.py", "the lamp is on"),
            )
        )
    found = memory.errors.patterns()
    (often,) = [one for one in found if one.kind is PatternKind.FREQUENCY]
    assert (often.count, often.tasks) == (6, 6)
    assert "No module named" in often.prevention
    assert set(often.examples) <= {one.id for one in memory.errors.list()}
    assert memory.errors.patterns(limit=1) == found[:1]
    stranger = Memoranda(memory._services, Scope("elsewhere"))
    assert list(stranger.errors.patterns()) == []
    assert stranger.errors.list().items == ()


def test_without_errors_there_are_no_patterns(memory: Memoranda) -> None:
    memory.capture.take([ran("a", "ls", "lamp.py")])
    assert memory.errors.list().items == ()
    assert list(memory.errors.patterns()) == []


def test_errors_are_listed_by_task_and_stage(memory: Memoranda) -> None:
    memory.capture.take(session("one", failed("a", "python lamp.py", MISSING)))
    memory.capture.take(
        session("two", failed("a", "pytest -q", FAILED), ran("b", "pytest -q", "9 passed"))
    )
    first, second = sorted(memory.tasks.list(), key=lambda task: task.number)
    (of_first,) = memory.errors.list(task=first.id).items
    (of_second,) = memory.errors.list(task=second.id).items
    assert of_first.task == first.id
    assert of_second.task == second.id
    memory.stages.list(second.id)
    (staged,) = memory.errors.list(ErrorFilter(stage="verification")).items
    assert staged.id == of_second.id
    assert memory.errors.list(ErrorFilter(stage="planning"), task=second.id).items == ()


def test_a_failure_that_repeats_is_counted_each_time(memory: Memoranda) -> None:
    events = [failed(f"{number}", "python lamp.py", MISSING) for number in range(4)]
    memory.capture.take(events)
    found = memory.errors.list().items
    assert len(found) == 4
    assert len({one.signature for one in found}) == 1
    assert len({one.observation for one in found}) == 4


def test_what_follows_what_is_a_sequence(memory: Memoranda) -> None:
    other = "Traceback (most recent call last):\nPermissionError: [Errno 13] denied: 'oil.txt'"
    third = "sh: 1: snuffer: command not found"
    for number in range(12):
        events = [failed("a", "python lamp.py", MISSING), failed("b", "python fill.py", other)]
        events += [ran(f"x{step}", f"cat part_{step}.py", f"x = {step}") for step in range(20)]
        if number % 3 == 0:
            events.append(failed("z", "snuffer", third))
        memory.capture.take(session(f"task {number}", *events))
    sequences = [one for one in memory.errors.patterns() if one.kind is PatternKind.SEQUENCE]
    (found,) = sequences
    assert found.significant
    assert "No module named" in found.signature
    assert "PermissionError" in found.then
    assert (found.count, found.of) == (12, 12)
    assert found.p < 0.001


def test_patterns_need_more_than_one_task(memory: Memoranda) -> None:
    for number in range(6):
        memory.capture.take([failed(f"{number}", f"python lamp.py --turn {number}", MISSING)])
        memory.capture.take([ran(f"x{number}-{step}", f"cat a{step}.py", "y") for step in range(8)])
    assert list(memory.errors.patterns()) == []


def test_what_is_forgotten_is_no_error(memory: Memoranda) -> None:
    memory.capture.take([failed("a", "python lamp.py", MISSING), failed("b", "pytest -q", FAILED)])
    test, missing = memory.errors.list().items
    memory.forget(RemovalSelection(ids=[str(missing.observation)]), confirm=True)
    assert [one.observation for one in memory.errors.list()] == [
        test.observation
    ]  # a stage is detected now


def test_pages_of_errors_neither_repeat_nor_skip(memory: Memoranda) -> None:
    outputs = [MISSING.replace("wick", f"wick_{number}") for number in range(7)]
    memory.capture.take(
        [failed(f"{n}", f"python lamp_{n}.py", out) for n, out in enumerate(outputs)]
    )
    found, cursor = [], None
    while True:
        page = memory.errors.list(limit=3, cursor=cursor)
        found += [one.id for one in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == [one.id for one in memory.errors.list().items]
    assert len(found) == 7


@pytest.mark.parametrize("limit", [0, -1, 100_000])
def test_limits_are_checked(memory: Memoranda, limit: int) -> None:
    with pytest.raises(InvalidInput):
        memory.errors.list(limit=limit)
    with pytest.raises(InvalidInput):
        memory.errors.patterns(limit=limit)


def test_an_error_whose_action_failed_again_is_not_resolved(memory: Memoranda) -> None:
    refused = "curl: (7) Failed to connect to localhost port 8080: Connection refused"
    call = "curl -s http://localhost:8080/health"
    memory.capture.take(
        [
            failed("a", call, refused),
            failed("b", "pytest -q", FAILED),
            ran("c", "pytest -q", "=== 9 passed in 0.2s ==="),
            failed("d", call, refused),
        ]
    )
    first, again = memory.errors.show("1#1").record, memory.errors.show("1#4").record
    assert (first.open, first.failed_again, again.open, again.failed_again) == (
        (False, "1#4", True, "")
    )
    assert [one.id for one in memory.errors.list(ErrorFilter(resolved=True))] == ["1#2"]
    assert [one.id for one in memory.errors.list() if one.failed_again] == ["1#1"]
    assert sum(one.failed_again for one in memory.errors.days()) == 1
    ids = [memory.observations.show(f"1#{number}").observation.id for number in (1, 2, 4)]
    ties = memory.observations.backlinks(ids)
    assert [(one.open, one.failed_again, one.ended_by) for one in ties] == [
        (False, "1#4", ""),
        (False, "", "1#3"),
        (True, "", ""),
    ]
    memory.capture.take([ran("e", call, '{"status": "ok"}')])
    assert memory.errors.show("1#1").record.failed_again == ""
    assert len(memory.errors.list(ErrorFilter(resolved=True))) == 3


def test_an_error_that_was_fixed_stays_resolved_when_its_check_fails_anew(
    memory: Memoranda,
) -> None:
    passed = ran("b", "pytest -q", "=== 9 passed in 0.2s ===")
    memory.capture.take([failed("a", "pytest -q", FAILED), failed("a2", "pytest -q", FAILED)])
    memory.capture.take([passed, failed("c", "pytest -q", FAILED)])
    states = [(one.open, one.failed_again) for one in memory.errors.list()]
    assert states == [(True, ""), (False, ""), (False, "")]
