"""File layout of a mirror: paths, pages and the position of a memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memoranda.json_data import JsonValue, dump_json
from memoranda.memories.model import Category
from memoranda.mirror.folder import TOP, digest
from memoranda.mirror.model import FileKind
from memoranda.text import one_line

GLOBAL = f"{TOP}/Global"
PROJECTS = f"{TOP}/Projects"
EXECUTION = f"{TOP}/Execution"
TASKS = f"{TOP}/Tasks"
PENDING = f"{TOP}/Pending"
INDEX = f"{TOP}/Index"

ENTRIES = 100
"""Maximum number of entries per page."""
PAGE_CHARACTERS = 1_000_000

_NUMBER = re.compile(r"-[0-9]{1,6}$")


@dataclass(frozen=True, slots=True)
class PageKind:
    """Kind of entry file that every workspace has."""

    name: str
    title: str
    categories: tuple[Category, ...]
    """Categories of the memories in the file; entries added by people get the first category."""


PAGES = (
    PageKind("patterns", "Patterns", (Category.PATTERN, Category.PROJECT_PATTERN)),
    PageKind("anti-patterns", "Anti-patterns", (Category.ANTI_PATTERN,)),
    PageKind("decisions", "Decisions", (Category.DECISION,)),
    PageKind("references", "References", (Category.DOMAIN_KNOWLEDGE,)),
    PageKind(
        "learnings",
        "Learnings",
        (
            Category.INSIGHT,
            Category.LEARNED_RULE,
            Category.TROUBLESHOOTING,
            Category.USER_PREFERENCE,
            Category.COMMUNICATION_STYLE,
        ),
    ),
)
PAGE_OF: Mapping[Category, PageKind] = {
    category: page for page in PAGES for category in page.categories
}


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """File with its required content."""

    path: str
    data: bytes
    kind: FileKind = FileKind.MADE
    subject: str = ""
    entries: Mapping[str, str] = field(default_factory=dict)
    """Memories in the file by id, each with the hash of its text."""

    @property
    def hash(self) -> str:
        """Return the SHA-256 of the content."""
        return digest(self.data)


def both(
    path: str,
    text: str,
    data: JsonValue,
    *,
    kind: FileKind = FileKind.MADE,
    subject: str = "",
    entries: Mapping[str, str] | None = None,
) -> Iterator[GeneratedFile]:
    """Yield a Markdown file and the JSON file next to it."""
    all_entries = dict(entries or {})
    yield GeneratedFile(f"{path}.md", text.encode(), kind, subject, all_entries)
    content = (dump_json(data, indent=2) + "\n").encode()
    yield GeneratedFile(f"{path}.json", content, FileKind.MADE, subject, all_entries)


def numbered(name: str, place: int) -> str:
    """Return the name of the n-th file of several files.

    The name of the first file has no number.
    """
    return name if place == 0 else f"{name}-{place + 1}"


def category_at(path: str) -> Category | None:
    """Return the category of new entries in a file; None if it is not a page."""
    base, _, name = path.rpartition("/")
    if base != GLOBAL and base.rpartition("/")[0] != PROJECTS:
        return None
    stem = _NUMBER.sub("", name.removesuffix(".md"))
    categories = (
        page.categories[0] for page in PAGES if page.name == stem and name.endswith(".md")
    )
    return next(categories, None)


def document(title: str, facts: Mapping[str, object], *parts: str) -> str:
    """Return a Markdown document with a title, one fact per line, and parts."""
    fact_lines = "\n".join(f"- **{name}:** {one_line(str(value))}" for name, value in facts.items())
    return "\n\n".join(filter(None, [f"# {one_line(title)}", fact_lines, *parts])) + "\n"


def section(title: str, lines: Sequence[str]) -> str:
    """Return a heading with a list, or "" if the list is empty."""
    return "\n".join([f"## {title}", "", *(f"- {one_line(line)}" for line in lines)]) * bool(lines)


def fenced(text: str) -> str:
    """Return a text as a code block that the text itself cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
