"""Conflict rules for a changed date or amount of the same thing."""

from __future__ import annotations

from memoranda.statements.amounts import Amount
from memoranda.statements.conflict_result import ConflictReason, StatementConflict
from memoranda.statements.pair import StatementPair


def date(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict between different dates of the same thing.

    Dates of two events, and a weekday and a date, are not in conflict.
    """
    if not pair.same_polarity or pair.two_events or not pair.other_dates:
        return None
    alike = (
        pair.overlap >= 0.5
        or (pair.same_claim and pair.cover >= 0.5)
        or (pair.cover >= 0.6 and pair.cosine >= 0.65)
    )
    if not alike:
        return None
    score = 0.5 + 0.4 * pair.overlap + 0.1 * pair.new.tone.changes
    return StatementConflict(pair.kind, ConflictReason.DATE, score, certain=False)


def number(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict between different amounts of one dimension.

    A common word must be near the amounts. Versions of two products ("Flask 2.3", "Flask-WTF 1.1"),
    amounts of two things ("12 endpoints", "3 maintainers") and numbers that occur in both are no
    conflict.
    """
    if not pair.same_polarity or not pair.old.amounts or not pair.new.amounts:
        return None
    if pair.two_events and pair.other_dates:
        return None
    if not _one_quantity(pair) or not _other_amount(pair):
        return None
    changes = pair.new.tone.changes
    score = 0.45 + 0.3 * pair.overlap + 0.2 * max(0.0, pair.cosine) + 0.1 * changes
    certain = changes and pair.same_claim and pair.same_subject
    return StatementConflict(pair.kind, ConflictReason.NUMBER, min(score, 1.0), certain)


def _one_quantity(pair: StatementPair) -> bool:
    """Return whether the amounts can belong to the same quantity.

    An announced change requires less similarity.
    """
    if pair.scenes:
        return False
    if pair.same_topic and (pair.same_claim or pair.overlap >= 0.34 or pair.cosine >= 0.66):
        return True
    return pair.new.tone.changes and pair.cosine >= 0.5 and len(pair.shared) >= 2


def _other_amount(pair: StatementPair) -> bool:
    return any(old.excludes(new) for old, new in _changed_amounts(pair))


def _changed_amounts(pair: StatementPair) -> list[tuple[Amount, Amount]]:
    """Return pairs of amounts, without those that both statements have."""
    shared_numbers = {old.number for old in pair.old.amounts} & {
        new.number for new in pair.new.amounts
    }
    return [
        (old, new)
        for old in pair.old.amounts
        for new in pair.new.amounts
        if old.number not in shared_numbers and new.number not in shared_numbers
    ]
