"""What ended an error: not that the same call went well at last, but what was changed before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memoranda.errors.model import Recovery
from memoranda.errors.recovery_table import between
from memoranda.lessons import record as steps
from memoranda.lessons.selection import ended_by
from memoranda.observations import table as observations
from memoranda.observations.model import Observation
from memoranda.store.database import Transaction

WITHIN = 40
"""Steps before the call went well that are looked through."""
MOST = 1_000
"""Steps that are looked at for all errors asked about."""


def recoveries(
    tx: Transaction, team: str, ended: Iterable[tuple[Observation, Observation]]
) -> list[Recovery]:
    """Return what ended errors, from the errors and the steps that resolved them."""
    pairs = list(ended)
    if not pairs:
        return []
    found = between(tx, team, [fix.id for _, fix in pairs], within=WITHIN, limit=MOST)
    known = observations.by_ids(tx, team, sorted({id for ids in found.values() for id in ids}))
    others = observations.by_ids(tx, team, [one.resolves for one in known.values() if one.resolves])
    return [
        recovery(error, fix, [known[id] for id in found.get(fix.id, ())], others)
        for error, fix in pairs
    ]


def recovery(
    error: Observation,
    fix: Observation,
    done: Sequence[Observation],
    others: Mapping[str, Observation],
) -> Recovery:
    """Choose what ended an error from what was done since; see `ended_by`."""
    chosen, near = ended_by(error, done, others)
    return Recovery(error, fix, chosen, near)


def recovery_text(found: Recovery) -> str:
    """Return what ended an error on one line: the changes, then the call that went well."""
    ended = found.fix.summary.partition("\n")[0]
    return "; ".join(
        [*map(steps.step_line, found.changes), f"then {ended}" if found.changes else ended]
    )
