"""Helpers for calls through JSON-RPC."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from memoranda.api.jsonrpc.endpoint import JsonRpcEndpoint
from memoranda.api.service import Service
from memoranda.identity.principal import Principal, Role

ADA = Principal("local", "ada", Role.MEMBER)
BOT = Principal("local", "bot-1", Role.AGENT, "bot")
RIVAL = Principal("local", "bot-2", Role.AGENT, "rival")
EYE = Principal("local", "eye", Role.READER)
ROOT = Principal("local", "root", Role.ADMIN)
STRANGER = Principal("barn", "eve", Role.ADMIN)


class Rpc:
    """A caller of an endpoint."""

    def __init__(self, service: Service, who: Principal = ROOT) -> None:
        self.endpoint = JsonRpcEndpoint(service)
        self.who = who

    def send(self, message: Any) -> Any:
        """Return the answer to a message; None if there is none."""
        answer = self.endpoint.answer(self.who, json.dumps(message).encode())
        return None if answer is None else json.loads(answer)

    def reply(self, method: str, params: Any = None, **beside: Any) -> dict[str, Any]:
        """Return the whole answer to a call."""
        values = {} if params is None else {"params": params}
        found = self.send({"jsonrpc": "2.0", "method": method, "id": 7, **values, **beside})
        assert found["jsonrpc"] == "2.0"
        assert found["id"] == 7
        assert isinstance(found, dict)
        return found

    def call(self, method: str, **params: Any) -> Any:
        """Return the result of a call that must succeed."""
        found = self.reply(method, params)
        assert "error" not in found, found["error"]
        return found["result"]

    def error(self, method: str, params: Any = None) -> dict[str, Any]:
        """Return the error of a call that must fail."""
        found = self.reply(method, params)
        assert set(found) <= {"jsonrpc", "error", "id", "a2a_context"}
        error = found["error"]
        assert set(error) == {"code", "message", "data"}
        assert isinstance(error, dict)
        return error


def is_answer(value: Any) -> bool:
    """Return whether a value is a valid response, or a non-empty list of them."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, dict) and is_answer(one) for one in value)
    if not (isinstance(value, dict) and value.get("jsonrpc") == "2.0" and "id" in value):
        return False
    if set(value) - {"a2a_context"} == {"jsonrpc", "id", "result"}:
        return True
    if set(value) - {"a2a_context"} != {"jsonrpc", "id", "error"}:
        return False
    error = value["error"]
    return (
        isinstance(error["code"], int)
        and isinstance(error["message"], str)
        and isinstance(error["data"], Mapping)
        and isinstance(error["data"]["code"], str)
    )
