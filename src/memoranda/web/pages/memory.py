"""Memory page: content, reason, validity, links, versions and changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.memories.model import Category
from memoranda.profile.model import CATEGORIES, OVERHEAD
from memoranda.web.answers import Answer, Done, View
from memoranda.web.filters import counted
from memoranda.web.memory_changes import (
    MemoryData,
    differing,
    done,
    grounds,
    place,
    places,
    refuse_stale,
    return_link,
    rows,
    state_fingerprint,
    trust,
    undo,
)
from memoranda.web.page_request import ALL, LIMIT, PageRequest
from memoranda.web.pages import learnings
from memoranda.web.registry import acts, reads

PAGE = learnings.PAGE
WORDS: Mapping[str, tuple[str, str]] = {
    "archive": ("Archive it?", "Archive"),
    "promote": ("Apply it to the whole team?", "Promote"),
    "demote": ("Limit it to one workspace?", "Demote"),
}
"""Question before each change, and the label of its button."""
SEARCHED = 200
"""Newest proposals that are searched for that of a memory."""


def shown(asked: PageRequest) -> Answer:
    """Show all that is known of a memory."""
    detail = asked.call("memories.show", id=asked.named["id"])
    memory, names = detail["memory"], places(asked)
    values = {
        "detail": detail,
        "memory": memory,
        "place": place(memory, names),
        "seen": state_fingerprint(memory),
        "in_profile": _in_profile(memory),
        "cost": memory["tokens"] + OVERHEAD,
        "evidence": grounds(asked, detail["evidence"]),
        "links": [{**one, "trust": trust(one["memory"])} for one in detail["links"]],
        "history": _history(asked, memory, names),
        "proposal": _proposal(asked, memory) if memory["status"] == "pending" else "",
    }
    return View("learning.html", values)


def _proposal(asked: PageRequest, memory: MemoryData) -> str:
    """Return the proposal that would approve a pending memory; empty if it is not among the
    newest."""
    if not asked.may("proposals.list"):
        return ""
    found = asked.call("proposals.list", workspace=memory["workspace"], limit=SEARCHED)["items"]
    return next((one["id"] for one in found if one["memory"] == memory["id"]), "")


def _in_profile(memory: MemoryData) -> bool:
    holds = memory["status"] == "approved" and memory["valid_until"] is None
    return holds and memory["category"] in CATEGORIES


def _history(asked: PageRequest, memory: MemoryData, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the changes of a memory, newest first, with before and after."""
    id = memory["id"]
    page = asked.call("memories.history", id=id, cursor=asked.cursor, limit=LIMIT)
    after = memory
    if asked.cursor and page["items"]:
        above = asked.call("memories.history", id=id, cursor=str(int(asked.cursor) + 1), limit=1)
        after = above["items"][0]["state"]
    return {**page, "items": changes(page["items"], after, names)}


