"""Context preview page: the next session's context, and earlier ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memoranda.exceptions import BudgetTooSmall
from memoranda.journal.model import CONTEXT_GIVEN
from memoranda.web.answers import Answer, View
from memoranda.web.page_request import ALL, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, reads

PAGE = MenuPage("/context", "Context preview", MenuGroup.CONTEXT, 1, styles=("context.css",))
MAX_DELIVERIES = 10
"""Maximum number of sessions listed together."""
TASKS = 200
"""Number of newest tasks that are searched for a session's task."""
PLACES = 200
WORDS: Mapping[str, tuple[str, str]] = {
    "task-progress": ("Tasks", "/tasks"),
    "critical-facts": ("Critical facts", "/learnings"),
    "task-brief": ("What the task did", "/tasks"),
    "standing-instructions": ("Standing instructions", "/search"),
    "user-statements": ("User statements", "/search"),
    "blocks": ("Blocks", "/blocks"),
    "errors-to-avoid": ("Errors to avoid", "/errors/all"),
    "profile": ("Profile", "/profile"),
    "memories": ("Memories", "/learnings"),
    "values-seen": ("Observed values", "/search"),
    "relevant-past": ("Relevant past", "/search"),
}
"""Display names of sections, and the pages with all their candidates."""


def shown(request: PageRequest) -> Answer:
    """Show the current context by section, and previously delivered contexts."""
    place, task = _place(request), request.text("task").strip()
    query, budget = request.text("query").strip(), request.number("budget")
    starts = not (query or task)
    arguments = {"workspace": None if task else place["id"], "budget": budget}
    arguments |= {"at_start": True} if starts else {"query": query or None, "task": task or None}
    values: dict[str, Any] = {
        "query": query,
        "task": task,
        "budget": "" if budget is None else budget,
        "place": place,
        "starts": starts,
        "words": WORDS,
        "item_path": item_path,
        "brief": None,
        "needed": 0,
    }
    try:
        values["brief"] = request.call("context", **arguments)
    except BudgetTooSmall as error:
        # Rounded up: ages in the text may add a token or two before the link is followed.
        values["needed"] = -(-error.needed // 50) * 50
    if values["brief"]:
        values["shown_tokens"] = sum(value["tokens"] for value in values["brief"]["sections"])
    log = _log(request, place)
    newest = log["log"]["items"][:1] if log["log"] and not request.cursor else []
    values["since"] = since(values["brief"], newest) if starts and values["brief"] else None
    values |= _marked(request.text("seen"), values["brief"], values["since"])
    return View("context.html", values | log)


def since(
    brief: Mapping[str, Any], newest: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | None:
    """Return the differences between the current and the last context.

    The differences are the new and the removed entries. The result is None if no context has been
    delivered yet, or only a note on how to read the critical facts.
    """
    if not newest or "sections" not in newest[0]["detail"]:
        return None
    before: Mapping[str, Sequence[str]] = newest[0]["detail"]["sections"]
    refs_before = {ref for refs in before.values() for ref in refs}
    now = {item["ref"]: (one["name"], item) for one in brief["sections"] for item in one["items"]}
    return {
        "at": newest[0]["detail"]["at"],
        "new": [text for ref, text in now.items() if ref not in refs_before],
        "gone": [(name, ref) for name, refs in before.items() for ref in refs if ref not in now],
    }


def _marked(
    seen: str, brief: Mapping[str, Any] | None, since: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return which lines of the text are highlighted.

    The highlighted line is that of the entry that a link leads to; without a link, all lines that
    are new since the last context are highlighted.
    """
    if brief is None:
        return {"seen": seen, "marked": (), "first": -1}
    items = [item for one in brief["sections"] for item in one["items"]]
    new = [item for _, item in since["new"]] if since else []
    chosen = [item for item in items if item["id"] == seen] if seen else new
    ends = tuple(f" ({item['ref']})" for item in chosen)
    lines = brief["text"].split("\n")
    marked = [line for line in lines if ends and line.startswith("- [") and line.endswith(ends)]
    return {"seen": seen, "marked": marked, "first": lines.index(marked[0]) if marked else -1}


def item_path(section: str, ref: str, id: str) -> str:
    """Return the path of an entry's page.

    The path of an observation includes the number of its task.
    """
    if "#" in ref:
        return f"/observations/{id}"
    if ref.startswith("task "):
        return f"/tasks/{id}"
    if section == "blocks":
        return f"/blocks/{id}"
    return f"/errors/{id}" if section == "errors-to-avoid" else f"/learnings/{id}"


def _place(request: PageRequest) -> dict[str, Any]:
    """Return the selected workspace, or the newest task's workspace."""
    places = request.call("workspaces.list", limit=PLACES)["items"]
    chosen = request.workspace or request.principal.workspace
    newest = request.call("tasks.list", workspace=chosen, limit=1)["items"]
    if chosen in (None, ALL):
        chosen = newest[0]["workspace"] if newest else ""
    nowhere = {"id": chosen or None, "name": chosen or "", "root": None}
    return next((item for item in places if chosen in (item["id"], item["name"])), nowhere)


def _log(request: PageRequest, place: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sessions that received a context, newest first, if permitted."""
    if not (request.may("journal.list") and place["id"]):
        return {"log": None, "sessions": {}}
    page = request.call(
        "journal.list",
        operation=CONTEXT_GIVEN,
        subject=place["id"],
        cursor=request.cursor,
        limit=MAX_DELIVERIES,
    )
    return {"log": page, "sessions": _sessions(request, page["items"], place["id"])}


def _sessions(
    request: PageRequest, entries: Sequence[Mapping[str, Any]], workspace: str
) -> dict[str, dict[str, Any]]:
    if not entries:
        return {}
    tasks = request.call("tasks.list", workspace=workspace, limit=TASKS)["items"]
    return {task["session"]: task for task in tasks}


ROUTES = (reads("/context", shown),)
