"""Backlinks of observations and tasks: memories, fixes, error counts."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.errors import table as failures
from memoranda.exceptions import InvalidInput
from memoranda.memories import table as memories
from memoranda.observations import backlink_table, table as observations
from memoranda.observations.backlink_model import Backlinks, ErrorCount, RestingMemory
from memoranda.observations.model import Observation, ObservationType
from memoranda.scope import Scope
from memoranda.store.database import Transaction

MAXIMUM = 200
"""Maximum number of observations or tasks per call."""
MEMORIES = 1_000
"""Maximum number of memories returned by one call."""


def backlinks_of(tx: Transaction, scope: Scope, ids: Sequence[str]) -> tuple[Backlinks, ...]:
    """Return the links of observations, in the order of the ids.

    Observations outside the scope are left out.

    Raises:
        InvalidInput: more than 200 ids are passed.
    """
    checked(ids)
    found = observations.by_ids(tx, scope.team, ids)
    seen = [found[id] for id in ids if id in found and _inside(scope, found[id])]
    names = _names(tx, scope, seen)
    ended = _ended(tx, scope, seen)
    resting = _resting(tx, scope, seen)
    failed = [observation.id for observation in seen if observation.type is ObservationType.ERROR]
    standing = failures.still_open(tx, scope.team, failed)
    again = failures.failed_again(tx, scope.team, failed)
    return tuple(
        Backlinks(
            item.id,
            item.ref,
            ended.get(item.id, ""),
            names.get(item.resolves or "", ""),
            names.get(item.repeats or "", ""),
            tuple(resting.get(item.id, ())),
            item.id in standing,
            again.get(item.id, ""),
        )
        for item in seen
    )


def errors_of(tx: Transaction, team: str, tasks: Sequence[str]) -> tuple[ErrorCount, ...]:
    """Return the numbers of errors of tasks."""
    counts = backlink_table.errors(tx, team, tasks)
    return tuple(ErrorCount(task, *counts.get(task, (0, 0))) for task in tasks)


def checked(names: Sequence[str]) -> None:
    """Check that no more ids are requested than one call can return.

    Raises:
        InvalidInput: too many ids are requested.
    """
    if len(names) > MAXIMUM:
        raise InvalidInput(f"at most {MAXIMUM} ids at once, not {len(names):,}")


def _names(tx: Transaction, scope: Scope, seen: Sequence[Observation]) -> dict[str, str]:
    pointed = [
        id for observation in seen for id in (observation.resolves, observation.repeats) if id
    ]
    return {id: item.ref for id, item in observations.by_ids(tx, scope.team, pointed).items()}


def _ended(tx: Transaction, scope: Scope, seen: Sequence[Observation]) -> dict[str, str]:
    failed = [observation.id for observation in seen if observation.type is ObservationType.ERROR]
    return backlink_table.ended(tx, scope.team, failed)


def _resting(
    tx: Transaction, scope: Scope, seen: Sequence[Observation]
) -> dict[str, list[RestingMemory]]:
    pairs = backlink_table.resting(
        tx, scope.team, [observation.id for observation in seen], limit=MEMORIES
    )
    wanted = sorted({id for ids in pairs.values() for id in ids})
    stored = memories.by_ids(tx, scope.team, wanted, scope.agent)
    shown = {
        id: RestingMemory(id, memory.title, memory.category, memory.status)
        for id, memory in stored.items()
        if scope.workspace is None or memory.workspace in (None, scope.workspace)
    }
    return {of: [shown[id] for id in ids if id in shown] for of, ids in pairs.items()}


def _inside(scope: Scope, one: Observation) -> bool:
    return scope.workspace in (None, one.workspace) and scope.task in (None, one.task)
