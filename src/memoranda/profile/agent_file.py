"""The profile as a Markdown file for people and agents."""

from __future__ import annotations

from collections.abc import Iterable

from memoranda.memories.model import Category, Memory
from memoranda.profile.model import LIMIT, cost
from memoranda.text import one_line

HEADINGS = {
    Category.USER_PREFERENCE: "User preferences",
    Category.PROJECT_PATTERN: "Project patterns",
    Category.LEARNED_RULE: "Learned rules",
    Category.DOMAIN_KNOWLEDGE: "Domain knowledge",
    Category.COMMUNICATION_STYLE: "Communication style",
}
"""Categories of the profile in output order."""


def agent_file(memories: Iterable[Memory]) -> str:
    """Return the profile's memories as Markdown, by category.

    The line below the title states the number of tokens that count towards the limit. Each memory
    is on one line, in the order passed; memories of other categories are left out.
    """
    entries = [item for item in memories if item.category in HEADINGS]
    used = sum(cost(memory) for memory in entries)
    parts = ["# Agent memory", f"*Tokens: {used:,} of {LIMIT:,}*"]
    for category, heading in HEADINGS.items():
        lines = [f"- {one_line(entry.content)}" for entry in entries if entry.category is category]
        if lines:
            parts.append("\n".join([f"## {heading}", "", *lines]))
    return "\n\n".join(parts) + "\n"
