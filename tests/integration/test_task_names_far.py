"""Tasks by name through agents' tools and a memory on a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

from memoranda import Memoranda
from memoranda.api.client.address import parsed
from memoranda.api.client.http_transport import HttpTransport
from memoranda.api.client.remote import connected
from memoranda.api.mcp.tool_calls import TableTools
from memoranda.api.mcp.tools import ToolProfile
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import Conflict, InvalidInput, MemorandaError, NotFound
from memoranda.identity.principal import Principal, Role
from rpc_servers import RpcServer, serving

pytestmark = pytest.mark.integration

BOT = Principal("local", "bot", Role.AGENT, "bot")
ROOT = Principal("local", "root", Role.ADMIN)
UUID = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
TOOLS = TableTools(ToolProfile.FULL)
NAMES = [
    "feature/login",
    "Übung 7%",
    "a@b",
    "two words",
    "x" * 200,
    UUID,
    "名前",
    "-v",
    "1.5",
    "#x",
]
UNUSABLE = ["   ", "\t\n", "x" * 201, "ü" * 201]


@dataclass
class World:
    """One store behind both doors."""

    service: Service
    far: Memoranda

    def tool(self, name: str, /, **arguments: Any) -> Any:
        """Return the result of a tool for an agent."""
        return TOOLS.call(self.service, BOT, name, arguments).structured["result"]

    def text(self, name: str, /, **arguments: Any) -> str:
        """Return the text of a tool's result."""
        answer = TOOLS.call(self.service, BOT, name, arguments)
        return answer.text + json.dumps(answer.structured, ensure_ascii=False)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("far")
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    with (
        closing(Service(settings)) as service,
        serving(RpcServer(service, lambda _: ROOT)) as server,
        closing(connected(Memoranda, HttpTransport(parsed(server.url), "t0ken"))) as far,
    ):
        yield World(service, far)


def made(world: World, name: str) -> tuple[str, ...]:
    """Make a task with an observation; return all references to it.

    The id is the last but one.
    """
    id = world.far.observe(f"the till of {name} rounds up", task=name, workspace="shop").task
    number = world.far.tasks.show(id).number
    return (name, f" {name} ", str(number), f"#{number}", id, id[:18])


TOOL_READS: list[tuple[str, dict[str, Any]]] = [
    ("task_resume", {}),
    ("brief", {}),
    ("stages", {}),
    ("checkpoints", {}),
    ("errors", {}),
    ("error_patterns", {}),
    ("blocks", {}),
    ("context", {"query": "till"}),
    ("search", {"query": "till"}),
]
TOOL_WRITES: list[tuple[str, dict[str, Any]]] = [
    ("observe", {"content": "one more"}),
    ("stage_begin", {"name": "verification"}),
    ("checkpoint", {"phase": "coding", "description": "half way"}),
    ("error", {"description": "the till is jammed", "type": "tool"}),
    ("feedback", {"text": "well done", "type": "approval"}),
    ("block_edit", {"action": "rewrite", "label": "learned", "text": "round by the penny"}),
]
FAR_READS: dict[str, Callable[[Memoranda, str], Any]] = {
    "tasks.show": lambda far, task: far.tasks.show(task).id,
    "tasks.resume": lambda far, task: [one.id for one in far.tasks.resume(task).newest],
    "tasks.brief": lambda far, task: far.tasks.brief(task).text,
    "stages.show": lambda far, task: far.stages.show(task),
    "stages.list": lambda far, task: far.stages.list(task),
    "checkpoints.list": lambda far, task: far.checkpoints.list(task).items,
    "observations.list": lambda far, task: [
        one.id for one in far.observations.list(task=task).items
    ],
    "errors.list": lambda far, task: [one.id for one in far.errors.list(task=task).items],
}
FAR_WRITES: dict[str, Callable[[Memoranda, str], Any]] = {
    "observe": lambda far, task: far.observe("one more", task=task, workspace="shop").task,
    "checkpoints.create": lambda far, task: far.checkpoints.create(task, "coding", "here").task,
    "stages.set": lambda far, task: far.stages.set(task, "verification").task,
    "stages.complete": lambda far, task: far.stages.complete(task).task,
    "errors.record": lambda far, task: far.errors.record("jam", type="tool", task=task).task,
    "tasks.end": lambda far, task: far.tasks.end(task).task.id,
}


