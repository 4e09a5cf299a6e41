"""Blocks page: the blocks of a workspace or task, and their prompt form."""

from __future__ import annotations

from typing import Any

from memoranda.blocks.model import LIMIT as USUAL, PromptForm
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.block_lookup import ONE_LINE, BlockPlaces
from memoranda.web.page_request import ALL, LIMIT, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, acts, reads

PAGE = MenuPage(
    "/blocks", "Blocks", MenuGroup.KNOWLEDGE, 4, styles=("blocks.css",), scripts=("block-edit.js",)
)
TYPED = ("label", "value", "description", "limit", "place", "task", "kind", "read_only")


def listed(request: PageRequest) -> Answer:
    """Show the blocks of a workspace or task."""
    task, away = request.text("task").strip(), request.ticked("away")
    page = request.call(
        "blocks.list",
        workspace=request.workspace,
        task=task or None,
        deleted=away or None,
        cursor=request.cursor,
        limit=LIMIT,
    )
    values = {
        "page": page,
        "task": task,
        "away": away,
        "places": BlockPlaces(request),
        "holders": {} if away else _holders(request, page["items"]),
        "one_line": ONE_LINE,
    }
    return View("blocks.html", values)


def prompt(request: PageRequest) -> Answer:
    """Show the blocks of a workspace or task as in a prompt."""
    form = request.text("form") or PromptForm.XML.value
    task = request.text("task").strip()
    place = {"workspace": request.workspace, "task": task or None}
    text = request.call("blocks.prompt", form=form, **place)
    values = {
        "text": text if request.call("blocks.list", limit=1, **place)["items"] else "",
        "task": task,
        "form": form,
        "forms": [prompt_form.value for prompt_form in PromptForm],
        "whole": request.ticked("whole"),
    }
    return View("blocks-prompt.html", values)


def list_blocks(request: PageRequest) -> Answer:
    """Show the shared blocks of each agent."""
    page = request.call("agents.list", cursor=request.cursor, limit=LIMIT)
    rows = [(item, request.call("agents.blocks", id=item["id"])) for item in page["items"]]
    return View("blocks-held.html", {"page": page, "rows": rows})


def new(request: PageRequest) -> Answer:
    """Show the form for a new block."""
    return _form(request)


def create(request: PageRequest) -> Answer:
    """Create a block."""
    place, task = request.text("place"), request.text("task").strip()
    try:
        limit = request.number("limit", USUAL)
        block: dict[str, Any] = {
            "label": request.text("label"),
            "value": request.text("value").replace("\r\n", "\n"),
            "description": request.text("description"),
            "limit": limit,
            "shared": request.text("kind") == "shared",
            "private": request.text("kind") == "private",
            "read_only": request.ticked("read_only"),
        }
        made = request.call(
            "blocks.create", block=block, workspace=place or None, task=task or None
        )  # fmt: skip
    except (InvalidInput, Conflict, NotFound, Forbidden) as error:
        return _form(request, str(error), error.http_status)
    there = request.link(f"/blocks/{made['id']}", task=task)
    away = Undo(f"/blocks/{made['id']}/away", {"task": task}, "Delete it")
    return Done(there, f"The block {made['label']!r} is created.", away)


def _form(request: PageRequest, trouble: str = "", status: int = 200) -> View:
    typed = {name: request.text(name) for name in TYPED}
    values = {
        "typed": typed | {"limit": typed["limit"] or str(USUAL)},
        "trouble": trouble,
        "workspaces": [(ALL, "the whole team")]
        + [(name, name) for name in BlockPlaces(request).workspaces.values()],
        "chosen": typed["place"] or request.workspace or ALL,
    }
    return View("block-new.html", values, status)


def _holders(request: PageRequest, blocks: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the agents that each shared block is attached to."""
    task = request.text("task").strip() or None
    return {
        block["id"]: request.call("blocks.holders", label=block["id"], workspace=ALL, task=task)
        for block in blocks
        if block["place"]["shared"]
    }


ROUTES = (
    reads("/blocks", listed),
    reads("/blocks/prompt", prompt),
    reads("/blocks/held", list_blocks),
    reads("/blocks/new", new),
    acts("/blocks/new", create),
)
