"""Importer of basic-memory: a folder of notes in Markdown.

A note has front matter with a permalink, prose, observations (``- [category] text #tag (context)``)
and relations (``- type [[Target]]``). Observations and relations are recognised anywhere in the
text, as in basic-memory itself. Source: ``NOTE-FORMAT.md`` of basic-memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memoranda.archive.other_system_records import ImportedMemory
from memoranda.integrations.imports.front_matter import FrontMatter, split_front_matter
from memoranda.integrations.imports.imported_items import TAGS, ImportContext, ImportedItem, parts
from memoranda.integrations.imports.markdown import NotePage, comment_free, pages
from memoranda.language.prose import FENCE_LINE
from memoranda.memories.model import Category
from memoranda.text import clip, one_line

EXAMINED = 50
"""Maximum number of notes that are read to detect the format."""
_OBSERVATION = re.compile(
    r"[-*]\s+\[(?!(?:[xX]|[^\w\]\u0080-\U0010ffff])?\])(?P<category>[^\[\]()]{1,60})\](?!\()\s+(?P<text>\S.*)"
)
"""A list item with a category that is neither a task nor a link."""
_RELATION = re.compile(
    r"[-*]\s+(?P<type>[^\[\]]{0,80}?)\s*\[\[(?P<target>[^\[\]]+)\]\]\s*(?P<context>\(.*\))?"
)
_HEADING = re.compile(r"#{1,6}\s+(.+?)\s*#*$")
_TAG = re.compile(r"(?<!\S)#([\w/-]+)")
_CATEGORIES = {
    "decision": Category.DECISION,
    "pattern": Category.PATTERN,
    "problem": Category.TROUBLESHOOTING,
    "solution": Category.TROUBLESHOOTING,
}


@dataclass(frozen=True, slots=True)
class NotePart:
    """One statement of a note: an observation, a relation or a paragraph."""

    kind: str
    text: str
    tags: tuple[str, ...] = ()
    category: Category = Category.INSIGHT


def is_notes(path: Path) -> bool:
    """Return whether Markdown consists of basic-memory notes.

    Most of the first notes must have a permalink, and at least one note an observation or a
    relation.
    """
    first = islice(pages(path, ImportContext()), EXAMINED)
    notes = [split_front_matter(note.text) for note in first]
    named = [any(tag.startswith("permalink:") for tag in front.tags) for front, _ in notes]
    return sum(named) * 2 > len(notes) and any(_has_statements(body) for _, body in notes)


def _has_statements(body: str) -> bool:
    return any(_stated(line.strip(), "") for line in body.split("\n"))


def read(path: Path, reading: ImportContext) -> Iterator[ImportedItem]:
    """Yield a memory for each observation, relation and paragraph of notes."""
    for page in pages(path, reading):
        front, body = split_front_matter(page.text)
        title = front.title or page.path.stem
        numbers = Counter[tuple[str, str]]()
        for part in _note_parts(body, title):
            numbers[part.kind, part.text] += 1
            number = numbers[part.kind, part.text]
            yield from parts(_memory(page, front, title, part, f"{part.text}\0{number}"))
        if not numbers:
            reading.skip("a note without a text")


def _memory(
    page: NotePage, front: FrontMatter, title: str, part: NotePart, name: str
) -> ImportedMemory:
    tags = (*part.tags, *front.tags, f"file:{clip(page.name, 70)}")
    heading = part.text if part.kind == "relation" else f"{title}: {part.text}"
    return ImportedMemory(
        key=f"{page.workspace}\0{page.name}\0{part.kind}\0{name}",
        content=part.text,
        title=clip(one_line(heading), 110),
        category=part.category,
        tags=tuple(dict.fromkeys(tags))[:TAGS],
        workspace=page.workspace,
        created_at=front.created_at or page.written_at,
        updated_at=front.updated_at or page.written_at,
    )


def _note_parts(body: str, title: str) -> Iterator[NotePart]:
    """Yield the statements of a note in order; fenced text is one paragraph."""
    paragraph: list[str] = []
    fence = ""
    for line in [*comment_free(body).split("\n"), ""]:
        mark = FENCE_LINE.match(line)
        opened, fence = fence, _fence_after(mark, fence)
        part = None if opened or mark else _stated(line.strip(), title)
        ends = not (opened or mark) and (not line.strip() or _HEADING.match(line))
        if not (part or ends):
            paragraph.append(line)
            continue
        if text := "\n".join(paragraph).strip():
            yield NotePart("text", text)
        paragraph = []
        if part:
            yield part
    if text := "\n".join(paragraph).strip():  # a fence without an end
        yield NotePart("text", text)


def _fence_after(mark: re.Match[str] | None, fence: str) -> str:
    """Return the marker of the code fence that is open after a line."""
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1].startswith(fence) else fence


def _stated(line: str, title: str) -> NotePart | None:
    """Return the observation or relation that a line contains."""
    if match := _OBSERVATION.fullmatch(line):
        category = one_line(match["category"]).lower()
        tags = (f"category:{category}", *_TAG.findall(match["text"]))
        known = _CATEGORIES.get(category, Category.INSIGHT)
        return NotePart("observation", match["text"].strip(), tags, known)
    if match := _RELATION.fullmatch(line):
        relation = one_line(match["type"]).strip(" :\"'") or "links to"
        text = f"{title} {relation.replace('_', ' ')} {match['target'].partition('|')[0].strip()}"
        return NotePart(
            "relation", f"{text} {match['context'] or ''}".strip(), (f"relation:{relation}",)
        )
    return None
