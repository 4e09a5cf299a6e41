"""Profile page: the memories in every context, and their tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from memoranda.exceptions import InvalidInput
from memoranda.memories.model import Category
from memoranda.profile.model import CATEGORIES, CROWDED, OVERHEAD
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.memory_changes import MemoryData, place, places, remembered_text
from memoranda.web.page_request import ALL, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, acts, reads

PAGE = MenuPage("/profile", "Profile", MenuGroup.KNOWLEDGE, 1, styles=("profile.css",))
ENTRIES = 50
"""Entries on one page; the whole of a profile has 500 at most."""
MOST_MERGED = 20
TITLES: Mapping[str, tuple[str, str]] = {
    Category.USER_PREFERENCE: ("User preferences", "how you want things done"),
    Category.PROJECT_PATTERN: ("Project patterns", "how this project does things"),
    Category.LEARNED_RULE: ("Learned rules", "learned from corrections and rejections"),
    Category.DOMAIN_KNOWLEDGE: ("Domain knowledge", "facts about the subject"),
    Category.COMMUNICATION_STYLE: ("Communication style", "how to talk to you"),
}
"""Name of each category, and what belongs there."""


def shown(asked: PageRequest) -> Answer:
    """Show the profile of a workspace, or of the whole team."""
    found = asked.call(
        "profile.show", workspace=asked.workspace, cursor=asked.cursor, limit=ENTRIES
    )
    values = {
        "profile": found,
        "crowded": found["used"] >= CROWDED * found["limit"],
        "sections": sections(found["memories"]["items"], found["categories"], places(asked)),
        "of_team": found["workspace"] is None,
        "choices": [(one, TITLES[one][0]) for one in CATEGORIES],
    }
    return View("profile.html", values)


def sections(
    entries: Sequence[MemoryData], tokens: Mapping[str, int], names: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the five categories, each with its tokens and entries.

    The entries are those of this page.
    """
    return [
        {
            "category": category.value,
            "title": TITLES[category][0],
            "about": TITLES[category][1],
            "tokens": tokens.get(category, 0),
            "entries": [
                {**one, "cost": one["tokens"] + OVERHEAD, "place": place(one, names)}
                for one in entries
                if one["category"] == category
            ],
        }
        for category in CATEGORIES
    ]


def add(asked: PageRequest) -> Answer:
    """Add an entry to the profile."""
    began = asked.now
    memory = asked.call(
        "profile.add",
        content=asked.text("content"),
        category=asked.text("category") or None,
        workspace=None if asked.workspace == ALL else asked.workspace,
        protected=asked.ticked("protected"),
    )
    told = f"In the profile, for {memory['tokens'] + OVERHEAD:,} tokens."
    return remembered_text(asked, memory, asked.link("/profile"), began, told)


def agent_file(asked: PageRequest) -> Answer:
    """Show the profile as agents read it."""
    text = asked.call("profile.agent-file", workspace=asked.workspace)
    entries = asked.call("profile.show", workspace=asked.workspace, limit=1)["entries"]
    return View("profile-file.html", {"text": text if entries else ""})


def merge(asked: PageRequest) -> Answer:
    """Ask for confirmation before entries are merged."""
    ids = list(dict.fromkeys(asked.texts("id")))
    if not 2 <= len(ids) <= MOST_MERGED:
        raise InvalidInput(f"select 2 to {MOST_MERGED} entries to merge")
    found = [asked.call("memories.evidence", id=id)["memory"] for id in ids]
    return View("profile-merge.html", {"memories": found})


def merged(asked: PageRequest) -> Answer:
    """Merge entries: the first gets the text of all of them."""
    change = asked.call("profile.merge", ids=list(asked.texts("id")))
    freed = sum(step["freed"] for one in change["suggestions"] for step in one["steps"])
    told = f"Merged: {freed:,} tokens freed. The other entries are archived."
    undo = Undo(f"/profile/history/{change['id']}/undo")
    return Done(asked.link("/profile"), told, undo)


ROUTES = (
    reads("/profile", shown),
    acts("/profile", add),
    reads("/profile/agent-file", agent_file),
    reads("/profile/merge", merge),
    acts("/profile/merge", merged),
)
