"""Detection of code expressions after ``=`` or ``:``, and of passphrases.

Expressions are not secrets themselves. A value ends at white space, a quote, a comma or a
semicolon, so it is often only the beginning of an expression: ``format!(``, ``this.#token``,
``^session_id``, ``tokens[0]``.
"""

from __future__ import annotations

import re

from memoranda.capture.redaction.secret_names import NAME_WORD, NameStrength, strength
from memoranda.language.words import word_set

_NAME = r"[A-Za-z_$@][\w$]*"
_DOT = r"(?:[!?]*(?:\.|::|->>?|\\)#?|[!?]+\.)"
"""Separators: ``a.b``, ``a::b``, ``a->b``, ``a?.b``, ``a!.b``, ``a.#b``."""
_PREFIX = r"(?:\.\.\.|<-|[*&!~^+:%@#\\-]{1,2}(?:mut\ )?|\([A-Za-z][\w.<>*\[\]]*\)|r#)?"
_PATH = rf"{_PREFIX}{_NAME}(?:{_DOT}{_NAME})*"
_OPENED = re.compile(rf"(?s)(?:{_PREFIX}[(\[{{<]|{_PATH}[!?.:]*(?:->)?[(\[{{<]).*")
"""Start of a call, an index, a typed literal or a list."""
_CALL = re.compile(r"(?s)[A-Za-z][\w.$]*(?::[A-Za-z]\w*)?\(.*")
"""A call whose name may have dots and digits, or a method after a colon."""
_NAMESPACED = re.compile(r"(?s)[A-Za-z][A-Za-z\d.]*:::?[A-Za-z.][\w.]*\(.*")
"""A call of a package function in R.

The package's name may contain dots and digits.
"""
_MEMBER = re.compile(r"[A-Za-z.][\w.]*(?:[$@]\.?[A-Za-z][\w.]*)+")
"""Member access in R: ``config$db$password``, ``session@token``."""
_HOLDERS = word_set(
    """
    args cfg config cred creds credentials ctx input opts params private res resp response result
    row self session settings
    """
)
"""Names of R objects that contain settings or results.

No password with ``$`` begins with them.
"""
_OWNERS = _HOLDERS | word_set("account app auth client con conn data db df env request state user")
"""Names in `_HOLDERS`, and names of objects that often contain secrets: ``db$password``."""
_ATTRIBUTE = re.compile(rf"{_PREFIX}{_NAME}(?:{_DOT}{_NAME})+[!?]*")
_MARKED = re.compile(
    rf"(?:{_PREFIX}{_NAME}[!?]+|(?:\.\.\.|<-|[*&!~^+:%@#-]{{1,2}}|r#){_NAME}[!?]*)"
)
"""A name with an operator: ``&name``, ``^name``, ``name!``, ``Type?``."""
_CUT = re.compile(rf"{_PATH}(?:{_DOT}|[!?]*(?:!=|<=|>=|&&|\|\||\?\?|->>?|=>|[|+*%<>?]))")
"""An expression that was cut at a quote or space."""
_CLOSED = re.compile(rf"(?s)({_PATH}|[\w.$]*)[!?]*[)\]}}>].*")
_OPERATION = re.compile(rf"{_PATH}(?:(?:==|!=|<=|>=|&&|\|\||\?\?|[|+*%<>=?])(?:{_PATH}|[\d.]+))+")
_DIGIT = re.compile(r"\d")
_MAX_DIGITS = 3
_MARKS = "!?^:&*~+%@#-.<"
_SHORT = "As|At|By|Db|Do|Go|Id|If|In|Io|Ip|Is|It|Js|Md|My|No|Of|Ok|On|Or|Os|Pg|Py|To|Ts|Ui|Up|Us|Db"
_IDENTIFIER = re.compile(
    rf"[_$@]{{0,2}}(?:(?:[A-Z]{{3,}}(?![a-z])|[A-Z]?[a-z]{{2,}}|{_SHORT}|[A-Z](?=\d|[A-Z][a-z]|_|$)"
    r"|(?<![a-z])[a-z](?=\d|[A-Z]))(?:\d{1,4}(?![a-z]))?|[_\-./:@|+*%<>=?!&#$])+"
)
_LETTERS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)
_UNPRONOUNCEABLE = re.compile(r"[b-df-hj-np-tv-xz]{6}", re.IGNORECASE)
_SEPARATORS = str.maketrans("", "", " _-./:@")
_BRACKETS = re.compile(r"[()\[\]{}<>]")


_RESOURCE = re.compile(r"arn:aws[\w-]*:[\w-]+:[\w-]*:\d*:\S+|projects/[\w-]+/secrets/[\w/-]+")
_BETWEEN_RULES = re.compile(r"[|;,] ?")
_RULE = re.compile(
    r"""(?ix) !? (?:
    (?P<name> required(?:_\w+)? | nullable | sometimes | omitempty | confirmed | bail | present
    | filled | unique(?:index)? | exists | primary_?key | not\ null | autoincrement | varchar )
    | string | text | email | uuid\d? | integer | numeric | boolean | array | json | url | ip
    | min | max | len | size | between | gte? | lte? | regex | in | not_in | same | different
    | alpha(?:_\w+|num\w*)? | digits | date | index | column | type | default | dive | password
    ) (?: [:=] [\w.,/-]{0,40} )? | [a-z_]{1,30} | \d{1,4}
    """
)


