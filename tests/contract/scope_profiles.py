"""Profile changes of a team, and their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_profiles import change, suggestion
from contract.records import Records
from memoranda.memories.model import Memory
from memoranda.profile import table as profiles
from memoranda.store.database import Transaction

WAITS = "01234567-0000-7000-8000-000000000011"
DONE = "01234567-0000-7000-8000-000000000012"

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "profiles.by_id": lambda tx, team, h: profiles.by_id(tx, team, DONE),
    "profiles.listed": lambda tx, team, h: profiles.listed(tx, team, None, limit=9),
    "profiles.members": lambda tx, team, h: profiles.members(tx, team, h.workspace.id, "main"),
    "profiles.preview": lambda tx, team, h: profiles.preview(tx, team, h.workspace.id),
    "profiles.notified_channels": lambda tx, team, h: profiles.notified_channels(
        tx, team, h.workspace.id
    ),
    "profiles.unnotified": lambda tx, team, h: [
        (news, team) for news, _ in profiles.unnotified(tx, team, "cli")
    ],
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "profiles.apply": lambda tx, team, h: profiles.apply(
        tx, change(Records(team), id=WAITS, team=team), "eve", START, []
    ),
    "profiles.drop_preview": lambda tx, team, h: profiles.drop_preview(tx, team, h.workspace.id),
    "profiles.drop_previews_of": lambda tx, team, h: profiles.drop_previews_of(
        tx, team, [h.memory.id]
    ),
    "profiles.make_news": lambda tx, team, h: profiles.make_news(tx, team, WAITS),
    "profiles.mark_notified": lambda tx, team, h: profiles.mark_notified(tx, team, WAITS, ["cli"]),
    "profiles.undo": lambda tx, team, h: profiles.undo(tx, team, DONE, "eve", START),
}

ADDS = frozenset({"profiles.put"})
ELSEWHERE = frozenset({"profiles.by_prefix", "profiles.shares"})


def hold_profile(tx: Transaction, records: Records, workspace: str, memory: Memory) -> None:
    """Store an applied change and a pending one."""
    whose = {"workspace": workspace, "short": f"of {records.team}"}
    suggested = suggestion(1, memory, reason=f"of {records.team}")
    done = change(records, suggested, id=DONE, **whose)
    profiles.put(tx, done, news=False)
    step = replace(suggested.steps[0], version=1)
    profiles.apply(tx, done, f"human of {records.team}", START, [(1, step)])
    waits = change(records, suggested, id=WAITS, **whose)
    profiles.put(tx, waits, news=True, channels=[f"page of {records.team}"])
