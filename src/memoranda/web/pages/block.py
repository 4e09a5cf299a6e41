"""Block page: value, holders, versions and settings."""

from __future__ import annotations

from typing import Any

from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.web.answers import Answer, Confirm, Done, Undo, View
from memoranda.web.block_views import BlockPlaces, find_block, newest, version_of, where, writable
from memoranda.web.page_request import PageRequest
from memoranda.web.pages.blocks import PAGE
from memoranda.web.registry import acts, reads

__all__ = ["PAGE", "ROUTES"]
VERSIONS = 10
"""Number of versions of a block on one page of its history."""


def shown(asked: PageRequest) -> Answer:
    """Show a block; of one that was put away, how to restore it."""
    try:
        return _page(asked, find_block(asked))
    except NotFound:
        return _away(asked)


def history(asked: PageRequest) -> Answer:
    """Show the current and former values of a block, with their changes."""
    id = asked.named["id"]
    page = asked.call(
        "blocks.history", label=id, cursor=asked.cursor, limit=VERSIONS + 1, **where(asked)
    )
    items = page["items"]
    rows = [
        (one, items[at + 1]["value"] if at + 1 < len(items) else "")
        for at, one in enumerate(items[:VERSIONS])
    ]
    more = str(rows[-1][0]["version"]) if len(items) > VERSIONS else None
    values = {"id": id, "rows": rows, "page": {"items": [], "cursor": more}, "task": _task(asked)}
    return View("block-history.html", values)


def version(asked: PageRequest) -> Answer:
    """Show a former value of a block beside the current one."""
    number = _numbered(asked)
    block = find_block(asked)
    then = version_of(asked, block["id"], number)
    if then is None:
        raise NotFound(f"the block has no version {number}; its history lists those it has")
    values = {
        "block": block,
        "then": then,
        "writable": writable(asked, block),
        "task": _task(asked),
    }
    return View("block-version.html", values)


def restore(asked: PageRequest) -> Answer:
    """Restore an earlier value of a block, unless it was changed meanwhile."""
    block, number = find_block(asked), asked.number("version", 0)
    if asked.number("now") != block["version"]:
        return _restoring(asked, block, number)
    made = asked.call(
        "blocks.restore", label=block["id"], version=number, reason=asked.text("reason") or None,
        **where(asked),
    )  # fmt: skip
    back = {"version": str(block["version"]), "now": str(made["version"]), "task": _task(asked)}
    undo = Undo(f"/blocks/{block['id']}/restore", back)
    told = f"Version {number} is restored as version {made['version']}."
    if made["version"] == block["version"]:
        return Done(_there(asked), "It already has this value; nothing changed.")
    return Done(_there(asked), told, undo)


def settings(asked: PageRequest) -> Answer:
    """Show the settings of a block besides its value."""
    block = find_block(asked)
    return _settings(asked, block, {**block, "limit": str(block["limit"])})


def configure(asked: PageRequest) -> Answer:
    """Change the settings of a block."""
    block = find_block(asked)
    typed = {name: asked.text(name) for name in ("label", "description", "limit", "read_only")}
    typed["description"] = typed["description"].replace("\r\n", "\n")
    try:
        limit = asked.number("limit", block["limit"])
        read_only = bool(typed["read_only"])
        asked.call(
            "blocks.configure",
            label=block["id"],
            rename=typed["label"] if typed["label"] != block["label"] else None,
            description=_changed(typed["description"], block["description"]),
            limit=_changed(limit, block["limit"]),
            read_only=_changed(read_only, block["read_only"]),
            **where(asked),
        )
    except (InvalidInput, Conflict, Forbidden) as error:
        return _settings(asked, block, typed, str(error), error.http_status)
    former = {"label": block["label"], "description": block["description"]}
    former |= {"limit": str(block["limit"]), "read_only": "yes" if block["read_only"] else ""}
    undo = Undo(f"/blocks/{block['id']}/settings", former | {"task": _task(asked)})
    return Done(_there(asked), "Settings saved.", undo)


def leaving(asked: PageRequest) -> Answer:
    """Ask for confirmation before a block is deleted."""
    block = find_block(asked)
    held = block["place"]["shared"] and asked.call(
        "blocks.holders", label=block["id"], **where(asked)
    )
    facts = ["All versions are kept, and it can be restored."]
    if held:
        facts.insert(0, f"Agents that lose it: {', '.join(one['agent'] for one in held)}.")
    return Confirm(
        "Delete this block?",
        f"{block['label']}: {len(block['value']):,} characters will no longer be in prompts.",
        f"/blocks/{block['id']}/away",
        "Delete it",
        {"task": _task(asked)},
        tuple(facts),
        _there(asked),
    )


