"""Error records, extended with the changes that resolved them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memoranda.errors import table as failures
from memoranda.errors.model import ErrorRecord
from memoranda.errors.occurrence import Occurrence
from memoranda.errors.records import failure_parts
from memoranda.errors.recoveries import (
    MAXIMUM as MOST_STEPS,
    WITHIN,
    changes_text,
    recoveries,
    recovery,
    recovery_text,
)
from memoranda.errors.recovery_step_table import before_failures, next_failures
from memoranda.errors.signature import signature
from memoranda.errors.table import ErrorResolution
from memoranda.observations import table as observations
from memoranda.observations.model import Observation
from memoranda.store.database import Transaction

RECURRING = 3
"""Minimum number of occurrences of a cause for which a pattern quotes the resolution."""
NEWEST = 3
"""Number of newest resolved errors of each such cause that are read in full."""
MAXIMUM = 300
"""Maximum number of errors read in full for all causes together."""


def recovered(tx: Transaction, team: str, records: Sequence[ErrorRecord]) -> list[ErrorRecord]:
    """Return captured errors with the changes that resolved them.

    Reported resolutions are kept in addition to the observed changes.
    """
    ids = {id for record in records for id in (record.observation, record.resolved_by) if id}
    seen = observations.by_ids(tx, team, sorted(ids)) if ids else {}
    ended = {
        error_record.id: (seen[error_record.observation], seen[error_record.resolved_by])
        for error_record in records
        if error_record.observation in seen and error_record.resolved_by in seen
    }
    ended |= _observed(tx, team, ended)
    found = {item.error.ref: item for item in recoveries(tx, team, ended.values())}
    failed_otherwise = {one.id: one for one in _failed_otherwise(tx, team, records)}
    return [
        replace(
            one,
            recovery=recovery_text(ended_error)
            if _captured(one.recovery, ended_error.fix)
            else one.recovery,
            changed_by=tuple(change.id for change in ended_error.changes),
        )
        if (ended_error := found.get(one.id))
        else failed_otherwise.get(one.id, one)
        for one in records
    ]


def _failed_otherwise(
    tx: Transaction, team: str, records: Sequence[ErrorRecord]
) -> Iterator[ErrorRecord]:
    """Yield errors whose action failed differently after their changes.

    Such a change removed the first reason, although nothing has succeeded yet.
    """
    over = {
        one.observation: one
        for one in records
        if one.observation and not (one.open or one.recovery or one.resolved_by or one.failed_again)
    }
    then = next_failures(tx, team, list(over))
    seen = observations.by_ids(tx, team, sorted({*then, *then.values()}))
    pairs = [(seen[id], seen[later]) for id, later in then.items()]
    pairs = [(error, later) for error, later in pairs if _reason(error) != _reason(later)]
    ids = [later.id for _, later in pairs]
    steps = before_failures(tx, team, ids, within=WITHIN, limit=MOST_STEPS)
    stored = observations.by_ids(tx, team, sorted({id for done in steps.values() for id in done}))
    for error, later in pairs:
        found = recovery(error, later, [stored[id] for id in steps.get(later.id, ())], {})
        if found.changes:
            text = changes_text(found, f"then failed for another reason as {later.ref}")
            changed_by = tuple(change.id for change in found.changes)
            yield replace(over[error.id], recovery=text, changed_by=changed_by)


def _reason(error: Observation) -> str:
    kind, _, line = failure_parts(error)
    return signature(kind, line)


def _observed(
    tx: Transaction, team: str, ended: Mapping[str, tuple[Observation, Observation]]
) -> dict[str, tuple[Observation, Observation]]:
    """Return corrected pairs for errors whose resolution was recorded later.

    The fix of such an error is the step that succeeded before, since a statement does not change
    what was observed.
    """
    stated = {id: error for id, (error, fix) in ended.items() if fix.tool is None}
    first = failures.ended(tx, team, [error.id for error in stated.values()])
    stored = observations.by_ids(tx, team, sorted({fix.id for fix in first.values()}))
    pairs = ((id, error, first.get(error.id)) for id, error in stated.items())
    return {id: (error, stored[fix.id]) for id, error, fix in pairs if fix and fix.id in stored}


def fix_text(
    tx: Transaction,
    team: str,
    occurrences: Sequence[Occurrence],
    ended: Mapping[str, tuple[str, ErrorResolution]],
) -> list[Occurrence]:
    """Return errors with the text of the changes that resolved them.

    Only the newest errors of each recurring cause get a text. ``occurrences``: newest first.
    ``ended``: by short name, the id of each resolved error and its resolution.
    """
    causes: dict[str, list[Occurrence]] = defaultdict(list)
    for occurrence in occurrences:
        causes[occurrence.signature].append(occurrence)
    chosen = [
        one.ref
        for alike in causes.values()
        if len(alike) >= RECURRING
        for one in [occurrence for occurrence in alike if occurrence.ref in ended][:NEWEST]
        if _captured(one.fix, ended[one.ref][1])
    ]
    pairs = [ended[ref] for ref in chosen[:MAXIMUM]]
    seen = observations.by_ids(tx, team, [id for error, fix in pairs for id in (error, fix.id)])
    found = recoveries(tx, team, [(seen[error], seen[fix.id]) for error, fix in pairs])
    texts = {recovery.error.ref: recovery_text(recovery) for recovery in found}
    return [
        replace(item, fix=texts[item.ref]) if item.ref in texts else item for item in occurrences
    ]


def _captured(recovery: str, fix: Observation | ErrorResolution) -> bool:
    """Return whether a resolution has no text by a person or agent."""
    return recovery == fix.summary.partition("\n")[0]
