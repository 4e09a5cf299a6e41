"""What failed is told as records, and what recurs in several tasks as patterns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from acting import opened
from happenings import ran

from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.learn.error_log import ErrorFilter
from memoranda.testing.clock import FixedClock
from memoranda.values.error import ErrorType, PatternKind
from memoranda.values.event import Event
from memoranda.values.scope import Scope

pytestmark = pytest.mark.integration

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
    memory.take(
        [
            failed("a", "python lamp.py", MISSING),
            failed("b", "pytest -q", FAILED),
            ran("c", "pytest -q", "=== 9 passed in 0.2s ==="),
        ]
    )
    test, missing = memory.errors().items
    assert (missing.type, missing.kind) == (ErrorType.MISSING_INFO, "import_error")
    assert "No module named" in missing.description
    assert missing.recovery == ""
    assert (test.type, test.context) == (ErrorType.TEST, "pytest -q")
    assert "9 passed" in test.recovery
    assert test.resolved_by == memory.observation("1#3").observation.id
    assert memory.errors(ErrorFilter(open=True)).items == (missing,)
    assert memory.errors(ErrorFilter(type=ErrorType.TEST)).items == (test,)
    assert memory.errors(ErrorFilter(severity=0.9)).items == ()
    first = memory.errors(limit=1)
    assert first.items == (test,)
    assert memory.errors(limit=1, cursor=first.cursor).items == (missing,)


def test_what_recurs_is_a_pattern_with_what_ended_it_before(memory: Memoranda) -> None:
    for number in range(6):
        memory.take(
            session(
                f"task {number}",
                failed("a", "python lamp.py", MISSING.replace("wick", "wick")),
                ran("b", "pip install wick", "Successfully installed wick"),
                ran("c", "python lamp.py", "the lamp is on"),
            )
        )
    found = memory.error_patterns()
    (often,) = [one for one in found if one.kind is PatternKind.FREQUENCY]
    assert (often.count, often.tasks) == (6, 6)
    assert "No module named" in often.prevention
    assert set(often.examples) <= {one.id for one in memory.errors()}
    assert memory.error_patterns(limit=1) == found[:1]
    stranger = Memoranda(memory._rooms, Scope("elsewhere"))
    assert list(stranger.error_patterns()) == []
    assert stranger.errors().items == ()


def test_without_errors_there_is_nothing_to_tell(memory: Memoranda) -> None:
    memory.take([ran("a", "ls", "lamp.py")])
    assert memory.errors().items == ()
    assert list(memory.error_patterns()) == []
