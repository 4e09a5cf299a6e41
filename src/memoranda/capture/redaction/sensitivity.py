"""Judgements that a pattern cannot make: is this name sensitive, does this value read as a secret.

A rule finds ``name = value``; whether that is a password or a line of code is decided here. The
bias follows the name. Beside ``password`` even a plain word counts, unless it is spaced out like
prose or code; beside ``token`` or ``auth`` a value must look like more than a word, number or path.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from enum import IntEnum
from functools import lru_cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that make a name sensitive. A strong word guards even a plain word ("hunter"); a weak one
# only what is no word, number, path or code, as "token" and "secret" name many harmless things.
STRONG_WORDS = ("passwords?", "passwd", "passwort", "passphrase", "passcode", "pwd")
WEAK_WORDS = ("secret_?id", "secret", "token", "credentials?", "session_?id", "sess_?id")
WHOLE_WORDS = ("pass", "pw", "auth", "authorization", "cookie", "sid", "otp", "psk", "bearer")
KEY_KINDS = (
    *("access", "account", "admin", "aes", "api", "app", "application", "auth", "cipher"),
    *("consumer", "deploy", "encryption", "functions", "hmac", "ingest", "integration", "license"),
    *("master", "pre_?shared", "private", "root", "secret", "service", "session", "shared"),
    *("signature", "signing", "storage", "subscription", "webhook", "wrapping"),
)
"""Kinds of key that are secret; a cache key, a primary key or a public key is none of them."""

# A sensitive word followed by one of these names a property of the secret, not the secret.
_DESCRIPTORS = _words(
    """
    address age agent alg algorithm arn at attempt attempts budget bucket button cache callback
    changed check checker checksum class count counter counts created date digest dir duration
    enabled end endpoint error exp expiration expired expires expiry factory field file filename
    fingerprint fn format func generator handler header headers help hint host icon id ids index
    info input invalid issuer kind label len length limit list location manager map max message
    metadata method mgr min missing mode name names number offset output page parser path pattern
    per placeholder policy pos position prefix price prompt provider rate ref regex required
    requirement requirements reset response rotation rule rules scheme scope scopes screen server
    service sha size sock socket source start state status store strength style suffix time timeout
    timestamp title ttl type types uri url usage used valid validator version view window
    """
)
# A token that one of these words qualifies is a unit of text or a cursor.
_PLAIN_TOKEN_HEADS = _words(
    """
    bos cached cls continuation eos input mask max min next num output pad page pagination prompt
    public sep special stop sync total unk
    """
)
# A name that begins like this asks a question about a secret.
_QUESTIONS = _words(
    "allow allows disable enable has have is needs no requires skip use uses without"
)

MIN_ENTROPY = 3.0
"""Bits per character that a value needs when only a word beside it speaks for a secret."""

_NAME_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SENSITIVE = re.compile(
    rf"(?P<strong>{'|'.join(STRONG_WORDS)})(?=_)"
    rf"|(?:{'|'.join(WEAK_WORDS)})(?=_)"
    rf"|(?:{'|'.join(KEY_KINDS)})_?keys?(?=_)"
    rf"|(?<=_)(?:{'|'.join(WHOLE_WORDS)})(?=_)"
)
_STAND_IN = re.compile(
    r"""(?xis)
    # to be filled in: <your-token>, ${VAR}, {{ var }}, %(var)s
      <[\w\ \-./:|]*>? | \{+[\w\ \-./:|$]*\}* | \[[\w\ \-]*\]? | \$\{.* | \$\(.* | \$[a-z_]\w*
    | \#\{.* | %[sdrv] | %\(\w+\)s? | %\w+% | (?:your|insert|replace|enter)[-_\ ].* | .*[-_\ ]here
    # kept elsewhere
    | (?:op|vault|ssm|awssm|gcpsm|secret|secretsmanager|keyring|env|file|ref):.*
    # masked or cut
    | (.)\1* | [x*•.\#_\-]+ | .{0,8}(?:\*{3,}|\.{3}|…).{0,8}
    # a colour; a regular expression; what follows a prompt that ended in a quote
    | \#[0-9a-f]{3,8} | \(\?.* | \s.* | [,;)\]](?:[\s)\]};].*)?
    | true | false | null | none | nil | undefined | void | yes | no | on | off | any | empty
    | str | string | bytes | text | char | varchar | int | integer | number | bool(?:ean)? | object
    | optional | required | invalid | incorrect | wrong | missing | hidden | masked | redacted
    | example | placeholder | value | input | prompt | stdin | options? | flags? | arguments?
    | parameters? | when | can | will | are | and | or | is | was | to | for | with | from | in | if
    | not | instead | must | should
    | oauth\d? | auth0 | [her]s256 | sha\d+ | md5 | utf-?8 | base64 | v\d+
    """
)
_PATH = r"[*&!~@]{0,2}(?:[A-Za-z_$][\w$]*(?:\.|::|->|\?\.))"
_CALL = re.compile(rf"(?s)[(\[{{<].*|{_PATH}*(?:[A-Za-z_$][\w$]*)?[\[(<].*")
_ATTRIBUTE = re.compile(rf"{_PATH}+[A-Za-z_$][\w$]*[!?]?")
_NUMBER = re.compile(r"[+-]?v?\d[\d.,:_/TZ+\-]*(?:[A-Za-z%]{1,2})?")
_LOCATION = re.compile(
    r"https?://.*|(?:~|\.{1,2})?(?:/[\w.@-]{1,24})+/?|[A-Za-z]:\\.*|[\w.+-]+@[\w-]+\.[\w.]+"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_UNPRONOUNCEABLE = re.compile(r"[b-df-hj-np-tv-xz]{6}", re.IGNORECASE)
_SPACE = re.compile(r"\s")
_DIGIT = re.compile(r"\d")
_SEPARATORS = str.maketrans("", "", " _-./:@")
_SESSION = re.compile(r"(?i)sess(?:ion)?[_-]?id")
_SHELL_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_DENSE_RUN = re.compile(r"(?=[0-9]*[A-Za-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{16,}")


class Strength(IntEnum):
    """How far a name alone speaks for a secret."""

    NONE = 0
    WEAK = 1
    STRONG = 2


@lru_cache(maxsize=4096)
def strength(name: str) -> Strength:
    """Tell how sensitive a name is: ``db_password`` is strong, ``apiKey`` weak."""
    words = [word.lower() for word in _NAME_WORD.findall(name[-128:])]
    joined = f"_{'_'.join(words)}_"
    last = max(_SENSITIVE.finditer(joined), key=lambda match: match.start(), default=None)
    if last is None or not _DESCRIPTORS.isdisjoint(joined[last.end() :].split("_")):
        return Strength.NONE
    if words[0] in _QUESTIONS:
        return Strength.NONE
    if last["strong"]:
        return Strength.STRONG
    heads = joined[: last.start()].split("_")
    if last[0] == "token" and not _PLAIN_TOKEN_HEADS.isdisjoint(heads):
        return Strength.NONE
    return Strength.WEAK


def assigned(value: str, name: str = "", lead: str = "") -> bool:
    """Judge the value in ``name lead value``; the lead is the separator with the opening quote."""
    level = strength(name)
    if level is Strength.NONE or len(value) <= 3:
        return False
    quoted = lead.endswith(('"', "'", "`"))
    # "password: word" and "token = word" are prose or code more often than settings.
    listed = "," in lead and "value" not in lead
    spaced = listed or (not quoted and bool(lead.strip()) and lead.strip() != lead)
    if not quoted and _is_code(value, spaced):
        return False
    if name.lower().endswith("pwd") and _LOCATION.fullmatch(value):
        return False  # the working directory of a shell
    if listed and name[:1].isupper() and name.isidentifier() and not name.isupper():
        return False  # a class among others, not a setting
    if _SHELL_NAME.fullmatch(name) and (lead == "=" or listed) and not _NUMBER.fullmatch(value):
        is_place = level is Strength.WEAK and _LOCATION.fullmatch(value)
        return given(value) and not is_place and not (listed and _SHELL_NAME.fullmatch(value))
    guards = _guards_words if level is Strength.STRONG else _guards_tokens
    return guards(value, name, spaced) and given(value)


def setting(value: str, name: str, lead: str) -> bool:
    """Judge ``name: value`` as a line of a settings file, where a bare word is a value too."""
    return assigned(value, name, lead) or (value.islower() and assigned(value, name, "="))


def _guards_words(value: str, name: str, spaced: bool) -> bool:
    if _NUMBER.fullmatch(value):
        return len(value) >= (6 if spaced else 4)
    if _is_words(value):
        is_sentence = " " in value and value[0].isupper() and value[1:].islower()
        return not (spaced or is_sentence or _names_secret(value))
    return not spaced or len(value) >= 6


def _guards_tokens(value: str, name: str, spaced: bool) -> bool:
    if _SPACE.search(value) or _is_words(value):
        return False
    if _NUMBER.fullmatch(value) or _LOCATION.fullmatch(value):
        return False
    if _UUID.fullmatch(value) and _SESSION.search(name):
        return False  # names a run of an agent, opens nothing
    return not spaced or (len(value) >= 8 and not _names_secret(value))


def given(value: str) -> bool:
    """Tell whether a value is there at all, not masked, left out or to be filled in."""
    return not _STAND_IN.fullmatch(value)


def literal(value: str) -> bool:
    """Tell whether a value that follows a scheme such as ``Bearer`` is a real one."""
    return len(value) >= 6 and given(value) and not (_is_code(value) or _is_words(value))


def entropy(value: str) -> bool:
    """Tell whether a value is random enough to be a secret on the word of its neighbour alone."""
    if _UUID.fullmatch(value) or not (run := _DENSE_RUN.search(value)):
        return False
    counts = Counter(run[0])
    bits = -sum(n / len(run[0]) * math.log2(n / len(run[0])) for n in counts.values())
    return bits >= MIN_ENTROPY


def luhn(value: str) -> bool:
    """Check the digit sum that every payment card number carries (ISO/IEC 7812-1)."""
    digits = [int(char) for char in value if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_code(value: str, spaced: bool = False) -> bool:
    if _CALL.fullmatch(value):
        return True
    if not _ATTRIBUTE.fullmatch(value):
        return False
    return spaced or not _DIGIT.search(value) or _names_secret(value)


def _names_secret(value: str) -> bool:
    """Tell whether a value is itself the name of a secret, as in ``password = new_password``."""
    return strength(value) > Strength.NONE and _is_words(_DIGIT.sub("", value))


def _is_words(value: str) -> bool:
    letters = value.translate(_SEPARATORS)
    if not (letters.isascii() and letters.isalpha()):
        return False
    words = _NAME_WORD.findall(value)
    if letters == value and len(letters) < 3 * len(words):
        return False  # capitals too close to each other for camelCase
    return all(1 < len(word) <= 14 and not _UNPRONOUNCEABLE.search(word) for word in words)
