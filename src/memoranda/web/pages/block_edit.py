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


def edit(asked: PageRequest) -> Answer:
    """Show the form for a block's value; the form includes its version."""
    block = find_block(asked)
    return _form(asked, block, block["value"])


def save(asked: PageRequest) -> Answer:
    """Save what was typed if the block is unchanged; otherwise show both."""
    typed = _typed(asked, "mine" if asked.text("take") == "mine" else "value")
    try:
        if asked.ticked("back"):
            asked.call("blocks.undelete", label=asked.named["id"], **where(asked))
        if asked.text("take") == "theirs":
            return _theirs(asked, typed)
        return _written(asked, typed)
    except Stale:
        return _clash(asked, typed)
    except NotFound:
        return _put_away(asked, typed)
    except UserError as error:
        return _refused(asked, typed, error)


def _written(asked: PageRequest, typed: str) -> Done:
    id, version = asked.named["id"], asked.number("version", 0)
    block = asked.call(
        "blocks.rethink",
        label=id,
        new_memory=typed,
        version=version,
        reason=asked.text("reason").strip() or None,
        **where(asked),
    )
    there = asked.link(f"/blocks/{block['id']}", task=asked.text("task"))
    if block["version"] == version:
        return Done(there, "Nothing was changed.")
    fields = {"version": str(version), "now": str(block["version"]), "task": asked.text("task")}
    undo = Undo(f"/blocks/{block['id']}/restore", fields)
    return Done(there, f"Saved as version {block['version']}.", undo)


def _clash(asked: PageRequest, typed: str) -> View:
    """Show the concurrent change beside what was typed, and both merged."""
    block = find_block(asked)
    base = version_of(asked, block["id"], asked.number("version", 0) or 0)
    both = merged(base["value"], block["value"], typed) if base else None
    values = {
        "block": block,
        "base": base,
        "theirs": newest(asked, block["id"]),
        "typed": typed,
        "both": both,
        "first": _first(asked, typed),
        "task": asked.text("task"),
    }
    return View("block-clash.html", values, Stale.http_status)


def _theirs(asked: PageRequest, typed: str) -> View:
    """Continue from the other text; keep what was typed beside it.

    It stays until the page is left.
    """
    block = find_block(asked)
    return _form(asked, block, block["value"], kept=_first(asked, "") or typed)


def _refused(asked: PageRequest, typed: str, error: UserError) -> View:
    """Show why it was not saved, with what was typed in the form."""
    try:
        block = find_block(asked)
    except NotFound:
        return _put_away(asked, typed, str(error))
    return _form(asked, block, typed, error=error)


def _put_away(asked: PageRequest, typed: str, trouble: str = "") -> View:
    """Show that the block was put away meanwhile, with what was typed.

    Raises:
        NotFound: there never was one, or it was forgotten.
    """
    values = {
        "id": asked.named["id"],
        "last": newest(asked, asked.named["id"]),
        "typed": typed,
        "trouble": trouble,
        "task": asked.text("task"),
    }
    return View("block-away.html", values, Conflict.http_status)


def _form(
    asked: PageRequest,
    block: dict[str, Any],
    value: str,
    *,
    kept: str = "",
    error: UserError | None = None,
) -> View:
    version = asked.number("version", block["version"]) if error else block["version"]
    values = {
        "block": block,
        "version": version,
        "value": value,
        "kept": kept,
        "reason": asked.text("reason"),
        "trouble": str(error) if error else "",
        "writable": writable(asked, block),
        "written": newest(asked, block["id"]),
        "task": asked.text("task"),
    }
    return View("block-edit.html", values, error.http_status if error else 200)


def _typed(asked: PageRequest, name: str) -> str:
    return asked.text(name).replace("\r\n", "\n")


def _first(asked: PageRequest, typed: str) -> str:
    """Return what was typed first, before both texts were merged."""
    first = _typed(asked, "mine")
    return "" if first == typed else first


ROUTES = (reads("/blocks/{id}/edit", edit), acts("/blocks/{id}/edit", save))
