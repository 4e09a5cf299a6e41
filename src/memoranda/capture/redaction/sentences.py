"""Redaction rules for secrets that a sentence names, in several languages.

``The token for staging is …``, ``la password del server è …``. What follows must itself look like
a password, as a sentence can say anything about one.
"""

from __future__ import annotations

from memoranda.capture.redaction.commands import VALUE_ARGUMENT
from memoranda.capture.redaction.password_names import LABEL_KEYWORDS, LABELS, escaped
from memoranda.capture.redaction.patterns import LEFT, QUOTE, SecretRule

_NAMES = (
    r"(?i:pass(?:word|phrase|code|wort)|(?:api|access|secret|private|license|account)[ _-]?key"
    r"|(?:access |api |auth |bearer )?token)"
)


def _any_of(terms: str) -> str:
    """Return a pattern for terms in UTF-8 and as JSON escapes them."""
    every = terms.split()
    return "(?:" + "|".join(dict.fromkeys((*every, *map(escaped, every)))) + ")"


_PREPOSITION = _any_of(
    "for of to on in from at für von vom zum zur auf de del para du des pour di della dello per da"
    " do das dos van voor till för på til от для к na ke"
)
_WORD = r"(?:[^\s\"'`\\,;:=]|'\w|\\+u[0-9A-Fa-f]{4})"
_TO_WHAT = rf"(?:[ \t]+{_PREPOSITION}(?:[ \t]+{_WORD}{{1,20}}){{1,6}}?)?"
"""What the secret is of, for or to."""
_OF_WHAT = rf"(?:[ \t]+{_WORD}{{1,20}}){{0,5}}?"
"""The same where the language has cases."""
_COPULA = (
    rf"(?:[ \t]*(?:=>|[:=]|{_any_of('： – —')})[ \t]*"  # noqa: RUF001
    rf"|[ \t]+{_any_of('is was ist lautet war es era est é è to je är er on olan')}[ \t]*:?[ \t]+"
    rf"|{_any_of('는 은 が は 是 为 為')}[ \t]*:?[ \t]*)"
)
_VALUE = rf"(?:{QUOTE}|`|\*\*)?([^\s\"'`\\,;()<>\x1b]{{6,64}})"
_USER = r"(?i:user(?:name)?|login|account|benutzer(?:name)?|usuario|utilisateur|utente)"
_AND = r"(?:and|with|und|mit|y|con|et|avec|e)(?:[ \t]+(?:the|dem|la|le))?"
_LOGIN = (
    rf"{_USER}:?[ \t]+{QUOTE}?[\w.@+-]+{QUOTE}?[ \t]+{_AND}"
    r"[ \t]+(?i:pass(?:word|wort)|kennwort|contraseña|mot de passe)[ \t]*:?"
)

SENTENCES: tuple[SecretRule, ...] = (
    SecretRule(
        "sentence",
        (),
        rf"{LEFT}{_NAMES}{_TO_WHAT}{_COPULA}{_VALUE}",
        1,
        "chosen",
        trace=r"(?i:pass(?:word|phrase|code|wort)|key|token)[ \t:=]",
    ),
    SecretRule(
        "sentence",
        (*LABEL_KEYWORDS, "\\u"),
        rf"{LABELS}(?:en|et|n|a|i|si)?{_OF_WHAT}{_COPULA}{_VALUE}",
        1,
        "chosen",
    ),
    SecretRule(
        "sentence",
        (),
        rf"{_LOGIN}[ \t]+{_VALUE}",
        1,
        "chosen",
        trace=r"(?i:password|passwort|kennwort|contrase|mot de passe)",
    ),
    SecretRule(
        "sentence",
        ("?key=", "&key=", "subscription-key=", "appid="),
        r"https?://[^\s\"'<>]{1,200}[?&](?:key|subscription-key|appid)=([\w.%-]{10,128})",
        1,
        "chosen",
    ),
    SecretRule(
        "login",
        ("secret:create", "secrets:create", "secret create", "secrets create", "secrets add"),
        rf"secrets?[ \t:](?:create|add)[ \t][^\r\n;|]*?--value[ \t=]+{VALUE_ARGUMENT}",
        1,
        "given",
    ),
    SecretRule(
        "login",
        ("create_superuser", "create_user", "createuser"),
        rf"(?i)create_?(?:super)?user\([ \t]*(?:{QUOTE}[^\"'\r\n]*{QUOTE},[ \t]*){{1,2}}{QUOTE}"
        rf"([^\"'\\\r\n@]+){QUOTE}[ \t]*[,)]",
        1,
        "chosen",
    ),
)
