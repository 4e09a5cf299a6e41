"""Observation page: summary, content in parts, references, timeline.

The page also has the actions rate, release, quarantine and forget.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from memoranda.observations.model import Salience
from memoranda.web.answers import Answer, Confirm, Done, Download, Redirect, Undo, View
from memoranda.web.page_request import PageRequest
from memoranda.web.pages.tasks import PAGE as PAGE
from memoranda.web.registry import acts, reads

_MARK = re.compile(r"\[redacted:([a-z0-9-]{1,60}):[0-9a-f]{8}\]")


def kinds(text: str) -> Sequence[tuple[str, int]]:
    """Return the kinds of secrets redacted in a text, with counts.

    The most frequent kinds come first.
    """
    found = Counter(mark[1] for mark in _MARK.finditer(text))
    return found.most_common()


def marked(text: str) -> Markup:
    """Return a text as escaped HTML, with each mark replaced by a chip."""
    parts: list[Markup] = []
    at = 0
    for mark in _MARK.finditer(text):
        parts.append(escape(text[at : mark.start()]))
        parts.append(
            Markup('<mark class="redacted" title="{}">redacted: {}</mark>').format(
                mark[0], mark[1].replace("-", " ")
            )
        )
        at = mark.end()
    return Markup("").join([*parts, escape(text[at:])])


PART = 20_000
"""Number of characters of content per page."""
AT_ONCE = 1_500
"""Maximum number of characters of content that are shown together."""
AROUND = 5
"""Number of observations shown before and after."""


def shown(request: PageRequest) -> Answer:
    """Show an observation by its id or short name."""
    full = request.call("observations.show", id=request.named["id"])
    item, content = full["observation"], full["content"]
    parts = max(1, -(-len(content) // PART))
    part = min(max(request.number("part", 0) or 0, 0), parts)
    if not part and len(content) <= AT_ONCE:
        part = 1
    (ties,) = request.call("observations.backlinks", ids=[item["id"]])
    quarantined = item["salience"] == Salience.QUARANTINED
    values = {
        "one": item,
        "task": request.call("tasks.show", id=item["task"]),
        "summary": marked(item["summary"]),
        "content": marked(content[PART * (part - 1) : PART * part]) if part else None,
        "characters": len(content),
        "part_number": part,
        "parts": parts,
        "taken_out": kinds(content),
        "around": request.call("observations.timeline", id=item["id"], before=AROUND, after=AROUND),
        "ties": ties,
        "held": request.call("quarantine.show", id=item["id"])["held"] if quarantined else None,
    }
    return View("observation.html", values)


def raw(request: PageRequest) -> Answer:
    """Return the full content as a file."""
    full = request.call("observations.show", id=request.named["id"])
    return Download(
        full["content"], f"observation-{full['observation']['ref'].replace('#', '-')}.txt"
    )


def rate(request: PageRequest) -> Answer:
    """Store whether an observation was useful."""
    item = _one(request)
    useful = request.text("useful") == "yes"
    request.call("observations.rate", id=item["id"], useful=useful)
    message = (
        "Rated helpful: the observation ranks higher in searches."
        if useful
        else "Rated not helpful: the observation ranks lower in searches."
    )
    other = Undo(
        f"/observations/{item['id']}/rate",
        _filters(request, useful="no" if useful else "yes"),
        "Rate the opposite",
    )
    return Done(_place(request, item), message, other)


def release(request: PageRequest) -> Answer:
    """Release an observation from quarantine."""
    item = _one(request)
    request.call("quarantine.release", id=item["id"])
    undo = Undo(f"/observations/{item['id']}/hold", _filters(request))
    return Done(_place(request, item), f"{item['ref']} is released for contexts.", undo)


def hold(request: PageRequest) -> Answer:
    """Quarantine an observation, so that no context includes it."""
    item = _one(request)
    request.call("quarantine.hold", id=item["id"])
    undo = Undo(f"/observations/{item['id']}/release", _filters(request))
    return Done(
        _place(request, item), f"{item['ref']} is quarantined: excluded from every context.", undo
    )


def forgetting(request: PageRequest) -> Answer:
    """Show the effects of deleting an observation permanently."""
    item = _one(request)
    chosen, place = {"ids": [item["id"]]}, item["workspace"]
    receipt = request.call("forget", chosen=chosen, workspace=place, dry_run=True)
    (ties,) = request.call("observations.backlinks", ids=[item["id"]])
    facts = [
        f"{receipt['observations']} observation is removed permanently, with its content, "
        "summary and index entries. Importing the transcript again does not restore it.",
        "This cannot be undone. To only exclude the observation from contexts, quarantine it.",
    ]
    if ties["memories"]:
        names = "; ".join(memory["title"] for memory in ties["memories"][:10])
        facts.append(f"Memories based on the observation are kept, without this evidence: {names}")
    return Confirm(
        f"Forget {item['ref']}",
        item["summary"][:500],
        f"/observations/{item['id']}/forget",
        "Forget it permanently",
        facts=tuple(facts),
        back=_place(request, item),
    )


def forget(request: PageRequest) -> Answer:
    """Delete an observation permanently; show what was affected."""
    item = _one(request)
    receipt = request.call(
        "forget", chosen={"ids": [item["id"]]}, workspace=item["workspace"], confirm=True
    )
    message = f"Forgotten: {receipt['observations']} observation, {receipt['contents']} content. "
    message += f"Cleared: {', '.join(receipt['places'])}."
    if receipt["not_reached"]:
        message += f" Copies may remain in: {', '.join(receipt['not_reached'])}."
    there = "/tasks" if receipt["tasks"] else f"/tasks/{item['task']}"
    return Done(request.link(there), message)


def _one(request: PageRequest) -> dict[str, Any]:
    result: dict[str, Any] = request.call("observations.show", id=request.named["id"])[
        "observation"
    ]
    return result


def _place(request: PageRequest, one: dict[str, Any]) -> str:
    return request.link(f"/observations/{one['id']}")


def _filters(request: PageRequest, **more: str) -> dict[str, str]:
    chosen = request.text("workspace")
    return {**({"workspace": chosen} if chosen else {}), **more}


def newest(request: PageRequest) -> Answer:
    """Redirect to the task list, since observations are listed by task."""
    return Redirect(request.link("/tasks"))


ROUTES = (
    reads("/observations", newest),
    reads("/observations/{id}", shown),
    reads("/observations/{id}/raw", raw),
    acts("/observations/{id}/rate", rate),
    acts("/observations/{id}/hold", hold),
    acts("/observations/{id}/release", release),
    reads("/observations/{id}/forget", forgetting),
    acts("/observations/{id}/forget", forget),
)
