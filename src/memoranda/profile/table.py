"""Queries for the profile and its token shares; rows of profile changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from memoranda.json_data import dump_json
from memoranda.memories import table as memories
from memoranda.memories.model import Memory
from memoranda.profile.model import (
    CATEGORIES,
    OVERHEAD,
    ChangeStatus,
    ProfileChange,
    ProfileNews,
    ProfileStep,
    ProfileSuggestion,
    ProfileSuggestionKind,
)
from memoranda.proposals.model import MemoryState
from memoranda.store.database import Row, Transaction, load_statements, row_of

SQL = load_statements(__file__)

NEWEST = "~"
MAXIMUM = 2_000
"""Maximum number of memories of one profile that are read.

A profile within its limit has fewer than 500 memories.
"""
NEWS = 100


@dataclass(frozen=True, slots=True)
class ProfileShare:
    """Number of tokens in memories, by category and workspace.

    These tokens count in every profile that contains the memories.
    """

    workspace: str | None
    agent: str | None
    """The only agent that can see the memories; None for all readers."""
    category: str
    entries: int
    tokens: int


def members(tx: Transaction, team: str, workspace: str | None, agent: str | None) -> list[Memory]:
    """Return the memories of a profile, oldest first, at most 2,000."""
    bindings = {
        "team": team,
        "workspace": workspace,
        "agent": agent,
        "categories": dump_json(list(CATEGORIES)),
        "limit": MAXIMUM,
    }
    return [memories.MEMORY(row) for row in tx.fetch(SQL["members"], bindings)]


def shares(tx: Transaction, team: str, workspace: str | None = None) -> list[ProfileShare]:
    """Return the shares of the profiles of a workspace, or of the whole team."""
    bindings = {"team": team, "workspace": workspace, "categories": dump_json(list(CATEGORIES))}
    return [
        ProfileShare(workspace, agent, category, int(count), int(tokens) + OVERHEAD * int(count))
        for workspace, agent, category, count, tokens in tx.fetch(SQL["shares"], bindings)
    ]


def put(
    tx: Transaction, change: ProfileChange, *, news: bool, channels: Sequence[str] = ()
) -> None:
    """Add a suggested change; with ``news``, notify people of it.

    Channels that were already notified are not notified again.
    """
    row = row_of(change, news=int(news), told=dump_json(list(channels)))
    tx.execute(SQL["put"], row)
    tx.many(SQL["put_step"], _steps(change))


def by_id(tx: Transaction, team: str, id: str) -> ProfileChange | None:
    """Return one change."""
    row = tx.first(SQL["columns"] + SQL["by_id"], {"team": team, "id": id})
    return _with_steps(tx, team, [row])[0] if row else None


def by_prefix(tx: Transaction, team: str, prefix: str) -> list[str]:
    """Return at most six ids that start with a prefix."""
    bindings = {"team": team, "low": prefix, "high": prefix + "~"}
    return [row[0] for row in tx.fetch(SQL["by_prefix"], bindings)]


def preview(tx: Transaction, team: str, workspace: str | None) -> ProfileChange | None:
    """Return the current suggestions for a profile."""
    row = tx.first(SQL["columns"] + SQL["preview"], {"team": team, "workspace": workspace})
    return _with_steps(tx, team, [row])[0] if row else None


def listed(
    tx: Transaction, team: str, workspace: str | None, *, before: str = NEWEST, limit: int
) -> list[ProfileChange]:
    """Return the applied changes, newest first, with ids below ``before``."""
    bindings = {"team": team, "workspace": workspace, "before_id": before, "limit": limit}
    return _with_steps(tx, team, tx.fetch(SQL["columns"] + SQL["listed"], bindings))


def drop_preview(tx: Transaction, team: str, workspace: str | None) -> int:
    """Delete the suggestions for a profile."""
    return tx.execute(SQL["drop_preview"], {"team": team, "workspace": workspace})


def drop_previews_of(tx: Transaction, team: str, ids: Sequence[str]) -> int:
    """Delete the changes suggested for the given memories.

    Return how many changes were deleted.
    """
    bindings = {"team": team, "ids": dump_json(list(ids))}
    return tx.execute(SQL["drop_previews_of"], bindings)


def apply(
    tx: Transaction,
    change: ProfileChange,
    by: str,
    at: int,
    versions: Sequence[tuple[int, ProfileStep]],
) -> bool:
    """Record that some steps of a preview were applied.

    Each step consists of the number of its suggestion and the version with the previous state.
    Return False if another caller was faster.
    """
    bindings = {"team": change.team, "id": change.id, "at": at, "by": by}
    if not tx.execute(SQL["apply"], bindings):
        return False
    rows = [
        {
            "team": change.team,
            "change": change.id,
            "number": number,
            "memory": step.memory,
            "version": step.version,
        }
        for number, step in versions
    ]
    tx.many(SQL["done"], rows)
    tx.execute(SQL["drop_undone_steps"], {"team": change.team, "change": change.id})
    return True


def undo(tx: Transaction, team: str, id: str, by: str, at: int) -> bool:
    """Record that a change was undone; False if it was not applied."""
    return tx.execute(SQL["undo"], {"team": team, "id": id, "by": by, "at": at}) > 0


def make_news(tx: Transaction, team: str, id: str) -> int:
    """Queue a notice of a preview for people."""
    return tx.execute(SQL["make_news"], {"team": team, "id": id})


def notified_channels(tx: Transaction, team: str, workspace: str | None) -> tuple[str, ...]:
    """Return the channels that were notified of a profile's suggestions."""
    row = tx.first(SQL["notified_channels"], {"team": team, "workspace": workspace})
    return tuple(json.loads(row[0])) if row else ()


