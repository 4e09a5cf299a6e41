"""Lasting requests in languages other than English.

They ask in the imperative to remember something, or to do it always, never or from now on. "I
remember that …" and questions are none.
"""

from __future__ import annotations

import re
from functools import cache

from memoranda.language.words import table_rows

MAX_LENGTH = 300
"""Maximum characters of a line that are read."""
_QUESTION = ("?", "\uff1f", "\u061f")


def asks_to_remember(line: str) -> bool:
    """Return whether a line asks to remember a statement.

    Example:
        >>> asks_to_remember("Onthoud dat de prijzen zonder btw zijn.")
        True
        >>> asks_to_remember("Ik herinner me dat het duur was.")
        False
    """
    return _asks("remember", line[:MAX_LENGTH])


def asks_for_always(line: str) -> bool:
    """Return whether a line asks to do something always, never or from now on.

    Example:
        >>> asks_for_always("Kör alltid testerna."), asks_for_always("Det är alltid så.")
        (True, False)
    """
    return _asks("always", line[:MAX_LENGTH])


def is_recollection(line: str) -> bool:
    """Return whether a line recalls something, or names what is always the same.

    Example:
        >>> is_recollection("Ich erinnere mich, dass wir diesen Fehler hatten.")
        True
    """
    return _pattern("describes").match(line[:MAX_LENGTH]) is not None


def _asks(name: str, line: str) -> bool:
    states = not line.rstrip().endswith(_QUESTION)
    return states and _pattern(name).match(line) is not None and not is_recollection(line)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    rows = [tuple(row) for row in table_rows("memoranda.utterances", "lasting_requests.tsv")[1:]]
    polite, *wordings = (
        "|".join(row[2] for row in rows if row[0] == key) for key in ("polite", name)
    )
    return re.compile(rf"\W{{0,3}}(?:{polite}){{0,2}}(?:{wordings[0]})", re.IGNORECASE)
