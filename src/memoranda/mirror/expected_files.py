"""Expected mirror files of a team's memories and proposals."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoranda.json_data import JsonValue, as_json, iso_time
from memoranda.memories import table as memories
from memoranda.memories.model import Memory, MemoryStatus, Visibility
from memoranda.memories.table import NEWEST, MemoryFilter
from memoranda.mirror import markdown, table as mirrors
from memoranda.mirror.layout import (
    ENTRIES,
    GLOBAL,
    INDEX,
    PAGE_CHARACTERS,
    PAGE_OF,
    PAGES,
    PENDING,
    PROJECTS,
    GeneratedFile,
    PageKind,
    both,
    document,
    fenced,
    numbered,
    section,
)
from memoranda.mirror.model import FileKind
from memoranda.profile.agent_file import HEADINGS, agent_file
from memoranda.proposals import table as proposals
from memoranda.proposals.model import Proposal, ProposalStatus
from memoranda.store.database import Transaction
from memoranda.text import visible
from memoranda.workspaces import table as workspaces

MAX_NAME_LENGTH = 60
"""Maximum length of a name in characters.

With four bytes per character and a suffix, a name is still below the file systems' limit of 255
bytes.
"""

_UNSAFE = re.compile(r"[^\w.+@=, ()-]")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)", re.IGNORECASE)


def safe_name(name: str) -> str:
    """Return a name that every file system accepts.

    Different names may yield the same result.
    """
    plain = unicodedata.normalize("NFC", visible(name))
    plain = _UNSAFE.sub("-", plain)[:MAX_NAME_LENGTH].strip(". -")
    if not plain:
        return "unnamed"
    return f"_{plain}" if _RESERVED.match(plain) else plain


def folded(name: str) -> str:
    """Return a name normalised for case-insensitive file systems."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def folder_names(named: Mapping[str, str]) -> dict[str, str]:
    """Return a distinct folder name for each item, by id.

    ``named`` maps ids to names, with the oldest id first. If several items would have the same
    folder name, the first one gets the name and the others get a suffix from their ids.
    """
    taken: set[str] = set()
    result: dict[str, str] = {}
    for id, name in sorted(named.items()):
        plain = safe = safe_name(name)
        suffix = id
        while folded(plain) in taken:
            suffix = hashlib.sha256(suffix.encode()).hexdigest()
            plain = f"{safe}-{suffix[:8]}"
        taken.add(folded(plain))
        result[id] = plain
    return result


AT_ONCE = 500
"""Number of memories that are read at once."""
WAITING = 200
"""Maximum number of proposals shown."""
INDEXED = 1_000
"""Number of lines per index file."""


@dataclass(frozen=True, slots=True)
class MirrorPlace:
    """Folder of a workspace, or of the memories that apply to all workspaces."""

    id: str | None
    name: str
    folder: str


def approved(tx: Transaction, team: str) -> list[Memory]:
    """Return the approved, current, non-private memories, oldest first."""
    found: list[Memory] = []
    before, where = NEWEST, MemoryFilter(status=MemoryStatus.APPROVED)
    while page := memories.listed(tx, team, where, before=before, limit=AT_ONCE):
        found += page
        before = page[-1].id
    return [memory for memory in found[::-1] if memory.visibility is not Visibility.AGENT]


def places(tx: Transaction, team: str) -> list[MirrorPlace]:
    """Return the locations of memories, each with a separate folder."""
    found_workspaces = [workspaces.by_id(tx, team, id) for id in workspaces.ids(tx, team)]
    named = {workspace.id: workspace.name for workspace in found_workspaces if workspace}
    names = folder_names(named)
    shared = MirrorPlace(None, "every workspace", GLOBAL)
    return [shared, *(MirrorPlace(id, named[id], f"{PROJECTS}/{names[id]}") for id in named)]


def bank(tx: Transaction, team: str) -> Iterator[GeneratedFile]:
    """Yield the files of all memories and proposals."""
    all_memories = approved(tx, team)
    versions: dict[str, int] = {}
    for at in range(0, len(all_memories), AT_ONCE):
        ids = [all_memory.id for all_memory in all_memories[at : at + AT_ONCE]]
        versions |= mirrors.versions(tx, team, ids)
    all_places = places(tx, team)
    by_place: dict[str | None, list[Memory]] = {mirror_place.id: [] for mirror_place in all_places}
    for memory in all_memories:
        by_place.setdefault(memory.workspace, []).append(memory)
    where: dict[str, str] = {}
    for all_place in all_places:
        for file in _place_files(all_place, by_place[all_place.id], by_place[None], versions):
            yield file
            if file.kind is FileKind.PAGE:
                where |= dict.fromkeys(file.entries, file.path)
    yield from _index(all_memories, where)
    yield from _pending(proposals.listed(tx, team, None, None, ProposalStatus.PENDING,
                                         limit=WAITING))  # fmt: skip


def _place_files(
    place: MirrorPlace, own: Sequence[Memory], shared: Sequence[Memory], versions: Mapping[str, int]
) -> Iterator[GeneratedFile]:
    for page in PAGES:
        page_memories = [memory for memory in own if PAGE_OF[memory.category] is page]
        for at, part in enumerate(_parts(page_memories)):
            yield from _page(place, page, at, part, versions)
    page_entries = [*shared, *(own if place.id else ())]
    profile = {entry.id: "" for entry in page_entries if entry.category in HEADINGS}
    yield GeneratedFile(
        f"{place.folder}/agent.md",
        agent_file(page_entries).encode(),
        FileKind.MADE,
        place.id or "",
        profile,
    )
    yield from _overview(place, own)


