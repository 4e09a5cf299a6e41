"""Checks whether a value that a rule matched is a secret.

A rule finds ``name = value``; the checks here determine whether the value is a password or part of
a line of code. The name sets the threshold: after ``password`` even a plain word counts, unless it
is spaced as in prose or code; after ``token`` or ``auth`` a value must not be a word, number or
path.
"""

from __future__ import annotations

import math
import re
from base64 import b64decode
from collections import Counter
from urllib.parse import unquote_plus

from memoranda.capture.redaction.code_expressions import (
    is_code,
    is_declaration,
    is_identifier,
    is_phrase,
    is_words,
    names_secret,
)
from memoranda.capture.redaction.secret_names import NameStrength, strength
from memoranda.language.words import word_set

MIN_ENTROPY = 3.0
"""Required bits per character if only a nearby word indicates a secret."""
_TOO_SHORT = 3
"""Maximum length of a value that is too short to be a secret."""
_SPACED_TOKEN = 8
"""Minimum length of a token that is formatted like code."""
_OF_EACH = 3
"""Minimum number each of lower-case letters, capitals and digits in a session id."""
_SESSION_CHARACTERS = 32
"""Minimum length of an unguessable session id, which grants access."""

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
    | \?[a-z]+ | !(?:vault|secret|env|ref|sub|reference|include)(?:\s.*)?
    # a hash, which is public
    | (?:sha(?:1|224|256|384|512)|md5)[-:=].*
    # masked or cut
    | (.)\1* | [x*•.\#_\-]+ | [\s*(\[]+redacted[\s*)\]]+ | .{0,8}(?:\*{3,}|\.{3}|…).{0,8}
    # an access key's id with the day and the service it signs for; a few bytes
    | \w+/\d{8}/[a-z\d-]+/[\w-]+/aws4_request | (?:\\+x[0-9a-f]{2}){1,8}
    # a flag or another small constant; a regular expression
    | 0x[0-9a-f]{1,8}[ul]{0,3} | (?:qr|m)?/[\^\[(].*
    # a colour; a regular expression; what follows a prompt that ended in a quote
    | ["'`]?[.+&]\s*(?:\$\w.*|\w+(?:\.|\(|->|\[|::|\)).*|\s.*) | ["'`]?\s*[.+&]\s.*
    | \\+\(.* | --[a-z][\w-]* | S-1-\d+(?:-\d+)+
    # a key that a module holds; an object's identifier or an address; how one logs in
    | [a-z][a-z\d]*:(?!.*(?:pin|pass))[a-z][a-z-]*=.* | \d+(?:\.\d+){3,}
    | plain | gssapi | ntlm | xoauth2? | (?:cram|digest|scram|hmac)-(?:md5|sha-?\d+)(?:-\w+)?
    | \#[0-9a-f]{3,8} | \(\?.* | \s.* | [,;)\]](?:[\s)\]};].*)?
    | true | false | null | none | nil | undefined | void | yes | no | on | off | any | empty
    | self | this | keep | same | success | failure | failed | succeeded | complete | changed
    | str | string | bytes | text | char | varchar | int | integer | number | bool(?:ean)? | object
    | optional | required | invalid | incorrect | wrong | missing | hidden | masked | redacted
    | example | placeholder | value\d{0,3} | input | prompt | stdin | options? | flags? | arguments?
    | parameters? | when | can | will | are | and | or | is | was | to | for | with | from | in | if
    | not | instead | must | should
    | oauth\d? | auth0 | [her]s256 | sha\d+ | md5 | utf-?8 | base64 | v\d+
    """
)
_MIXED = re.compile(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w+/=-]{12,}")
_VERSION = re.compile(
    r"(?:[\^~]|[<>]=?) ?v?\d+(?:\.[\dxX*]+)*(?:[-+][\w.+-]+)?(?: .*)?"
    r"|v?\d+(?:\.[\dxX*]+){2}(?:[-+][\w.+-]+)?|(?:workspace|npm|link|portal|patch|catalog):\S*"
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
_WRAPPED = re.compile(r"(?:\r?\n|\\+[rn])+(?:[ \t]*\d+(?:→|\\+u2192|[:|\t]))?")
"""The end of a line of base64, with a viewer's prefix of the next line."""
_SETTINGS = re.compile(r"\"?\b([A-Za-z][\w.-]*)\"?[ \t]*[=:][ \t]*\"?([^\s\",{}\[\]]+)")
_STRUCTURE = re.compile(r"(?s)[{\[(]\s*\\*[\"'].*|<\w.*")
_QUALIFIED = re.compile(r"(?:\\{1,4}|::)?[A-Z]\w*(?:(?:\\{1,4}|::)[A-Za-z]\w*)+")
_AFTER_STRING = re.compile(r"[)\]}]+(?:[.;,)\s\[]|$)|\s*[+,%]\s")
"""Code after a string literal that ends with the name of a password."""
_TAIL = "!?.,:;…"
_FUNCTION_WORDS = word_set(
    """
    a an are at be by can cannot do does enter for from in incorrect invalid is it least may must no
    not of on or please provide required reset should than that the this to used valid was when will
    with wrong you your
    """
)
_DIGIT = re.compile(r"\d")
_CONSTANT = re.compile(r"[A-Z]+(?:_(?:[A-Z]+|\d{1,2})){2,}")
_WEB_ADDRESS = re.compile(r"https?://(?![^/]*@)")
_FORMAT = re.compile(r"[=|:<(\[]%[sdvqx]\W?$")
_ROW = re.compile(r"^(?: [0-9A-Fa-f]{4,5}\b)+")
_ROW_END = re.compile(r"(?:\b[0-9A-Fa-f]{4,5} )+$")
_ODD_GROUPS = (2, 3)
"""Numbers of adjacent groups that are neither a year nor another card."""
_NO_WORD = re.compile(r"[\W_]+")
_NUMBERED = re.compile(r"(?i)(?:[a-z]+[_-])*token[_-]?\d{0,3}")


def assigned(value: str, name: str = "", preceding: str = "") -> bool:
    """Return whether the value in ``name lead value`` is a secret.

    The lead is the separator with the opening quote.
    """
    level = strength(name)
    if level is NameStrength.NONE or len(value) <= _TOO_SHORT or preceding.strip() == "::":
        return False
    if _VERSION.fullmatch(value):
        return False  # the version of a package whose name contains the word
    if value.lower() == name.lower() or _names_itself(value, name):
        return False  # a value equal to its name, such as a parameter or constant
    quoted = preceding.endswith(('"', "'", "`"))
    if quoted and _AFTER_STRING.match(value):
        return False  # a prompt such as ``input("Password: ").strip()``: the quote ends it
    if not quoted and name.lower().endswith(value):
        return False  # a variable with the name of its parameter
    if _WEB_ADDRESS.match(value) or (not quoted and _FORMAT.search(value)):
        return False
    # "password: word" and "token = word" are prose or code more often than settings.
    listed = "," in preceding and "value" not in preceding
    spaced = listed or (not quoted and bool(preceding.strip()) and preceding.strip() != preceding)
    if level is NameStrength.WEAK and spaced and len(value) < _SPACED_TOKEN:
        return False
    if listed and "=" in value and is_identifier(value):
        return False
    if is_code(value, spaced=spaced) if not quoted else _is_template(value, preceding):
        return False
    if name.lower().endswith("pwd") and _LOCATION.fullmatch(value):
        return False  # the working directory of a shell
    if listed and name[:1].isupper() and name.isidentifier() and not name.isupper():
        return False  # a class among others, not a setting
    if _SESSION.search(name):
        return _opens(value)
    if (
        _SHELL_NAME.fullmatch(name)
        and (preceding in _TIGHT or listed)
        and not _NUMBER.fullmatch(value)
    ):
        is_place = level is NameStrength.WEAK and _LOCATION.fullmatch(value)
        plain = _SHELL_NAME.fullmatch(value) or names_secret(value)
        is_name = listed and (plain or (level is NameStrength.WEAK and is_words(value)))
        return is_present(value) and not (is_place or is_name)
    if preceding == ":" and _LOG_WORDS.fullmatch(value):
        return False  # steps of a call in a log, an argument in Objective-C
    guards = _guards_words if level is NameStrength.STRONG else _guards_tokens
    return guards(value, name, spaced) and is_present(value)


def setting(value: str, name: str, preceding: str) -> bool:
    """Return whether a value in a line ``name: value`` is a secret.

    In a settings file, a bare word is a value too.
    """
    return assigned(value, name, preceding) or (value.islower() and assigned(value, name, "="))


def called(value: str, name: str, preceding: str) -> bool:
    """Return whether a list's value or a setter's argument is a secret."""
    if "," in preceding:
        return assigned(value, name, preceding)
    name = name.rpartition(".")[2]
    setter = name if name.isupper() else name[:1].lower() + name[1:]
    return assigned(value, setter, ', "')


def block(value: str, name: str, _lead: str) -> bool:
    """Return whether a value on the lines below its name is a secret."""
    return assigned(_LINE_END.split(value.strip(), maxsplit=1)[0], name, '="')


def cell(value: str, name: str, _lead: str) -> bool:
    """Return whether the cell next to or below a name is a secret.

    Tables also describe secrets, so the cell must not contain a word.
    """
    is_variable = _SHELL_NAME.fullmatch(name) is not None
    return assigned(value, name, " : ") or (
        is_variable and is_present(value) and _MIXED.fullmatch(value) is not None
    )


def encoded(value: str, name: str, _lead: str) -> bool:
    """Return whether a URL-encoded value is a secret."""
    return assigned(unquote_plus(value), name, '="')


def encoded_settings(value: str) -> bool:
    """Return whether base64 is the text of settings that contain a secret."""
    joined = _WRAPPED.sub("", value).rstrip("=")
    try:
        content = b64decode(joined[: len(joined) // 4 * 4])
    except ValueError:
        return False
    text = content.decode(errors="ignore")
    if len(text.encode()) < len(content) - _TOO_SHORT or not _SPACE.sub("", text).isprintable():
        return False  # not text; a character may be cut off at the end
    return any(assigned(item[2], item[1], '="') for item in _SETTINGS.finditer(text))


def labelled(value: str) -> bool:
    """Return whether a value after a label in another language is a secret.

    Only the value is examined, since it may also be the continuation of a sentence.
    """
    if len(value) <= _TOO_SHORT or not is_present(value) or is_words(value.strip(_TAIL)):
        return False
    return value.isascii() or (max(value) < "\u2000" and _DIGIT.search(value) is not None)


def argument(value: str) -> bool:
    """Return whether the argument of ``setPassword("…")`` is a secret.

    Code also passes names and fields to setters; these do not count.
    """
    plain = value.lower() in _PARAMETERS or names_secret(value) or is_sentence(value)
    return len(value) > _TOO_SHORT and is_present(value) and not (plain or _is_template(value, ""))


def _guards_words(value: str, name: str, spaced: bool) -> bool:
    if _NUMBER.fullmatch(value):
        return len(value) >= (6 if spaced else 4)
    if is_words(value):
        return not (spaced or is_sentence(value) or names_secret(value))
    if is_sentence(value) or (spaced and is_words(value.rstrip(_TAIL))):
        return False
    return not spaced or len(value) >= 6


def _guards_tokens(value: str, name: str, spaced: bool) -> bool:
    if _SPACE.search(value) and "secret" in name.lower() and not spaced:
        return value[0].islower() and is_phrase(value) and not is_sentence(value)
    if _SPACE.search(value) or is_words(value.rstrip(_TAIL if spaced else "=:")):
        return False
    if _NUMBER.fullmatch(value) or _LOCATION.fullmatch(value):
        return False
    if _UUID.fullmatch(value) and not spaced and _is_plural_id(name):
        return False
    if _CONSTANT.fullmatch(value):
        return False
    if _NUMBERED.fullmatch(value):
        return False  # tokens are random; a value named "token" is not one
    return not (spaced and (names_secret(value) or is_identifier(value)))


def _names_itself(value: str, name: str) -> bool:
    """Return whether a value repeats its name, as in ``AuthNone = "no-auth"``."""
    if not strength(value) or (value.islower() and value.isalpha()):
        return False  # "password" is used as a real password
    if _SHELL_NAME.fullmatch(name) and not value.isupper():
        return False  # JWT_SECRET=jwt-secret is used as well
    words_only, named = (_NO_WORD.sub("", text).lower() for text in (value, name))
    return words_only in named


def _is_plural_id(name: str) -> bool:
    return name.lower().endswith(("id", "ids"))


def _opens(value: str) -> bool:
    """Return whether a session id is unguessable: long and mixed.

    Such an id has letters of both cases and digits. The id of a run, a chat or a request is shorter
    or begins with a word.
    """
    run = value.rpartition("%3A")[2].rpartition(":")[2].partition(".")[0]
    if len(run) < _SESSION_CHARACTERS or not run.isalnum():
        return False
    return all(sum(map(kind, run)) >= _OF_EACH for kind in (str.islower, str.isupper, str.isdigit))


def is_present(value: str) -> bool:
    """Return whether a value is real: not masked, omitted or a placeholder."""
    return not _STAND_IN.fullmatch(value)


def literal(value: str) -> bool:
    """Return whether a value after a scheme such as ``Bearer`` is real."""
    plain = is_code(value) or is_words(value) or _is_trivial_login(value)
    return len(value) >= 6 and is_present(value) and not plain


def login(value: str) -> bool:
    """Return whether a value is an HTTP user name and password in base64."""
    return len(_basic_password(value)) > _TOO_SHORT


def _is_trivial_login(value: str) -> bool:
    return 0 < len(_basic_password(value)) <= _TOO_SHORT


def _basic_password(value: str) -> str:
    try:
        name, _, password = b64decode(value, validate=True).decode().partition(":")
    except ValueError:
        return ""
    return password if (name + password).isprintable() else ""


def crumbs(value: str) -> bool:
    """Return whether a cookie or attribute is long enough to be a secret."""
    pairs = (crumb.partition("=") for crumb in value.split(";"))
    return any(len(content) > _TOO_SHORT and is_present(content.strip()) for _, _, content in pairs)


def dense(value: str) -> bool:
    """Return whether a value after any word is a key: long, without words."""
    return len(value) >= 16 and literal(value) and not is_identifier(value)


def entropy(value: str) -> bool:
    """Return whether a value without a sensitive name is random enough."""
    if _UUID.fullmatch(value) or names_secret(value) or not (run := _DENSE_RUN.search(value)):
        return False
    counts = Counter(run[0])
    bits = -sum(n / len(run[0]) * math.log2(n / len(run[0])) for n in counts.values())
    return bits >= MIN_ENTROPY


def luhn(value: str) -> bool:
    """Check the digit sum of payment card numbers (ISO/IEC 7812-1)."""
    digits = [int(char) for char in value if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return len(set(digits)) > 1 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def row(before: str, after: str) -> bool:
    """Return whether a card-like number is part of a longer series of groups.

    An example is a table of hexadecimal character codes. Two cards, or a card with a year, are not
    such a series.
    """
    found = [side.split() for side in (_ROW_END.findall(before) or [""])[-1:] + _ROW.findall(after)]
    groups = [group for side in found for group in side]
    return not all(map(str.isdigit, groups)) or len(groups) in _ODD_GROUPS


def is_sentence(value: str) -> bool:
    """Return whether a quoted text is a sentence, as in a message or label."""
    words = value.replace("'", "").strip().rstrip(_TAIL).split()
    # French has a space before punctuation, which then is a separate word.
    words = [bare for word in words if (bare := word.strip('"(),.:;!?-'))]
    about = any(map(names_secret, words))
    if len(words) < 2 or not all(_is_plain(word, about=about) for word in words):
        return False
    if value[0].isupper() and value[1:].islower():
        return True
    return not _FUNCTION_WORDS.isdisjoint(word.lower().strip(",.:") for word in words)


def _is_plain(word: str, *, about: bool) -> bool:
    if is_words(word) or (about and _is_short(word)):
        return True
    # Other languages: letters with accents, and short terms such as "de".
    return word.isalpha() and (not word.isascii() or (word.islower() and len(word) <= _TOO_SHORT))


def _is_short(word: str) -> bool:
    return word.lower() in _FUNCTION_WORDS or word in ("", "too", "we", "up", "so", "as", "if")


def _is_template(value: str, preceding: str) -> bool:
    """Return whether a quoted text is a template, a structure or a class name."""
    if _STRUCTURE.fullmatch(value) or _QUALIFIED.fullmatch(value) or is_declaration(value):
        return True
    rest = _INTERPOLATED.sub("", value)
    if "f" in preceding[-3:-1].lower() or "$" in preceding[-2:-1]:
        rest = _FIELD.sub("", rest)
    return rest != value and not entropy(rest)
