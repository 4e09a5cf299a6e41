"""Finds the changes that resolved an error, besides the successful call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memoranda.errors.model import Recovery
from memoranda.errors.recovery_step_table import between
from memoranda.observations import table as observations
from memoranda.observations.model import Observation
from memoranda.store.database import Transaction
from memoranda.text import one_line

WITHIN = 40
"""Maximum number of steps before the successful call that are searched."""
MAXIMUM = 1_000
"""Maximum number of steps read for all errors of a request."""


def recoveries(
    tx: Transaction, team: str, ended: Iterable[tuple[Observation, Observation]]
) -> list[Recovery]:
    """Return the recoveries for pairs of an error and its resolving step."""
    pairs = list(ended)
    if not pairs:
        return []
    found = between(tx, team, [fix.id for _, fix in pairs], within=WITHIN, limit=MAXIMUM)
    stored = observations.by_ids(tx, team, sorted({id for ids in found.values() for id in ids}))
    others = observations.by_ids(
        tx, team, [observation.resolves for observation in stored.values() if observation.resolves]
    )
    return [
        recovery(error, fix, [stored[id] for id in found.get(fix.id, ())], others)
        for error, fix in pairs
    ]


def recovery(
    error: Observation,
    fix: Observation,
    done: Sequence[Observation],
    others: Mapping[str, Observation],
) -> Recovery:
    """Select the changes that resolved an error from the steps since then.

    Changes that share a name with the error are preferred, then changes of its target, then edits,
    then any changes if they are few and resolved no other error.

    ``done``: oldest first. ``others``: the errors that steps among these resolved, by id.
    Quarantined changes are never chosen.
    """
    if fix.tool is None:
        return Recovery(error, fix, (), True)
    from memoranda.lessons.fix_selection import ended_by

    chosen, near = ended_by(error, done, others)
    return Recovery(error, fix, chosen, near)


def recovery_text(found: Recovery) -> str:
    """Return a recovery as one line: the changes, then the successful call."""
    if found.stated:
        return stated_text(found.fix.summary)
    ended = found.fix.summary.partition("\n")[0]
    return changes_text(found, f"then {ended}") if found.changes else ended


def changes_text(found: Recovery, ended: str) -> str:
    """Return the changes of a recovery and what followed, as one line."""
    from memoranda.lessons.task_record import step_line

    return "; ".join([*map(step_line, found.changes), ended])


def stated_text(summary: str) -> str:
    """Return a recorded resolution as one line, without a cut title."""
    title, _, rest = summary.partition("\n")
    return one_line(rest if rest and title.endswith("\u2026") else summary)
