"""A pair of statements, with what they share and whether topics match."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoranda.language.months import MONTH, WEEKDAY
from memoranda.statements.antonyms import exclude
from memoranda.statements.conflict_result import ConflictKind
from memoranda.statements.statement import Statement

_CALENDAR = re.compile(rf"(?:{MONTH}|{WEEKDAY})s?", re.IGNORECASE)
_FILLED = 0.5
"""Maximum fraction of words that differ between two instances of a template."""


@dataclass(frozen=True, slots=True)
class StatementPair:
    """An older and a newer statement with the properties that rules use."""

    old: Statement
    new: Statement
    cosine: float
    """Cosine of the two vectors; 0 if unknown."""
    shared: frozenset[str]
    """Content stems that are in both statements."""
    cover: float
    """Fraction of the shorter statement's stems that both statements have, 0 to 1."""
    overlap: float
    """Jaccard similarity of the stems (0 to 1)."""
    differing: int
    """Number of stems that only one statement has."""
    same_claim: bool

    @classmethod
    def of(cls, old: Statement, new: Statement, cosine: float) -> StatementPair:
        """Compare two statements, each with at least one content word."""
        shared = old.stems & new.stems
        every = len(old.stems) + len(new.stems) - len(shared)
        return cls(
            old=old,
            new=new,
            cosine=cosine,
            shared=shared,
            cover=len(shared) / min(len(old.stems), len(new.stems)),
            overlap=len(shared) / every,
            differing=every - len(shared),
            same_claim=bool(old.claim and new.claim and old.claim.same(new.claim)),
        )

    @property
    def kind(self) -> ConflictKind:
        """Kind of conflict; an update if the newer one has words of change."""
        return ConflictKind.UPDATE if self.new.tone.changes else ConflictKind.CONTRADICTION

    @property
    def same_topic(self) -> bool:
        """Whether both have the same topic.

        Statements have the same topic if they have two common stems that are half of the shorter
        one's, one common stem and near vectors, or the same claim.
        """
        if self.same_claim:
            return True
        return (len(self.shared) >= 2 and self.cover >= 0.5) or (
            len(self.shared) >= 1 and self.cosine >= 0.7
        )

    @property
    def same_subject(self) -> bool:
        """Whether both have exactly the same subject, as supersession requires."""
        return bool(self.old.subject) and self.old.subject == self.new.subject

    @property
    def same_polarity(self) -> bool:
        """Whether both or neither is negated."""
        return self.old.tone.denied == self.new.tone.denied

    @property
    def two_events(self) -> bool:
        """Whether both are completed actions that may both have happened."""
        return self.old.tone.event and self.new.tone.event and not self.new.tone.changes

    @property
    def two_doers(self) -> bool:
        """Whether the statements start with different people.

        For example "Ana works at Acme", "Bob works at Globex".
        """
        return bool(self.old.doer and self.new.doer and self.old.doer != self.new.doer)

    @property
    def two_intentions(self) -> bool:
        """Whether both are wishes or attempts, and the newer one states no change."""
        old, new = self.old.tone, self.new.tone
        both = (old.wishes or old.tries) and (new.wishes or new.tries)
        return both and not new.changes and not self.new.never

    @property
    def scenes(self) -> bool:
        """Whether one describes something indefinite, as in "a dog is running"."""
        return self.old.tone.scene or self.new.tone.scene

    @property
    def other_dates(self) -> bool:
        """Whether both have dates of the same form, none in common."""
        both = [
            (old, new)
            for old in self.old.dates
            for new in self.new.dates
            if old[0].isdigit() == new[0].isdigit()
        ]
        return bool(both) and not any(
            old.startswith(new) or new.startswith(old) for old, new in both
        )

    @property
    def other_times(self) -> bool:
        """Whether both have times of day, none in common."""
        old, new = (
            {amount.number for amount in side.amounts if amount.dimension == "clock"}
            for side in (self.old, self.new)
        )
        return bool(old and new) and old.isdisjoint(new)

    @property
    def different_things(self) -> bool:
        """Whether the statements are about two things of one kind, in one pattern.

        For example /users and /orders, staging and production.
        """
        return (
            self._other_objects
            or self._other_sides
            or self._other_of_kind
            or self._one_template
            or self._other_parts
        )

    @property
    def _one_template(self) -> bool:
        """Whether both are instances of one template for two things.

        For example "auth is on port 8081", "mail on port 8082". Only the thing, which may be named
        by a number, and the value, a number or a date, differ.
        """
        old, new = self.old.text.lower().split(), self.new.text.lower().split()
        if len(old) != len(new):
            return False
        pairs = list(zip(old, new, strict=True))
        places = [at for at, (item, other) in enumerate(pairs) if item != other]
        if not 2 <= len(places) <= _FILLED * len(old):
            return False
        numbers = [at for at in places if _are_numbers(pairs[at])]
        if numbers and numbers[0] == places[0] < self._words_of_subject:
            numbers, named = numbers[1:], True
        else:
            named = any(_are_names(pairs[at]) and at - 1 not in numbers for at in places)
        return named and bool(numbers or (self.old.dates and self.new.dates))

    @property
    def _words_of_subject(self) -> int:
        claim = self.old.claim
        return len(self.old.text[: claim.start].split()) if claim else 0

    @property
    def _other_parts(self) -> bool:
        """Whether one difference names the thing, and another describes it differently.

        For example "mocks in unit tests", "no mocks in integration tests".
        """
        old, new = self.old.modifiers, self.new.modifiers
        heads = [head for head in old.keys() & new.keys() if self._other_modifier(head)]
        if not heads:
            return False
        named = frozenset(word for head in heads for word in (old[head], new[head]))
        more = (self.old.stems ^ self.new.stems) - named
        values = self.old.amounts != self.new.amounts or self.old.dates != self.new.dates
        return bool(more) or values or not self.same_polarity

    def _other_modifier(self, head: str) -> bool:
        old, new = self.old.modifiers[head], self.new.modifiers[head]
        apart = old not in self.new.stems and new not in self.old.stems
        return apart and not exclude(old, new)

    @property
    def _other_of_kind(self) -> bool:
        """Whether the subjects share a word, and each also has a different one.

        For example the login page and the checkout page.
        """
        item, other = self.old.subject, self.new.subject
        return not (item.isdisjoint(other) or item <= other or other <= item)

    @property
    def _other_objects(self) -> bool:
        """Whether the statements are about different objects.

        With words of change, only objects in the subjects count: one version may follow another.
        """
        old, new = self.old, self.new
        if new.tone.changes:
            return _differ(old.leading_objects, new.leading_objects)
        return _differ(old.objects, new.objects)

    @property
    def _other_sides(self) -> bool:
        return any(map(_differ, self.old.sides, self.new.sides))


def _are_numbers(words: tuple[str, str]) -> bool:
    return all(any(map(str.isdigit, word)) for word in words)


def _are_names(words: tuple[str, str]) -> bool:
    plain = [word.strip(".,;:") for word in words]
    return all(word.isalpha() and not _CALENDAR.fullmatch(word) for word in plain)


def _differ(old: frozenset[str], new: frozenset[str]) -> bool:
    return bool(old and new) and old.isdisjoint(new)