@pytest.mark.parametrize(("tool", "arguments"), TOOL_READS, ids=[one for one, _ in TOOL_READS])
def test_a_tool_reads_the_same_task_by_each_reference(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    refs = made(world, f"read by {tool}")
    world.tool("checkpoint", task=refs[0], phase="coding", description="half way")
    world.tool("error", task=refs[0], description=f"jam of {tool}", type="tool")
    as_named = steady(world.tool(tool, task=refs[0], **arguments))
    for ref in refs:
        assert steady(world.tool(tool, task=ref, **arguments)) == as_named, ref
    for unknown in ("nowhere", "#9999"):
        with pytest.raises(NotFound, match="no task"):
            world.tool(tool, task=unknown, **arguments)


@pytest.mark.parametrize(("tool", "arguments"), TOOL_WRITES, ids=[one for one, _ in TOOL_WRITES])
def test_a_tool_writes_to_the_same_task_by_each_reference(
    world: World, tool: str, arguments: dict[str, Any]
) -> None:
    refs = made(world, f"written by {tool}")
    before = state(world)
    for number, ref in enumerate(refs):
        result = {
            key: f"{text} {number}" if key in TEXTS else text for key, text in arguments.items()
        }
        world.tool(tool, task=ref, **result)
        after = state(world)
        assert after.keys() == before.keys(), ref  # no other task was begun
    seen = {id: (before[id], after[id]) for id in after if before[id] != after[id]}
    assert seen.keys() <= {refs[4]}
    if tool == "observe":
        assert world.far.tasks.show(refs[3]).observations == 1 + len(refs)
    if tool == "checkpoint":
        assert len(world.far.checkpoints.list(refs[3]).items) == len(refs)
    if tool == "stage_begin":
        assert [one.name for one in world.far.stages.list(refs[3])][-1] == "verification"


TEXTS = ("content", "text", "description")
VARYING = ("id", "milliseconds", "at", "accessed_at", "accesses", "search", "age")


def state(world: World) -> dict[str, int]:
    """Return the number of observations of each task."""
    return {one.id: one.observations for one in world.far.tasks.list().items}


def steady(found: Any) -> str:
    """Return a result without what differs from call to call."""
    if isinstance(found, dict):
        return "".join(f"{name}={steady(found[name])};" for name in found if name not in VARYING)
    return "".join(map(steady, found)) if isinstance(found, list) else str(found)


@pytest.mark.parametrize("operation", FAR_READS)
def test_a_memory_on_a_server_reads_by_each_reference(world: World, operation: str) -> None:
    read = FAR_READS[operation]
    refs = made(world, f"read by {operation}")
    world.far.stages.set(refs[0], "planning")
    world.far.checkpoints.create(refs[0], "coding", "here")
    world.far.errors.record(f"a jam in {operation}", type="tool", task=refs[0])
    as_named = read(world.far, refs[0])
    assert as_named
    for ref in refs:
        assert read(world.far, ref) == as_named, ref
    with pytest.raises(NotFound, match="no task 'nowhere'"):
        read(world.far, "nowhere")
    with pytest.raises(NotFound, match="number 9999"):
        read(world.far, "#9999")


@pytest.mark.parametrize("operation", FAR_WRITES)
def test_a_memory_on_a_server_writes_by_each_reference(world: World, operation: str) -> None:
    for place in range(6):
        refs = made(world, f"written {place} by {operation}")
        world.far.stages.set(refs[0], "planning")
        world.far.observe("something of that stage", task=refs[0], workspace="shop")
        count = len(state(world))
        assert FAR_WRITES[operation](world.far, refs[place]) == refs[4], refs[place]
        assert len(state(world)) == count, refs[place]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: ascii(name)[:20])
