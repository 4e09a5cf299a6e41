"""Open errors of a task, and the resolutions of similar errors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memoranda.errors import note_table as error_notes
from memoranda.errors.model import KINDS, ErrorContext, Recovery
from memoranda.errors.records import failure_parts, failure_parts_of
from memoranda.errors.signature import names_in, signature
from memoranda.memories import table as memories
from memoranda.observations import table as observations
from memoranda.observations.table import ResolvedError
from memoranda.scope import Scope
from memoranda.search.model import ContextItem
from memoranda.stages import table as stages
from memoranda.stages.model import Stage
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import TaskStatus

OPEN = 8
"""Maximum number of newest open errors that count as current."""
FIXES = 150
"""Number of a workspace's newest fixes that are read."""
MAX_FIX_IDS = 16
NAMES = 24
MAX_SHOWN = 30
"""Maximum preventions returned."""
KNOWN = 24
"""Maximum number of resolved errors that are returned and read in full."""
OFTEN, ENOUGH = 0.25, 4
"""Increase of an error's score for each additional task with the error, and maximum number of tasks
that are counted."""
UNKNOWN = 0.4
"""Weight of errors whose kind has no weight of its own."""
DOUBTFUL = 0.5
"""Factor for recoveries whose changes may not concern the error."""
_NOTHING = ErrorContext()
_ErrorKey = tuple[str, str, str]
_signature = lru_cache(maxsize=2_048)(signature)


@dataclass(frozen=True, slots=True)
class _PastError:
    """Resolved error with its resolution, in the original wording."""

    fix: ResolvedError
    kind: str
    target: str
    line: str

    @property
    def signature(self) -> str:
        """Text that is the same for errors with the same cause."""
        return _signature(self.kind, self.line)


def error_context(
    tx: Transaction, scope: Scope, task: str | None, *, lookback: int = 0
) -> ErrorContext:
    """Return what is known about the open errors of a task.

    The task is that of the scope, ``task``, or the newest running task of the workspace.

    Args:
        lookback: number of the task's last stages whose errors count; 0 for all.
    """
    errors = _at_hand(tx, scope, task, lookback)
    if not errors:
        return _NOTHING
    names = dict.fromkeys(name for error in errors for name in names_in(f"{error[1]} {error[2]}"))
    return ErrorContext(
        kinds=frozenset(kind for kind, _, _ in errors if kind != "error"),
        names=frozenset(list(names)[:NAMES]),
        fix_ids=_fix_ids(tx, scope, errors, _ended(tx, scope)),
    )


def _at_hand(tx: Transaction, scope: Scope, task: str | None, lookback: int) -> list[_ErrorKey]:
    """Return the current task's open errors: kind, target and line."""
    at = scope.task or task or _current(tx, scope)
    if at is None:
        return []
    errors = observations.open_errors(tx, scope.team, at, OPEN)
    notes = error_notes.still_open(tx, scope.team, at, limit=OPEN)
    if first := _first_stage(tx, scope.team, at, lookback):
        errors = [observation for observation in errors if observation.sequence >= first.began]
        notes = [error_note for error_note in notes if error_note.created_at >= first.started_at]
    alone = [note for note in notes if note.observation is None]
    noted = [(str(note.type), note.context, note.description) for note in alone]
    return [failure_parts(error) for error in errors] + noted


def _first_stage(tx: Transaction, team: str, task: str, lookback: int) -> Stage | None:
    """Return the first stage that counts; None if all stages do."""
    newest = stages.newest(tx, team, task) if lookback else None
    number = newest.number - lookback + 1 if newest else 0
    return stages.by_number(tx, team, task, number) if number > 1 else None


def preventions(tx: Transaction, scope: Scope, errors: ErrorContext) -> list[ContextItem]:
    """Return how earlier errors were resolved, as recorded.

    Fixes of current errors come first, then those of the most frequent causes.
    """
    from memoranda.errors.patterns import prevention
    from memoranda.errors.recoveries import recovery_text

    ended, fix_ids = list(_ended(tx, scope)), errors.fix_ids
    count = Counter(item.signature for item in ended)
    ended.sort(key=lambda one: (one.fix.fix not in fix_ids, -count[one.signature]))
    first = {error.signature: error for error in reversed(ended)}
    chosen = [past_error for past_error in ended if first[past_error.signature] is past_error][
        :MAX_SHOWN
    ]
    return [
        ContextItem(
            recovery.fix.id, recovery.fix.ref, text, recovery.fix.origin, recovery.fix.created_at
        )
        for recovery in _recovered(tx, scope, chosen)
        if (text := prevention(*failure_parts(recovery.error)[1:], recovery_text(recovery)))
    ]


