"""Text output for a single memory."""

from __future__ import annotations

from collections.abc import Iterator

from memoranda.cli.output import day, pairs
from memoranda.memories.link_model import LinkedMemory, LinkKind, MemoryDetail
from memoranda.memories.model import Memory

_INWARD = {
    LinkKind.RELATED: "related to",
    LinkKind.PARENT: "whole of",
    LinkKind.CONTRADICTS: "contradicted by",
    LinkKind.SUPERSEDES: "superseded by",
}
_OUTWARD = {
    LinkKind.RELATED: "related to",
    LinkKind.PARENT: "part of",
    LinkKind.CONTRADICTS: "contradicts",
    LinkKind.SUPERSEDES: "supersedes",
}


def span(memory: Memory) -> str:
    """Describe the period in which a memory is valid; empty if always."""
    since = f"since {day(memory.valid_from)}" if memory.valid_from is not None else ""
    until = f"until {day(memory.valid_until)}" if memory.valid_until is not None else ""
    return " ".join(filter(None, (since, until)))


def described(found: MemoryDetail) -> str:
    """Describe everything known of a memory."""
    memory = found.memory
    shown: dict[str, object] = {
        "id": memory.id,
        "category": f"{memory.category} ({memory.kind}, {memory.status})",
        "tags": ", ".join(memory.tags) or "none",
        "said by": f"{memory.origin} ({memory.source}), trusted as {found.trust},"
        f" confidence {memory.confidence:.2f}",
        "written": day(memory.created_at),
        "valid": f"{'yes' if found.holds else 'no'}, {span(memory) or 'always'}",
        "critical": f"yes, {memory.critical_reason}" if memory.critical else _not_critical(memory),
        "uses": _uses(memory),
        "evidence": ", ".join(found.evidence) or "entered manually",
    }
    parts = [memory.content, pairs(shown), *_lists(found)]
    return "\n\n".join(parts)


def _not_critical(memory: Memory) -> str:
    return f"no, {memory.critical_reason}" if memory.critical_reason else "no"


def _uses(memory: Memory) -> str:
    last = f", last {day(memory.last_used)}" if memory.last_used is not None else ""
    return f"{memory.uses}{last}"


def _lists(found: MemoryDetail) -> Iterator[str]:
    encoding = found.encoding
    lists = {
        "entities": [f"{one.name} ({one.type})" for one in encoding.entities],
        "facts": encoding.facts,
        "constraints": encoding.constraints,
        "tried": [
            f"{one.action} ⇒ {one.result} ({'worked' if one.worked else 'failed'})"
            for one in encoding.outcomes
        ],
        "keywords": [", ".join(encoding.keywords)] if encoding.keywords else [],
        "applies to": found.parts.applies_to,
        "references": [f"{one.kind}: {one.value}" for one in found.references],
        "links": [_link(one) for one in found.links],
    }
    for name, lines in lists.items():
        if lines:
            yield "\n".join([f"{name}:", *(f"  {line}" for line in lines)])


def _link(one: LinkedMemory) -> str:
    name = (_OUTWARD if one.outward else _INWARD)[one.kind]
    notes = [one.reason] if one.reason else []
    notes += ["reverted"] if one.taken_back else []
    why = f" ({', '.join(notes)})" if notes else ""
    return f"{name} {one.memory.id}{why}: {one.memory.title}"
