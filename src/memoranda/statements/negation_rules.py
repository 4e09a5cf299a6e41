"""Conflict rules for two statements, exactly one of which is negated."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.language.words import word_set
from memoranda.statements.conflict_result import ConflictKind, ConflictReason, StatementConflict
from memoranda.statements.pair import StatementPair
from memoranda.statements.statement import Statement

_TAKEN = 0.1
"""Approximate decrease of the cosine caused by a negation in one of two statements."""

_UNKNOWN = word_set("he she it they")
"""Pronouns that, as the first word of a statement, refer to the preceding statement."""


@dataclass(frozen=True, slots=True)
class _Denial:
    """The negated statement of a pair, and how much of it the other states."""

    denied: Statement
    other: Statement
    cover: float
    """Fraction of the denied stems in the other statement, 0 to 1."""

    @classmethod
    def of(cls, pair: StatementPair) -> _Denial:
        old, new = pair.old, pair.new
        denied, other = (old, new) if old.tone.denied else (new, old)
        return cls(denied, other, len(pair.shared) / len(denied.stems))

    @property
    def narrower(self) -> bool:
        """Whether the negated statement is narrower than the other one.

        For example, having no pencil does not deny having something to write.
        """
        return self.other.stems < self.denied.stems

    @property
    def of_others(self) -> bool:
        """Whether each statement names a person or thing that the other does not.

        This is also true if they differ only in their subjects: "The cat is black", "The dog is not
        black".
        """
        denied, other = self.denied, self.other
        if denied.names - other.names and other.names - denied.names:
            return True
        if denied.tone.scene or other.tone.scene or not (denied.subject and other.subject):
            return False  # "a man" and "a guy" may be the same
        apart = denied.subject.isdisjoint(other.subject)
        return apart and denied.stems - denied.subject == other.stems - other.subject

    def same_time(self, *, changes: bool) -> bool:
        """Return whether the denied days are the other statement's days.

        A statement of a change may name the day of the change.
        """
        denied, other = self.denied.dates, self.other.dates
        return not denied or bool(denied & other) or (changes and not other)

    @property
    def same_amount(self) -> bool:
        """Whether a denied number is in the other statement."""
        denied = {amount.number for amount in self.denied.amounts}
        return not denied or any(amount.number in denied for amount in self.other.amounts)


def negation(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict in which one statement denies the other.

    Denials of one thing and statements about another are no conflict ("The docs are not finished",
    "The tests are finished"), nor are different days and numbers, nor wishes or attempts compared
    with facts.
    """
    if pair.same_polarity or not pair.shared or not (pair.same_topic or pair.cosine >= 0.5):
        return None
    denial = _Denial.of(pair)
    intended = denial.other.tone.wishes or denial.other.tone.tries
    if intended or denial.of_others or not denial.same_amount:
        return None
    if not denial.same_time(changes=pair.new.tone.changes):
        return None
    if denial.denied.tone.ends and denial.cover < 1:
        # only what is named ends: a person who no longer teaches chess may still like chess
        return None
    near = pair.cosine + _TAKEN
    if not _meets(pair, denial, near):
        return None
    score = 0.5 + 0.25 * max(0.0, near) + 0.25 * denial.cover
    return StatementConflict(pair.kind, ConflictReason.NEGATION, min(score, 1.0), certain=False)


def _meets(pair: StatementPair, denial: _Denial, near: float) -> bool:
    """Return whether the other statement states what is denied.

    The words must be the same, or ``near``, the cosine without the negation, must be high.
    """
    if denial.cover == 1 and (len(denial.denied.stems) >= 2 or pair.overlap >= 0.5):
        return near >= 0.4 or pair.overlap >= 0.6
    if denial.narrower:
        return False
    return (near >= 0.75 and denial.cover >= 0.6) or (near >= 0.8 and denial.cover >= 0.34)


def never(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict between "never" and a statement that it happened.

    Only in the first person, and only with the denied verb or a common name: "I have never flown to
    Rome" and "I flew to Oslo" can both be true. A wish is no conflict, an attempt is one.
    """
    if pair.same_polarity:
        return None
    denial = _Denial.of(pair)
    if not denial.denied.never or not denial.other.first_person or denial.other.tone.wishes:
        return None
    if not _states_part(pair, denial):
        return None
    score = 0.4 + 0.3 * pair.cosine + 0.05 * min(len(pair.shared), 4)
    return StatementConflict(
        ConflictKind.CONTRADICTION, ConflictReason.NEVER, min(score, 1.0), certain=False
    )


def _states_part(pair: StatementPair, denial: _Denial) -> bool:
    """Return whether the other statement states part of what "never" denies.

    The more of the denied words, the name or the verb it contains, the lower the cosine may be.
    """
    common, cover = len(pair.shared), denial.cover
    named = bool(denial.denied.names & denial.other.names)
    denied_part = denial.denied.never in denial.other.stems
    if named and pair.cosine >= 0.6:
        return True
    if pair.cosine >= 0.5 and common >= 2 and (named or cover >= 0.33):
        return True
    if pair.cosine >= 0.4 and common >= 3 and (denied_part or common >= 4):
        return True
    if pair.cosine < 0.25:
        return False
    return (denied_part and common >= 2 and cover >= 0.5) or (
        named and common >= 3 and cover >= 0.6
    )


def no_longer(pair: StatementPair) -> StatementConflict | None:
    """Return the conflict in which the newer statement ends the older one.

    Cues are "no longer", "any more" and "stopped". All that ended must occur in the older one: "We
    use Redis for caching" remains true after "We no longer use Memcached for caching", and tests
    that no longer run on Windows still run.
    """
    if not pair.new.tone.ends or pair.old.tone.denied or len(pair.shared) < 2:
        return None
    denial = _Denial.of(pair)
    if denial.cover < 1 or not denial.same_time(changes=True) or not denial.same_amount:
        return None
    score = 0.6 + 0.3 * max(0.0, pair.cosine)
    certain = pair.old.doer == pair.new.doer and pair.new.doer not in _UNKNOWN
    return StatementConflict(
        ConflictKind.UPDATE, ConflictReason.NO_LONGER, min(score, 1.0), certain
    )
