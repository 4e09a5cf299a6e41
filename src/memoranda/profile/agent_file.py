"""The profile as a file that people and agents read."""

from __future__ import annotations

from collections.abc import Iterable

from memoranda.memories.model import Category, Memory
from memoranda.text import one_line

HEADINGS = {
    Category.USER_PREFERENCE: "User preferences",
    Category.PROJECT_PATTERN: "Project patterns",
    Category.LEARNED_RULE: "Learned rules",
    Category.DOMAIN_KNOWLEDGE: "Domain knowledge",
    Category.COMMUNICATION_STYLE: "Communication style",
}
"""The categories of the profile, in the order in which they are told."""


def agent_file(memories: Iterable[Memory]) -> str:
    """Return memories of the profile as Markdown, by category, each on one line in the order
    given; those of other categories are left out."""
    told = list(memories)
    parts = ["# Agent memory"]
    for category, heading in HEADINGS.items():
        lines = [f"- {one_line(one.content)}" for one in told if one.category is category]
        if lines:
            parts.append("\n".join([f"## {heading}", "", *lines]))
    return "\n\n".join(parts) + "\n"
