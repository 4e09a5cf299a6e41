"""Observation page: summary, content in parts, references and timeline.

It also has the actions: rate, release, quarantine and forget.
"""

from __future__ import annotations

from typing import Any

from memoranda.observations.model import Salience
from memoranda.web import redactions
from memoranda.web.answers import Answer, Confirm, Done, Download, Redirect, Undo, View
from memoranda.web.page_request import PageRequest
from memoranda.web.pages.tasks import PAGE as PAGE
from memoranda.web.registry import acts, reads

PART = 20_000
"""Number of characters of a content on one page."""
AT_ONCE = 1_500
"""Characters of a content that is shown without a request."""
AROUND = 5
"""Number of observations before and after."""


def shown(asked: PageRequest) -> Answer:
    """Show an observation, by its id or its short name."""
    full = asked.call("observations.show", id=asked.named["id"])
    one, content = full["observation"], full["content"]
    parts = max(1, -(-len(content) // PART))
    part = min(max(asked.number("part", 0) or 0, 0), parts)
    if not part and len(content) <= AT_ONCE:
        part = 1
    (ties,) = asked.call("observations.backlinks", ids=[one["id"]])
    held = one["salience"] == Salience.QUARANTINED
    values = {
        "one": one,
        "task": asked.call("tasks.show", id=one["task"]),
        "summary": redactions.marked(one["summary"]),
        "content": redactions.marked(content[PART * (part - 1) : PART * part]) if part else None,
        "characters": len(content),
        "part_number": part,
        "parts": parts,
        "taken_out": redactions.kinds(content),
        "around": asked.call("observations.timeline", id=one["id"], before=AROUND, after=AROUND),
        "ties": ties,
        "held": asked.call("quarantine.show", id=one["id"])["held"] if held else None,
    }
    return View("observation.html", values)


def raw(asked: PageRequest) -> Answer:
    """Return the whole content as a file."""
    full = asked.call("observations.show", id=asked.named["id"])
    return Download(
        full["content"], f"observation-{full['observation']['ref'].replace('#', '-')}.txt"
    )


def rate(asked: PageRequest) -> Answer:
    """Store whether an observation was useful."""
    one = _one(asked)
    useful = asked.text("useful") == "yes"
    asked.call("observations.rate", id=one["id"], useful=useful)
    told = (
        "Rated helpful: it ranks higher in searches."
        if useful
        else "Rated not helpful: it ranks lower."
    )
    other = Undo(
        f"/observations/{one['id']}/rate",
        _kept(asked, useful="no" if useful else "yes"),
        "Rate the opposite",
    )
    return Done(_place(asked, one), told, other)


def release(asked: PageRequest) -> Answer:
    """Release an observation from quarantine."""
    one = _one(asked)
    asked.call("quarantine.release", id=one["id"])
    undo = Undo(f"/observations/{one['id']}/hold", _kept(asked))
    return Done(_place(asked, one), f"{one['ref']} is released for contexts.", undo)


def hold(asked: PageRequest) -> Answer:
    """Keep an observation out of every context."""
    one = _one(asked)
    asked.call("quarantine.hold", id=one["id"])
    undo = Undo(f"/observations/{one['id']}/release", _kept(asked))
    return Done(
        _place(asked, one), f"{one['ref']} is quarantined: excluded from every context.", undo
    )


def forgetting(asked: PageRequest) -> Answer:
    """Show what forgetting would affect, without changing anything."""
    one = _one(asked)
    chosen, place = {"ids": [one["id"]]}, one["workspace"]
    receipt = asked.call("forget", chosen=chosen, workspace=place, dry_run=True)
    (ties,) = asked.call("observations.backlinks", ids=[one["id"]])
    facts = [
        f"{receipt['observations']} observation is removed permanently, with its content, "
        "summary and index entries. Importing the transcript again does not restore it.",
        "This cannot be undone. To only exclude it from contexts, quarantine it.",
    ]
    if ties["memories"]:
        names = "; ".join(memory["title"] for memory in ties["memories"][:10])
        facts.append(f"Memories based on it are kept, without this evidence: {names}")
    return Confirm(
        f"Forget {one['ref']}",
        one["summary"][:500],
        f"/observations/{one['id']}/forget",
        "Forget it permanently",
        facts=tuple(facts),
        back=_place(asked, one),
    )


def forget(asked: PageRequest) -> Answer:
    """Remove an observation permanently; show what was affected."""
    one = _one(asked)
    receipt = asked.call(
        "forget", chosen={"ids": [one["id"]]}, workspace=one["workspace"], confirm=True
    )
    told = f"Forgotten: {receipt['observations']} observation, {receipt['contents']} content. "
    told += f"Cleared: {', '.join(receipt['places'])}."
    if receipt["not_reached"]:
        told += f" Not reached: {', '.join(receipt['not_reached'])}."
    there = "/tasks" if receipt["tasks"] else f"/tasks/{one['task']}"
    return Done(asked.link(there), told)


def _one(asked: PageRequest) -> dict[str, Any]:
    found: dict[str, Any] = asked.call("observations.show", id=asked.named["id"])["observation"]
    return found


def _place(asked: PageRequest, one: dict[str, Any]) -> str:
    return asked.link(f"/observations/{one['id']}")


def _kept(asked: PageRequest, **more: str) -> dict[str, str]:
    chosen = asked.text("workspace")
    return {**({"workspace": chosen} if chosen else {}), **more}


def newest(asked: PageRequest) -> Answer:
    """Redirect to the tasks, by which observations are listed."""
    return Redirect(asked.link("/tasks"))


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
