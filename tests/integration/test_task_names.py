"""Tasks by caller-chosen names, through every door."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from rpc_calls import ROOT, Rpc
from starlette.testclient import TestClient
from test_rpc_methods import arguments, planted

from memoranda import Memoranda
from memoranda.api.rest.routes import routes
from memoranda.api.service import Service
from memoranda.calls.type_hints import annotated_hints, hints
from memoranda.config import load_settings
from memoranda.exceptions import Conflict, InvalidInput, MemorandaError, NotFound
from memoranda.operations import OPERATIONS
from memoranda.tasks.reference import TaskReference
from rest_apps import rest_app
from usual_arguments import USUAL

pytestmark = pytest.mark.integration

ABOUT = typing.get_args(TaskReference)[1]
"""Declared type of each argument that names a task."""
PARTS = {"chosen": {"task": "@task", "since": 1, "until": 2}, "work": {"task": "@task"}}
"""Arguments with a field that names a task, by name."""
UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


def referring(name: str) -> dict[str, Any]:
    """Return an operation's arguments that name a task, as @task."""
    found: dict[str, Any] = {}
    for one in OPERATIONS[name].signature(Memoranda).arguments:
        if one.name in PARTS:
            found[one.name] = PARTS[one.name]
        elif one.name in ("task", "tasks") or (name, one.name) == ("tasks.show", "id"):
            found[one.name] = ["@task"] if one.name == "tasks" else "@task"
    return found


WITH_TASK = [name for name in OPERATIONS if referring(name)]


def put(value: Any, reference: str) -> Any:
    """Replace @task with a reference."""
    if isinstance(value, list):
        return [put(one, reference) for one in value]
    if isinstance(value, dict):
        return {key: put(one, reference) for key, one in value.items()}
    return reference if value == "@task" else value


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, dict[str, str]]]:
    service, ids = planted(tmp_path_factory.mktemp("names") / "data")
    ids["task"] = service.call(ROOT, "tasks.show", {"id": "1"})["id"]
    yield service, ids
    service.close()


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memoranda]:
    with closing(Memoranda.open(settings=load_settings({"data_dir": tmp_path}))) as opened:
        yield opened


def test_every_argument_that_names_a_task_is_declared_as_one() -> None:
    declared = 0
    for name in WITH_TASK:
        for one in OPERATIONS[name].signature(Memoranda).arguments:
            if one.name in referring(name) and one.name not in (*PARTS, "tasks"):
                declared += 1
                assert one.about, (name, one.name)
    assert declared > 50
    assert len(WITH_TASK) > 60


def message_of(service: Service, name: str, options: dict[str, Any]) -> str:
    """Return the error of a call, or the text that it returns."""
    try:
        found = service.call(ROOT, name, options)
    except MemorandaError as error:
        return f"{error.code}: {error}"
    return found if isinstance(found, str) else ""


@pytest.mark.parametrize("part", range(4))
def test_every_operation_takes_a_task_by_name_number_and_id(
    world: tuple[Service, dict[str, str]], part: int
) -> None:
    service, ids = world
    for name in WITH_TASK[part::4]:
        usual = arguments(name, ids)
        for reference in ("one", "1", "#1", ids["task"], ids["task"][:18]):
            result = message_of(service, name, usual | put(referring(name), reference))
            assert "no task" not in result, (name, reference, result)
            assert "of a task" not in result, (name, reference, result)
        if name not in ("observe", "errors.record"):
            result = message_of(service, name, usual | put(referring(name), "nowhere at all"))
            assert "no task 'nowhere at all'" in result, (name, result)
        for wrong in ("  ", "x" * 201):
            result = message_of(service, name, usual | put(referring(name), wrong))
            assert "the name of a task" in result, (name, result)


@pytest.mark.parametrize("name", ["feature/login", "Übung 7%", "a@b", UUID, "x" * 200])
def test_every_route_takes_a_name_of_any_characters(tmp_path: Path, name: str) -> None:
    with closing(Service(load_settings({"data_dir": tmp_path}))) as service:
        client = TestClient(rest_app(service), headers={"authorization": "Bearer ada"})
        made = client.post("/api/v1/tasks", json={"name": name, "goal": "g", "workspace": "shop"})
        assert (made.status_code, made.json()["name"], made.json()["goal"]) == (201, name, "g")
        seen = client.post("/api/v1/observations", json={"content": "c", "task": name})
        assert seen.json()["task"] == made.json()["id"]
        for route in routes():
            if route.path.startswith("/tasks/{") and route.method == "GET":
                values = {one: str(USUAL[one]) for one in route.in_path}
                values |= {one: quote(name, safe="") for one in ("task", "id") if one in values}
                path = route.template.format(**values)
                query = {"old": "1", "new": "2"} if route.path.endswith("-diff") else {}
                found = client.get(f"/api/v1{path}", params=query)
                assert "no task" not in found.text, (path, found.text)
                assert found.status_code in (200, 404), (path, found.text)
        shown = client.get(f"/api/v1/tasks/{quote(name, safe='')}").json()
        assert (shown["name"], shown["number"], shown["observations"]) == (name, 1, 1)
        listed = client.get("/api/v1/tasks").json()["items"]
        assert [one["name"] for one in listed] == [name]


