"""Memories in the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from contract.model.content import Model, demand
from memoranda.memories.model import Memory, MemoryStatus, Visibility
from memoranda.memories.table import NEWEST, MemoryFilter, folded
from memoranda.store.database import TextEntry


def insert(model: Model, memory: Memory, text: TextEntry, evidence: Sequence[str]) -> None:
    """Add a memory with its full text and evidence."""
    content = model.of(memory.team)
    demand(memory.id not in content.memories, "ids are unique")
    known = memory.workspace is None or memory.workspace in content.workspaces
    demand(known, "a memory belongs to a workspace or to the team")
    content.memories[memory.id] = memory
    content.texts["memory", memory.id] = text
    content.evidence |= dict.fromkeys((memory.id, observation) for observation in evidence)


def same_content(model: Model, memory: Memory, now: int | None = None) -> str | None:
    """Return the first memory with this content in the same place, or None."""
    agent = _reader(memory)
    found = [
        one.id
        for one in model.of(memory.team).memories.values()
        if folded(one.content) == folded(memory.content)
        and (now is None or one.valid_until is None or one.valid_until > now)
        and (one.workspace or "") == (memory.workspace or "")
        and (_reader(one) or "") == (agent or "")
        and one.status in (MemoryStatus.APPROVED, MemoryStatus.PENDING)
    ]
    return min(found, default=None)


def _reader(memory: Memory) -> str | None:
    """Return the only agent who sees a memory, or None.

    The agent of a shared memory stays in its row.
    """
    return memory.agent if memory.visibility is Visibility.AGENT else None


def by_ids(model: Model, team: str, ids: Sequence[str], agent: str | None) -> dict[str, Memory]:
    """Return those of the memories by id that the agent may see."""
    memories = model.of(team).memories
    return {id: memories[id] for id in ids if id in memories and _visible(memories[id], agent)}


def evidence(model: Model, team: str, id: str) -> tuple[str, ...]:
    """Return the observations that a memory is based on, oldest first."""
    pairs = model.of(team).evidence
    return tuple(sorted(observation for memory, observation in pairs if memory == id))


def by_prefix(model: Model, team: str, prefix: str, agent: str | None) -> list[str]:
    """Return at most six ids with the prefix, of memories the agent may see."""
    seen = (one.id for one in model.of(team).memories.values() if _visible(one, agent))
    return sorted(id for id in seen if id.startswith(prefix))[:6]


def listed(
    model: Model, team: str, where: MemoryFilter, *, before: str = NEWEST, limit: int
) -> list[Memory]:
    """Return memories newest first."""
    found = [
        one
        for one in model.of(team).memories.values()
        if one.id < before
        and _applies(one, where.workspace)
        and _visible(one, where.agent)
        and where.status in (None, one.status)
        and where.category in (None, one.category)
        and one.critical >= where.critical
        and (where.begun_by is None or (one.valid_from or 0) <= where.begun_by)
        and (where.unended_at is None or not _ended(one, where.unended_at))
    ]
    return sorted(found, key=lambda one: one.id, reverse=True)[:limit]


def critical(
    model: Model, team: str, workspace: str | None, agent: str | None, now: int | None = None
) -> list[Memory]:
    """Return approved critical memories of a workspace and its team.

    Without a workspace, those of every workspace. They are ordered oldest first.
    """
    found = [
        one
        for one in model.of(team).memories.values()
        if one.critical
        and one.status is MemoryStatus.APPROVED
        and (workspace is None or one.workspace in (None, workspace))
        and _visible(one, agent)
        and (now is None or one.holds_at(now))
    ]
    return sorted(found, key=lambda one: one.id)


def delete(model: Model, team: str, ids: Sequence[str]) -> int:
    """Delete memories with their evidence and full text; return how many."""
    content = model.of(team)
    doomed = set(ids) & set(content.memories)
    for id in doomed:
        del content.memories[id], content.texts["memory", id]
    content.evidence = {pair: None for pair in content.evidence if pair[0] not in doomed}
    return len(doomed)


def counts(
    model: Model, team: str, workspace: str | None, agent: str | None, now: int | None = None
) -> dict[str, int]:
    """Return how many memories there are in each status, and how many have ended."""
    memories = model.of(team).memories.values()
    seen = [one for one in memories if _applies(one, workspace) and _visible(one, agent)]

    def status(one: Memory) -> str:
        ended = now is not None and one.status.value == "approved" and _ended(one, now)
        return "ended" if ended else one.status.value

    return dict(Counter(map(status, seen)))


def _visible(memory: Memory, agent: str | None) -> bool:
    return memory.visibility is not Visibility.AGENT or (
        agent is not None and memory.agent == agent
    )


def _ended(memory: Memory, time: int) -> bool:
    return memory.valid_until is not None and memory.valid_until <= time


def _applies(memory: Memory, workspace: str | None) -> bool:
    return workspace is None or memory.workspace in (None, workspace)
