"""Passphrases, as distinguished from prose about a secret."""

from __future__ import annotations

from memoranda.capture.redaction.code_expressions import is_code, is_words, names_secret
from memoranda.capture.redaction.names import words

_MOST_WORDS, _FEWEST_WORDS = 12, 3
# What messages about secrets, subjects of commits, descriptions and lists of sources are made of.
_PROSE = words(
    """
    add added adds allow also any are as avoid bad been before both bug but bytes cannot change
    characters chars check clean cleanup code compat configured could current default describe
    description digits disable document does doesn't don't drop empty enable ensure error
    expired extract failed failure field files fix fixed fixes fixture found had handle has
    hashed have hesiod if implement improve incorrect invalid keep key keys length letters like
    locked make max maximum mean min minimum mismatch missing more move must new nis none null
    only optional or parse plain plaintext possibly prevent random refactor refuse remove rename
    replace required return revert see set should show simplify some split sss stored string
    support switch systemd test tests text their them then they type undefined unexpected
    unknown unset unsupported update use used user using validate value via want warn we were
    when where which while will winbind without
    """
)


def is_word_list(value: str) -> bool:
    """Return whether a text is a list of plain words, as seeds and passphrases are."""
    parts = value.strip(" .").split()
    plain = all(part.isalpha() or part.isdigit() for part in parts)
    return plain and len(parts) >= _FEWEST_WORDS and _PROSE.isdisjoint(map(str.lower, parts))


def is_phrase(value: str) -> bool:
    """Return whether a text of several words may be a passphrase.

    That is plain words, maybe with numbers, none of which indicates a message, a description or
    code.
    """
    parts = value.split(" ")
    if not 2 <= len(parts) <= _MOST_WORDS or value[0] in "&*!@$%-+?":
        return False
    plain = {part.lower().strip(".!?,") for part in parts}
    if not _PROSE.isdisjoint(plain) or any(map(names_secret, parts)) or any(map(is_code, parts)):
        return False
    return value.isascii() and sum(map(is_words, parts)) >= min(2, len(parts) - 1)
