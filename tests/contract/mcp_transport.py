"""Calls operations through their MCP tools, with the official client.

A tool is made for a model: it takes and returns only what a model needs. The whole values that the
contract compares are therefore made of two parts: the tool's result, and the rest, read by JSON-RPC
for the same caller. Operations without a tool, and arguments without a parameter of a tool, are
listed here; any other that a tool cannot carry out fails.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx
from anyio.from_thread import BlockingPortal
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from memoranda import Memoranda, NewBlock
from memoranda.api.client import faults
from memoranda.api.client.transport import Transport
from memoranda.api.mcp.tools import (
    CHOICE,
    LIMIT,
    MAXIMUM,
    McpTool,
    ToolOperation,
    ToolProfile,
    tools,
)
from memoranda.json_data import JsonValue, as_json
from memoranda.memories.memory_service import NewMemory
from memoranda.operations import OPERATIONS, Operation
from memoranda.proposals.model import MemoryEdit
from memoranda.search.filters import SearchFilter


def _named(reason: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, reason)


NO_TOOL: Mapping[str, str] = {
    **_named(
        "a person decides, runs or forgets, never a model",
        "proposals.approve", "proposals.approve-all", "proposals.reject", "proposals.count",
        "rules.remove", "profile.add", "forget", "costs.budget", "costs.set-budget", "store.doctor",
        "journal.list", "journal.verify", "index.reembed", "memories.restore",
        "checkpoints.rollback", "errors.resolve",
    ),
    **_named(
        "the host's hooks capture it, without the model",
        "conversations.add", "conversations.list", "tasks.state", "working.put", "working.get",
        "working.delete",
    ),
    **_named(
        "a program keeps them; a model has blocks",
        "documents.put", "documents.get", "documents.list", "documents.delete", "documents.clear",
        "memories.change-all",
    ),
    **_named(
        "what a model needs of it stands in search, timeline, get and context",
        "observations.list", "observations.index", "feedback.list", "feedback.show", "errors.show",
        "memories.history", "blocks.history", "blocks.restore", "checkpoints.show",
        "checkpoints.replay", "workspaces.list",
    ),
}  # fmt: skip
"""Operations of the contract without a tool, by reason."""
BEYOND: Mapping[str, frozenset[str]] = {
    "remember": frozenset(
        {"statement.critical", "statement.protected", "statement.visibility",
         "statement.valid_from", "statement.valid_until"}
    ),
    "search": frozenset({"mode", "explain", "where.as_of"}),
    "blocks.create": frozenset({"block.limit", "block.read_only"}),
    "blocks.replace": frozenset({"version"}),
    "blocks.rethink": frozenset({"version"}),
    "checkpoints.create": frozenset({"state"}),
    "observe": frozenset({"input"}),
}  # fmt: skip
"""Arguments without a tool parameter: for persons and programs only."""
SHOWN: Mapping[str, tuple[str, Mapping[str, str], str]] = {
    "remember": ("memories.show", {"id": "id"}, "memory"),
    "errors.record": ("errors.show", {"id": "id"}, "record"),
    "feedback.add": ("feedback.show", {"id": "feedback.id"}, "."),
    "checkpoints.create": ("checkpoints.show", {"checkpoint": "id"}, "checkpoint"),
    **dict.fromkeys(
        ("blocks.create", "blocks.replace", "blocks.insert", "blocks.rethink"),
        ("blocks.show", {"label": "label"}, "."),
    ),
}
"""How to read the whole of what a tool made or changed.

