"""Trace ids (A2A) that agents pass on: returned in responses and logged.

The ids identify the work that a call belongs to and grant no permissions: only the key identifies
the caller.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from memoranda.exceptions import Forbidden, InvalidInput
from memoranda.identity.principal import Principal
from memoranda.json_data import JsonValue

MEMBER = "a2a_context"
"""Name of the member that contains the ids in a request, its params and the response."""
META = "_meta"
"""Alternative name of this member in params."""
HEADERS = {
    "trace_id": "x-trace-id",
    "agent_id": "x-agent-id",
    "task_id": "x-task-id",
    "context_id": "x-context-id",
}
TRACEPARENT = "traceparent"
MAX_LENGTH = 200
_ID = re.compile(rf"[\w.:@/+=,~-]{{1,{MAX_LENGTH}}}", re.ASCII)
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


@dataclass(frozen=True, slots=True)
class Trace:
    """Trace ids of a call, as sent by its caller."""

    trace_id: str | None = None
    agent_id: str | None = None
    task_id: str | None = None
    context_id: str | None = None

    def known(self) -> dict[str, JsonValue]:
        """Return the ids that have a value."""
        return {name: item for name in NAMES if (item := getattr(self, name)) is not None}

    def with_more(self, other: Trace) -> Trace:
        """Return these ids, overridden by those that another trace sets."""
        ids = {name: item for name in NAMES if (item := getattr(other, name)) is not None}
        return replace(self, **ids)


NAMES = tuple(field.name for field in fields(Trace))
NOTHING = Trace()


def of_headers(headers: Mapping[str, str]) -> Trace:
    """Return the ids in HTTP headers, whose names must be lower-case.

    Values that cannot be ids are omitted, because proxies add headers of their own.
    """
    values = {name: headers.get(header, "") for name, header in HEADERS.items()}
    found = {name: value for name, value in values.items() if _may_be(name, value)}
    match = _TRACEPARENT.fullmatch(headers.get(TRACEPARENT, ""))
    if match and "trace_id" not in found:
        found["trace_id"] = match[1]
    return Trace(**found)


def of_member(value: JsonValue) -> Trace:
    """Return the ids in a trace member of a message; other names are ignored.

    Raises:
        InvalidInput: the member is not an object, or an id in it is invalid.
    """
    if value is None:
        return NOTHING
    if not isinstance(value, dict):
        raise InvalidInput(f"{MEMBER} must be an object")
    return Trace(**{name: _id(name, value.get(name)) for name in NAMES})


def require_own(trace: Trace, principal: Principal) -> None:
    """Refuse an agent id that is not the caller's own.

    A person may name any agent; the agent's id is recorded.

    Raises:
        Forbidden: the id does not belong to the caller's key.
    """
    if principal.agent is not None and trace.agent_id not in (None, principal.agent):
        raise Forbidden("agent_id is not the agent of this key")


def _id(name: str, value: JsonValue) -> str | None:
    if value is None or (isinstance(value, str) and _may_be(name, value)):
        return value
    raise InvalidInput(
        f"{name} must be an id: up to {MAX_LENGTH} letters, digits and ._:@/+=,~- without spaces"
    )


def _may_be(name: str, value: str) -> bool:
    """Return whether a string can be an id.

    Ids of agents may contain any visible characters.
    """
    if name == "agent_id":
        return 1 <= len(value) <= MAX_LENGTH and value.isprintable()
    return _ID.fullmatch(value) is not None
