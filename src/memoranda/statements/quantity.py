"""Rules for another date and another amount of the same thing."""

from __future__ import annotations

from memoranda.statements.pair import Pair
from memoranda.statements.verdict import Conflict, Reason


def date(pair: Pair) -> Conflict | None:
    """Another date of the same thing; not of two events, and no weekday against a date."""
    if not pair.same_polarity or pair.two_events or not _other_dates(pair):
        return None
    alike = (
        pair.overlap >= 0.5
        or (pair.same_claim and pair.cover >= 0.5)
        or (pair.cover >= 0.6 and pair.cosine >= 0.65)
    )
    if not alike:
        return None
    score = 0.5 + 0.4 * pair.overlap + 0.1 * pair.new.tone.changes
    return Conflict(pair.kind, Reason.DATE, score, certain=False)


def _other_dates(pair: Pair) -> bool:
    """Say whether both tell dates of one form, and none of them can be the same."""
    both = [
        (old, new)
        for old in pair.old.dates
        for new in pair.new.dates
        if old[0].isdigit() == new[0].isdigit()
    ]
    return bool(both) and not any(old.startswith(new) or new.startswith(old) for old, new in both)


def number(pair: Pair) -> Conflict | None:
    """Another amount of the same dimension beside a common word.

    It must not confuse versions of two products ("Flask 2.3", "Flask-WTF 1.1"), amounts of two
    things ("12 endpoints", "3 maintainers"), nor numbers that stand in both.
    """
    if not pair.same_polarity or not pair.old.amounts or not pair.new.amounts:
        return None
    if not _one_quantity(pair) or not _other_amount(pair):
        return None
    changes = pair.new.tone.changes
    score = 0.45 + 0.3 * pair.overlap + 0.2 * max(0.0, pair.cosine) + 0.1 * changes
    certain = changes and pair.same_claim and pair.same_subject
    return Conflict(pair.kind, Reason.NUMBER, min(score, 1.0), certain)


def _one_quantity(pair: Pair) -> bool:
    """Say whether the amounts can be of the same; an announced change needs less likeness."""
    if pair.scenes:
        return False
    if pair.same_topic and (pair.same_claim or pair.overlap >= 0.34 or pair.cosine >= 0.66):
        return True
    return pair.new.tone.changes and pair.cosine >= 0.5 and len(pair.shared) >= 2


def _other_amount(pair: Pair) -> bool:
    kept = {old.number for old in pair.old.amounts} & {new.number for new in pair.new.amounts}
    return any(
        old.excludes(new)
        for old in pair.old.amounts
        for new in pair.new.amounts
        if old.number not in kept and new.number not in kept
    )
