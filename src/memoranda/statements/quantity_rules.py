"""Conflict rules for a changed date or amount of the same thing."""

from __future__ import annotations

from memoranda.statements.amounts import Amount
from memoranda.statements.conflict_model import ConflictReason, StatementConflict
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

    A common word must be near them. Versions of two products ("Flask 2.3", "Flask-WTF 1.1"),
    amounts of two things ("12 endpoints", "3 maintainers") and numbers that occur in both are no
    conflict.
    """
    if not pair.same_polarity or not pair.old.amounts or not pair.new.amounts:
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


def restated(pair: StatementPair) -> StatementConflict | None:
    """Return a possible conflict: a different amount or date in other words.

    For example "gave 5 talks", "the talks grew to 7". Only the speaker's own things count, where
    the newer one states a change or the vectors are near. It is a hint only, since two counts of
    one noun may be of two things.
    """
    if pair.scenes or not _own(pair) or not _pertinent(pair):
        return None
    amounts = pair.same_polarity and any(
        _restates(pair, old, new) for old, new in _changed_amounts(pair)
    )
    if not amounts and not _new_date(pair):
        return None
    score = 0.2 + 0.3 * pair.cosine + 0.1 * pair.new.tone.changes + 0.2 * pair.overlap
    return StatementConflict(pair.kind, ConflictReason.RESTATED, min(score, 1.0), certain=False)


def _new_date(pair: StatementPair) -> bool:
    """Return whether the newer statement indicates another date.

    "I won't meet the new deadline" does so without naming it.
    """
    if not pair.new.tone.changes or pair.old.dated.isdisjoint(pair.new.dated):
        return False
    return pair.cosine >= 0.45 and pair.other_dates


def _own(pair: StatementPair) -> bool:
    return pair.old.first_person or pair.new.first_person


def _pertinent(pair: StatementPair) -> bool:
    near = pair.cosine >= 0.65 and len(pair.shared) >= 2
    return near or (pair.new.tone.changes and pair.cosine >= 0.33 and bool(pair.shared))


def _restates(pair: StatementPair, old: Amount, new: Amount) -> bool:
    if old.counts_otherwise(new):
        return True
    measured = old.measures_otherwise(new) and pair.new.tone.changes
    return measured and pair.cosine >= 0.45


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