def away(asked: PageRequest) -> Answer:
    """Put a block away."""
    block = asked.call("blocks.delete", label=asked.named["id"], **where(asked))
    undo = Undo(f"/blocks/{block['id']}/back", {"task": _task(asked)}, "Restore it")
    there = asked.link("/blocks", task=_task(asked))
    return Done(there, f"The block {block['label']!r} is deleted.", undo)


def back(asked: PageRequest) -> Answer:
    """Restore a block that was put away."""
    block = asked.call("blocks.undelete", label=asked.named["id"], **where(asked))
    return Done(_there(asked), f"The block {block['label']!r} is restored.")


def attach(asked: PageRequest) -> Answer:
    """Attach a shared block to an agent."""
    block = find_block(asked)
    agent, role = asked.text("agent"), asked.text("role")
    try:
        asked.call("blocks.attach", label=block["id"], agent=agent, role=role, **where(asked))
    except InvalidInput as error:
        return _page(asked, block, str(error), error.http_status)
    undo = Undo(f"/blocks/{block['id']}/detach", {"agent": agent, "task": _task(asked)})
    return Done(_there(asked), f"{agent} now has the block.", undo)


def detach(asked: PageRequest) -> Answer:
    """Detach a shared block from an agent."""
    block, agent = find_block(asked), asked.text("agent")
    holders = asked.call("blocks.holders", label=block["id"], **where(asked))
    role = next((one["role"] for one in holders if one["agent"] == agent), "")
    asked.call("blocks.detach", label=block["id"], agent=agent, **where(asked))
    fields = {"agent": agent, "role": role, "task": _task(asked)}
    undo = Undo(f"/blocks/{block['id']}/attach", fields)
    return Done(_there(asked), f"{agent} no longer has the block.", undo)


def _page(asked: PageRequest, block: dict[str, Any], trouble: str = "", status: int = 200) -> View:
    shared = block["place"]["shared"]
    holders = asked.call("blocks.holders", label=block["id"], **where(asked)) if shared else []
    values = {
        "block": block,
        "written": newest(asked, block["id"]),
        "place": BlockPlaces(asked).told(block),
        "holders": holders,
        "agents": asked.call("agents.list", limit=100)["items"] if shared else [],
        "writable": writable(asked, block),
        "whole": asked.ticked("whole"),
        "trouble": trouble,
        "task": _task(asked),
    }
    return View("block.html", values, status)


def _away(asked: PageRequest) -> View:
    """Return the page of a block that was put away.

    Raises:
        NotFound: there never was one.
    """
    last = newest(asked, asked.named["id"])
    values = {
        "id": asked.named["id"],
        "last": last,
        "typed": None,
        "trouble": "",
        "task": _task(asked),
    }
    return View("block-away.html", values)


def _settings(
    asked: PageRequest,
    block: dict[str, Any],
    typed: dict[str, Any],
    trouble: str = "",
    status: int = 200,
) -> View:
    values = {"block": block, "typed": typed, "trouble": trouble, "task": _task(asked)}
    return View("block-settings.html", values, status)


def _restoring(asked: PageRequest, block: dict[str, Any], number: int | None) -> Confirm:
    return Confirm(
        "The block has changed in the meantime",
        f"{block['label']} has version {block['version']} now. Restore version {number} anyway?",
        f"/blocks/{block['id']}/restore",
        "Restore it",
        {"version": str(number), "now": str(block["version"]), "task": _task(asked)},
        ("The current value is kept as a version.",),
        _there(asked),
        bad=False,
    )


def _changed(wanted: Any, there: Any) -> Any:
    return None if wanted == there else wanted


def _numbered(asked: PageRequest) -> int:
    said = asked.named["number"]
    if not (said.isdecimal() and said.isascii() and len(said) <= 9):
        raise NotFound(f"{said[:40]!r} is not a version; versions are whole numbers")
    return int(said)


def _task(asked: PageRequest) -> str:
    return asked.text("task")


def _there(asked: PageRequest) -> str:
    return asked.link(f"/blocks/{asked.named['id']}", task=_task(asked))


ROUTES = (
    reads("/blocks/{id}", shown),
    reads("/blocks/{id}/history", history),
    reads("/blocks/{id}/versions/{number}", version),
    acts("/blocks/{id}/restore", restore),
    reads("/blocks/{id}/settings", settings),
    acts("/blocks/{id}/settings", configure),
    reads("/blocks/{id}/away", leaving),
    acts("/blocks/{id}/away", away),
    acts("/blocks/{id}/back", back),
    acts("/blocks/{id}/attach", attach),
    acts("/blocks/{id}/detach", detach),
)