def test_a_name_of_any_characters_passes_both_doors(world: World, name: str) -> None:
    created = world.far.tasks.create(name, "The goal", workspace="mill")
    assert (created.name, created.goal) == (name, "The goal")
    world.tool("observe", content="from a tool", task=name, workspace="mill")
    world.far.observe("from afar", task=f"#{created.number}")
    assert world.far.tasks.show(name).observations == 2
    assert name in world.text("tasks", workspace="mill")
    assert name in world.text("task_resume", task=name)
    with pytest.raises(Conflict, match=f"#{created.number}"):
        world.far.tasks.create(name, workspace="mill")


@pytest.mark.parametrize("name", UNUSABLE, ids=["spaces", "lines", "201", "201 of two bytes"])
def test_an_unusable_name_is_refused_at_both_doors(world: World, name: str) -> None:
    count = len(state(world))
    for operation, far in (FAR_READS | FAR_WRITES).items():
        with pytest.raises(InvalidInput, match="the name of a task"):
            far(world.far, name)
        assert len(state(world)) == count, operation
    for tool, values in TOOL_READS + TOOL_WRITES:
        with pytest.raises(InvalidInput, match="the name of a task"):
            world.tool(tool, task=name, **values)
        assert len(state(world)) == count, tool
    with pytest.raises(InvalidInput, match="the name of a task"):
        world.far.tasks.create(name)


@pytest.mark.parametrize("tool", [one for one, given in TOOL_READS if not given])
def test_a_tool_without_a_task_reports_it_or_reads_all(world: World, tool: str) -> None:
    try:
        assert world.tool(tool, task="") is not None
    except MemorandaError as error:
        assert isinstance(error, InvalidInput | NotFound)
        assert "task" in str(error)


def test_a_name_that_is_a_number_hides_the_number_but_not_its_sign(world: World) -> None:
    first = made(world, "the numbered one")
    number = first[2]
    assert world.far.tasks.show(number).id == first[4]
    named = world.far.tasks.create(number, workspace="shop")
    assert world.far.tasks.show(number).id == named.id
    assert world.far.tasks.show(f"#{number}").id == first[4]
    world.tool("observe", content="to the name", task=number, workspace="shop")
    world.tool("observe", content="to the number", task=f"#{number}", workspace="shop")
    assert state(world)[named.id] == 1
    assert state(world)[first[4]] == 2
    assert world.far.observations.list(task=number).items[0].task == named.id
    assert "to the name" in world.text("search", query="to the name", task=number)
    assert "to the name" not in world.text("search", query="to the name", task=f"#{number}")


@pytest.mark.parametrize("name", ["#1", "#0", " #12 "])
def test_a_name_that_is_a_sign_and_a_number_is_refused(world: World, name: str) -> None:
    with pytest.raises(InvalidInput, match="another name"):
        world.far.tasks.create(name)


def test_a_new_sign_and_number_begins_no_task(world: World) -> None:
    count = len(state(world))
    with pytest.raises(NotFound, match="number 4711"):
        world.far.observe("nowhere", task="#4711")
    with pytest.raises(NotFound, match="number 4711"):
        world.tool("observe", content="nowhere", task="#4711")
    assert len(state(world)) == count


def test_a_uuid_of_a_caller_is_the_id_at_both_doors(world: World) -> None:
    own = "00000000-0000-4000-8000-0000000000a1"
    assert world.far.observe("begun afar", task=own, workspace="shop").task == own
    world.tool("observe", content="continued by a tool", task=own.upper())
    world.tool("observe", content="and once more", task=own, workspace="shop")
    assert state(world)[own] >= 2
    assert world.far.tasks.show(own[:23]).id == own
