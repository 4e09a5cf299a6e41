"""Shared functions of the memory pages: trust, scope, changes and undo."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from memoranda.calls.conversion import read
from memoranda.exceptions import Conflict, NotFound
from memoranda.json_data import dump_json, parse_iso_time
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.trust import trust_of
from memoranda.web.answers import Done, Undo
from memoranda.web.page_frame import MAX_WORKSPACES
from memoranda.web.page_request import PageRequest

MemoryData = Mapping[str, Any]
"""A memory or one of its versions, as returned by operations."""

TEAM = "the whole team"
ELSEWHERE = "a workspace"
BACK: Mapping[str, str] = {
    "profile": "/profile",
    "list": "/learnings",
    "conflicts": "/learnings/conflicts",
}
"""Redirect targets of forms; the default is the memory itself."""
STATE = (
    "title", "content", "category", "tags", "critical", "protected", "status", "visibility",
    "workspace", "valid_from", "valid_until", "superseded_by",
)  # fmt: skip
"""Mutable fields of a memory in display order."""


EVIDENCE = 10
"""Number of observations that are shown with their titles.

If there are more observations, a page shows only their number.
"""


def trust(memory: MemoryData) -> str:
    """Return the trust level of a memory."""
    parsed: Memory = read(Memory, dict(memory))
    return trust_of(parsed).value


def places(request: PageRequest) -> dict[str, str]:
    """Return the names of workspaces by id."""
    found = request.call("workspaces.list", limit=MAX_WORKSPACES)
    return {item["id"]: item["name"] for item in found["items"]}


def place(memory: MemoryData, names: Mapping[str, str]) -> str:
    """Return where a memory is valid, as text."""
    if memory["visibility"] == "agent":
        return f"{memory['agent']} alone"
    workspace = memory["workspace"]
    return TEAM if workspace is None else names.get(workspace, ELSEWHERE)


def state_fingerprint(memory: MemoryData) -> str:
    """Return an identifier of a memory's state, to detect outdated forms."""
    state = {name: memory[name] for name in STATE}
    return hashlib.sha256(dump_json(state).encode()).hexdigest()[:32]


def grounds(request: PageRequest, ids: Sequence[str]) -> list[MemoryData]:
    """Return the first observations on which a record is based.

    Observations that the caller may not see have no title.
    """
    return [_ground(request, id) for id in ids[:EVIDENCE]]


def _ground(request: PageRequest, id: str) -> MemoryData:
    try:
        (found,) = request.call("observations.timeline", id=id, before=0, after=0)
    except NotFound:
        return {"id": id, "title": None}
    line: MemoryData = found
    return line


def refuse_stale(request: PageRequest, memory: MemoryData) -> None:
    """Refuse a form that was created for another state of the memory.

    Raises:
        Conflict: the memory was changed since.
    """
    if request.text("seen") != state_fingerprint(memory):
        raise Conflict("the memory has changed since this form was opened; nothing was saved")


def differing(
    before: MemoryData, after: MemoryData, names: Mapping[str, str]
) -> list[tuple[str, str, str]]:
    """Return the differences between two states other than the content.

    Each difference is a tuple of name, old value and new value.
    """
    return [
        (name.replace("_", " "), _words(before, name, names), _words(after, name, names))
        for name in STATE
        if name != "content" and before[name] != after[name]
    ]


def _words(state: MemoryData, name: str, names: Mapping[str, str]) -> str:
    value = state[name]
    if name == "workspace":
        return TEAM if value is None else names.get(value, ELSEWHERE)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return str(value).replace("_", " ") if value else "none"


def return_link(request: PageRequest, id: str) -> str:
    """Return where to redirect after a memory was changed."""
    return request.link(BACK.get(request.text("back"), f"/learnings/{id}"))


def done(request: PageRequest, changed: MemoryData, message: str) -> Done:
    """Return the result of a request to change a memory, and how to undo it.

    ``changed`` is what the operation returned: the memory, and the proposal if the change is
    pending.
    """
    id = changed["memory"]["id"]
    to = return_link(request, id)
    if changed["proposal"] is not None:
        return Done(to, "The change is pending approval; see Pending.", warn=True)
    return Done(to, message, undo(request, id), see=in_context(request, changed["memory"]))


def in_context(request: PageRequest, memory: MemoryData) -> str:
    """Return where a valid memory appears in the next session's context.

    Empty if no context includes the memory.
    """
    if memory["status"] != MemoryStatus.APPROVED or not request.may("context"):
        return ""
    there = places(request).get(memory["workspace"])
    return (
        f"{request.link('/context', workspace=there or request.workspace, seen=memory['id'])}#seen"
    )


def undo(request: PageRequest, id: str) -> Undo | None:
    """Return how to restore a memory's state before its newest change.

    None if the caller lacks permission, or nothing was changed.
    """
    if not request.may("memories.restore"):
        return None
    versions = request.call("memories.history", id=id, limit=1)["items"]
    if not versions:
        return None
    fields = {"version": str(versions[0]["version"]), "back": request.text("back")}
    return Undo(f"/learnings/{id}/restore", fields)


def remembered_text(
    request: PageRequest, memory: MemoryData, to: str, began: int, text: str
) -> Done:
    """Return the result of adding a memory.

    A memory created before ``began`` (microseconds) had already been stored.
    """
    if (parse_iso_time(memory["created_at"]) or 0) < began:
        return Done(to, "Already stored: the use count and confidence of the memory increased.")
    if memory["status"] == "pending":
        return Done(to, "The change is pending approval; see Pending.", warn=True)
    fields = {"reason": "undone immediately", "back": request.text("back")}
    back = Undo(f"/learnings/{memory['id']}/archive", fields)
    return Done(to, text, back, see=in_context(request, memory))


def rows(memories: Sequence[MemoryData], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return memories with additional values for lists.

    The values are added to the results of the operations.
    """
    return [
        {**memory, "trust": trust(memory), "place": place(memory, names)} for memory in memories
    ]
