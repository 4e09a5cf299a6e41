"""A pair of statements: what they share, and whether on the same topic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memoranda.statements.conflict_model import ConflictKind
from memoranda.statements.statement import Statement

_FILLED = 0.5
"""Maximum share of the words of a template that are filled in."""


@dataclass(frozen=True, slots=True)
class StatementPair:
    """An older and a newer statement with the properties that the rules use."""

    old: Statement
    new: Statement
    cosine: float
    """Cosine of the two vectors; 0 where they are not known."""
    stripped: Callable[[], float] | None
    """Returns the cosine of the two without their negations."""
    shared: frozenset[str]
    """Content stems that occur in both."""
    cover: float
    """Share of the shorter one's stems that is common (0 to 1)."""
    overlap: float
    """Share of all stems that is common (0 to 1)."""
    differing: int
    """Number of stems that only one of them has."""
    same_claim: bool

    @classmethod
    def of(
        cls, old: Statement, new: Statement, cosine: float, stripped: Callable[[], float] | None
    ) -> StatementPair:
        """Compare two statements, each of which has content."""
        shared = old.stems & new.stems
        every = len(old.stems) + len(new.stems) - len(shared)
        return cls(
            old=old,
            new=new,
            cosine=cosine,
            stripped=stripped,
            shared=shared,
            cover=len(shared) / min(len(old.stems), len(new.stems)),
            overlap=len(shared) / every,
            differing=every - len(shared),
            same_claim=bool(old.claim and new.claim and old.claim.same(new.claim)),
        )

    @property
    def kind(self) -> ConflictKind:
        """Return an update where the newer statement has words of change."""
        return ConflictKind.UPDATE if self.new.tone.changes else ConflictKind.CONTRADICTION

    @property
    def same_topic(self) -> bool:
        """Return whether both have one topic.

        Two common stems that are half of the shorter one, one and near vectors, or one claim.
        """
        if self.same_claim:
            return True
        return (len(self.shared) >= 2 and self.cover >= 0.5) or (
            len(self.shared) >= 1 and self.cosine >= 0.7
        )

    @property
    def same_subject(self) -> bool:
        """Return whether both are about the very same subject.

        Nothing less allows one to supersede the other.
        """
        return bool(self.old.subject) and self.old.subject == self.new.subject

    @property
    def same_polarity(self) -> bool:
        """Return whether both or neither is a denial."""
        return self.old.tone.denied == self.new.tone.denied

    @property
    def two_events(self) -> bool:
        """Return whether both are completed actions: both may have happened."""
        return self.old.tone.event and self.new.tone.event and not self.new.tone.changes

    @property
    def two_doers(self) -> bool:
        """Return whether they begin with different people.

        For example "Ana works at Acme", "Bob works at Globex".
        """
        return bool(self.old.doer and self.new.doer and self.old.doer != self.new.doer)

    @property
    def two_intentions(self) -> bool:
        """Return whether both are wishes or attempts, and the newer is no change."""
        old, new = self.old.tone, self.new.tone
        both = (old.wishes or old.tries) and (new.wishes or new.tries)
        return both and not new.changes and not self.new.never

    @property
    def scenes(self) -> bool:
        """Return whether one of them describes something indefinite.

        It need not be what the other is about.
        """
        return self.old.tone.scene or self.new.tone.scene

    @property
    def other_things(self) -> bool:
        """Return whether they are about two things of a kind in one frame.

        For example /users and /orders, staging and production.
        """
        return self._other_objects or self._other_sides or self._other_of_kind or self._one_template

    @property
    def _one_template(self) -> bool:
        """Return whether both are one sentence filled in for two things.

        For example "auth is on port 8081", "mail on port 8082". All words are alike but for the
        thing, and for the value after it.
        """
        old, new = self.old.text.lower().split(), self.new.text.lower().split()
        if len(old) != len(new):
            return False
        places = [at for at, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]]
        if not 2 <= len(places) <= _FILLED * len(old):
            return False
        dated = bool(self.old.dates and self.new.dates)
        value = all(any(map(str.isdigit, words[places[-1]])) for words in (old, new))
        return (value or dated) and old[places[0]].isalpha() and new[places[0]].isalpha()

    @property
    def _other_of_kind(self) -> bool:
        """Return whether they share a word, and each has one of its own.

        For example the login page and the checkout page.
        """
        one, other = self.old.subject, self.new.subject
        return not (one.isdisjoint(other) or one <= other or other <= one)

    @property
    def _other_objects(self) -> bool:
        """Return whether they are about different objects.

        With words of change only the subject counts: a version may have followed another.
        """
        old, new = self.old, self.new
        if new.tone.changes:
            return _differ(old.leading_objects, new.leading_objects)
        return _differ(old.objects, new.objects)

    @property
    def _other_sides(self) -> bool:
        return any(map(_differ, self.old.sides, self.new.sides))


def _differ(old: frozenset[str], new: frozenset[str]) -> bool:
    return bool(old and new) and old.isdisjoint(new)
