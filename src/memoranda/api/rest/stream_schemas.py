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
        "/observations:bulk": {"post": _lines("observe", "Observe many things.", problems)},
        "/memories:bulk": {"post": _lines("remember", "Remember many things.", problems)},
        "/export": {"get": _export(problems)},
        "/import": {"post": _import(problems)},
    }


def _description(problems: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": "openapi",
        "summary": "Return this description.",
        "responses": _answer("application/json", {"type": "object"}, "It.") | problems,
    }


def _events(problems: dict[str, Any]) -> dict[str, Any]:
    header = {
        "name": "Last-Event-ID",
        "in": "header",
        "schema": {"type": "string", "pattern": "^[0-9]{1,18}$"},
        "description": "The last event that came through; those after it follow at once.",
    }
    return {
        "operationId": "events",
        "summary": "Tell what changes, as it changes.",
        "description": "Events have the number of a journal entry, what was done and to what; "
        "never the text of a memory. Their event is `change`, or `alert` for what those who run "
        "the server should look at: a budget, the quality of a summary, a slow operation. They go "
        "on until somebody hangs up.",
        "parameters": [header],
        "responses": _answer(EVENTS, _TEXT, "Events, one after another.") | problems,
    }


def _lines(name: str, summary: str, problems: dict[str, Any]) -> dict[str, Any]:
    return {
        "operationId": f"{name}.bulk",
        "summary": summary,
        "description": f"Each line is an object with the arguments of {name}. A line comes back "
        "for each, with its number and what came of it; a bad line changes nothing and stops "
        "nothing.",
        "requestBody": {"required": True, "content": {LINES: {"schema": _TEXT}}},
        "responses": _answer(LINES, _TEXT, "A line for each, in order.") | problems,
    }


def _export(problems: dict[str, Any]) -> dict[str, Any]:
    named = ("workspace", "agent")
    parameters = [{"name": name, "in": "query", "schema": _TEXT} for name in named]
    flag = {"name": "observations", "in": "query", "schema": {"type": "boolean", "default": True}}
    return {
        "operationId": "export",
        "summary": "Write what a workspace, an agent or the whole team has into an archive.",
        "description": "For the role admin.",
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
        "summary": "Bring in what an archive holds; it is checked whole before a row is written.",
        "description": "For the role admin.",
        "parameters": [ids, *flags],
        "requestBody": {"required": True, "content": {ARCHIVE: {"schema": _BYTES}}},
        "responses": _answer("application/json", {"type": "object"}, "What was done.") | problems,
    }


def _answer(kind: str, schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {"200": {"description": description, "content": {kind: {"schema": schema}}}}
