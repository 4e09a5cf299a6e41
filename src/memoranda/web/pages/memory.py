"""Memory page: content, reason, validity, links, versions and changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.memories.model import Category
from memoranda.profile.model import CATEGORIES, OVERHEAD
from memoranda.text import counted
from memoranda.web.answers import Answer, Done, View
from memoranda.web.memory_views import (
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
    "promote": ("Apply the memory to the whole team?", "Promote"),
    "demote": ("Limit the memory to one workspace?", "Demote"),
}
"""Question before each change, and the label of its button."""
SEARCHED = 200
"""Number of newest proposals that are searched for the proposal of a memory."""


def shown(request: PageRequest) -> Answer:
    """Show everything that is known about a memory."""
    detail = request.call("memories.show", id=request.named["id"])
    memory, names = detail["memory"], places(request)
    values = {
        "detail": detail,
        "memory": memory,
        "place": place(memory, names),
        "seen": state_fingerprint(memory),
        "in_profile": _in_profile(memory),
        "cost": memory["tokens"] + OVERHEAD,
        "evidence": grounds(request, detail["evidence"]),
        "links": [{**item, "trust": trust(item["memory"])} for item in detail["links"]],
        "history": _history(request, memory, names),
        "proposal": _proposal(request, memory) if memory["status"] == "pending" else "",
    }
    return View("learning.html", values)


def _proposal(request: PageRequest, memory: MemoryData) -> str:
    """Return the id of the proposal of a pending memory.

    Empty if the proposal is not among the newest ones.
    """
    if not request.may("proposals.list"):
        return ""
    found = request.call("proposals.list", workspace=memory["workspace"], limit=SEARCHED)["items"]
    return next((item["id"] for item in found if item["memory"] == memory["id"]), "")


def _in_profile(memory: MemoryData) -> bool:
    holds = memory["status"] == "approved" and memory["valid_until"] is None
    return holds and memory["category"] in CATEGORIES


def _history(request: PageRequest, memory: MemoryData, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the changes of a memory with both states, newest first."""
    id = memory["id"]
    page = request.call("memories.history", id=id, cursor=request.cursor, limit=LIMIT)
    after = memory
    if request.cursor and page["items"]:
        above = request.call(
            "memories.history", id=id, cursor=str(int(request.cursor) + 1), limit=1
        )
        after = above["items"][0]["state"]
    return {**page, "items": changes(page["items"], after, names)}