(operation, its arguments by their path in the tool's result, path of the record in the operation's
result).
"""
WRITTEN = ("task", "workspace")
"""Arguments that name a place, passed on unchanged."""
CUT = "…"
RECORDS: Mapping[str, Any] = {
    "statement": NewMemory(""),
    "where": SearchFilter(),
    "edit": MemoryEdit(),
    "block": NewBlock(""),
}
"""Default values of the arguments that are records."""


@asynccontextmanager
async def _opened(url: str, token: str, mode: str) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60, trust_env=False, verify=False) as http,
        Client(streamable_http_client(url, http_client=cast("Any", http)), mode=mode) as client,
    ):
        yield client


class McpTransport:
    """A server's tools for one caller, in one session."""

    def __init__(
        self, portal: BlockingPortal, url: str, token: str, mode: str, beside: Transport
    ) -> None:
        """``beside`` reads and runs operations without a tool."""
        self._portal, self._beside = portal, beside
        self._session = portal.wrap_async_context_manager(_opened(url, token, mode))
        self._client = self._session.__enter__()

    def call(self, operation: Operation, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Return the result of an operation; raise the error of the tool."""
        found = _tool(operation)
        if found is None:
            assert operation.name in NO_TOOL, f"{operation.name} goes by no tool, and none says so"
            return self._beside.call(operation, arguments)
        tool, call = found
        leaves = _leaves(arguments)
        if beyond := leaves.keys() - set(call.takes.values()):
            allowed = BEYOND.get(operation.name, frozenset())
            assert beyond <= allowed, f"{tool.name} cannot say {sorted(beyond - allowed)}"
            return self._beside.call(operation, arguments)
        if not _sendable(leaves):
            return self._beside.call(operation, arguments)
        result = self._result_of(tool, call, leaves)
        if "limit" in call.takes:
            arguments = {"limit": tool.parameters["limit"]["default"], **arguments}
        whole: JsonValue = _over(result, self._whole(operation, arguments, result))
        return whole

    def close(self) -> None:
        """End the session."""
        self._session.__exit__(None, None, None)
        self._beside.close()

    def _result_of(
        self, tool: McpTool, call: ToolOperation, leaves: Mapping[str, JsonValue]
    ) -> Any:
        values = {name: leaves[place] for name, place in call.takes.items() if place in leaves}
        if call.when:
            values[CHOICE] = call.when
        if tool.bounded and LIMIT not in call.takes:
            values[LIMIT] = MAXIMUM
        answer = self._portal.call(self._client.call_tool, tool.name, values)
        if not answer.is_error:
            return answer.structured_content["result"]
        code, figures = (answer.meta.get(f"memoranda/{one}") for one in ("code", "figures"))
        text = answer.content[0].text
        assert text.startswith(f"{code}: ")
        raise faults.make_error(
            faults.error_classes()[code], text.removeprefix(f"{code}: "), figures or {}
        )

    def _whole(
        self, operation: Operation, arguments: Mapping[str, JsonValue], value: Any
    ) -> JsonValue:
        """Read through another door what a tool returned only in part."""
        if operation.name == "memories.edit":
            return {
                "memory": self._shown("memories.show", {"id": value["memory"]["id"]}, "memory"),
                "proposal": (
                    "proposal" in value
                    and self._shown("proposals.show", {"id": value["proposal"]["id"]}, ".")
                )
                or None,
            }
        if operation.name not in SHOWN:
            return self._beside.call(operation, arguments)
        name, places, where = SHOWN[operation.name]
        wanted = {one: _within(value, place) for one, place in places.items()}
        takes = _argument_names(name)
        kept = {one: arguments[one] for one in WRITTEN if one in arguments and one in takes}
        return self._shown(name, {**kept, **wanted}, where)

    def _shown(self, name: str, arguments: Mapping[str, JsonValue], where: str) -> JsonValue:
        shown: JsonValue = _within(self._beside.call(OPERATIONS[name], arguments), where)
        return shown


def _tool(operation: Operation) -> tuple[McpTool, ToolOperation] | None:
    for tool in tools(ToolProfile.FULL):
        for call in tool.calls:
            if call.operation == operation.name:
                return tool, call
    return None


def _argument_names(name: str) -> set[str]:
    return {one.name for one in OPERATIONS[name].signature(Memoranda).arguments}


def _leaves(arguments: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Return non-empty arguments by the names that tools use."""
    found: dict[str, JsonValue] = {}
    for name, value in arguments.items():
        if name == "statement" and not _is_record(name, value):
            found["statement.content"] = value
        elif name in RECORDS and isinstance(value, dict):
            parts = {f"{name}.{part}": one for part, one in value.items()}
            found |= {place: one for place, one in parts.items() if one not in _usual(place)}
        elif value is not None:
            found[name] = value
    return found


def _is_record(name: str, value: JsonValue) -> bool:
    usual = as_json(RECORDS[name])
    return isinstance(value, dict) and isinstance(usual, dict) and value.keys() <= usual.keys()


def _usual(place: str) -> tuple[JsonValue, ...]:
    """Return the default of a part of an argument."""
    record, _, part = place.partition(".")
    usual = as_json(RECORDS[record])
    assert isinstance(usual, dict)
    return (None, [], usual[part])


def _sendable(arguments: Mapping[str, JsonValue]) -> bool:
    """Return whether the client can encode a value; lone surrogates it cannot."""
    try:
        json.dumps(arguments, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _within(value: Any, place: str) -> Any:
    for step in place.split(".") if place != "." else ():
        value = value[step]
    return value


def _over(value: Any, whole: Any) -> Any:
    """Merge a tool's result into the whole record; the names must agree."""
    if isinstance(value, dict) and isinstance(whole, dict):
        assert value.keys() <= whole.keys(), value.keys() - whole.keys()
        for name in ("id", "ref", "label"):
            assert value.get(name, whole.get(name)) == whole.get(name)
        return {**whole, **{name: _over(one, whole[name]) for name, one in value.items()}}
    if isinstance(value, list) and isinstance(whole, list):
        assert len(value) == len(whole)
        return [_over(*pair) for pair in zip(value, whole, strict=True)]
    if isinstance(value, str) and value.endswith(CUT) and isinstance(whole, str):
        return whole  # shortened for a model
    return value
