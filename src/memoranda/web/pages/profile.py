"""Profile page: the memories in every context, and their tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memoranda.exceptions import InvalidInput
from memoranda.memories.model import Category
from memoranda.profile.model import CATEGORIES, CROWDED, OVERHEAD
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.memory_views import MemoryData, place, places, remembered_text
from memoranda.web.page_request import ALL, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, acts, reads

PAGE = MenuPage("/profile", "Profile", MenuGroup.KNOWLEDGE, 1, styles=("profile.css",))
ENTRIES = 50
"""Number of entries per page; a profile has at most 500 entries."""
MAX_MERGED = 20
TITLES: Mapping[str, tuple[str, str]] = {
    Category.USER_PREFERENCE: ("User preferences", "how you want things done"),
    Category.PROJECT_PATTERN: ("Project patterns", "how this project does things"),
    Category.LEARNED_RULE: ("Learned rules", "learned from corrections and rejections"),
    Category.DOMAIN_KNOWLEDGE: ("Domain knowledge", "facts about the subject"),
    Category.COMMUNICATION_STYLE: ("Communication style", "how to talk to you"),
}
"""Name of each category, and what belongs to it."""


def shown(request: PageRequest) -> Answer:
    """Show the profile of a workspace, or of the whole team."""
    found = request.call(
        "profile.show", workspace=request.workspace, cursor=request.cursor, limit=ENTRIES
    )
    values = {
        "profile": found,
        "crowded": found["used"] >= CROWDED * found["limit"],
        "sections": sections(found["memories"]["items"], found["categories"], places(request)),
        "of_team": found["workspace"] is None,
        "choices": [(category, TITLES[category][0]) for category in CATEGORIES],
    }
    return View("profile.html", values)


def sections(
    entries: Sequence[MemoryData], tokens: Mapping[str, int], names: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the five categories, with their tokens and entries."""
    return [
        {
            "category": category.value,
            "title": TITLES[category][0],
            "about": TITLES[category][1],
            "tokens": tokens.get(category, 0),
            "entries": [
                {**entry, "cost": entry["tokens"] + OVERHEAD, "place": place(entry, names)}
                for entry in entries
                if entry["category"] == category
            ],
        }
        for category in CATEGORIES
    ]


def add(request: PageRequest) -> Answer:
    """Add an entry to the profile."""
    began = request.now
    memory = request.call(
        "profile.add",
        content=request.text("content"),
        category=request.text("category") or None,
        workspace=None if request.workspace == ALL else request.workspace,
        protected=request.ticked("protected"),
    )
    message = f"In the profile, for {memory['tokens'] + OVERHEAD:,} tokens."
    return remembered_text(request, memory, request.link("/profile"), began, message)


def agent_file(request: PageRequest) -> Answer:
    """Show the profile as agents read it."""
    text = request.call("profile.agent-file", workspace=request.workspace)
    entries = request.call("profile.show", workspace=request.workspace, limit=1)["entries"]
    return View("profile-file.html", {"text": text if entries else ""})


def merge(request: PageRequest) -> Answer:
    """Ask for confirmation before entries are merged."""
    ids = list(dict.fromkeys(request.texts("id")))
    if not 2 <= len(ids) <= MAX_MERGED:
        raise InvalidInput(f"select 2 to {MAX_MERGED} entries to merge")
    found = [request.call("memories.evidence", id=id)["memory"] for id in ids]
    return View("profile-merge.html", {"memories": found})


def merged(request: PageRequest) -> Answer:
    """Merge entries into the first one."""
    change = request.call("profile.merge", ids=list(request.texts("id")))
    freed = sum(step["freed"] for item in change["suggestions"] for step in item["steps"])
    message = f"Merged: {freed:,} tokens freed. The other entries are archived."
    undo = Undo(f"/profile/history/{change['id']}/undo")
    return Done(request.link("/profile"), message, undo)


ROUTES = (
    reads("/profile", shown),
    acts("/profile", add),
    reads("/profile/agent-file", agent_file),
    reads("/profile/merge", merge),
    acts("/profile/merge", merged),
)