def past_fixes(tx: Transaction, scope: Scope, errors: ErrorContext) -> list[Recovery]:
    """Return the recoveries from the workspace's errors, by relevance.

    Recoveries with a change or a recorded resolution come first; among them those that fix current
    errors, then those of the scope's task, then the most instructive ones.

    A recovery is more instructive if its changes are about the error, if many tasks had the error,
    and if its kind is not an ordinary part of the work, such as failing tests. Equal calls with
    equal errors are returned once.
    """
    met: dict[tuple[str, str], list[_PastError]] = {}
    for past_error in _ended(tx, scope):
        met.setdefault((past_error.target, past_error.signature), []).append(past_error)
    scores = {past_errors[0].fix.fix: _score(past_errors) for past_errors in met.values()}
    fix_ids = errors.fix_ids

    def order(one: Recovery) -> tuple[float, ...]:
        fix, doubt = one.fix, 1.0 if one.near else DOUBTFUL
        own = fix.task == scope.task
        what = -fix.sequence if own else -scores[fix.id] * doubt
        known = fix.id in fix_ids or one.error.id in fix_ids
        return not (one.changes or one.stated), not known, not own, what

    newest = [found[0] for found in met.values()]
    newest.sort(key=lambda error: _place(error.fix, scope, errors, scores))
    return sorted(_recovered(tx, scope, newest[:KNOWN]), key=order)


def _place(
    fix: ResolvedError, scope: Scope, errors: ErrorContext, scores: Mapping[str, float]
) -> tuple[bool, bool, float]:
    known = fix.fix in errors.fix_ids or fix.error in errors.fix_ids
    return not known, fix.task != scope.task, -scores[fix.fix]


def _recovered(tx: Transaction, scope: Scope, chosen: Sequence[_PastError]) -> list[Recovery]:
    """Return the recoveries from errors in order, reading full records."""
    from memoranda.errors.recoveries import recoveries

    ids = [id for past_error in chosen for id in (past_error.fix.error, past_error.fix.fix)]
    stored = observations.by_ids(tx, scope.team, ids)
    return recoveries(
        tx, scope.team, [(stored[error.fix.error], stored[error.fix.fix]) for error in chosen]
    )


def _score(found: Sequence[_PastError]) -> float:
    """Return how instructive an error with one or more resolutions is."""
    from memoranda.lessons.vocabulary import weights

    often = min(len({error.fix.task for error in found}) - 1, ENOUGH)
    return weights().get(found[0].kind, UNKNOWN) * (1 + OFTEN * often)


def _current(tx: Transaction, scope: Scope) -> str | None:
    if scope.workspace is None:
        return None
    active = TaskStatus.ACTIVE
    found = tasks.listed(tx, scope.team, workspace=scope.workspace, status=active, limit=1)
    return found[0].id if found else None


def _ended(tx: Transaction, scope: Scope) -> Iterator[_PastError]:
    """Yield the resolved errors of the workspace, newest first."""
    for fix in observations.ended(tx, scope.team, scope.workspace, limit=FIXES):
        yield _PastError(fix, *failure_parts_of(fix.tags, fix.summary))


def _fix_ids(
    tx: Transaction, scope: Scope, errors: Sequence[_ErrorKey], ended: Iterable[_PastError]
) -> frozenset[str]:
    """Return the fixes of similar errors, and the memories based on them.

    Similar errors have the same kind, and the same cause or target. If there are too many, the
    newest are returned.
    """
    causes = {_signature(kind, line) for kind, _, line in errors}
    places = {(kind, target) for kind, target, _ in errors if target and kind in KINDS}
    seen: dict[str, None] = {}
    rests = list[str]()
    kinds = {kind for kind, _, _ in errors}
    for error in ended:
        alike = error.kind in kinds
        if alike and ((error.kind, error.target) in places or error.signature in causes):
            seen[error.fix.fix] = None
            rests += [error.fix.fix, error.fix.error]
    stated = memories.resting_on(tx, scope.team, rests) if rests else []
    return frozenset([*stated[:MAX_FIX_IDS], *list(seen)[:MAX_FIX_IDS]])
