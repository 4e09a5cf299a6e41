"""Report on the language of people's messages."""

from __future__ import annotations

from memoranda.assembly.services import Services
from memoranda.language.foreign_stop_words import counted_languages
from memoranda.language.words import words
from memoranda.observations import table as observations
from memoranda.observations.model import ObservationType, Origin
from memoranda.observations.table import ObservationFilter

EXAMINED = 400
"""Maximum number of newest messages that are examined."""
FEWEST = 10
"""Minimum number of messages in a recognised language for a report."""
SHARE = 0.3
"""Minimum share of messages in other languages for a report."""
MULTILINGUAL = (
    "for search by meaning in other languages: pip install 'memoranda[multilingual]', then"
    " memoranda config set embedder multilingual"
)
_LATIN_END = "\u0250"
"""First character after the Latin script."""


def foreign_messages(services: Services) -> str:
    """Return how many recent messages of people are not in English.

    Empty if there are few, or too few messages to decide.
    """
    where = ObservationFilter(type=ObservationType.MESSAGE)
    team = services.settings.team
    recent = services.database.read(
        lambda tx: observations.recent(tx, team, None, where=where, limit=EXAMINED)
    )
    verdicts = [is_foreign(one.summary) for one in recent if one.origin is Origin.HUMAN]
    known = [verdict for verdict in verdicts if verdict is not None]
    foreign = sum(known)
    if len(known) < FEWEST or foreign < SHARE * len(known):
        return ""
    return f"{foreign} of the last {len(known)} messages of people are in other languages"


def is_foreign(text: str) -> bool | None:
    """Return whether a text is not in English; None if that is unclear.

    Decided by the script, and in Latin script by frequent words.

    >>> is_foreign("bitte nicht am Freitag deployen"), is_foreign("run the tests")
    (True, False)
    """
    letters = [char for char in text if char.isalpha()]
    if sum(char >= _LATIN_END for char in letters) * 2 > len(letters):
        return True
    english, others = counted_languages(frozenset(words(text)))
    other = max(others.values())
    return None if english == other else other > english