def unnotified(
    tx: Transaction, team: str, channel: str
) -> list[tuple[ProfileNews, tuple[str, ...]]]:
    """Return the undelivered notices for a channel.

    Each notice includes the channels that were already notified.
    """
    rows = tx.fetch(SQL["news"], {"team": team, "limit": NEWS})
    return [
        (ProfileNews(id, workspace, used, limit, int(freed)), tuple(json.loads(notified)))
        for id, workspace, used, limit, notified, freed in rows
        if channel not in json.loads(notified)
    ]


def mark_notified(tx: Transaction, team: str, id: str, channels: Sequence[str]) -> int:
    """Record which channels were notified of a preview."""
    return tx.execute(
        SQL["mark_notified"], {"team": team, "id": id, "told": dump_json(list(channels))}
    )


def _steps(change: ProfileChange) -> Iterable[dict[str, object]]:
    for suggestion in change.suggestions:
        for place, step in enumerate(suggestion.steps):
            yield {
                "team": change.team,
                "change": change.id,
                "number": suggestion.number,
                "memory": step.memory,
                "place": place,
                "kind": suggestion.kind,
                "reason": suggestion.reason,
                "freed": step.freed,
                "source": step.source,
                "after": step.after.text() if step.after else None,
                "version": step.version,
            }


def _with_steps(tx: Transaction, team: str, rows: Sequence[Row]) -> list[ProfileChange]:
    ids = [row[1] for row in rows]
    found = tx.fetch(SQL["steps"], {"team": team, "ids": dump_json(ids)}) if ids else []
    steps = {id: list(group) for id, group in groupby(found, lambda row: str(row[0]))}
    return [_change(row, steps.get(row[1], [])) for row in rows]


def _change(row: Row, steps: Sequence[Row]) -> ProfileChange:
    team, id, workspace, digest, status, limit, target, used, short, *rest = row
    created_at, applied_at, applied_by, undone_at, undone_by = rest
    suggestions = [
        ProfileSuggestion(
            int(number), ProfileSuggestionKind(kind), reason, tuple(_step(item) for item in group)
        )
        for (number, kind, reason), group in groupby(steps, lambda one: one[1:4])
    ]
    return ProfileChange(
        team,
        id,
        workspace,
        digest,
        ChangeStatus(status),
        limit,
        target,
        used,
        short,
        created_at,
        applied_at,
        applied_by,
        undone_at,
        undone_by,
        tuple(suggestions),
    )


def _step(row: Row) -> ProfileStep:
    memory, freed, source, after, version = row[4:]
    return ProfileStep(memory, freed, source, MemoryState.read(after) if after else None, version)
