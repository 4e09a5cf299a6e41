"""Checks for values after a command, a flag or a term in prose."""

from __future__ import annotations

import re

from memoranda.capture.redaction.code_expressions import (
    is_code,
    is_identifier,
    is_words,
    names_secret,
)
from memoranda.capture.redaction.secret_checks import entropy, is_present
from memoranda.language.words import word_set

_TOO_SHORT = 3
"""Maximum length of a value that is too short, and minimum number of kinds of characters."""
_MIN_CHOSEN_LENGTH = 8
"""Minimum length of a password that only the sentence identifies."""
_MIN_STATED_LENGTH = 6
_LETTERS = 2
"""Minimum number of letters, and minimum number of digits and special characters."""
_MIN_PICKED_LENGTH, _MAX_PICKED_LENGTH = 5, 64
_PUNCTUATION = ".,;:!?)"
_END = ".,;:?)"
_SIGNS = "!@#$%^&*+~"
_JOINT = re.compile(r"[-.+_]")
_JOINED = 2
_PREFIXES = word_set(
    """
    alt auto base built by case clear client cmd command ctrl double dry end enter esc hard high
    in long low meta multi non of off on one opt out over per plain post pre re read run same
    self server shift short single super system tab to top two under up user well write
    """
)
_ADJECTIVE = re.compile(
    r"(?:ed|able|ible|ive|ing|al|ly|only|wide|safe|proof|free|less|date|time|text|side|level"
    r"|specific|style|like|gen|end|sensitive|factor|reset|manager|field|prompt|policy|hash|id)$"
)
"""Endings of adjectives about passwords: ``hard-coded``, ``case-sensitive``, ``time-based``."""
_ANSWERS = word_set(
    """
    yes yeah yep no nope none nothing sure okay same what which where unknown later dunno thanks
    please maybe never nobody here this that done skip wait hello sorry correct wrong
    """
)
"""One-word answers to a request for a password that are not passwords."""
_MEASURE = re.compile(
    r"(?i)(?:(?:ctrl|cmd|alt|shift|meta|option|super|win)[+-])+(?:\w|f\d{1,2}|enter|tab|esc|space)"
    r"|oauth-?\d?(?:\.\d)?|\d{1,4}-?[a-z]+"
    r"|(?:sha|utf|base|aes|rsa|hs|rs|es|pbkdf|argon|bcrypt|ed|tls|http)-?\d+\w*"
    r"|v?\d+(?:\.\d+)+\w*|(?-i:[A-Z]{2,6}-?\d+(?:-\w+)*)"
)
"""Lengths, algorithms, versions and keyboard shortcuts, which are not passwords."""
_DIGITS = re.compile(r"\d+")
_PRODUCT = re.compile(r"[A-Z][A-Za-z]*\d(?:\.\d+)?")
"""A product with its version, such as ``Vault2``."""
_PORT_OR_PATH = re.compile(r"[\d.:,/x-]+|[~./]\S*|\w+://\S*|\w:\\.*|[\w./-]+:[\w./-]*/\S*")
_ARGUMENT = re.compile(r"[a-z_]{2,}=(?:-?\d+|None|True|False|[a-z_.]+)\)*")
"""An argument of a call, such as ``min_length=8``."""
_FILE = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{1,5}")
_BESIDE = re.compile(
    r"(?i)(?:password|passphrase|passwort|log-?in|pw|credentials?|wi-?fi)s?[ \t]+(?:manager|prompt"
    r"|field|form|page|screen|policy|reset|hash\w*|generator|files?|input|length|system|service"
    r"|server|flow|tests?|library|module|button|url|endpoint|attempts?|error|failure|provider|method"
    r"|function|view|handler|driver|card|adapter|helper|store|rotation|strength|vault|check\w*)\b"
)
"""Terms such as "password manager", which do not refer to a password."""
_PLACE = re.compile(rf"{_FILE.pattern}|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
"""A file name or an email address."""
_PLAIN_KEYS = re.compile(
    r"(?i)(?:^|[^A-Za-z0-9])(?:cache|public|pub|primary|foreign|sort|partition|row|idempotency|dedup|group"
    r"|object|s3|publishable|site|client|anon|index|lock|route|host|test|map|license)_key"
)


def opaque(value: str) -> bool:
    """Return whether an argument is a secret, not a word, a port or a path."""
    if len(value) <= _TOO_SHORT or not is_present(value) or _PORT_OR_PATH.fullmatch(value):
        return False
    return not (is_words(value) or value.startswith(("$", "%", "{", "@")))


def spelled(value: str) -> bool:
    """Return whether a value in prose mixes characters as a password does."""
    value = value.rstrip(".,;:!?)")
    if not opaque(value) or is_code(value) or "/" in value or _FILE.fullmatch(value):
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    mixed = sum(any(map(kind, value)) for kind in kinds) + any(
        item in "!@#$%&*_-" for item in value
    )
    return (
        mixed >= _TOO_SHORT
        and any(map(str.isdigit, value))
        and (not is_identifier(value) or mixed > _TOO_SHORT)
    )


def chosen(value: str) -> bool:
    """Return whether a value that a sentence calls a password really is one.

    The value must contain a digit and mix at least three of these kinds: lower-case letters,
    capitals, digits and special characters. A value with an underscore or a slash does not count.
    """
    value = value.rstrip(".,;:!?)")
    if len(value) < _MIN_CHOSEN_LENGTH or not opaque(value) or "_" in value or "/" in value:
        return False
    if _FILE.fullmatch(value) or not any(map(str.isdigit, value)):
        return False
    kinds = (str.islower, str.isupper, str.isdigit)
    return sum(any(map(kind, value)) for kind in kinds) == len(kinds) or spelled(value)


def stated(value: str) -> bool:
    """Return whether a value called a password has digits like a password.

    Weaker than `chosen`, for passwords such as ``kotik2012``: the value needs two letters, and two
    digits or one digit and a special character.
    """
    value = value.rstrip(_PUNCTUATION)
    if len(value) < _MIN_STATED_LENGTH or not opaque(value) or "/" in value:
        return False
    if _FILE.fullmatch(value) or _MEASURE.fullmatch(value) or is_code(value) or "::" in value:
        return False
    digits, letters = (sum(map(kind, value)) for kind in (str.isdigit, str.isalpha))
    has_sign = any(item in "!@#$%^&*?+~" for item in value)
    return letters >= _LETTERS and digits + has_sign >= _LETTERS and digits > 0


def picked(value: str, preceding: str) -> bool:
    """Return whether a value at the position of a password looks like one.

    The value has letters with a digit or an inner special character, or joined words. ``preceding``
    is the matched text before the value, which must not name something else, such as ``password
    manager``.
    """
    if _BESIDE.search(preceding):
        return False
    value = value.rstrip(_END)
    if (
        not _MIN_PICKED_LENGTH <= len(value) <= _MAX_PICKED_LENGTH
        or not is_present(value)
        or _is_of_code(value)
    ):
        return False
    if is_words(value):
        return _is_joined(value)
    return opaque(value) and _is_mixed(value)


def mixed(value: str, preceding: str) -> bool:
    """Return whether a value near a password's name mixes characters.

    Identifiers such as ``web-02`` and ``user_1`` are excluded, because they may be users, hosts or
    variables.
    """
    if _BESIDE.search(preceding):
        return False
    value = value.rstrip(_END)
    if (
        not _MIN_STATED_LENGTH <= len(value) <= _MAX_PICKED_LENGTH
        or not opaque(value)
        or _is_of_code(value)
    ):
        return False
    return _is_mixed(value) and (_has_sign(value) or not is_identifier(value))


def announced(value: str, preceding: str) -> bool:
    """Return whether a value after "will be", "from" or a question is a password.

    Participles (``2FA-protected``), products (``Vault2``) and hosts (``web-02``) also occur in
    these positions.
    """
    bare = value.rstrip(_END)
    if not picked(value, preceding) or _PRODUCT.fullmatch(bare):
        return False
    digits = sum(map(str.isdigit, bare))
    if not digits or _ADJECTIVE.search(_JOINT.split(bare.lower())[-1]):
        return False
    cased = any(map(str.islower, bare)) and any(map(str.isupper, bare))
    return cased or any(item in _SIGNS for item in bare) or (digits > _JOINED and bare.isalnum())


def answer(value: str) -> bool:
    """Return whether a one-word answer is the requested password."""
    value = value.rstrip(_END)
    plain = value.lower() in _ANSWERS or _DIGITS.fullmatch(value) is not None
    return len(value) > _TOO_SHORT and is_present(value) and not plain and not _is_of_code(value)


def _is_of_code(value: str) -> bool:
    is_place = "/" in value or "::" in value or "&." in value or _PLACE.fullmatch(value) is not None
    is_argument = _MEASURE.fullmatch(value) or _ARGUMENT.fullmatch(value)
    return is_place or is_argument is not None or is_code(value)


def _is_mixed(value: str) -> bool:
    letters, digits = (sum(map(kind, value)) for kind in (str.isalpha, str.isdigit))
    return letters >= _LETTERS and (digits > 0 or _has_sign(value))


def _has_sign(value: str) -> bool:
    """Return whether a value has a special character before its end."""
    return any(item in _SIGNS for item in value.rstrip(_SIGNS))


def _is_joined(value: str) -> bool:
    """Return whether a value is a joined passphrase, not an adjective."""
    written = _JOINT.split(value)
    acronyms = any(len(part) > 1 and part.isupper() for part in written)
    if len(written) < _JOINED or not all(written) or acronyms or names_secret(value):
        return False
    parts = [part.lower() for part in written]
    return _PREFIXES.isdisjoint(parts) and not _ADJECTIVE.search(parts[-1])


def distinct(value: str) -> bool:
    """Return whether a value after a label is a password, not the name of one."""
    return spelled(value) and not names_secret(value) and not _MEASURE.fullmatch(value)


def random(value: str) -> bool:
    """Return whether the value of a vendor's setting is random.

    The value must have digits in at least three positions.
    """
    return entropy(value) and is_present(value) and len(_DIGITS.findall(value)) >= _TOO_SHORT


def vendor_key(value: str, preceding: str) -> bool:
    """Return whether the value of a variable such as ``STRIPE_KEY`` is random."""
    kinds = (str.islower, str.isupper, str.isdigit)
    mixed = all(any(map(kind, value)) for kind in kinds)
    return mixed and not _PLAIN_KEYS.search(preceding) and entropy(value) and is_present(value)
