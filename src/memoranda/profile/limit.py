"""Enforces the profile limit: a change that would exceed it is refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoranda.exceptions import ProfileFull
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.memories.model import Memory, Visibility
from memoranda.profile import table as profiles
from memoranda.profile.model import CROWDED, LIMIT, cost, in_profile
from memoranda.profile.table import ProfileShare
from memoranda.store.database import Transaction
from memoranda.workspaces import table as workspaces


@dataclass(frozen=True, slots=True)
class FullestProfile:
    """The fullest profile among several readers, and its size."""

    workspace: str | None
    agent: str | None
    used: int


def used_by(shares: Iterable[ProfileShare], workspace: str | None, agent: str | None) -> int:
    """Return the number of tokens in one reader's profile."""
    return sum(
        share.tokens
        for share in shares
        if share.workspace in (None, workspace) and share.agent in (None, agent)
    )


def admit(tx: Transaction, before: Memory | None, after: Memory, ids: IdSource) -> None:
    """Check that a newly written memory fits into the profile.

    If the profile is nearly full now, a job is enqueued that looks for ways to shrink it.

    Raises:
        ProfileFull: with the memory, a profile would exceed its limit, or would exceed it further.
    """
    if not grows(before, after):
        return
    fullest = fullest_profile(profiles.shares(tx, after.team, after.workspace), [after])
    if fullest.used > LIMIT:
        raise full(tx, after.team, fullest, _needed(before, after))
    if fullest.used >= CROWDED * LIMIT:
        kind, now = JobKind.OPTIMISE_PROFILE, after.updated_at
        job = Job.waiting(after.team, ids.new(), kind, fullest.workspace or "", now)
        jobs.enqueue(tx, job, now)


def require_room(tx: Transaction, memory: Memory, before: Memory | None = None) -> None:
    """Refuse a memory that does not fit the profile, before it is written.

    ``before`` is the current state of the memory, or None if the memory does not exist yet.

    Raises:
        ProfileFull: with the memory, a profile would exceed its limit, or would exceed it further.
    """
    if not grows(before, memory):
        return
    shares = profiles.shares(tx, memory.team, memory.workspace)
    if before is not None and in_profile(before):
        shares.append(_share(before, -cost(before)))
    fullest = fullest_profile([*shares, _share(memory, cost(memory))], [memory])
    if fullest.used > LIMIT:
        raise full(tx, memory.team, fullest, _needed(before, memory))


def has_room(tx: Transaction, memory: Memory) -> bool:
    """Return whether a memory outside the profile would fit into it."""
    try:
        require_room(tx, memory)
    except ProfileFull:
        return False
    return True


def grows(before: Memory | None, after: Memory) -> bool:
    """Return whether a change makes any profile larger."""
    if not in_profile(after):
        return False
    if before is None or not in_profile(before):
        return True
    return _wider(before, after) or cost(after) > cost(before)


def fullest_profile(shares: Sequence[ProfileShare], memories: Iterable[Memory]) -> FullestProfile:
    """Return the fullest profile among the readers of the given memories."""
    places = [(memory.workspace, _reader(memory)) for memory in memories]
    fullest_profiles = [_fullest_seeing(shares, *place) for place in dict.fromkeys(places)]
    return max(
        fullest_profiles, key=lambda profile: profile.used, default=FullestProfile(None, None, 0)
    )


def full(tx: Transaction, team: str, fullest: FullestProfile, needed: int) -> ProfileFull:
    """Return the error that names the full profile and states what to do."""
    workspace = workspaces.by_id(tx, team, fullest.workspace) if fullest.workspace else None
    where = f" --workspace {workspace.name}" if workspace else ""
    whose = f" of {workspace.name}" if workspace else ""
    whose += f" as {fullest.agent} sees it" if fullest.agent else ""
    used = fullest.used - needed
    return ProfileFull(
        f"the profile{whose} has {used:,} of {LIMIT:,} tokens, this needs {needed:,} more; free"
        f" some tokens with `memoranda optimize{where}`",
        used=used,
        limit=LIMIT,
        needed=needed,
    )


def _needed(before: Memory | None, after: Memory) -> int:
    """Return the number of tokens by which a change enlarges a profile."""
    was_in_profile = before is not None and in_profile(before) and not _wider(before, after)
    return cost(after) - (cost(before) if before and was_in_profile else 0)


def _share(memory: Memory, tokens: int) -> ProfileShare:
    return ProfileShare(memory.workspace, _reader(memory), memory.category, 1, tokens)


def _reader(memory: Memory) -> str | None:
    return memory.agent if memory.visibility is Visibility.AGENT else None


def _fullest_seeing(
    shares: Sequence[ProfileShare], workspace: str | None, agent: str | None
) -> FullestProfile:
    """Return the fullest profile among the readers of a workspace or team.

    All readers without private memories share one profile.
    """
    readers = {(workspace, agent)}
    for share in shares:
        readers.add((workspace or share.workspace, agent or share.agent))
    whole: dict[tuple[str | None, str | None], int] = {}
    for share in shares:
        key = (share.workspace, share.agent)
        whole[key] = whole.get(key, 0) + share.tokens
    busiest = max(
        (name for place, name in whole if place is None and name), default=None,
        key=lambda name: whole[None, name],
    )  # fmt: skip
    readers |= {(place, agent or busiest) for place, _ in readers}
    fullest_profiles = [
        FullestProfile(place, name, sum(whole.get(key, 0) for key in _seen(place, name)))
        for place, name in readers
    ]
    return max(
        fullest_profiles,
        key=lambda profile: (profile.used, profile.agent is None, profile.workspace is None),
    )


def _seen(workspace: str | None, agent: str | None) -> set[tuple[str | None, str | None]]:
    return {(place, name) for place in (None, workspace) for name in (None, agent)}


def _wider(before: Memory, after: Memory) -> bool:
    """Return whether a change adds a memory to further profiles."""
    shared = before.visibility is Visibility.AGENT and after.visibility is not Visibility.AGENT
    elsewhere = before.workspace is not None and before.workspace != after.workspace
    return shared or elsewhere
