"""What ended an error: not that the same call went well at last, but what was changed before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memoranda.errors.model import Recovery
from memoranda.errors.names import named
from memoranda.errors.records import told
from memoranda.errors.recovery_table import between
from memoranda.lessons import record as steps
from memoranda.lessons.tables import tools
from memoranda.lessons.tool_record import tool_name
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, Salience
from memoranda.store.database import Transaction

WITHIN = 40
"""Steps before the call went well that are looked through."""
MOST = 1_000
"""Steps that are looked at for all errors asked about."""
CHANGES = 2
"""Changes that are told of one error, the last ones."""
FEW = 3
"""Steps among which a change is looked for though nothing speaks for any of them."""
_DOING = frozenset({"edit", "install"})
"""Tags of steps that change something, whatever else they do."""


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
    """Choose what ended an error from what was done since: what names the same as the error, else
    what was done to its target or edited, else anything if it was little and ended nothing else.

    ``done``: oldest first. ``others``: the errors that steps of these ended, by id. What is held
    back is never chosen.
    """
    _, target, line = told(error)
    cause = named(f"{line}\n{error.summary.partition(chr(10))[2]}")
    changed = [one for one in done if _changes(one)]
    for near, names in ((True, cause), (False, named(target))):
        chosen = [one for one in changed if _about(one, names)]
        if chosen:
            return Recovery(error, fix, tuple(chosen[-CHANGES:]), near)
    edits = [one for one in changed if "edit" in one.tags]
    rest = _unclaimed(changed, others) if not edits else []
    chosen = edits or (rest if len(rest) <= FEW else [])
    return Recovery(error, fix, tuple(chosen[-CHANGES:]), near=False)


def in_words(found: Recovery) -> str:
    """Return what ended an error on one line: the changes, then the call that went well."""
    ended = found.fix.summary.partition("\n")[0]
    return "; ".join([*map(steps.told, found.changes), f"then {ended}" if found.changes else ended])


def _changes(one: Observation) -> bool:
    if one.salience is Salience.QUARANTINED or not steps.changes(one):
        return False
    return not _DOING.isdisjoint(one.tags) or tool_name(one) not in tools("looking")


def _unclaimed(done: Sequence[Observation], others: Mapping[str, Observation]) -> list[Observation]:
    """Return what was not done between another error and its end."""
    spans = [
        (others[one.resolves].sequence, one.sequence)
        for one in done
        if one.resolves and one.resolves in others
    ]
    return [one for one in done if not any(low < one.sequence <= high for low, high in spans)]


def _about(one: Observation, names: Sequence[str]) -> bool:
    said = "\n".join((one.summary, *one.files)).lower()
    return any(name in said for name in names)
