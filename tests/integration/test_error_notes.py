"""Reported errors appear with captured ones, and end on request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from acting import acting, begun, opened
from happenings import ran

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.capture.event import Event
from memoranda.config import Settings
from memoranda.errors.error_log import ErrorFilter
from memoranda.errors.model import ErrorType
from memoranda.exceptions import InvalidInput, MemorandaError, NotFound
from memoranda.memories.removal import RemovalSelection
from memoranda.scope import Scope
from tables import each

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

MISSING = "Traceback (most recent call last):\nModuleNotFoundError: No module named 'wick'"
FLAG = "made up a --strict flag"


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def failed(key: str, command: str, output: str = MISSING, session: str = "one") -> Event:
    return replace(ran(f"{session} {key}", command, output, session=session), failed=True)


def journal(memory: Memoranda) -> list[str]:
    return [entry.operation for entry in memory.journal.list(limit=50)]


def test_a_recorded_error_is_listed_among_captured_ones(memory: Memoranda) -> None:
    task = begun(memory)
    memory.capture.take([failed("a", "python lamp.py")])
    error = memory.errors.record(
        FLAG, type="hallucination", task=task, stage="planning", context="reading the help"
    )
    memory.capture.take([failed("b", "python fill.py")])
    listed = memory.errors.list().items
    assert [one.description for one in listed][1] == FLAG
    assert len(listed) == 3
    assert (error.type, error.severity, error.task) == (ErrorType.HALLUCINATION, 0.7, task)
    assert (error.agent, error.stage, error.context) == ("human", "planning", "reading the help")
    assert memory.observations.show(error.id).content == f"{FLAG}\nWhile: reading the help"
    assert memory.errors.list(ErrorFilter(type=ErrorType.HALLUCINATION)).items == (error,)
    assert memory.errors.list(ErrorFilter(stage="planning")).items == (error,)
    assert memory.errors.list(ErrorFilter(severity=0.65)).items == (error,)
    assert memory.errors.list(task=task).items == (error,)
    assert memory.errors.list(workspace="shop").items == (error,)
    found, cursor = [], None
    while True:
        page = memory.errors.list(limit=1, cursor=cursor)
        found += page.items
        if (cursor := page.cursor) is None:
            break
    assert tuple(found) == listed


def test_an_agent_records_errors_in_its_name_without_secrets(memory: Memoranda) -> None:
    bob = acting(memory, "bob", "shop")
    key = "AKIA" + "QWERTYUIOPASDFGH"
    error = bob.errors.record(f"used {key} as name", type=ErrorType.INCORRECT_ACTION, recovery=key)
    assert error.agent == "bob"
    assert key not in repr(memory.errors.show(error.id))
    assert memory.observations.show(str(error.resolved_by)).observation.agent == "bob"


def test_an_error_is_shown_whole_with_its_fix_and_its_pattern(memory: Memoranda) -> None:
    for number in range(4):
        session = f"s{number}"
        memory.capture.take(
            [
                failed("a", "python lamp.py", session=session),
                ran(f"{session} b", "pip install wick", "installed", session=session),
                ran(f"{session} c", "python lamp.py", "it burns", session=session),
            ]
        )
    ref = memory.errors.list().items[-1].id
    shown = memory.errors.show(ref)
    assert MISSING in shown.content
    assert "it burns" in shown.fix
    assert shown.pattern is not None
    assert (shown.pattern.count, shown.pattern.tasks) == (4, 4)
    error = memory.errors.show(
        memory.errors.record(FLAG, type="hallucination", workspace="shop").id
    )
    assert (error.content, error.fix, error.pattern) == (FLAG, "", None)


def test_a_resolution_can_be_recorded(memory: Memoranda) -> None:
    memory.capture.take([failed("a", "python lamp.py")])
    (error,) = memory.errors.list().items
    workspace = error.workspace
    assert "Still failing" in memory.context(workspace=workspace).text
    ended = memory.errors.resolve(error.id, "the wick was in the other drawer")
    assert (ended.id, ended.recovery) == (error.id, "the wick was in the other drawer")
    fix = memory.observations.show(str(ended.resolved_by)).observation
    assert (fix.type, fix.resolves, fix.agent) == ("fix", error.observation, "human")
    assert memory.errors.list(ErrorFilter(open=True)).items == ()
    assert "Still failing" not in memory.context(workspace=workspace).text
    bob = acting(memory, "bob")
    again = bob.errors.resolve(error.id, "it was in the first drawer after all")
    assert again.recovery == "it was in the first drawer after all"
    assert memory.observations.show(str(again.resolved_by)).observation.agent == "bob"
    assert len(memory.errors.list().items) == 1
    assert journal(memory).count("error end") == 2
    assert memory.errors.show(error.id).fix == again.recovery


def test_a_recorded_error_is_open_until_its_resolution_is_recorded(memory: Memoranda) -> None:
    task = begun(memory)
    error = memory.errors.record(FLAG, type="hallucination", task=task)
    assert "Still failing: Error: made up" in memory.context(task=task).text
    ended = memory.errors.resolve(str(error.observation)[:30], "read the help")
    assert (ended.id, ended.recovery) == (error.id, "read the help")
    told_since = memory.context(task=task).text
    assert "Still failing" not in told_since
    assert "made up a --strict flag ⇒ read the help" in told_since
    assert memory.errors.list(ErrorFilter(open=True)).items == ()


def test_a_captured_error_can_be_annotated(memory: Memoranda) -> None:
    memory.capture.take([failed("a", "python lamp.py")])
    (error,) = memory.errors.list().items
    known = memory.errors.record(
        "there is no such package at all", type="hallucination", severity=0.9, about=error.id
    )
    assert (known.id, known.type, known.severity) == (error.id, ErrorType.HALLUCINATION, 0.9)
    assert known.description == error.description
    assert memory.errors.list().items == (known,)
    again = memory.errors.record("worse", type="context_degradation", about=error.id)
    assert memory.errors.list().items == (again,)
    recorded = memory.errors.record(FLAG, type="hallucination", workspace="shop")
    with pytest.raises(NotFound, match="is a manual error"):
        memory.errors.record("x", type="test", about=recorded.id)


def test_an_error_recorded_in_several_tasks_is_a_pattern(memory: Memoranda) -> None:
    for number in range(3):
        task = begun(memory, f"t{number}")
        memory.errors.record(FLAG, type="hallucination", task=task, recovery="read the help")
    (often,) = memory.errors.patterns()
    assert (often.count, often.tasks) == (3, 3)
    assert often.signature.startswith("hallucination: ")
    shown = memory.errors.show(often.examples[0])
    assert shown.pattern == often


def test_recorded_errors_stay_in_their_workspace_and_team(memory: Memoranda) -> None:
    error = memory.errors.record(FLAG, type="hallucination", workspace="shop")
    memory.errors.record("other", type="test", workspace="yard")
    yard = acting(memory, None, "yard")
    assert [one.description for one in yard.errors.list()] == ["other"]
    with pytest.raises(NotFound):
        yard.errors.show(error.id)
    with pytest.raises(NotFound):
        yard.errors.resolve(error.id, "x")
    stranger = Memoranda(memory._services, Scope("elsewhere"))
    assert stranger.errors.list().items == ()
    with pytest.raises(NotFound):
        stranger.errors.show(error.id)


def test_forgetting_removes_recorded_errors(memory: Memoranda) -> None:
    task = begun(memory)
    memory.capture.take([failed("a", "python lamp.py")])
    captured = memory.errors.list().items[0]
    memory.errors.record("of a captured one", type="hallucination", about=captured.id)
    one = memory.errors.record(FLAG, type="hallucination", workspace="shop")
    memory.errors.record("in a task", type="test", task=task)
    memory.errors.record("elsewhere", type="test", workspace="yard")
    id = memory.resolve(one.id)
    assert memory.forget(RemovalSelection(ids=[id]), dry_run=True).observations == 1
    assert len(memory.errors.list().items) == 4
    assert memory.forget(RemovalSelection(ids=[id]), confirm=True).observations == 1
    memory.forget(RemovalSelection(ids=[str(captured.observation)]), confirm=True)
    assert [one.description for one in memory.errors.list()] == ["elsewhere", "in a task"]
    memory.forget(RemovalSelection(workspace=True), workspace="shop", confirm=True)
    assert [one.description for one in memory.errors.list()] == ["elsewhere"]
    kept = memory._services.database.read(
        lambda tx: tx.fetch(
            "select description from error_note where team = :team", {"team": "local"}
        )
    )
    assert kept == [("elsewhere",)]


@each(
    ("values", "error"),
    [
        ({"description": " "}, InvalidInput),
        ({"description": "x" * 501}, InvalidInput),
        ({"context": "x" * 2_001}, InvalidInput),
        ({"type": "mistake"}, InvalidInput),
        ({"severity": 1.5}, InvalidInput),
        ({"severity": -0.1}, InvalidInput),
        ({"severity": float("nan")}, InvalidInput),
        ({"severity": "high"}, InvalidInput),
        ({"severity": True}, InvalidInput),
        ({"stage": "lunch"}, InvalidInput),
        ({"task": "#99"}, NotFound),
        ({"about": "9#9"}, NotFound),
        ({"workspace": None}, InvalidInput),
    ],
)
def test_what_cannot_be_an_error_is_refused_and_changes_nothing(
    memory: Memoranda, values: dict[str, Any], error: type[MemorandaError]
) -> None:
    begun(memory)
    memory.capture.drain()
    before = journal(memory)
    usual: dict[str, Any] = {"description": FLAG, "type": "test", "workspace": "shop"}
    arguments = usual | values
    if {"task", "about"} & values.keys():
        arguments["workspace"] = None
    with pytest.raises(error):
        memory.errors.record(arguments.pop("description"), **arguments)
    assert memory.errors.list().items == ()
    assert journal(memory) == before


@pytest.mark.parametrize("recovery", ["", "  ", "x" * 2_001])
def test_an_error_does_not_end_by_nothing(memory: Memoranda, recovery: str) -> None:
    error = memory.errors.record(FLAG, type="hallucination", workspace="shop")
    with pytest.raises(InvalidInput):
        memory.errors.resolve(error.id, recovery)
    with pytest.raises(NotFound):
        memory.errors.resolve("", "x")
    assert memory.errors.list().items == (error,)


def test_a_message_is_no_error(memory: Memoranda) -> None:
    begun(memory)
    with pytest.raises(NotFound, match="no error '1#1'"):
        memory.errors.show("1#1")
