"""OpenAPI descriptions of streams: events, JSON lines and archives."""

from __future__ import annotations

from typing import Any

LINES = "application/x-ndjson"
EVENTS = "text/event-stream"
ARCHIVE = "application/zip"
_TEXT = {"type": "string"}
_BYTES: dict[str, str] = {}


def streams(problems: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the OpenAPI paths of streams with their descriptions."""
    return {
        "/openapi.json": {"get": _description(problems)},
        "/events": {"get": _events(problems)},
        "/observations:bulk": {"post": _lines("observe", "Store many observations.", problems)},
        "/memories:bulk": {"post": _lines("remember", "Store many memories.", problems)},
        "/export": {"get": _export(problems)},
        "/import": {"post": _import(problems)},
    }


def _description(problems: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": "openapi",
        "summary": "Return this description.",
        "responses": _answer("application/json", {"type": "object"}, "The result.") | problems,
    }


def _events(problems: dict[str, Any]) -> dict[str, Any]:
    header = {
        "name": "Last-Event-ID",
        "in": "header",
        "schema": {"type": "string", "pattern": "^[0-9]{1,18}$"},
        "description": "Id of the last event received; the events after it are sent first.",
    }
    return {
        "operationId": "events",
        "summary": "Stream changes as they happen.",
        "description": "An event has the number of a journal entry, its operation and its "
        "subject, never the text of a memory. Its type is `change`, or `alert` for what an "
        "operator of the server should check: a budget, the quality of a summary, a slow "
        "operation. The stream ends when the client closes it.",
        "parameters": [header],
        "responses": _answer(EVENTS, _TEXT, "A stream of events.") | problems,
    }


def _lines(name: str, summary: str, problems: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": f"{name}.bulk",
        "summary": summary,
        "description": f"Each line is an object with the arguments of {name}. The response has a"
        f" line for each of them, with its number and its result; an invalid line is reported and"
        f" skipped.",
        "requestBody": {"required": True, "content": {LINES: {"schema": _TEXT}}},
        "responses": _answer(LINES, _TEXT, "One line per result, in order.") | problems,
    }


def _export(problems: dict[str, Any]) -> dict[str, Any]:
    named = ("workspace", "agent")
    parameters = [{"name": name, "in": "query", "schema": _TEXT} for name in named]
    flag = {"name": "observations", "in": "query", "schema": {"type": "boolean", "default": True}}
    return {
        "operationId": "export",
        "summary": "Export the data of a workspace, an agent or the whole team as an archive.",
        "description": "Requires the role admin.",
        "parameters": [*parameters, flag],
        "responses": _answer(ARCHIVE, _BYTES, "The archive.") | problems,
    }


def _import(problems: dict[str, Any]) -> dict[str, Any]:
    ids = {"name": "ids", "in": "query", "schema": {"enum": ["keep", "renew"], "default": "keep"}}
    flags = [
        {"name": name, "in": "query", "schema": {"type": "boolean", "default": False}}
        for name in ("trust", "dry_run")
    ]
    return {
        "operationId": "import",
        "summary": "Import an archive; the whole archive is checked before anything is written.",
        "description": "Requires the role admin.",
        "parameters": [ids, *flags],
        "requestBody": {"required": True, "content": {ARCHIVE: {"schema": _BYTES}}},
        "responses": _answer("application/json", {"type": "object"}, "What was done.") | problems,
    }


def _answer(kind: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"200": {"description": description, "content": {kind: {"schema": schema}}}}
