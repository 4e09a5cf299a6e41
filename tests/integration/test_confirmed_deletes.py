"""All doors agree on irreversible deletes and empty workspaces."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memoranda import Memoranda
from memoranda.api.server.mounts import doors as mounted
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput
from memoranda.identity.principal import Principal, Role
from memoranda.memories.removal import RemovalSelection
from serving import InProcess
from sweep_doors import Door, doors
from tables import each

pytestmark = pytest.mark.integration

KEY = "key-of-the-owner"
WORDS = "this removes 1 observation permanently, without a copy; to confirm, set `confirm`"
EMPTY = "the workspace name is empty"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder: Path = tmp_path_factory.mktemp("confirmed") / "data"
    service = Service(load_settings({"data_dir": folder, "embedder": "none"}, {}))
    server = InProcess(service, mounted(service), rate=10_000.0, burst=10_000)
    server.keys.known = {KEY: Principal("local", "root", Role.ADMIN)}
    yield server.port
    server.close()
    service.close()


@pytest.fixture(params=["REST", "JSON-RPC", "MCP", "client"])
def door(request: pytest.FixtureRequest, port: int) -> Iterator[Door]:
    for one in doors(port, KEY):
        if one.name == request.param:
            yield one
        one.close()


def found(port: int, name: str, arguments: dict[str, Any]) -> Any:
    """Call by JSON-RPC, whose answers contain the result."""
    rpc = next(one for one in doors(port, KEY) if one.name == "JSON-RPC")
    response = rpc.ask(name, arguments)
    rpc.close()
    assert response is not None
    return json.loads(response.text[response.text.index('{"jsonrpc"') :])["result"]


def outcome_of(door: Door, name: str, arguments: dict[str, Any]) -> tuple[str, str]:
    answer = door.ask(name, arguments)
    if answer is None:
        pytest.skip(f"{door.name} has no way to say it")
    return answer.verdict, answer.text


def test_what_keeps_no_copy_is_confirmed(port: int, door: Door) -> None:
    made = found(port, "observe", {"content": f"the zebra of {door.name}", "workspace": "zoo"})
    chosen = {"ids": [made["id"]]}
    verdict, text = outcome_of(door, "forget", {"chosen": chosen})
    assert (verdict, WORDS in text) == ("invalid", True)
    assert outcome_of(door, "forget", {"chosen": chosen, "dry_run": True})[0] == "ok"
    assert found(port, "observations.show", {"id": made["id"]})["content"].startswith("the zebra")
    assert outcome_of(door, "forget", {"chosen": chosen, "confirm": True})[0] == "ok"
    assert outcome_of(door, "observations.show", {"id": made["id"]})[0] == "not_found"


@each("empty", ["", "  ", "\t"])
@each(
    ("operation", "arguments"),
    [
        ("search", {"query": "zebra"}),
        ("context", {}),
        ("remember", {"statement": "Zebras have stripes."}),
        ("observe", {"content": "a zebra"}),
        ("profile.add", {"content": "Zebras first."}),
        ("errors.record", {"description": "the zebra fell", "type": "tool"}),
        ("memories.list", {}),
        ("forget", {"chosen": {"workspace": True}, "confirm": True}),
    ],
)
def test_an_empty_workspace_is_never_every_workspace(
    door: Door, operation: str, arguments: dict[str, Any], empty: str
) -> None:
    verdict, text = outcome_of(door, operation, arguments | {"workspace": empty})
    assert (verdict, EMPTY in text) == ("invalid", True)


def test_what_failed_is_an_error_with_all_that_its_caller_knows(port: int, door: Door) -> None:
    arguments = {
        "content": f"npm ERR! the zebra of {door.name} is out", "type": "tool_call", "failed": True,
        "task": f"failing {door.name}", "workspace": "zoo",
        "tags": ["Flaky"], "files": ["web/app.ts"], "tokens_used": 120, "duration_ms": 4_500,
    }  # fmt: skip
    for tool in (None, "Bash"):
        assert outcome_of(door, "observe", arguments | ({"tool": tool} if tool else {}))[0] == "ok"
    task = {one["session"]: one for one in found(port, "tasks.list", {"limit": 50})["items"]}[
        f"failing {door.name}@zoo"
    ]
    shown = found(port, "observations.list", {"task": task["id"]})["items"]
    assert [one["type"] for one in shown] == ["error", "error"]
    for one in shown:
        assert {"flaky", "typescript"} <= set(one["tags"])
        assert "web/app.ts" in one["files"]
        assert (one["tokens_used"], one["duration_ms"]) == (120, 4_500)


def test_the_program_that_holds_the_memory_confirms_as_well(tmp_path: Path) -> None:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    with pytest.raises(InvalidInput, match=EMPTY):
        Memoranda.open(settings=settings, workspace=" ")
    with Memoranda.open(settings=settings, workspace="zoo") as memory:
        kept = memory.observe("the zebra")
        with pytest.raises(InvalidInput, match=WORDS):
            memory.forget(RemovalSelection(ids=[kept.id]))
        assert memory.observations.show(kept.id).content == "the zebra"
        assert memory.forget(RemovalSelection(ids=[kept.id]), confirm=True).observations == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"tags": ["x" * 101]}, {"tags": [" "]}, {"tags": "flaky"}, {"tags": ["a", ""]},
        {"tags": [f"t{n}" for n in range(13)]}, {"tags": ["Recalled"]}, {"tags": ["excluded"]},
        {"files": [f"f{n}.py" for n in range(21)]}, {"files": [""]}, {"tokens_used": -1},
        {"duration_ms": 1.5}, {"duration_ms": True}, {"tokens_used": 10**13},
    ],
)  # fmt: skip
def test_contradictory_arguments_are_refused(tmp_path: Path, arguments: dict[str, Any]) -> None:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as memory:
        with pytest.raises(InvalidInput):
            memory.observe("the zebra", **arguments)
        assert memory.observations.list().items == ()
