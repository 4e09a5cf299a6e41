"""Redaction rules for secrets stated in sentences, in several languages.

``The token for staging is …``, ``la password del server è …``. The value itself must look like a
password, as a sentence may make any statement about a password.
"""

from __future__ import annotations

from functools import partial

from memoranda.capture.redaction.command_rules import VALUE_ARGUMENT
from memoranda.capture.redaction.rule_patterns import LEFT, QUOTE, SecretRule
from memoranda.capture.redaction.secret_names import LABEL_KEYWORDS, LABELS, escaped

_NAMES = (
    r"(?i:pass(?:word|phrase|code|wort)|(?:api|access|secret|private|license|account)[ _-]?key"
    r"|(?:access |api |auth |bearer )?token)"
)


def _any_of(terms: str) -> str:
    """Return a pattern for terms, in UTF-8 and as JSON escapes."""
    every = terms.split()
    return "(?:" + "|".join(dict.fromkeys((*every, *map(escaped, every)))) + ")"


_PREPOSITION = _any_of(
    "for of to on in from at für von vom zum zur auf de del para du des pour di della dello per da"
    " do das dos van voor till för på til от для к na ke im am beim unter sur sul nel no em en"
)
_WORD = r"(?:[^\s\"'`\\,;:=]|'\w|\\+u[0-9A-Fa-f]{4})"
_TO_WHAT = rf"(?:[ \t]+{_PREPOSITION}(?:[ \t]+{_WORD}{{1,20}}){{1,6}}?)?"
"""Prepositional phrase after a secret's name: for, of or to something."""
_ELIDED = rf"(?:[ \t]+(?:dell|all|nell|sull|dall|d|l)'\w{{1,20}}(?:[ \t]+{_WORD}{{1,20}}){{0,5}}?)"
"""The same phrase with an elided article that is joined to its noun."""
_OF_WHAT = rf"(?:[ \t]+{_WORD}{{1,20}}){{0,7}}?"
"""The same phrase in languages with grammatical cases."""
_COPULA = (
    rf"(?:[ \t]*(?:=>|[:=]|{_any_of('： – —')})[ \t]*"  # noqa: RUF001
    rf"|[ \t]+{_any_of('is was ist lautet war es era est é è to je är er on olan')}[ \t]*:?[ \t]+"
    rf"|{_any_of('는 은 が は 是 为 為')}[ \t]*:?[ \t]*)"
)
_STATED = (
    rf"(?:{QUOTE}|`|\*\*|{_any_of('「 『 “ „ « ‘')})?"  # noqa: RUF001
    r"([^\s\"'`\\,;()<>\x1b\xe2-\xef]{6,64})"
)
"""A value without quotation marks or punctuation of other scripts.

Punctuation of other scripts is excluded by its first bytes in UTF-8.
"""
_STILL = _any_of(
    "continua sigue sendo siendo es bleibt weiterhin noch still reste toujours rimane ancora"
    " еще ещё теперь now jetzt maintenant ahora agora adesso nu"
)
_VERB = _any_of(
    "is was ist lautet war es era est é è to je är er on olan bleibt reste rimane هو هي"
)
_IS = (
    rf"(?:[ \t]+{_VERB}"
    rf"|[ \t]+(?:c|C)'est|[ \t]+continua|[ \t]+sigue)(?:[ \t]+{_STILL})*:?[ \t]+"
)
_NAMING = _any_of("는 은 が は 是 为 為")
_COLON = rf"[ \t]*(?::|{_any_of('： – —')})[ \t]*"  # noqa: RUF001
_SAID = rf"(?:{_COLON}|{_IS}|{_NAMING}[ \t]*:?[ \t]*)"
_VALUE = rf"(?:{QUOTE}|`|\*\*)?([^\s\"'`\\,;()<>\x1b]{{6,64}})"
_USER = r"(?i:user(?:name)?|login|account|benutzer(?:name)?|usuario|utilisateur|utente)"
_AND = r"(?:and|with|und|mit|y|con|et|avec|e)(?:[ \t]+(?:the|dem|la|le))?"
_LOGIN = (
    rf"{_USER}:?[ \t]+{QUOTE}?[\w.@+-]+{QUOTE}?[ \t]+{_AND}"
    r"[ \t]+(?i:pass(?:word|wort)|kennwort|contraseña|mot de passe)[ \t]*:?"
)

_sentence = partial(SecretRule, "sentence")

