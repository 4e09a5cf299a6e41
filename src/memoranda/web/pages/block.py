"""Block page: value, holders, versions and settings."""

from __future__ import annotations

from typing import Any

from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.web.answers import Answer, Confirm, Done, Undo, View
from memoranda.web.block_lookup import BlockPlaces, find_block, newest, version_of, where, writable
from memoranda.web.page_request import PageRequest
from memoranda.web.pages.blocks import PAGE
from memoranda.web.registry import acts, reads

__all__ = ["PAGE", "ROUTES"]
VERSIONS = 10
"""Number of versions of a block on one page of its history."""


def shown(request: PageRequest) -> Answer:
    """Show a block; if it is deleted, show how to restore it."""
    try:
        return _page(request, find_block(request))
    except NotFound:
        return _deleted_page(request)


def history(request: PageRequest) -> Answer:
    """Show the current and earlier values of a block, with their changes."""
    id = request.named["id"]
    page = request.call(
        "blocks.history", label=id, cursor=request.cursor, limit=VERSIONS + 1, **where(request)
    )
    items = page["items"]
    rows = [
        (item, items[at + 1]["value"] if at + 1 < len(items) else "")
        for at, item in enumerate(items[:VERSIONS])
    ]
    more = str(rows[-1][0]["version"]) if len(items) > VERSIONS else None
    values = {"id": id, "rows": rows, "page": {"items": [], "cursor": more}, "task": _task(request)}
    return View("block-history.html", values)


def version(request: PageRequest) -> Answer:
    """Show an earlier value of a block next to the current one."""
    number = _numbered(request)
    block = find_block(request)
    then = version_of(request, block["id"], number)
    if then is None:
        raise NotFound(
            f"the block has no version {number}; the history of the block lists its versions"
        )
    values = {
        "block": block,
        "then": then,
        "writable": writable(request, block),
        "task": _task(request),
    }
    return View("block-version.html", values)


def restore(request: PageRequest) -> Answer:
    """Restore an earlier value of a block unless it was changed since."""
    block, number = find_block(request), request.number("version", 0)
    if request.number("now") != block["version"]:
        return _restoring(request, block, number)
    made = request.call(
        "blocks.restore", label=block["id"], version=number, reason=request.text("reason") or None,
        **where(request),
    )  # fmt: skip
    back = {"version": str(block["version"]), "now": str(made["version"]), "task": _task(request)}
    undo = Undo(f"/blocks/{block['id']}/restore", back)
    message = f"Version {number} is restored as version {made['version']}."
    if made["version"] == block["version"]:
        return Done(_there(request), "The block already has this value; nothing changed.")
    return Done(_there(request), message, undo)


def settings(request: PageRequest) -> Answer:
    """Show the settings of a block other than its value."""
    block = find_block(request)
    return _settings(request, block, {**block, "limit": str(block["limit"])})


def configure(request: PageRequest) -> Answer:
    """Change the settings of a block."""
    block = find_block(request)
    typed = {name: request.text(name) for name in ("label", "description", "limit", "read_only")}
    typed["description"] = typed["description"].replace("\r\n", "\n")
    try:
        limit = request.number("limit", block["limit"])
        read_only = bool(typed["read_only"])
        request.call(
            "blocks.configure",
            label=block["id"],
            rename=typed["label"] if typed["label"] != block["label"] else None,
            description=_changed(typed["description"], block["description"]),
            limit=_changed(limit, block["limit"]),
            read_only=_changed(read_only, block["read_only"]),
            **where(request),
        )
    except (InvalidInput, Conflict, Forbidden) as error:
        return _settings(request, block, typed, str(error), error.http_status)
    former = {"label": block["label"], "description": block["description"]}
    former |= {"limit": str(block["limit"]), "read_only": "yes" if block["read_only"] else ""}
    undo = Undo(f"/blocks/{block['id']}/settings", former | {"task": _task(request)})
    return Done(_there(request), "Settings saved.", undo)


def confirm_delete(request: PageRequest) -> Answer:
    """Ask for confirmation before a block is deleted."""
    block = find_block(request)
    holders = block["place"]["shared"] and request.call(
        "blocks.holders", label=block["id"], **where(request)
    )
    facts = ["All versions are kept, and the block can be restored."]
    if holders:
        facts.insert(
            0, f"Agents that lose the block: {', '.join(holder['agent'] for holder in holders)}."
        )
    return Confirm(
        "Delete this block?",
        f"{block['label']}: {len(block['value']):,} characters will no longer be in prompts.",
        f"/blocks/{block['id']}/away",
        "Delete it",
        {"task": _task(request)},
        tuple(facts),
        _there(request),
    )


