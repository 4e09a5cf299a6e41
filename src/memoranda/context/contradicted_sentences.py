"""Detects earlier sentences that a later message contradicts by a value."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from memoranda.context.announced_changes import topics
from memoranda.language.months import MONTH, OTHER_MONTHS, OTHER_WEEKDAYS, WEEKDAYS
from memoranda.utterances import is_momentary

COMPARED = 12
"""Number of newest sentences with common topics that one sentence is compared with."""
MIN_COUNT = 2
"""Minimum number of common topics; one is enough for a sentence that has only two."""
MAX_LENGTH = 400
"""Maximum characters of a sentence that is compared."""

_OTHER = " ".join((*OTHER_WEEKDAYS.values(), *OTHER_MONTHS.values())).split()
_VALUES = re.compile(
    rf"\d+(?:\.\d+)*|\b(?:{'|'.join((*WEEKDAYS, *_OTHER))}|{MONTH})",
    re.IGNORECASE,
)
_MISTAKE = re.compile(
    r"\b(?:my (?:mistake|bad|fault)|(?:gave|told|sent) you the wrong"
    r"|wrong (?:one|number|name|value)"
    r"|i (?:meant|misspoke)|mixed (?:\w+ )?up|i was wrong|verwechselt|vertan|mein fehler"
    r"|me (?:equivoqu\w+|confund\w+)|mi error|je me suis tromp\w+|mon erreur|me enganei"
    r"|mi sono sbagliat\w)\b",
    re.IGNORECASE,
)
"""A person says that an earlier statement of theirs was wrong."""
_NAMED = re.compile(
    r"(?P<noun>[^\W\d_]{3,})\s+(?:is|was|ist|war|es|era|est|\u00e9|\u00e8)\s+(?:called\s+)?"
    r"`?(?P<value>[\w./:-]*\d[\w./:-]*\w|\d)",
    re.IGNORECASE,
)
"""Thing and its identifier: "the loaner is KM-039"."""
_IDENTIFIER = re.compile(r"[\w./:-]*\d[\w./:-]*")
_NUMBER = re.compile(r"\d+")


class LaterSentences:
    """Sentences of people, added from the newest on, that may contradict an earlier one."""

    def __init__(self) -> None:
        """Create it without sentences."""
        self._texts: list[str] = []
        self._having: dict[str, list[int]] = defaultdict(list)
        self._identifiers: list[tuple[frozenset[str], str]] = []
        """Stem of each thing whose identifier was corrected, and the right identifier."""

    def add(self, sentences: Sequence[str]) -> None:
        """Add the sentences of a message."""
        for text in sentences:
            if len(text) <= MAX_LENGTH and "?" not in text and not is_momentary(text):
                for topic in topics(text):
                    self._having[topic].append(len(self._texts))
                self._texts.append(text)
        message = " ".join(sentences)
        if len(message) <= MAX_LENGTH and _MISTAKE.search(message):
            self._identifiers += [
                (topics(match["noun"]), match["value"].rstrip(".:"))
                for match in _NAMED.finditer(message)
            ]

    def contradict(self, text: str) -> bool:
        """Return whether a later sentence contradicts one.

        Either its value differs for the same subject, or a person corrected an identifier.

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
        return self._has_wrong_identifier(text) or any(
            _conflict(text, other) for other in self._comparable(text)
        )

    def _comparable(self, text: str) -> Iterator[str]:
        """Yield the newest later sentences on the same subject that have other values."""
        own, values = topics(text), _values(text)
        if not values:
            return
        shared = Counter(at for topic in own for at in self._having.get(topic, ()))
        enough = [at for at, count in shared.items() if count >= min(MIN_COUNT, len(own) - 1)]
        for at in sorted(enough)[:COMPARED]:
            found = _values(self._texts[at])
            if found and not found & values:
                yield self._texts[at]

    def _has_wrong_identifier(self, text: str) -> bool:
        if not self._identifiers:
            return False
        named = [value.rstrip(".:") for value in _IDENTIFIER.findall(text)]
        subjects = topics(text)
        return any(
            noun <= subjects and right not in named and any(_same_form(right, v) for v in named)
            for noun, right in self._identifiers
        )


def _values(text: str) -> frozenset[str]:
    return frozenset(value.lower() for value in _VALUES.findall(text))


def _same_form(value: str, other: str) -> bool:
    return _NUMBER.sub("0", value).lower() == _NUMBER.sub("0", other).lower()


def _conflict(old: str, new: str) -> bool:
    from memoranda.statements import Statement, conflict, stated  # its patterns take long to load

    return any(
        conflict(Statement.of(before), Statement.of(after), 0.0) is not None
        for before in stated(old, MAX_LENGTH)
        for after in stated(new, MAX_LENGTH)
    )
