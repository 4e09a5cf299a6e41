"""Removal of text that a person asks not to remember or store.

"Don't remember this: …" removes the text from that sentence on, as a private span that is never
closed; "…. Don't store this message." removes the whole message. A sentence that may be about the
work ("don't save the file", "don't store this in the session") removes nothing.
"""

from __future__ import annotations

import re

from memoranda.language.lazy_patterns import lazy_pattern

_NOT = re.compile(
    r"n['\u2019]t\b|\b(?:not|dont|never|off the record|nicht|no|n[eo])\b|\bn['\u2019]",
    re.IGNORECASE,
)
"""Words; every request contains at least one of them. Used for a fast pre-check."""
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|^>[^\n]*", re.DOTALL | re.MULTILINE)
_OPENS = (
    r"(?P<start>(?:^|(?<=[.!?\u2026:]\s)|(?<=\n))[^\S\n]*)(?:[-*\u00bf\u00a1(]\s?)?"
    r"(?:(?:hey|hi|hello|ok(?:ay)?|so|also|and|but|oh|btw|by the way|just|kindly|please|pls"
    r"|bitte|und|aber|also|ach|por favor|y|pero|oye|s['\u2019]il (?:te|vous) pla[i\u00ee]t|et|mais"
    r")\b[\s,.:!]{1,3}){0,4}"
)
"""Start of a sentence, with polite words."""
_JOINS = (
    r"(?P<joins>[,;(\u2014\u2013-]\s?"
    r"(?:(?:and|but|so|please|bitte|por favor|und|aber|y|et)\b,? ?){0,3})"
)
"""Start of a last clause: "…, and please don't remember this."."""
_EN_NOT = r"(?:(?:please )?(?:don['\u2019]?t|do not|never)(?: please)?(?: ever)? )"
_EN_KEEPS = r"(?:remember|memori[sz]e|record)"
_EN_STORES = r"(?:store|save|keep|log|note(?: down)?|write down|retain|persist|capture)"
_EN_MESSAGE = (
    r"(?:(?:this|my|the next|the following) (?:message|prompt|part|sentence|conversation|chat)"
    r"|what i (?:(?:just )?(?:say|said|tell you|told you)|am (?:saying|about to (?:say|tell you)))"
    r"(?: (?:now|next|here))?)"
)
_EN_THIS = r"(?:(?:any(?:thing)? of )?(?:this|that|what follows|the following))"
_EN_MEMORY = (
    r"(?: (?:in|to|into) (?:your|the agent['\u2019]s|long[- ]term) memor(?:y|ies)| for later)"
)
_DE_THIS = r"(?:das|dies(?:es)?|folgendes)"
_DE_MESSAGE = r"(?:diese (?:nachricht|mitteilung|unterhaltung)|dieses gespr\u00e4ch)"
_DE_YOU = r"(?:dir|euch|sie sich)"
_ES_THIS, _ES_MESSAGE = r"(?:esto|eso|lo siguiente)", r"(?:est[ea] (?:mensaje|conversaci\u00f3n))"
_FR_THIS, _FR_MESSAGE = (
    r"(?:ceci|cela|\u00e7a|ce qui suit)",
    r"(?:ce message|cette (?:conversation|discussion))",
)
_REMEMBERS = "|".join(
    (
        rf"{_EN_NOT}{_EN_KEEPS} {_EN_THIS}{_EN_MEMORY}?",
        rf"{_EN_NOT}{_EN_STORES} (?:{_EN_THIS}|it){_EN_MEMORY}",
        rf"(?:das |dies )?(?:bitte )?merk(?:en?)? {_DE_YOU} (?:(?:{_DE_THIS} )?(?:bitte )?nicht"
        rf"|nicht {_DE_THIS})",
        r"(?:das|dies|folgendes) (?:bitte )?nicht merken|nicht merken",
        rf"no (?:recuerd|memori[cz])(?:es|e|\u00e9is) {_ES_THIS}|no te acuerdes de {_ES_THIS}",
        rf"ne (?:retiens|retenez|m\u00e9moris(?:e|ez)) pas {_FR_THIS}"
        rf"|ne te souviens pas de {_FR_THIS}"
        rf"|ne gard(?:e|ez) pas {_FR_THIS} en m\u00e9moire"
        r"|\u00e0 ne pas (?:retenir|m\u00e9moriser)",
    )
)
"""Requests that concern only the memory."""
_STORES = "|".join(
    (
        rf"{_EN_NOT}{_EN_STORES} {_EN_THIS}",
        rf"(?:can|could|would|will) you (?:please )?not (?:{_EN_KEEPS}|{_EN_STORES}) {_EN_THIS}",
        rf"speicher[ne]? (?:sie )?{_DE_THIS} (?:bitte )?nicht"
        rf"|(?:{_DE_THIS} )?(?:bitte )?nicht (?:ab)?speichern",
        rf"no (?:guard|almacen|registr|anot)(?:es|e|\u00e9is|en) {_ES_THIS}",
        r"n(?:e |['\u2019])(?:gard|sauvegard|enregistr|conserv|not|stock)(?:e|ez|es)"
        rf" pas {_FR_THIS}",
    )
)
"""Requests that may concern a file or a program, unless a colon follows."""
_WHOLE = "|".join(
    (
        rf"{_EN_NOT}(?:{_EN_KEEPS}|{_EN_STORES}) {_EN_MESSAGE}{_EN_MEMORY}?",
        r"(?:this|that|all this|what i (?:say|said)) (?:is|was) off the record",
        rf"(?:merk(?:en?)? {_DE_YOU}|speicher[ne]?(?: sie)?) {_DE_MESSAGE} (?:bitte )?nicht"
        rf"|{_DE_MESSAGE} (?:bitte )?nicht (?:merken|(?:ab)?speichern)",
        rf"no (?:recuerd|memori[cz]|guard|almacen|registr)(?:es|e|\u00e9is|en) {_ES_MESSAGE}",
        r"n(?:e |['\u2019])"
        r"(?:retiens|(?:reten|m\u00e9moris|gard|sauvegard|enregistr|conserv|stock)"
        rf"(?:e|ez|es)) pas {_FR_MESSAGE}",
    )
)
"""Requests that concern the message itself."""
_THAT = "|".join(
    (
        rf"{_EN_NOT}(?:remember|memori[sz]e|record) that"
        r"(?= (?:i|we|my|our|he|she|they|his|her|their)\b)",
        rf"{_EN_NOT}{_EN_STORES} that(?= (?:i|my)\b)",
        r"off the record(?=\s?[,:\u2014\u2013-])",
        rf"merk(?:en?)? {_DE_YOU} (?:bitte )?nicht, dass",
        r"no (?:recuerdes|recuerde) que(?= (?:yo|mi|mis|estoy|tengo|soy|hoy)\b)",
        r"ne (?:retiens|retenez) pas que",
    )
)
_ENDS = r"(?=\s?(?:[.!)\u2026\u2014\u2013;,-]|$))(?!-\w)(?!, (?:just|only|but|instead|use|do|or)\b)"
_ANNOUNCES = r"(?=\s?:)(?!::)"
_FROM_HERE = lazy_pattern(
    rf"{_OPENS}(?:(?:{_REMEMBERS}|{_STORES}|{_WHOLE})(?:,? (?:please|bitte))?{_ANNOUNCES}"
    rf"|(?:{_REMEMBERS})(?:,? please)?(?=\s?[,\u2014\u2013]|\s-)"
    rf"(?!, (?:just|only|but|instead|use|do|or|please)\b)|{_THAT})",
    re.IGNORECASE,
)
"""Sentences that mark the start of text that must not be stored."""
_ALL = lazy_pattern(
    rf"(?:{_OPENS}|{_JOINS})(?:{_WHOLE}|{_REMEMBERS})"
    rf"(?:,? (?:please|bitte|ok(?:ay)?|thanks?))?{_ENDS}",
    re.IGNORECASE,
)
"""Sentences that concern the message in which they occur."""
_SENTENCE_END = re.compile(r"[.!?\u2026\n:]|\Z")


def drop_unstored(text: str) -> tuple[str, int]:
    """Remove what a message asks not to remember; return the rest and count.

    Example:
        >>> drop_unstored("Run the tests. Don't remember this: the hint is zebra.")
        ('Run the tests. ', 1)
        >>> drop_unstored("Don't store this in the session.")
        ("Don't store this in the session.", 0)
    """
    if not _NOT.search(text):
        return text, 0
    plain = _FENCED.sub(lambda fenced: "\ufffc" * len(fenced[0]), text)
    for found in _FROM_HERE.finditer(plain):
        if _is_request(plain, found):
            return text[: found.end("start")], 1
    if any(_is_request(plain, found) for found in _ALL.finditer(plain)):
        return "", 1
    return text, 0


def _is_request(text: str, found: re.Match[str]) -> bool:
    """Return whether a match is a request, not a question about one."""
    end = _SENTENCE_END.search(text, found.end())
    return end is None or end[0] != "?"