def delete(request: PageRequest) -> Answer:
    """Delete a block, after confirmation; it can be restored."""
    block = request.call("blocks.delete", label=request.named["id"], **where(request))
    undo = Undo(f"/blocks/{block['id']}/back", {"task": _task(request)}, "Restore it")
    there = request.link("/blocks", task=_task(request))
    return Done(there, f"The block {block['label']!r} is deleted.", undo)


def back(request: PageRequest) -> Answer:
    """Restore a deleted block."""
    block = request.call("blocks.undelete", label=request.named["id"], **where(request))
    return Done(_there(request), f"The block {block['label']!r} is restored.")


def attach(request: PageRequest) -> Answer:
    """Attach a shared block to an agent."""
    block = find_block(request)
    agent, role = request.text("agent"), request.text("role")
    try:
        request.call("blocks.attach", label=block["id"], agent=agent, role=role, **where(request))
    except InvalidInput as error:
        return _page(request, block, str(error), error.http_status)
    undo = Undo(f"/blocks/{block['id']}/detach", {"agent": agent, "task": _task(request)})
    return Done(_there(request), f"{agent} now has the block.", undo)


def detach(request: PageRequest) -> Answer:
    """Detach a shared block from an agent."""
    block, agent = find_block(request), request.text("agent")
    holders = request.call("blocks.holders", label=block["id"], **where(request))
    role = next((holder["role"] for holder in holders if holder["agent"] == agent), "")
    request.call("blocks.detach", label=block["id"], agent=agent, **where(request))
    fields = {"agent": agent, "role": role, "task": _task(request)}
    undo = Undo(f"/blocks/{block['id']}/attach", fields)
    return Done(_there(request), f"{agent} no longer has the block.", undo)


def _page(
    request: PageRequest, block: dict[str, Any], trouble: str = "", status: int = 200
) -> View:
    shared = block["place"]["shared"]
    holders = request.call("blocks.holders", label=block["id"], **where(request)) if shared else []
    values = {
        "block": block,
        "written": newest(request, block["id"]),
        "place": BlockPlaces(request).describe(block),
        "holders": holders,
        "agents": request.call("agents.list", limit=100)["items"] if shared else [],
        "writable": writable(request, block),
        "whole": request.ticked("whole"),
        "trouble": trouble,
        "task": _task(request),
    }
    return View("block.html", values, status)


def _deleted_page(request: PageRequest) -> View:
    """Return the page of a deleted block.

    Raises:
        NotFound: there never was such a block.
    """
    last = newest(request, request.named["id"])
    values = {
        "id": request.named["id"],
        "last": last,
        "typed": None,
        "trouble": "",
        "task": _task(request),
    }
    return View("block-away.html", values)


def _settings(
    request: PageRequest,
    block: dict[str, Any],
    typed: dict[str, Any],
    trouble: str = "",
    status: int = 200,
) -> View:
    values = {"block": block, "typed": typed, "trouble": trouble, "task": _task(request)}
    return View("block-settings.html", values, status)


def _restoring(request: PageRequest, block: dict[str, Any], number: int | None) -> Confirm:
    return Confirm(
        "The block has changed in the meantime",
        f"{block['label']} has version {block['version']} now. Restore version {number} anyway?",
        f"/blocks/{block['id']}/restore",
        "Restore it",
        {"version": str(number), "now": str(block["version"]), "task": _task(request)},
        ("The current value is kept as a version.",),
        _there(request),
        bad=False,
    )


def _changed(wanted: Any, there: Any) -> Any:
    return None if wanted == there else wanted


def _numbered(request: PageRequest) -> int:
    number = request.named["number"]
    if not (number.isdecimal() and number.isascii() and len(number) <= 9):
        raise NotFound(f"{number[:40]!r} is not a version; versions are integers")
    return int(number)


def _task(request: PageRequest) -> str:
    return request.text("task")


def _there(request: PageRequest) -> str:
    return request.link(f"/blocks/{request.named['id']}", task=_task(request))


ROUTES = (
    reads("/blocks/{id}", shown),
    reads("/blocks/{id}/history", history),
    reads("/blocks/{id}/versions/{number}", version),
    acts("/blocks/{id}/restore", restore),
    reads("/blocks/{id}/settings", settings),
    acts("/blocks/{id}/settings", configure),
    reads("/blocks/{id}/away", confirm_delete),
    acts("/blocks/{id}/away", delete),
    acts("/blocks/{id}/back", back),
    acts("/blocks/{id}/attach", attach),
    acts("/blocks/{id}/detach", detach),
)
