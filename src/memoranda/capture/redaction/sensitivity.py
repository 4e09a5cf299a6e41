"""Judgements that a pattern cannot make: does this value read as a secret.

A rule finds ``name = value``; whether that is a password or a line of code is decided here. The
bias follows the name. Beside ``password`` even a plain word counts, unless it is spaced out like
prose or code; beside ``token`` or ``auth`` a value must look like more than a word, number or path.
"""

from __future__ import annotations

import math
import re
from base64 import b64decode
from collections import Counter
from urllib.parse import unquote_plus

from memoranda.capture.redaction.expressions import is_code, is_identifier, is_words, names_secret
from memoranda.capture.redaction.names import Strength, strength, words

MIN_ENTROPY = 3.0
"""Bits per character that a value needs when only a word beside it speaks for a secret."""
_SPACED_TOKEN = 8
"""How long a value is that stands as code is written and still is a token."""
_OF_EACH = 3
"""Small letters, capitals and digits that such an id has at least."""
_SESSION_CHARACTERS = 32
"""How long the id of a session is that nobody can guess, which opens what it names."""

_STAND_IN = re.compile(
    r"""(?xis)
    # to be filled in: <your-token>, ${VAR}, {{ var }}, %(var)s
      <[\w\ \-./:|]*>? | \{+[\w\ \-./:|$]*\}* | \[[\w\ \-]*\]? | \$\{.* | \$\(.* | \$[a-z_]\w*
    | \#\{.* | %[a-z] | %\(\w+\)s? | %\w+% | (?:your|insert|replace|enter)[-_\ ].* | .*[-_\ ]here
    | your(?:secret|password|token|api[-_]?key|key)\w* | change[-_\ ]?(?:me|it|this)
    | to[-_]?be[-_].* | to-?do | tbd | dummy | fake | sample
    # kept elsewhere
    | (?:op|vault|ssm|awssm|gcpsm|secret|secretsmanager|keyring|env|file|ref):.*
    | (?:process\.env|import\.meta\.env|os\.environ|ENV)\b.*
    # a hash, which is public
    | (?:sha(?:1|224|256|384|512)|md5)[-:=].*
    # masked or cut
    | (.)\1* | [x*•.\#_\-]+ | .{0,8}(?:\*{3,}|\.{3}|…).{0,8}
    # a colour; a regular expression; what follows a prompt that ended in a quote
    | ["'`]?[.+&]\s*(?:\$\w.*|\w+(?:\.|\(|->|\[|::|\)).*|\s.*) | ["'`]?\s*[.+&]\s.*
    | \\+\(.* | --[a-z][\w-]* | S-1-\d+(?:-\d+)+
    | \#[0-9a-f]{3,8} | \(\?.* | \s.* | [,;)\]](?:[\s)\]};].*)?
    | true | false | null | none | nil | undefined | void | yes | no | on | off | any | empty
    | self | this | keep | same | success | failure | failed | succeeded | complete | changed
    | str | string | bytes | text | char | varchar | int | integer | number | bool(?:ean)? | object
    | optional | required | invalid | incorrect | wrong | missing | hidden | masked | redacted
    | example | placeholder | value | input | prompt | stdin | options? | flags? | arguments?
    | parameters? | when | can | will | are | and | or | is | was | to | for | with | from | in | if
    | not | instead | must | should
    | oauth\d? | auth0 | [her]s256 | sha\d+ | md5 | utf-?8 | base64 | v\d+
    """
)
_NUMBER = re.compile(r"[+-]?v?\d[\d.,:_/TZ+\-]*(?:[A-Za-z%]{1,2})?")
_LOCATION = re.compile(
    r"https?://.*|(?:~|\.{1,2})?(?:/[\w.@-]{1,24})+/?|[A-Za-z]:\\.*|[\w.+-]+@[\w-]+\.[\w.]+"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_PARAMETERS = frozenset({"user", "username", "name", "login", "email", "host", "server"})
_LOG_WORDS = re.compile(r"[A-Za-z]*[a-z][A-Z][A-Za-z]*|[A-Za-z]+(?::[A-Za-z]+)+")
_TIGHT = ("=", '="', "='")
_SPACE = re.compile(r"\s")
_LINE_END = re.compile(r"[ \t]*(?:\r?\n|\\n|\\r)")
_SESSION = re.compile(r"(?i)(?:sess(?:ion)?[_-]?id|(?:^|[^a-z])sid)s?$|(?<=[a-z])S(?:id|ID)$")
_SHELL_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_DENSE_RUN = re.compile(r"(?=[0-9]*[A-Za-z])(?=[A-Za-z]*[0-9])[A-Za-z0-9]{16,}")
_INTERPOLATED = re.compile(r"\$\{[^}]*\}|#\{[^}]*\}|\{\{[^}]*\}\}|\$\([^)]*\)|%\(\w+\)s|%[sdrv@]")
_FIELD = re.compile(r"\{[A-Za-z_][\w.\[\]()]*(?:![rsa])?(?::[^}]*)?\}")
_STRUCTURE = re.compile(r"(?s)[{\[(]\s*\\*[\"'].*|<\w.*")
_QUALIFIED = re.compile(r"(?:\\{1,4}|::)?[A-Z]\w*(?:(?:\\{1,4}|::)[A-Za-z]\w*)+")
_TAIL = "!?.,:;…"
_FUNCTION_WORDS = words(
    """
    a an are at be by can cannot do does enter for from in incorrect invalid is it least may must no
    not of on or please provide required reset should than that the this to used valid was when will
    with wrong you your
    """
)
_DIGIT = re.compile(r"\d")


def assigned(value: str, name: str = "", lead: str = "") -> bool:
    """Judge the value in ``name lead value``; the lead is the separator with the opening quote."""
    level = strength(name)
    if level is Strength.NONE or len(value) <= 3 or lead.strip() == "::":
        return False
    if value.lower() == name.lower():
        return False  # named after itself, as parameters are
    quoted = lead.endswith(('"', "'", "`"))
    if not quoted and name.lower().endswith(value):
        return False  # a variable that is called as what it is handed to
    # "password: word" and "token = word" are prose or code more often than settings.
    listed = "," in lead and "value" not in lead
    spaced = listed or (not quoted and bool(lead.strip()) and lead.strip() != lead)
    if level is Strength.WEAK and spaced and len(value) < _SPACED_TOKEN:
        return False
    if listed and "=" in value and is_identifier(value):
        return False
    if is_code(value, spaced=spaced) if not quoted else _is_template(value, lead):
        return False
    if name.lower().endswith("pwd") and _LOCATION.fullmatch(value):
        return False  # the working directory of a shell
    if listed and name[:1].isupper() and name.isidentifier() and not name.isupper():
        return False  # a class among others, not a setting
    if _SESSION.search(name):
        return _opens(value)
    if _SHELL_NAME.fullmatch(name) and (lead in _TIGHT or listed) and not _NUMBER.fullmatch(value):
        is_place = level is Strength.WEAK and _LOCATION.fullmatch(value)
        plain = _SHELL_NAME.fullmatch(value) or names_secret(value)
        is_name = listed and (plain or (level is Strength.WEAK and is_words(value)))
        return given(value) and not (is_place or is_name)
    if lead == ":" and _LOG_WORDS.fullmatch(value):
        return False  # steps of a call in a log, an argument in Objective-C
    guards = _guards_words if level is Strength.STRONG else _guards_tokens
    return guards(value, name, spaced) and given(value)


def setting(value: str, name: str, lead: str) -> bool:
    """Judge ``name: value`` as a line of a settings file, where a bare word is a value too."""
    return assigned(value, name, lead) or (value.islower() and assigned(value, name, "="))


def called(value: str, name: str, lead: str) -> bool:
    """Judge what stands beside a name in a list, or what a setter is called with."""
    if "," in lead:
        return assigned(value, name, lead)
    name = name.rpartition(".")[2]
    setter = name if name.isupper() else name[:1].lower() + name[1:]
    return assigned(value, setter, ', "')


def block(value: str, name: str, _lead: str) -> bool:
    """Judge what stands below its name, as the value of a field or a block of lines does."""
    return assigned(_LINE_END.split(value.strip(), maxsplit=1)[0], name, '="')


def encoded(value: str, name: str, _lead: str) -> bool:
    """Judge a value that is encoded for an address."""
    return assigned(unquote_plus(value), name, '="')


def labelled(value: str) -> bool:
    """Judge a value behind a label in another language, of which only the value can be read: a
    sentence may go on there."""
    if len(value) <= 3 or not given(value) or is_words(value.strip(_TAIL)):
        return False
    return value.isascii() or (max(value) < "\u2000" and _DIGIT.search(value) is not None)


def argument(value: str) -> bool:
    """Judge what is handed to a setter such as ``setPassword("…")``, which code does with names
    and fields as well."""
    plain = value.lower() in _PARAMETERS or names_secret(value) or is_sentence(value)
    return len(value) > 3 and given(value) and not (plain or _is_template(value, ""))


def _guards_words(value: str, name: str, spaced: bool) -> bool:
    if _NUMBER.fullmatch(value):
        return len(value) >= (6 if spaced else 4)
    if is_words(value):
        return not (spaced or is_sentence(value) or names_secret(value))
    if is_sentence(value) or (spaced and is_words(value.rstrip(_TAIL))):
        return False
    return not spaced or len(value) >= 6


def _guards_tokens(value: str, name: str, spaced: bool) -> bool:
    if _SPACE.search(value) or is_words(value.rstrip(_TAIL if spaced else "=:")):
        return False
    if _NUMBER.fullmatch(value) or _LOCATION.fullmatch(value):
        return False
    if _UUID.fullmatch(value) and not spaced and _is_plural_id(name):
        return False
    return not (spaced and (names_secret(value) or is_identifier(value)))


def _is_plural_id(name: str) -> bool:
    return name.lower().endswith(("id", "ids"))


def _opens(value: str) -> bool:
    """Tell whether an id of a session is one that nobody could guess: long, and of letters of both
    cases and digits. What names a run, a chat or a request is shorter or begins with a word."""
    run = value.rpartition("%3A")[2].rpartition(":")[2].partition(".")[0]
    if len(run) < _SESSION_CHARACTERS or not run.isalnum():
        return False
    return all(sum(map(kind, run)) >= _OF_EACH for kind in (str.islower, str.isupper, str.isdigit))


def given(value: str) -> bool:
    """Tell whether a value is there at all, not masked, left out or to be filled in."""
    return not _STAND_IN.fullmatch(value)


def literal(value: str) -> bool:
    """Tell whether a value that follows a scheme such as ``Bearer`` is a real one."""
    return len(value) >= 6 and given(value) and not (is_code(value) or is_words(value))


def login(value: str) -> bool:
    """Tell whether a value is a name and a password as HTTP has them, in base64."""
    try:
        name, colon, password = b64decode(value, validate=True).decode().partition(":")
    except ValueError:
        return False
    return bool(colon and password) and (name + password).isprintable()


def dense(value: str) -> bool:
    """Tell whether a value that follows any word at all reads as a key: long, without words."""
    return len(value) >= 16 and literal(value) and not is_identifier(value)


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


def is_sentence(value: str) -> bool:
    """Tell whether a quoted text speaks to somebody, as a message or a label does."""
    words = value.strip().rstrip(_TAIL).split()
    if len(words) < 2 or not all(is_words(word.strip("'\"(),.:;!?-")) for word in words):
        return False
    if value[0].isupper() and value[1:].islower():
        return True
    return not _FUNCTION_WORDS.isdisjoint(word.lower().strip(",.:") for word in words)


def _is_template(value: str, lead: str) -> bool:
    """Tell whether a quoted text is filled in when it is used, holds a structure, or names a class
    of a program."""
    if _STRUCTURE.fullmatch(value) or _QUALIFIED.fullmatch(value):
        return True
    rest = _INTERPOLATED.sub("", value)
    if "f" in lead[-3:-1].lower() or "$" in lead[-2:-1]:
        rest = _FIELD.sub("", rest)
    return rest != value and not entropy(rest)