def test_uuid_of_a_caller_is_the_id_of_its_task_in_all_methods(tmp_path: Path) -> None:
    with closing(Service(load_settings({"data_dir": tmp_path}))) as service:
        rpc = Rpc(service)
        stored = rpc.call("memory.store", content="The port is 8443.", task_id=UUID)
        assert stored["task_id"] == UUID
        progress = rpc.call("memory.get_task_progress", task_id=UUID)
        assert (progress["task_id"], progress["task_name"], progress["task_number"]) == (
            UUID,
            UUID,
            1,
        )
        error = rpc.call(
            "memory.record_error", task_id=UUID, error_type="test", error_description="it broke"
        )
        assert error["task_id"] == UUID


def test_a_uuid_names_one_task_in_capitals_and_in_small_letters(memory: Memoranda) -> None:
    small = memory.observe("one", task=UUID, workspace="shop")
    assert memory.observe("two", task=UUID.upper(), workspace="shop").task == small.task == UUID
    assert memory.tasks.show(UUID.upper()).observations == 2
    with pytest.raises(Conflict):
        memory.tasks.create(UUID.upper(), workspace="shop")


def test_a_uuid_in_capitals_that_was_stored_as_such_still_names_its_task(
    memory: Memoranda,
) -> None:
    from memoranda.capture.event import Event, EventKind, EventSource
    from memoranda.observations.model import Origin
    from memoranda.tasks.model import NAMED_BY_CALLER

    event = Event(
        kind=EventKind.MESSAGE, host=NAMED_BY_CALLER, session=f"{UUID.upper()}@shop",
        source=EventSource.API, key="k", origin=Origin.AGENT, occurred_at=1, agent="main", text="x",
    )  # fmt: skip
    memory.capture.take([event], workspace="shop")
    (task,) = memory.tasks.list().items
    for name in (UUID, UUID.upper()):
        assert memory.tasks.show(name).id == task.id
        assert memory.observe(name, task=name, workspace="shop").task == task.id


@pytest.mark.parametrize("workspace", [None, "shop"])
def test_a_recorded_error_begins_its_task_as_an_observation_does(
    memory: Memoranda, workspace: str | None
) -> None:
    made = memory.errors.record(
        "it broke", type="test", task="new", workspace=workspace, recovery="restarted it"
    )
    shown = memory.tasks.show("new")
    assert (shown.id, shown.observations) == (made.task, 2)
    assert (
        memory.errors.record("again", type="test", task="new", workspace=workspace).task == shown.id
    )
    mill = memory.errors.record("there", type="test", task="new", workspace="mill")
    assert mill.task != shown.id
    with pytest.raises(NotFound, match="workspace"):
        memory.errors.record("there", type="test", task=mill.task, workspace="shop")
    with pytest.raises(NotFound, match="number 99"):
        memory.errors.record("nowhere", type="test", task="#99", workspace="shop")


def test_an_invisible_name_of_a_workspace_is_refused(memory: Memoranda) -> None:
    for wrong in ("", "  ", "\u200b", "\u3164"):
        with pytest.raises(InvalidInput, match=r"empty|visible"):
            memory.observe("text", workspace=wrong)
        with pytest.raises(InvalidInput, match=r"empty|visible"):
            memory.search("text", workspace=wrong)
    assert not memory.tasks.list().items


def test_names_are_of_their_workspace(memory: Memoranda) -> None:
    shop = memory.observe("in the shop", task="t", workspace="shop")
    mill = memory.observe("in the mill", task="t", workspace="mill")
    assert shop.task != mill.task
    assert memory.observations.list(task="t", workspace="mill").items[0].id == mill.id
    with pytest.raises(InvalidInput, match=r"2 workspaces .* #1, #2"):
        memory.tasks.show("t")
    with pytest.raises(InvalidInput, match="specify the workspace"):
        memory.observe("which?", task="t")
    assert memory.tasks.show("t@mill").id == mill.task
    assert memory.observe("again", task="t@mill").task == mill.task


