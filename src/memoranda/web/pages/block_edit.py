"""Block editor; concurrent edits lose no text."""

from __future__ import annotations

from typing import Any

from memoranda.exceptions import Conflict, NotFound, Stale, UserError
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.block_views import find_block, newest, version_of, where, writable
from memoranda.web.merges import merged
from memoranda.web.page_request import PageRequest
from memoranda.web.pages.blocks import PAGE
from memoranda.web.registry import acts, reads

__all__ = ["PAGE", "ROUTES"]


def edit(request: PageRequest) -> Answer:
    """Show the form for a block's value; the form includes its version."""
    block = find_block(request)
    return _form(request, block, block["value"])


def save(request: PageRequest) -> Answer:
    """Save what was typed if the block is unchanged; otherwise show both."""
    typed = _typed(request, "mine" if request.text("take") == "mine" else "value")
    try:
        if request.ticked("back"):
            request.call("blocks.undelete", label=request.named["id"], **where(request))
        if request.text("take") == "theirs":
            return _theirs(request, typed)
        return _written(request, typed)
    except Stale:
        return _clash(request, typed)
    except NotFound:
        return _put_away(request, typed)
    except UserError as error:
        return _refused(request, typed, error)


def _written(request: PageRequest, typed: str) -> Done:
    id, version = request.named["id"], request.number("version", 0)
    block = request.call(
        "blocks.rethink",
        label=id,
        text=typed,
        version=version,
        reason=request.text("reason").strip() or None,
        **where(request),
    )
    there = request.link(f"/blocks/{block['id']}", task=request.text("task"))
    if block["version"] == version:
        return Done(there, "Nothing was changed.")
    fields = {"version": str(version), "now": str(block["version"]), "task": request.text("task")}
    undo = Undo(f"/blocks/{block['id']}/restore", fields)
    return Done(there, f"Saved as version {block['version']}.", undo)


def _clash(request: PageRequest, typed: str) -> View:
    """Show the concurrent change beside what was typed, and both merged."""
    block = find_block(request)
    base = version_of(request, block["id"], request.number("version", 0) or 0)
    both = merged(base["value"], block["value"], typed) if base else None
    values = {
        "block": block,
        "base": base,
        "theirs": newest(request, block["id"]),
        "typed": typed,
        "both": both,
        "first": _first(request, typed),
        "task": request.text("task"),
    }
    return View("block-clash.html", values, Stale.http_status)


def _theirs(request: PageRequest, typed: str) -> View:
    """Continue from the other text; keep what was typed beside it.

    It stays until the page is left.
    """
    block = find_block(request)
    return _form(request, block, block["value"], draft=_first(request, "") or typed)


def _refused(request: PageRequest, typed: str, error: UserError) -> View:
    """Show why it was not saved, with what was typed in the form."""
    try:
        block = find_block(request)
    except NotFound:
        return _put_away(request, typed, str(error))
    return _form(request, block, typed, error=error)


def _put_away(request: PageRequest, typed: str, trouble: str = "") -> View:
    """Show that the block was put away meanwhile, with what was typed.

    Raises:
        NotFound: there never was one, or it was forgotten.
    """
    values = {
        "id": request.named["id"],
        "last": newest(request, request.named["id"]),
        "typed": typed,
        "trouble": trouble,
        "task": request.text("task"),
    }
    return View("block-away.html", values, Conflict.http_status)


def _form(
    request: PageRequest,
    block: dict[str, Any],
    value: str,
    *,
    draft: str = "",
    error: UserError | None = None,
) -> View:
    version = request.number("version", block["version"]) if error else block["version"]
    values = {
        "block": block,
        "version": version,
        "value": value,
        "kept": draft,
        "reason": request.text("reason"),
        "trouble": str(error) if error else "",
        "writable": writable(request, block),
        "written": newest(request, block["id"]),
        "task": request.text("task"),
    }
    return View("block-edit.html", values, error.http_status if error else 200)


def _typed(request: PageRequest, name: str) -> str:
    return request.text(name).replace("\r\n", "\n")


def _first(request: PageRequest, typed: str) -> str:
    """Return what was typed first, before both texts were merged."""
    first = _typed(request, "mine")
    return "" if first == typed else first


ROUTES = (reads("/blocks/{id}/edit", edit), acts("/blocks/{id}/edit", save))