SENTENCES: tuple[SecretRule, ...] = (
    _sentence(
        r"(?i)(?:recovery|backup)[ _-]codes?[^\r\n]{0,80}?[^\w-]"
        r"([a-z0-9]{4,6}-[a-z0-9]{4,6})(?:[^\w-]|\z)",
        ("ecovery code", "ackup code"),
        check="stated",
    ),
    _sentence(
        rf"{LEFT}(?i:pass(?:word|phrase|code|wort))(?:{_ELIDED}|{_TO_WHAT}){_SAID}{_STATED}",
        check="stated",
        trace=r"(?i:pass(?:word|phrase|code|wort))[ \t:=]",
    ),
    _sentence(
        rf"{LABELS}(?:en|et|n|a|i|si)?{_OF_WHAT}{_SAID}{_STATED}",
        (*LABEL_KEYWORDS, "\\u"),
        check="stated",
    ),
    _sentence(
        rf"{LABELS}(?:si|n|niz|miz)?[ \t]+{_STATED}", (*LABEL_KEYWORDS, "\\u"), check="stated"
    ),
    _sentence(
        rf"{LABELS}{_OF_WHAT}[ \t]+([^\s\"'`\\,;:()<>\x1b\xe2-\xef]{{4,40}}\d"
        r"[^\s\"'`\\,;:()<>\x80-\xff]{0,24})",
        (*LABEL_KEYWORDS, "\\u"),
        check="distinct",
    ),
    _sentence(
        r"[A-Z_]+_PASS(?:WORD|PHRASE)[ \t]+is[ \t]+(\w+(?: \w+){2,9})(?:[.,;\r\n\"'\\]|\z)",
        ("_password is", "_passphrase is"),
        check="phrase-words",
    ),
    _sentence(
        rf"(?:[Pp]ass|[Kk]enn)wort{_OF_WHAT}[ \t]+lautet[ \t:]+(\w+(?: \w+){{1,8}} \d+)(?:\W|\z)",
        ("passwort", "kennwort"),
        check="phrase-words",
    ),
    _sentence(
        r"(?i:\bpin\b)(?:[^\r\n.:]{0,40}?[ \t](?:is|ist|lautet|es|est)|:)[ \t]+(\d{4,8})(?:\D|\z)",
        check="present",
        trace=r"(?i:\bpin\b)[^\r\n]{1,160}\d{4}",
    ),
    _sentence(
        r"(?i:2fa|totp|otp|mfa|authenticator|two-factor)[^\r\n]{0,60}?[^A-Za-z0-9]"
        r"([A-Z2-7]{16,64}|[A-Z2-7]{4}(?:[ ][A-Z2-7]{4}){3,15})(?:[^A-Za-z0-9]|\z)",
        check="present",
        trace=r"(?i:2fa|totp|otp|mfa|authenticator|two-factor)",
    ),
    _sentence(
        rf"{LEFT}{_USER}:?[ \t]+{QUOTE}?[\w.@+-]+{QUOTE}?,?[ \t]+(?:{_AND}[ \t]+)?"
        rf"(?i:pw|pwd|pass|password|passwort|pin)[ \t]*:?[ \t]+{_STATED}",
        check="stated",
        trace=r"(?i:pw|pwd|pass|password|passwort|pin)[ \t:]",
    ),
    _sentence(
        rf"(?i)\b(?:wi-?fi|wlan|ssid|hotspot)\b[^\r\n]{{0,60}}?[ ,(](?:key|pw|code|schl\S{{1,6}}el)"
        rf"(?:[ \t]+(?:is|ist))?[ \t:]+{_STATED}",
        check="stated",
        trace=r"(?i:wi-?fi|wlan|ssid|hotspot)",
    ),
    _sentence(
        r"(?i)(?:passphrase|seed|mnemonic|recovery (?:phrase|words))\b[^\r\n:.]{0,80}?:[ \t]*"
        rf"{QUOTE}?([a-z0-9]+(?:[ ][a-z0-9]+){{2,24}})(?:[.,;\r\n\"'\\]|[ ][^a-z0-9 ]|\z)",
        check="phrase-words",
        trace=r"(?i:passphrase|seed|mnemonic|recovery (?:phrase|words))",
    ),
    _sentence(
        rf"{LEFT}{_NAMES}{_TO_WHAT}{_COPULA}{_VALUE}",
        check="chosen",
        trace=r"(?i:pass(?:word|phrase|code|wort)|key|token)[ \t:=]",
    ),
    _sentence(
        rf"{LABELS}(?:en|et|n|a|i|si)?{_OF_WHAT}{_COPULA}{_VALUE}",
        (*LABEL_KEYWORDS, "\\u"),
        check="chosen",
    ),
    _sentence(
        rf"{_LOGIN}[ \t]+{_VALUE}",
        check="chosen",
        trace=r"(?i:password|passwort|kennwort|contrase|mot de passe)",
    ),
    _sentence(
        r"https?://[^\s\"'<>]{1,200}[?&](?:key|subscription-key|appid)=([\w.%-]{10,128})",
        ("?key=", "&key=", "subscription-key=", "appid="),
        check="chosen",
    ),
    SecretRule(
        "login",
        rf"secrets?[ \t:](?:create|add)[ \t][^\r\n;|]*?--value[ \t=]+{VALUE_ARGUMENT}",
        ("secret:create", "secrets:create", "secret create", "secrets create", "secrets add"),
        check="present",
    ),
    SecretRule(
        "login",
        rf"(?i)create_?(?:super)?user\([ \t]*(?:{QUOTE}[^\"'\r\n]*{QUOTE},[ \t]*){{1,2}}{QUOTE}"
        rf"([^\"'\\\r\n@]+){QUOTE}[ \t]*[,)]",
        ("create_superuser", "create_user", "createuser"),
        check="chosen",
    ),
)
