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
    kept = found.memory
    shown: dict[str, object] = {
        "id": kept.id,
        "category": f"{kept.category} ({kept.kind}, {kept.status})",
        "tags": ", ".join(kept.tags) or "none",
        "said by": f"{kept.origin} ({kept.source}), trusted as {found.trust},"
        f" confidence {kept.confidence:.2f}",
        "written": day(kept.created_at),
        "holds": f"{'yes' if found.holds else 'no'}, {span(kept) or 'always'}",
        "critical": f"yes, {kept.critical_reason}" if kept.critical else _not_critical(kept),
        "uses": _uses(kept),
        "evidence": ", ".join(found.evidence) or "entered manually",
    }
    parts = [kept.content, pairs(shown), *_lists(found)]
    return "\n\n".join(parts)


def _not_critical(memory: Memory) -> str:
    return f"no, {memory.critical_reason}" if memory.critical_reason else "no"


def _uses(memory: Memory) -> str:
    last = f", last {day(memory.last_used)}" if memory.last_used is not None else ""
    return f"{memory.uses}{last}"


def _lists(found: MemoryDetail) -> Iterator[str]:
    held = found.encoding
    lists = {
        "entities": [f"{one.name} ({one.type})" for one in held.entities],
        "facts": held.facts,
        "constraints": held.constraints,
        "tried": [
            f"{one.action} ⇒ {one.result} ({'worked' if one.worked else 'failed'})"
            for one in held.outcomes
        ],
        "keywords": [", ".join(held.keywords)] if held.keywords else [],
        "applies to": found.parts.applies_to,
        "references": [f"{one.kind}: {one.value}" for one in found.references],
        "links": [_link(one) for one in found.links],
    }
    for name, lines in lists.items():
        if lines:
            yield "\n".join([f"{name}:", *(f"  {line}" for line in lines)])


def _link(one: LinkedMemory) -> str:
    name = (_OUTWARD if one.outward else _INWARD)[one.kind]
    told = [one.reason] if one.reason else []
    told += ["reverted"] if one.taken_back else []
    why = f" ({', '.join(told)})" if told else ""
    return f"{name} {one.memory.id}{why}: {one.memory.title}"