def changes(
    versions: Sequence[MemoryData], after: MemoryData, names: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return versions with the state after their changes, newest first.

    ``after`` is the state that followed the newest version.
    """
    result = []
    for version in versions:
        before = version["state"]
        marks = differing(before, after, names)
        result.append(
            {**version, "before": before["content"], "after": after["content"], "marks": marks}
        )
        after = before
    return result


def edit(request: PageRequest) -> Answer:
    """Show the form for changing a memory."""
    memory = request.call("memories.show", id=request.named["id"])["memory"]
    of_profile = request.text("back") == "profile"
    values = {
        "memory": memory,
        "seen": state_fingerprint(memory),
        "back": request.text("back"),
        "to": return_link(request, memory["id"]),
        "categories": [category.value for category in (CATEGORIES if of_profile else Category)],
    }
    return View("learning-edit.html", values)


def edited(request: PageRequest) -> Answer:
    """Change a memory as entered in the form; leave other fields unchanged."""
    memory = request.call("memories.evidence", id=request.named["id"])["memory"]
    refuse_stale(request, memory)
    wanted = wished(request, memory)
    if not wanted:
        return Done(return_link(request, memory["id"]), "Nothing changed.", warn=True)
    operation = "profile.edit" if request.text("back") == "profile" else "memories.edit"
    changed = request.call(
        operation, id=memory["id"], edit=wanted, reason=request.text("reason").strip()
    )
    freed = memory["tokens"] - changed["memory"]["tokens"]
    size = counted(abs(freed), "token")
    message = f"Changed; {size} {'less' if freed > 0 else 'more'}." if freed else ""
    return done(request, changed, message or "Changed.")


def wished(request: PageRequest, memory: MemoryData) -> dict[str, Any]:
    """Return the submitted fields that differ from the memory."""
    content = request.text("content").replace("\r\n", "\n").strip()
    fields: dict[str, Any] = {
        "title": request.text("title").strip(),
        "content": content,
        "category": request.text("category"),
        "tags": learnings.split_tags(request.text("tags")),
        "critical": request.ticked("critical"),
        "protected": request.ticked("protected"),
    }
    times = {name: request.text(name).strip() for name in ("valid_from", "valid_until")}
    fields |= {
        name: value for name, value in times.items() if value and not _same(memory, name, value)
    }
    if "title" not in request.form or fields["title"] == memory["title"]:
        del fields["title"]  # a title that was never set is derived from the content
    return {name: value for name, value in fields.items() if memory[name] != value}


def _same(memory: MemoryData, name: str, text: str) -> bool:
    """Return whether a field is unchanged.

    Times are compared without seconds, which form fields omit.
    """
    return bool(memory[name]) and text.rstrip("Z")[:16] == memory[name][:16]


def mark(request: PageRequest) -> Answer:
    """Set or clear the critical or protected mark of a memory."""
    what, on = request.text("mark"), request.text("on") == "yes"
    if what not in ("critical", "protected"):
        raise InvalidInput("a mark must be critical or protected")
    wanted = {what: on}
    operation = "profile.edit" if request.text("back") == "profile" else "memories.edit"
    changed = request.call(operation, id=request.named["id"], edit=wanted)
    return done(request, changed, f"Marked as {what}." if on else f"No longer marked as {what}.")


def archive(request: PageRequest) -> Answer:
    """Ask for confirmation before a memory is archived."""
    memory = request.call("memories.evidence", id=request.named["id"])["memory"]
    facts = [
        "Contexts and searches will no longer include the memory.",
        "The memory is kept with its history and can be restored.",
    ]
    if _in_profile(memory):
        facts.insert(1, f"The profile has {memory['tokens'] + OVERHEAD:,} more free tokens.")
    return _confirmation(request, "archive", memory, facts)


def archived(request: PageRequest) -> Answer:
    """Archive a memory."""
    operation = "profile.remove" if request.text("back") == "profile" else "memories.archive"
    changed = request.call(operation, id=request.named["id"], reason=request.text("reason").strip())
    return done(request, changed, "Archived: the memory is no longer in contexts.")


def promote(request: PageRequest) -> Answer:
    """Ask for confirmation before a memory applies to the whole team."""
    memory = request.call("memories.evidence", id=request.named["id"])["memory"]
    facts = ["Every workspace of the team will include the memory."]
    if _in_profile(memory):
        facts.append(
            "The memory uses tokens in the profile of every workspace and must fit in each profile."
        )
    return _confirmation(request, "promote", memory, facts)


def promoted(request: PageRequest) -> Answer:
    """Make a memory apply to the whole team."""
    changed = request.call(
        "memories.promote", id=request.named["id"], reason=request.text("reason").strip()
    )
    return done(request, changed, "The memory now applies to the whole team.")


def demote(request: PageRequest) -> Answer:
    """Ask for confirmation before a memory is limited to one workspace."""
    memory = request.call("memories.evidence", id=request.named["id"])["memory"]
    facts = ["Other workspaces will no longer include the memory."]
    return _confirmation(request, "demote", memory, facts)


def demoted(request: PageRequest) -> Answer:
    """Limit a memory of the team to one workspace."""
    where = request.text("place")
    changed = request.call(
        "memories.demote",
        id=request.named["id"],
        workspace=where,
        reason=request.text("reason").strip(),
    )
    return done(request, changed, f"The memory now applies to {where} only.")


def _confirmation(
    request: PageRequest, what: str, memory: MemoryData, facts: Sequence[str]
) -> View:
    question, label = WORDS[what]
    names = places(request)
    chosen = request.text("workspace")
    values = {
        "what": what,
        "question": question,
        "label": label,
        "memory": memory,
        "place": place(memory, names),
        "facts": facts,
        "places": sorted(names.values()) if what == "demote" else (),
        "chosen": "" if chosen == ALL else chosen,
        "back": request.text("back"),
        "to": return_link(request, memory["id"]),
    }
    return View("learning-weigh.html", values)


def supersede(request: PageRequest) -> Answer:
    """Show the effects of one memory replacing another."""
    old = request.call("memories.evidence", id=request.named["id"])["memory"]
    by = request.text("by").strip()
    if not by:
        raise InvalidInput("enter the id of the replacing memory; its page shows the id")
    new = request.call("memories.evidence", id=by)["memory"]
    names = places(request)
    values = {
        "sides": rows((old, new), names),
        "since": new["valid_from"] or new["created_at"],
        "back": request.text("back"),
        "to": return_link(request, old["id"]),
    }
    return View("learning-supersede.html", values)


def superseded(request: PageRequest) -> Answer:
    """Replace one memory with another."""
    changed = request.call(
        "memories.supersede",
        old=request.named["id"],
        new=request.text("by"),
        reason=request.text("reason").strip(),
    )
    return done(
        request, changed, "The newer memory replaces the older one, which remains readable."
    )


def restore(request: PageRequest) -> Answer:
    """Show the effect of restoring a version of a memory."""
    memory = request.call("memories.show", id=request.named["id"])["memory"]
    number = _version(request)
    found = request.call("memories.history", id=memory["id"], cursor=str(number + 1), limit=1)[
        "items"
    ]
    if not found or found[0]["version"] != number:
        raise NotFound(f"the memory has no version {number}; its page lists the versions")
    values = {
        "memory": memory,
        "version": found[0],
        "marks": differing(memory, found[0]["state"], places(request)),
        "back": request.text("back"),
        "to": return_link(request, memory["id"]),
    }
    return View("learning-restore.html", values)


def restored(request: PageRequest) -> Answer:
    """Restore a version of a memory."""
    memory = request.call(
        "memories.restore",
        id=request.named["id"],
        version=_version(request),
        reason=request.text("reason").strip(),
    )
    to, id = return_link(request, memory["id"]), memory["id"]
    return Done(to, f"Restored to version {_version(request)}.", undo(request, id))


def _version(request: PageRequest) -> int:
    number = request.number("version")
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