def changes(
    versions: Sequence[MemoryData], after: MemoryData, names: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return versions, newest first, each with the state after its change.

    ``after`` is what the newest of them became.
    """
    found = []
    for one in versions:
        before = one["state"]
        marks = differing(before, after, names)
        found.append(
            {**one, "before": before["content"], "after": after["content"], "marks": marks}
        )
        after = before
    return found


def edit(asked: PageRequest) -> Answer:
    """Show the form for changing a memory."""
    memory = asked.call("memories.show", id=asked.named["id"])["memory"]
    of_profile = asked.text("back") == "profile"
    values = {
        "memory": memory,
        "seen": state_fingerprint(memory),
        "back": asked.text("back"),
        "to": return_link(asked, memory["id"]),
        "categories": [one.value for one in (CATEGORIES if of_profile else Category)],
    }
    return View("learning-edit.html", values)


def edited(asked: PageRequest) -> Answer:
    """Change a memory by the form; unchanged fields are left alone."""
    memory = asked.call("memories.evidence", id=asked.named["id"])["memory"]
    refuse_stale(asked, memory)
    wanted = wished(asked, memory)
    if not wanted:
        return Done(return_link(asked, memory["id"]), "Nothing changed.", warn=True)
    operation = "profile.edit" if asked.text("back") == "profile" else "memories.edit"
    changed = asked.call(
        operation, id=memory["id"], edit=wanted, reason=asked.text("reason").strip()
    )
    freed = memory["tokens"] - changed["memory"]["tokens"]
    size = counted(abs(freed), "token")
    told = f"Changed; {size} {'less' if freed > 0 else 'more'}." if freed else ""
    return done(asked, changed, told or "Changed.")


def wished(asked: PageRequest, memory: MemoryData) -> dict[str, Any]:
    """Return the fields of a filled-in form that differ from the memory."""
    content = asked.text("content").replace("\r\n", "\n").strip()
    given: dict[str, Any] = {
        "title": asked.text("title").strip(),
        "content": content,
        "category": asked.text("category"),
        "tags": learnings.split_tags(asked.text("tags")),
        "critical": asked.ticked("critical"),
        "protected": asked.ticked("protected"),
    }
    times = {name: asked.text(name).strip() for name in ("valid_from", "valid_until")}
    given |= {name: said for name, said in times.items() if said and not _same(memory, name, said)}
    if "title" not in asked.form or given["title"] == memory["title"]:
        del given["title"]  # one that was never given follows from the content
    return {name: value for name, value in given.items() if memory[name] != value}


def _same(memory: MemoryData, name: str, said: str) -> bool:
    """Return whether a field is unchanged.

    Form fields leave the seconds out.
    """
    return bool(memory[name]) and said.rstrip("Z")[:16] == memory[name][:16]


def mark(asked: PageRequest) -> Answer:
    """Set or clear the critical or protected mark of a memory."""
    what, on = asked.text("mark"), asked.text("on") == "yes"
    if what not in ("critical", "protected"):
        raise InvalidInput("a mark must be critical or protected")
    wanted = {what: on}
    operation = "profile.edit" if asked.text("back") == "profile" else "memories.edit"
    changed = asked.call(operation, id=asked.named["id"], edit=wanted)
    return done(asked, changed, f"Marked as {what}." if on else f"No longer marked as {what}.")


def archive(asked: PageRequest) -> Answer:
    """Ask for confirmation before a memory is archived."""
    memory = asked.call("memories.evidence", id=asked.named["id"])["memory"]
    facts = [
        "Contexts and searches no longer include it.",
        "It is kept with its history and can be restored.",
    ]
    if _in_profile(memory):
        facts.insert(1, f"The profile has {memory['tokens'] + OVERHEAD:,} more free tokens.")
    return _weighed(asked, "archive", memory, facts)


def archived(asked: PageRequest) -> Answer:
    """Archive a memory."""
    operation = "profile.remove" if asked.text("back") == "profile" else "memories.archive"
    changed = asked.call(operation, id=asked.named["id"], reason=asked.text("reason").strip())
    return done(asked, changed, "Archived: it is no longer in contexts.")


def promote(asked: PageRequest) -> Answer:
    """Ask for confirmation before a memory becomes valid for the whole team."""
    memory = asked.call("memories.evidence", id=asked.named["id"])["memory"]
    facts = ["Every workspace of the team will include it."]
    if _in_profile(memory):
        facts.append("It uses tokens in the profile of every workspace and must fit in each.")
    return _weighed(asked, "promote", memory, facts)


def promoted(asked: PageRequest) -> Answer:
    """Make a memory valid for the whole team."""
    changed = asked.call(
        "memories.promote", id=asked.named["id"], reason=asked.text("reason").strip()
    )
    return done(asked, changed, "It now applies to the whole team.")


def demote(asked: PageRequest) -> Answer:
    """Ask for confirmation before a memory is limited to one workspace."""
    memory = asked.call("memories.evidence", id=asked.named["id"])["memory"]
    facts = ["Other workspaces will no longer include it."]
    return _weighed(asked, "demote", memory, facts)


def demoted(asked: PageRequest) -> Answer:
    """Limit a memory of the team to one workspace."""
    where = asked.text("place")
    changed = asked.call(
        "memories.demote",
        id=asked.named["id"],
        workspace=where,
        reason=asked.text("reason").strip(),
    )
    return done(asked, changed, f"It now applies to {where} only.")


def _weighed(asked: PageRequest, what: str, memory: MemoryData, facts: Sequence[str]) -> View:
    question, label = WORDS[what]
    names = places(asked)
    chosen = asked.text("workspace")
    values = {
        "what": what,
        "question": question,
        "label": label,
        "memory": memory,
        "place": place(memory, names),
        "facts": facts,
        "places": sorted(names.values()) if what == "demote" else (),
        "chosen": "" if chosen == ALL else chosen,
        "back": asked.text("back"),
        "to": return_link(asked, memory["id"]),
    }
    return View("learning-weigh.html", values)


def supersede(asked: PageRequest) -> Answer:
    """Show the effect on two memories if one replaces the other."""
    old = asked.call("memories.evidence", id=asked.named["id"])["memory"]
    by = asked.text("by").strip()
    if not by:
        raise InvalidInput("enter the id of the replacing memory; its page shows the id")
    new = asked.call("memories.evidence", id=by)["memory"]
    names = places(asked)
    values = {
        "sides": rows((old, new), names),
        "since": new["valid_from"] or new["created_at"],
        "back": asked.text("back"),
        "to": return_link(asked, old["id"]),
    }
    return View("learning-supersede.html", values)


def superseded(asked: PageRequest) -> Answer:
    """Replace one memory by another."""
    changed = asked.call(
        "memories.supersede",
        old=asked.named["id"],
        new=asked.text("by"),
        reason=asked.text("reason").strip(),
    )
    return done(asked, changed, "The newer memory replaces it; the older one stays readable.")


def restore(asked: PageRequest) -> Answer:
    """Show the effect of restoring a version of a memory."""
    memory = asked.call("memories.show", id=asked.named["id"])["memory"]
    number = _version(asked)
    found = asked.call("memories.history", id=memory["id"], cursor=str(number + 1), limit=1)[
        "items"
    ]
    if not found or found[0]["version"] != number:
        raise NotFound(f"the memory has no version {number}; its page lists the versions")
    values = {
        "memory": memory,
        "version": found[0],
        "marks": differing(memory, found[0]["state"], places(asked)),
        "back": asked.text("back"),
        "to": return_link(asked, memory["id"]),
    }
    return View("learning-restore.html", values)


def restored(asked: PageRequest) -> Answer:
    """Restore a version of a memory."""
    memory = asked.call(
        "memories.restore",
        id=asked.named["id"],
        version=_version(asked),
        reason=asked.text("reason").strip(),
    )
    to, id = return_link(asked, memory["id"]), memory["id"]
    return Done(to, f"Restored to version {_version(asked)}.", undo(asked, id))


def _version(asked: PageRequest) -> int:
    number = asked.number("version")
    if number is None:
        raise InvalidInput("select a version to restore")
    return number


ROUTES = (
    reads("/learnings/{id}", shown),
    reads("/learnings/{id}/edit", edit),
    acts("/learnings/{id}/edit", edited),
    acts("/learnings/{id}/mark", mark),
    reads("/learnings/{id}/archive", archive),
    acts("/learnings/{id}/archive", archived),
    reads("/learnings/{id}/promote", promote),
    acts("/learnings/{id}/promote", promoted),
    reads("/learnings/{id}/demote", demote),
    acts("/learnings/{id}/demote", demoted),
    reads("/learnings/{id}/supersede", supersede),
    acts("/learnings/{id}/supersede", superseded),
    reads("/learnings/{id}/restore", restore),
    acts("/learnings/{id}/restore", restored),
)
