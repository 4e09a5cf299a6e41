"""Checks of values that follow a command, a flag or a word of prose."""

from __future__ import annotations

import re

from memoranda.capture.redaction.code_expressions import (
    is_code,
    is_identifier,
    is_words,
    names_secret,
)
from memoranda.capture.redaction.sensitivity import entropy, is_present

_SHORTEST = 3
"""Maximum length of a value that is too short; and the kinds of characters of a password."""
_SHORTEST_CHOSEN = 8
"""Minimum length of a password that only a sentence names."""
_SHORTEST_STATED = 6
_LETTERS = 2
"""Minimum number of letters, and of digits and signs, in a password that a sentence names."""
_PUNCTUATION = ".,;:!?)"
_MEASURE = re.compile(
    r"(?i)\d{1,4}-?[a-z]+|(?:sha|utf|base|aes|rsa|hs|rs|es|pbkdf|argon|bcrypt|ed|tls|http)-?\d+\w*"
    r"|v?\d+(?:\.\d+)+\w*|(?-i:[A-Z]{2,6}-?\d+(?:-\w+)*)"
)
"""Lengths, algorithms and versions, which sentences about passwords name too."""
_DIGITS = re.compile(r"\d+")
_PORT_OR_PATH = re.compile(r"[\d.:,/x-]+|[~./]\S*|\w+://\S*|\w:\\.*|[\w./-]+:[\w./-]*/\S*")
_FILE = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{1,5}")
_PLAIN_KEYS = re.compile(
    r"(?i)(?:^|[^A-Za-z0-9])(?:cache|public|pub|primary|foreign|sort|partition|row|idempotency|dedup|group"
    r"|object|s3|publishable|site|client|anon|index|lock|route|host|test|map|license)_key"
)


def opaque(value: str) -> bool:
    """Return whether an argument is a secret, not a word, a port or a path."""
    if len(value) <= _SHORTEST or not is_present(value) or _PORT_OR_PATH.fullmatch(value):
        return False
    return not (is_words(value) or value.startswith(("$", "%", "{", "@")))


def spelled(value: str) -> bool:
    """Return whether a value in prose is a password: it mixes kinds of characters."""
    value = value.rstrip(".,;:!?)")
    if not opaque(value) or is_code(value) or "/" in value or _FILE.fullmatch(value):
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    mixed = sum(any(map(kind, value)) for kind in kinds) + any(one in "!@#$%&*_-" for one in value)
    return (
        mixed >= _SHORTEST
        and any(map(str.isdigit, value))
        and (not is_identifier(value) or mixed > _SHORTEST)
    )


def chosen(value: str) -> bool:
    """Return whether a value that a sentence calls a password is one.

    It mixes three of small letters, capitals, digits and signs, a digit among them. A name with
    underscores or dashes alone does not.
    """
    value = value.rstrip(".,;:!?)")
    if len(value) < _SHORTEST_CHOSEN or not opaque(value) or "_" in value or "/" in value:
        return False
    if _FILE.fullmatch(value) or not any(map(str.isdigit, value)):
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    return sum(any(map(kind, value)) for kind in kinds) == len(kinds) or spelled(value)


def stated(value: str) -> bool:
    """Return whether a value that a sentence calls a password is one, by its digits.

    Weaker than `chosen`: people name passwords such as ``kotik2012`` in chat. Letters stand beside
    two digits, or beside one and a sign.
    """
    value = value.rstrip(_PUNCTUATION)
    if len(value) < _SHORTEST_STATED or not opaque(value) or "/" in value:
        return False
    if _FILE.fullmatch(value) or _MEASURE.fullmatch(value) or is_code(value) or "::" in value:
        return False
    digits, letters = (sum(map(kind, value)) for kind in (str.isdigit, str.isalpha))
    has_sign = any(one in "!@#$%^&*?+~" for one in value)
    return letters >= _LETTERS and digits + has_sign >= _LETTERS and digits > 0


def distinct(value: str) -> bool:
    """Return whether a word somewhere behind a label is a password, not a name of one."""
    return spelled(value) and not names_secret(value)


def random(value: str) -> bool:
    """Return whether a vendor's setting is random: digits stand in it all over."""
    return entropy(value) and is_present(value) and len(_DIGITS.findall(value)) >= _SHORTEST


def vendor_key(value: str, lead: str) -> bool:
    """Return whether a variable such as ``STRIPE_KEY`` has a random key."""
    kinds = (str.islower, str.isupper, str.isdigit)
    mixed = all(any(map(kind, value)) for kind in kinds)
    return mixed and not _PLAIN_KEYS.search(lead) and entropy(value) and is_present(value)
