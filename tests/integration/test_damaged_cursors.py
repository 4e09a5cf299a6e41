"""A damaged cursor is refused by every list; it never shows the first page again."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rpc_calls import ROOT, Rpc
from starlette.testclient import TestClient

from memoranda import Memoranda
from memoranda.api.mcp.tool_calls import TableTools
from memoranda.api.mcp.tools import ToolProfile
from memoranda.api.service import Service
from memoranda.cli import cli
from memoranda.config import Settings, load_settings
from memoranda.exceptions import InvalidInput
from memoranda.operations import OPERATIONS
from rest_apps import rest_app

pytestmark = pytest.mark.integration

DAMAGED = ("zzz", "AAAA", "", "~", "-1", "1.5", "9" * 30)
WHOLE = "is not a cursor of"


def lists() -> list[str]:
    """Return the names of the operations that take a cursor."""
    return [
        name
        for name, one in OPERATIONS.items()
        if "cursor" in inspect.signature(getattr(one.owner(Memoranda), one.method)).parameters
    ]


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    with closing(Service(settings)) as service:
        yield service


@pytest.fixture
def rpc(service: Service) -> Rpc:
    """Return a caller of a store that has two pages of several kinds."""
    rpc = Rpc(service)
    for number in range(3):
        place = f"shop{number}"
        rpc.call("remember", statement=f"Till {number} opens at {number + 7}.", workspace=place)
        rpc.call("observe", content=f"Till {number} opened.", task=f"open{number}", workspace=place)
        block = {"label": f"plan{number}", "value": "Open the till."}
        rpc.call("blocks.create", block=block, workspace="shop0")
        rpc.call("documents.put", space="notes", documents=[{"key": f"k{number}", "value": {}}])
    rpc.call("checkpoints.create", task="open0", phase="coding")
    return rpc


def needed(rpc: Rpc) -> Mapping[str, str]:
    """Return values of the arguments that some lists require."""
    memory = rpc.call("memories.list")["items"][0]["id"]
    checkpoint = rpc.call("checkpoints.list", task="open0")["items"][0]["checkpoint"]["id"]
    others = {"query": "till", "task": "open0", "label": "plan0", "space": "notes"}
    return {"id": memory, "checkpoint": checkpoint, **others}


def arguments(name: str, values: Mapping[str, str]) -> dict[str, Any]:
    operation = OPERATIONS[name]
    method = getattr(operation.owner(Memoranda), operation.method)
    every = list(inspect.signature(method).parameters.values())[1:]
    return {one.name: values[one.name] for one in every if one.default is one.empty}


def test_every_list_refuses_what_is_no_cursor(rpc: Rpc) -> None:
    values = needed(rpc)
    assert len(lists()) > 25
    for name in lists():
        wanted = arguments(name, values)
        for cursor in DAMAGED:
            error = rpc.error(name, {**wanted, "cursor": cursor})
            assert error["data"]["code"] == "invalid", (name, cursor)
            assert "page" in error["message"], (name, cursor)


@pytest.mark.parametrize(
    "name", ["memories.list", "workspaces.list", "tasks.list", "blocks.list", "documents.list"]
)
def test_the_cursor_of_a_page_continues_it_and_refuses_any_change(rpc: Rpc, name: str) -> None:
    wanted = {**arguments(name, needed(rpc)), "limit": 2}
    if name == "blocks.list":
        wanted["workspace"] = "shop0"
    first = rpc.call(name, **wanted)
    cursor = first["cursor"]
    rest = rpc.call(name, **wanted, cursor=cursor)["items"]
    assert rest
    assert not [one for one in rest if one in first["items"]]
    for at in range(len(cursor)):
        changed = f"{cursor[:at]}{chr(ord(cursor[at]) ^ 1)}{cursor[at + 1 :]}"
        assert rpc.error(name, {**wanted, "cursor": changed})["data"]["code"] == "invalid", changed
        assert rpc.error(name, {**wanted, "cursor": cursor[:at]})["data"]["code"] == "invalid"


def test_every_door_refuses_it(rpc: Rpc, service: Service, settings: Settings) -> None:
    client = TestClient(rest_app(service), headers={"authorization": "Bearer ada"})
    answer = client.get("/api/v1/memories?limit=2&cursor=AAAA")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert WHOLE in answer.json()["detail"]
    with pytest.raises(InvalidInput, match=WHOLE):
        TableTools(ToolProfile.FULL).call(service, ROOT, "memories", {"cursor": "AAAA"})
    data = {"MEMORANDA_DATA_DIR": str(settings.data_dir), "MEMORANDA_EMBEDDER": "none"}
    result = CliRunner(env=data).invoke(cli, ["memory", "list", "--cursor", "AAAA"])
    assert result.exit_code == 2
    assert "use the one from the previous page, or omit it" in result.stderr