def test_a_name_is_found_without_its_workspace_and_after_it_is_renamed(memory: Memoranda) -> None:
    first = memory.observe("one", task="t", workspace="shop")
    assert memory.observe("two", task="t").task == first.task
    memory.workspaces.rename("shop", "store")
    assert memory.observe("three", task="t", workspace="store").task == first.task
    assert memory.tasks.show("t").observations == 3


def test_the_default_task_is_not_that_of_another_workspace(memory: Memoranda) -> None:
    there = memory.observe("in the shop", workspace="shop")
    assert memory.observe("nowhere").task != there.task


def test_numbers_and_names_do_not_collide(memory: Memoranda) -> None:
    first = memory.tasks.create("first", workspace="shop")
    assert memory.observe("to the first", task="1", workspace="shop").task == first.id
    named = memory.tasks.create("1", workspace="shop")
    assert memory.tasks.show("1").id == named.id
    assert memory.tasks.show("#1").id == first.id
    assert memory.observe("to the name", task="1", workspace="shop").task == named.id
    assert memory.observe("to the number", task="#1", workspace="shop").task == first.id
    assert memory.observe("a name", task="7", workspace="shop").task == memory.tasks.show("7").id
    assert memory.observe("elsewhere", task="2", workspace="mill").task not in (first.id, named.id)


def test_a_name_elsewhere_does_not_hide_the_number_of_a_task_here(memory: Memoranda) -> None:
    first = memory.tasks.create("first", workspace="shop")
    noted = memory.observe("in the first", task="first", workspace="shop")
    named = memory.observe("a name", task="1", workspace="mill")
    assert named.task != first.id
    for number in ("1", "#1"):
        listed = memory.observations.list(task=number, workspace="shop").items
        assert [one.id for one in listed] == [noted.id]
    (there,) = memory.observations.list(task="1", workspace="mill").items
    assert there.id == named.id


@pytest.mark.parametrize("workspace", ["my:shop", "a/b c@d", "100 %", "Größe", "shop@"])
@pytest.mark.parametrize("name", ["issue-42", "me@home"])
def test_a_task_is_found_by_its_name_and_any_workspace(
    memory: Memoranda, workspace: str, name: str
) -> None:
    memory.tasks.create(name, workspace="other")
    task = memory.tasks.create(name, workspace=workspace)
    reference = f"{name}@{workspace}"
    assert memory.tasks.show(reference).id == task.id
    assert memory.observe("more", task=reference).task == task.id
    assert memory.observe("here", task=reference, workspace=workspace).task == task.id
    memory.workspaces.rename(workspace, "renamed")
    assert memory.tasks.show(f"{name}@renamed").id == task.id


@pytest.mark.parametrize("wrong", ["", " \n", "\u200b", "\u3164\u2800", "#7", "x" * 201])
def test_unusable_names_are_refused(memory: Memoranda, wrong: str) -> None:
    with pytest.raises(InvalidInput, match=r"name of a task|another name"):
        memory.tasks.create(wrong)
    with pytest.raises((InvalidInput, NotFound), match=r"name of a task|no task"):
        memory.observe("text", task=wrong)
    assert not memory.tasks.list().items


def test_a_name_is_unique_in_a_workspace(memory: Memoranda) -> None:
    made = memory.tasks.create("issue-42", "Refunds reach the ledger", workspace="shop")
    with pytest.raises(Conflict, match="#1"):
        memory.tasks.create(" issue-42 ", workspace="shop")
    assert memory.tasks.create("issue-42", workspace="mill").id != made.id
    memory.observe("c", task="issue-42", workspace="shop")
    shown = memory.tasks.show("#1")
    assert (shown.goal, shown.observations) == ("Refunds reach the ledger", 1)


def test_session_of_a_host_names_its_task(memory: Memoranda) -> None:
    from memoranda.capture.event import Event, EventKind, EventSource
    from memoranda.observations.model import Origin

    event = Event(
        kind=EventKind.MESSAGE, host="claude-code", session=UUID, source=EventSource.HOOK,
        key="k", origin=Origin.HUMAN, occurred_at=1, agent="main", text="Fix the parser",
    )  # fmt: skip
    memory.capture.take([event], workspace="shop")
    found = memory.tasks.show(UUID)
    assert (found.number, found.name, found.goal) == (1, "", "Fix the parser")
    assert memory.observe("more", task=UUID, workspace="shop").task == found.id


def test_fields_that_name_a_task_are_declared() -> None:
    for kind in (Memoranda.search, Memoranda.forget):
        for message in hints(kind).values():
            if dataclasses.is_dataclass(message) and "task" in hints(typing.cast("Any", message)):
                annotated = annotated_hints(typing.cast("Any", message))
                assert ABOUT in str(annotated["task"]), message