def is_code(value: str, *, spaced: bool = False) -> bool:
    """Return whether an unquoted value is an expression.

    Args:
        spaced: whether the value is preceded by a space, as in code.
    """
    if (spaced and _CALL.fullmatch(value)) or _NAMESPACED.fullmatch(value):
        return True
    if _MEMBER.fullmatch(value) and _is_member(value, spaced):
        return True
    if _OPENED.fullmatch(value):
        return spaced or _plain_head(value)
    if _CUT.fullmatch(value):
        return spaced or not _DIGIT.search(value)
    if _ATTRIBUTE.fullmatch(value):
        return spaced or not _DIGIT.search(value) or names_secret(value)
    if spaced and value[-1] in "!?" and _MARKED.fullmatch(value):
        return is_words(value.strip(_MARKS))
    if _MARKED.fullmatch(value) or _OPERATION.fullmatch(value):
        return (spaced or value[0] in "^:&") and is_identifier(value.strip(_MARKS))
    closed = _CLOSED.fullmatch(value)
    if closed is None:
        return False
    return is_identifier(closed[1]) if spaced else is_words(closed[1] or "none")


def is_declaration(value: str) -> bool:
    """Return whether a text is a list of field rules or a resource name.

    These are rules for validation and for database columns (``required|min:8``), and names of cloud
    resources, which refer to a secret.
    """
    if _RESOURCE.fullmatch(value):
        return True
    rules = [_RULE.fullmatch(rule) for rule in _BETWEEN_RULES.split(value.strip())]
    return any(rule and rule["name"] for rule in rules) and all(rules)


def _is_member(value: str, spaced: bool) -> bool:
    """Return whether names joined by ``$`` or ``@`` are object members.

    The last name must name a secret, and the others must look like the owner of the secret, or the
    first must be a known object after a space. ``super$secret`` meets neither condition.
    """
    first, *middle, last = (part.strip(".") for part in re.split("[$@]", value))
    if not all(len(part) == 1 or is_identifier(part) for part in (first, *middle, last)):
        return False
    if spaced and first in _HOLDERS:
        return True
    is_placed = bool(middle) or first in _OWNERS or names_secret(first)
    is_composed = any(len(NAME_WORD.findall(part)) > 1 for part in (first, last))
    return names_secret(last) and (is_placed or is_composed)


def names_secret(value: str) -> bool:
    """Return whether a value names a secret: ``password = new_password``."""
    plain = _DIGIT.sub("", value.removeprefix("X-").removeprefix("x-"))
    return strength(value) > NameStrength.NONE and is_words(plain)


def is_words(value: str) -> bool:
    """Return whether a text consists of pronounceable words, in any style."""
    letters = value.translate(_SEPARATORS)
    if not (letters.isascii() and letters.isalpha()):
        return False
    words = NAME_WORD.findall(value)
    if letters == value and len(letters) < 3 * len(words):
        return False  # capitals too close together for camelCase
    return all(1 < len(word) <= 16 and not _UNPRONOUNCEABLE.search(word) for word in words)


def is_identifier(value: str) -> bool:
    """Return whether a text is an identifier: words with at most a few digits."""
    if not value or is_words(value):
        return True
    digits, words = len(_DIGIT.findall(value)), _LETTERS.findall(value)
    if digits > (_MAX_DIGITS if len(words) > 1 else 2) or not _IDENTIFIER.fullmatch(value):
        return False
    long = [word for word in words if len(word) > (5 if word.isupper() else 2)]
    return any(map(_is_pronounceable, words)) and all(map(_is_pronounceable, long))


def _is_pronounceable(word: str) -> bool:
    return len(word) > 2 and bool(_VOWEL.search(word)) and not _UNPRONOUNCEABLE.search(word)


def _plain_head(value: str) -> bool:
    """Return whether the part before the first bracket is a name."""
    head = _BRACKETS.split(value, maxsplit=1)[0].strip("!?.:&*~^+-@#")
    return not _DIGIT.search(head) or is_identifier(head)


_MAX_WORDS, _MIN_WORDS = 12, 3
# Words of messages about secrets, commit subjects, descriptions and lists of sources.
_PROSE = word_set(
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


_DETERMINERS = word_set("the a an my our your his her their this that one in on at of from like as")
"""First words of a description, as in "the one from the old laptop"."""


def is_word_list(value: str) -> bool:
    """Return whether a text is a word list, such as a seed or passphrase."""
    parts = value.strip(" .").split()
    if parts and parts[0].lower() in _DETERMINERS:
        return False
    plain = all(part.isalpha() or part.isdigit() for part in parts)
    return plain and len(parts) >= _MIN_WORDS and _PROSE.isdisjoint(map(str.lower, parts))


def is_phrase(value: str) -> bool:
    """Return whether a text of several words may be a passphrase.

    A passphrase has 2 to 12 words, none of which indicates a message, a description or code.
    """
    parts = value.split(" ")
    if not 2 <= len(parts) <= _MAX_WORDS or value[0] in "&*!@$%-+?":
        return False
    plain = {part.lower().strip(".!?,") for part in parts}
    if not _PROSE.isdisjoint(plain) or any(map(names_secret, parts)) or any(map(is_code, parts)):
        return False
    return value.isascii() and sum(map(is_words, parts)) >= min(2, len(parts) - 1)
