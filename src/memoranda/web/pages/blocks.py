"""Blocks page: the blocks of a place, and their form in a prompt."""

from __future__ import annotations

from typing import Any

from memoranda.blocks.model import LIMIT as USUAL, PromptForm
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.block_views import ONE_LINE, BlockPlaces
from memoranda.web.page_request import ALL, LIMIT, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, acts, reads

PAGE = MenuPage(
    "/blocks",
    "Blocks",
    MenuGroup.KNOWLEDGE,
    4,
    styles=("blocks.css",),
    scripts=("block-edit.js",),
)
TYPED = ("label", "value", "description", "limit", "place", "task", "kind", "read_only")


def listed(asked: PageRequest) -> Answer:
    """Show the blocks of a workspace or task."""
    task, away = asked.text("task").strip(), asked.ticked("away")
    page = asked.call(
        "blocks.list",
        workspace=asked.workspace,
        task=task or None,
        deleted=away or None,
        cursor=asked.cursor,
        limit=LIMIT,
    )
    values = {
        "page": page,
        "task": task,
        "away": away,
        "places": BlockPlaces(asked),
        "holders": {} if away else _holders(asked, page["items"]),
        "one_line": ONE_LINE,
    }
    return View("blocks.html", values)


def prompt(asked: PageRequest) -> Answer:
    """Show the blocks of a workspace or task as in a prompt."""
    form = asked.text("form") or PromptForm.XML.value
    task = asked.text("task").strip()
    place = {"workspace": asked.workspace, "task": task or None}
    text = asked.call("blocks.prompt", form=form, **place)
    values = {
        "text": text if asked.call("blocks.list", limit=1, **place)["items"] else "",
        "task": task,
        "form": form,
        "forms": [one.value for one in PromptForm],
        "whole": asked.ticked("whole"),
    }
    return View("blocks-prompt.html", values)


def held(asked: PageRequest) -> Answer:
    """Show the shared blocks of each agent."""
    page = asked.call("agents.list", cursor=asked.cursor, limit=LIMIT)
    rows = [(one, asked.call("agents.blocks", id=one["id"])) for one in page["items"]]
    return View("blocks-held.html", {"page": page, "rows": rows})


def new(asked: PageRequest) -> Answer:
    """Show the form for a new block."""
    return _form(asked)


def create(asked: PageRequest) -> Answer:
    """Create a block."""
    place, task = asked.text("place"), asked.text("task").strip()
    try:
        limit = asked.number("limit", USUAL)
        block: dict[str, Any] = {
            "label": asked.text("label"),
            "value": asked.text("value").replace("\r\n", "\n"),
            "description": asked.text("description"),
            "limit": limit,
            "shared": asked.text("kind") == "shared",
            "private": asked.text("kind") == "private",
            "read_only": asked.ticked("read_only"),
        }
        made = asked.call(
            "blocks.create", block=block, workspace=place or None, task=task or None
        )  # fmt: skip
    except (InvalidInput, Conflict, NotFound, Forbidden) as error:
        return _form(asked, str(error), error.http_status)
    there = asked.link(f"/blocks/{made['id']}", task=task)
    away = Undo(f"/blocks/{made['id']}/away", {"task": task}, "Put it away")
    return Done(there, f"The block {made['label']!r} is created.", away)


def _form(asked: PageRequest, trouble: str = "", status: int = 200) -> View:
    typed = {name: asked.text(name) for name in TYPED}
    values = {
        "typed": typed | {"limit": typed["limit"] or str(USUAL)},
        "trouble": trouble,
        "workspaces": [(ALL, "the whole team")]
        + [(name, name) for name in BlockPlaces(asked).workspaces.values()],
        "chosen": typed["place"] or asked.workspace or ALL,
    }
    return View("block-new.html", values, status)


def _holders(asked: PageRequest, blocks: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the agents that each shared block is attached to."""
    task = asked.text("task").strip() or None
    return {
        one["id"]: asked.call("blocks.holders", label=one["id"], workspace=ALL, task=task)
        for one in blocks
        if one["place"]["shared"]
    }


ROUTES = (
    reads("/blocks", listed),
    reads("/blocks/prompt", prompt),
    reads("/blocks/held", held),
    reads("/blocks/new", new),
    acts("/blocks/new", create),
)