def _parts(memories_shown: Sequence[Memory]) -> Iterator[list[Memory]]:
    """Split a location's memories into files.

    There is always at least one file, so that a person can write into the file.
    """
    part: list[Memory] = []
    size = 0
    for memory in memories_shown:
        if part and (len(part) == ENTRIES or size + len(memory.content) > PAGE_CHARACTERS):
            yield part
            part, size = [], 0
        part.append(memory)
        size += len(memory.content)
    yield part


def _page(
    place: MirrorPlace,
    page: PageKind,
    at: int,
    memories_shown: Sequence[Memory],
    versions: Mapping[str, int],
) -> Iterator[GeneratedFile]:
    numbers = {memory.id: versions.get(memory.id, 0) + 1 for memory in memories_shown}
    entries = [markdown.rendered(o.title, o.content, o.id, numbers[o.id]) for o in memories_shown]
    data: JsonValue = {
        "workspace": place.name if place.id else None,
        "memories": [_fields(item, numbers[item.id]) for item in memories_shown],
    }
    yield from both(
        f"{place.folder}/{numbered(page.name, at)}",
        markdown.page(f"{page.title}: {place.name}", entries),
        data,
        kind=FileKind.PAGE,
        subject=place.id or "",
        entries={one.id: markdown.hash_of(one.title, one.content) for one in memories_shown},
    )


def _fields(memory: Memory, version: int) -> JsonValue:
    fields = as_json(memory)
    assert isinstance(fields, dict)
    left = ("team", "agent", "uses", "last_used")  # these fields change without a new version
    return {name: value for name, value in fields.items() if name not in left} | {
        "version": version
    }


def _overview(place: MirrorPlace, own: Sequence[Memory]) -> Iterator[GeneratedFile]:
    counts = {page.name: sum(PAGE_OF[memory.category] is page for memory in own) for page in PAGES}
    critical = [memory for memory in own if memory.critical]
    facts = {page.title: f"{counts[page.name]} in {page.name}.md" for page in PAGES}
    lines = [one.title for one in critical[:ENTRIES]]
    yield from both(
        f"{place.folder}/overview",
        document(f"Overview: {place.name}", facts, section("Critical memories", lines)),
        {
            "workspace": place.name if place.id else None,
            "memories": dict(counts),
            "critical": [item.id for item in critical[:ENTRIES]],
        },
        subject=place.id or "",
        entries={one.id: "" for one in critical[:ENTRIES]},
    )


def _index(memories_shown: Sequence[Memory], where: Mapping[str, str]) -> Iterator[GeneratedFile]:
    for at in range(0, max(1, len(memories_shown)), INDEXED):
        part = memories_shown[at : at + INDEXED]
        rows: list[JsonValue] = [
            {
                "id": one.id,
                "title": one.title,
                "category": one.category.value,
                "tags": list(one.tags),
                "file": where.get(one.id, ""),
            }
            for one in part
        ]
        lines = [f"{one.title} ({one.category}, {where.get(one.id, '')})" for one in part]
        yield from both(
            f"{INDEX}/{numbered('memories', at // INDEXED)}",
            document("Memories", {"count": len(part)}, section("All", lines)),
            {"memories": rows},
            entries={one.id: "" for one in part},
        )
    yield from _groups("tags", {item.id: list(item.tags) for item in memories_shown})
    yield from _groups(
        "categories", {memory.id: [memory.category.value] for memory in memories_shown}
    )


def _groups(name: str, of: Mapping[str, Sequence[str]]) -> Iterator[GeneratedFile]:
    """Yield the index of memories by tags or by categories."""
    groups: dict[str, list[JsonValue]] = {}
    for id, words in of.items():
        for word in words:
            groups.setdefault(word, []).append(id)
    lines = [f"{word}: {len(groups[word])}" for word in sorted(groups)[:INDEXED]]
    data: dict[str, JsonValue] = {word: groups[word] for word in sorted(groups)[:INDEXED]}
    text = document(name.capitalize(), {"count": len(groups)}, section("Memories of each", lines))
    entries = dict.fromkeys(of, "") if name == "tags" else {}
    yield from both(f"{INDEX}/{name}", text, {name: data}, entries=entries)


def _pending(waiting: Sequence[Proposal]) -> Iterator[GeneratedFile]:
    for proposal in waiting:
        if Visibility.AGENT in (proposal.before.visibility, proposal.after.visibility):
            continue
        facts = {
            "Change": proposal.kind,
            "Memory": proposal.memory,
            "By": proposal.author,
            "Since": iso_time(proposal.created_at),
            "Reason": proposal.reason or "none given",
            "Decide": f"memoranda pending show {proposal.id}",
        }
        now, then = (
            f"## {title}\n\n" + fenced(f"{state.title}\n\n{state.content}")
            for title, state in (("Now", proposal.before), ("Then", proposal.after))
        )
        yield from both(
            f"{PENDING}/{iso_time(proposal.created_at)[:10]}-{proposal.kind}-{proposal.id}",
            document(f"{proposal.kind.capitalize()}: {proposal.after.title}", facts, now, then),
            {"proposal": as_json(proposal), "hash": proposal.hash},
            subject=proposal.memory,
            entries={proposal.memory: ""},
        )
