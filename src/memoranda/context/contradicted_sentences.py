"""Detects earlier sentences that a later message contradicts with a value."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from memoranda.statements.stated_attributes import attribute_names, stated_attribute
from memoranda.statements.value_changes import (
    MAX_LENGTH,
    differ_in_value,
    states_choice,
    subjects,
    value_changes,
    values,
)
from memoranda.utterances.sentence_checks import is_momentary

if TYPE_CHECKING:
    from memoranda.statements.statement import Statement

COMPARED = 12
"""Number of newest sentences with common subjects that a sentence is compared with."""
PARSED = 2_048
"""Number of statements that are cached."""
MIN_COUNT = 2
"""Minimum number of common subjects for rules that treat both sentences as statements."""


class LaterSentences:
    """People's sentences, newest first, that may contradict earlier ones."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self._texts: list[tuple[str, str]] = []
        """Each sentence, with its message."""
        self._having: dict[str, list[int]] = defaultdict(list)

    def add(self, sentences: Sequence[str]) -> None:
        """Add the sentences of a message."""
        message = " ".join(sentences)[:MAX_LENGTH]
        for text in sentences:
            if len(text) > MAX_LENGTH or "?" in text:
                continue
            attribute = stated_attribute(text)
            if not is_momentary(text) or states_choice(text) or (attribute and attribute.is_new):
                for subject in (*subjects(text), *attribute_names(text)):
                    self._having[subject].append(len(self._texts))
                self._texts.append((text, message))

    def contradict(self, text: str) -> bool:
        """Return whether a later sentence contradicts a sentence with a value.

        Example:
            >>> later = LaterSentences()
            >>> later.add(["Deploys go out on Tuesdays now."])
            >>> later.contradict("Deploys go out on Fridays.")
            True
            >>> later.contradict("Reviews are on Fridays.")
            False
        """
        if len(text) > MAX_LENGTH or "?" in text:
            return False
        own = subjects(text)
        shared = Counter(at for subject in own for at in self._having.get(subject, ()))
        alike = {at for name in attribute_names(text) for at in self._having.get(name, ())}
        least = min(MIN_COUNT, len(own) - 1)
        return any(
            value_changes(text, *self._texts[at])
            or (shared[at] >= least and _conflict(text, self._texts[at][0]))
            for at in sorted(alike.union(shared))[:COMPARED]
        )


def _conflict(old: str, new: str) -> bool:
    """Return whether two statements have values that exclude each other."""
    before, after = values(old), values(new)
    if not before or not after or before & after:
        return False
    from memoranda.statements.clauses import stated  # its patterns take long to load
    from memoranda.statements.conflict_result import ConflictKind
    from memoranda.statements.conflicts import conflict

    found = (
        conflict(_statement(first), _statement(second), 0.0)
        for first in stated(old, MAX_LENGTH)
        for second in stated(new, MAX_LENGTH)
    )
    kinds = {one.kind for one in found if one is not None}
    return ConflictKind.UPDATE in kinds or (bool(kinds) and differ_in_value(old, new))


@lru_cache(maxsize=PARSED)
def _statement(text: str) -> Statement:
    from memoranda.statements.statement import Statement

    return Statement.of(text)
