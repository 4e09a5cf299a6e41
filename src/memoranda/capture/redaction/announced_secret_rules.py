"""Redaction rules for secrets that a person announces, changes or sends.

Examples: "the new password will be …", "I changed it from … to …", "What's my password? It's …",
"the card's CVC is …". The rules for passwords require a value that does not have the form of a
product name or participle.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from memoranda.capture.redaction.rule_patterns import QUOTE, SecretRule
from memoranda.capture.redaction.secret_names import LABEL_KEYWORDS, LABELS, escaped
from memoranda.capture.redaction.spoken_secret_rules import (
    CHOSEN_VALUE,
    GAP,
    LABEL,
    LABELLED,
    STILL,
)

_NAMED = rf"(?:(?:^|[^A-Za-z0-9]){LABEL}\b|{LABELS})"
_KEYWORDS = (*LABELLED, *LABEL_KEYWORDS, "\\u")
_BECOMES = (
    r"(?i:(?:will|shall|should|must|can)(?:[ \t]+(?:now|then|soon))?[ \t]+be|becomes|'ll be"
    r"|(?:is|are|was)[ \t]+going[ \t]+to[ \t]+be|would[ \t]+be|used[ \t]+to[ \t]+be"
    r"|hei(?:ß|ss)t|hie(?:ß|ss)|wird|w(?:ä|ae)re|wordt|blir|b(?:ę|e)dzie|bude|ser(?:á|à|a)"
    r"|sar(?:à|a)|passa[ \t]+a[ \t]+ser|pasa[ \t]+a[ \t]+ser|devient|deviendra|diventa)"
    r"|будет|станет|теперь|将是|將是|将为|改为|改為"
)
_FROM = r"(?i:from|von|vom|de|da|du|desde|van|fr(?:å|a)n|z|\xd1\x81)"
_TO = r"(?i:to|auf|zu|in|a|à|para|por|naar|till|na|на)"
_REPLY = (
    r"(?:(?:(?i:it(?:'|\xe2\x80\x99)s|it is|it was|that's|that is|that would be|that'd be|sure,?"
    r"|yes,?|(?:es|das) ist|(?:sie|es|das) lautet|c'est|es|é|è|het is|to|это|it should be)|É|È)"
    r"[ \t]*:?[ \t]+)?"
)
_QUESTION = r"[^\r\n?]{0,60}\?[ \t]+"
_KEY = (
    r"(?i)\b(?:(?:shared|signing|webhook|client|hmac|api|app|access|auth|bearer|personal|private)"
    r"[ -])(?:secret|token|key)\b"
)
_COPULA = r"(?:[ \t]*[:=]|,?[ \t]+(?i:is|ist|lautet|est|c'est|es|é|è|e)[ \t]*:?)[ \t]*"
_BOLT = (
    r"(?i:doors?|front door|gate|building|garage|alarm|safe|lock(?:er|box)?|entrance|lift|vault"
    r"|(?:haus|wohnungs|keller|garagen|hof)?t(?:ü|ue)r|(?:garagen|hof)?tor|tresor|alarmanlage"
    r"|porte|portail|immeuble|digicode|alarme|coffre|garage|puerta|portal|edificio|alarma|garaje"
    r"|porta|port(?:ã|a)o|portone|pr(?:é|e)dio|cancello|allarme|cassaforte|garagem|drzwi|bramy)"
)
_OF = (
    r"(?:[ \t]+(?:of|de|del|della|dell|du|do|da|to|for|d|l|la|für|zu)(?:[ \t]+|')?"
    r"[^\s\d.;:]{2,20}){0,2}"
)
_BOLT_CODE = r"([*#]?(?:\d{4,8}[A-Z]?|\d{2,4}[A-Z]\d{0,3}|[A-Z]\d{3,6})[*#]?)"
_ENDS = (
    r"(?:[ \t]*(?:[.,;!?)\r\n\"']|\\|\z)"
    r"|[ \t]+(?i:and|et|und|y|e|please|thanks|merci|danke)\b)"
)
_SENT = (
    *("验证码", "驗證碼", "动态码", "动态密码", "校验码", "認証コード", "認証番号", "確認コード"),
    *("인증번호", "인증 코드", "код подтверждения", "Код подтверждения"),
)
"""Names of a code that a service sends, in non-Latin scripts."""
_NAMING = ("是", "为", "為", "は", "는", "은", "\uff1a")


def _any_of(terms: Iterable[str]) -> str:
    return "|".join(form for term in terms for form in (term, escaped(term)))


_CARD = (
    r"(?i:cvv2?|cvc2?|cvn|card (?:security|verification) (?:code|number|value)"
    r"|security code (?:on|of) (?:the back of )?(?:my|the|our) (?:\w+ )?card"
    r"|kartenpr(?:ü|ue)f(?:nummer|ziffer))"
)

_sentence = partial(SecretRule, "sentence", check="announced")
_code = partial(SecretRule, "code", check="present")

ANNOUNCED: tuple[SecretRule, ...] = (
    _sentence(rf"{_NAMED}{GAP}[ \t]*(?:{_BECOMES})[ \t]*:?[ \t]*{STILL}{CHOSEN_VALUE}", _KEYWORDS),
    # "from the old one to the new one": both are secrets.
    _sentence(
        rf"{_NAMED}{GAP}[ \t]{_FROM}[ \t]+{CHOSEN_VALUE}{QUOTE}?[ \t]+{_TO}[ \t]+\S", _KEYWORDS
    ),
    _sentence(
        rf"{_NAMED}{GAP}[ \t]{_FROM}[ \t]+\S{{4,64}}[ \t]+{_TO}[ \t]+{CHOSEN_VALUE}", _KEYWORDS
    ),
    # A question and its answer on one line.
    _sentence(rf"{_NAMED}{_QUESTION}{_REPLY}{CHOSEN_VALUE}", _KEYWORDS),
    _sentence(
        rf"{_KEY}{_QUESTION}{_REPLY}{QUOTE}?([\w+/=.-]{{16,}})",
        ("secret", "token", " key", "-key"),
        check="entropy",
    ),
    # Codes.
    _code(
        r"\b(?:PIN|Pin)[ \t]+(?i:of|for|to|der|des|f(?:ü|ue)r|vom|von|zur|zum|de|del|de la|du|della"
        r"|van)[ \t]+[^\r\n.:;=\d]{1,40}:[ \t]*(\d{4,8})(?:[^\w.-]|\.(?:\s|\z)|\z)",
        ("PIN ", "Pin "),
    ),
    _code(
        rf"\b(?i:c(?:ó|o)digo|code|codice|kod)\b[^\r\n.;:\d]{{0,20}}?[ \t']{_BOLT}\b{_OF}{_COPULA}"
        rf"{_BOLT_CODE}{_ENDS}",
        ("code", "código", "codigo", "codice", "kod "),
    ),
    _code(rf"\b{_BOLT}(?:[ \t-]|')?(?i:code)\b{_OF}{_COPULA}{_BOLT_CODE}{_ENDS}", ("code",)),
    _code(
        rf"(?:{_any_of(_SENT)})"
        rf"[ \t]*(?:{_any_of(_NAMING)})?[ \t]*:?[ \t]*(\d{{4,8}})(?:\D|\z)",
        (*_SENT, "\\u"),
    ),
    _code(
        rf"(?:^|[^A-Za-z0-9]){_CARD}{QUOTE}?"
        r"(?:[ \t]*[:=]|[ \t]+(?i:is|was|ist|est|es|code|number))?"
        rf"[ \t]*{QUOTE}?(\d{{3,4}})(?:[,;!?)\r\n\"'\\]|\.(?:\s|\z)|[ \t]+(?i:for|and|exp\w*|zip)\b"
        r"|[ \t]*\z)",
        ("cvv", "cvc", "cvn", "security code", "card security", "card verification", "kartenpr"),
    ),
)
