"""Sentences that lift a prohibition: "it's fine to push to main now"."""

from __future__ import annotations

import re

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.revocation_patterns import OPENING

_WHAT = r"(?P<what>[^,;:.!?()\n]{2,60}?)"
_FINE = (
    r"(?:(?:totally|perfectly|absolutely|completely) )?"
    r"(?:fine|ok(?:ay)?|all ?right|allowed|permitted|acceptable)"
)
_STILL = r"(?:now|again|from now on|after all|these days|going forward|any ?time)"
_WHEN = r"\s+(?:if|when(?:ever)?|as long as|provided|wenn|falls|solange|si|cuando|quand)\b"
_END = rf"(?=\s*(?:$|[,;:.!()\u2014\u2013]|{_WHEN}))"
_OFTEN_ONCE = (
    r"(?!(?:(?:go|continue|start|run|push|commit|merge|deploy|release|publish|delete|send|close|try"
    r"|see|stop|use (?:it|this|that))\b|not\b|never\b|also\b))"
)
"""Acts that "you can ... now" usually permits only once."""
_FORMS = tuple(
    lazy_pattern(OPENING + form, re.IGNORECASE)
    for form in (
        rf"(?:it['\u2019]?s|it is) (?:now |again )?{_FINE} (?:now |again )?"
        rf"(?:to|if (?:you|we)) {_WHAT} {_STILL}{_END}",
        rf"(?:it['\u2019]?s|it is) (?:now|again) {_FINE} to {_WHAT}{_END}",
        rf"{_WHAT} (?:is|are) (?:now |again )?{_FINE} {_STILL}{_END}",
        rf"{_WHAT} (?:is|are) (?:now|again) {_FINE}{_END}",
        rf"(?P<what>\w+ing [^,;:.!?()\n]{{2,60}}?) (?:is|are) {_FINE}{_END}",
        rf"feel free to {_WHAT}(?: {_STILL})?"
        rf"(?: (?:after|once|when|as soon as) [^,;:.!?()\n]{{1,40}}?)?{_END}",
        rf"{_WHAT} (?:is|are) no longer (?:forbidden|banned|prohibited|off[- ]limits){_END}",
        rf"{_WHAT} (?:is(?:n['\u2019]?t| not)|are(?:n['\u2019]?t| not)) (?:forbidden|banned"
        rf"|prohibited|off[- ]limits) any ?more{_END}",
        rf"(?!(?:it|that|this|he|she)\b){_WHAT} (?:is|are) (?:now )?(?:fair game|up for grabs"
        rf"|open for (?:edits|changes))(?: {_STILL})?{_END}",
        r"(?:you|we)(?:['\u2019]re| are) (?:now |again )?(?:allowed|permitted|free) to"
        rf" {_WHAT}(?: {_STILL})?{_END}",
        rf"(?:you|we) (?:can|may|could) (?:now |again )?{_WHAT} (?:again(?: now)?|from now on"
        rf"|after all|any ?time|going forward){_END}",
        rf"from now on,? (?:you|we) (?:can|may) {_WHAT}{_END}",
        rf"(?:you|we) (?:can|may) {_OFTEN_ONCE}{_WHAT} (?<!for )(?<!right )now{_END}",
        rf"(?:you|we) (?:can|may) {_OFTEN_ONCE}{_WHAT}(?={_WHEN})",
        rf"(?:ya |ahora (?:s[ií] )?)(?:se )?(?:puedes?|pod[eé]is|pueden|podemos) {_WHAT}"
        rf"(?: otra vez| de nuevo| ahora)?{_END}",
        rf"(?:ya |ahora )(?:est[aá] (?:bien|permitido)|se permite|vale) {_WHAT}{_END}",
        rf"{_WHAT} (?:ya |ahora )?est[aá]n? (?:ahora |otra vez |de nuevo )?permitid[oa]s?"
        rf"(?: ahora| otra vez| de nuevo)?{_END}",
        r"(?:tu peux|vous pouvez|on peut) (?:maintenant |désormais |(?:à|de) nouveau )"
        rf"{_WHAT}{_END}",
        r"(?:tu as|vous avez) (?:maintenant |désormais |(?:à|de) nouveau )le droit"
        rf" d(?:e |['\u2019]){_WHAT}{_END}",
        rf"{_WHAT} (?:est|sont) (?:maintenant |désormais |(?:à|de) nouveau )(?:permise?s?"
        rf"|autorisée?s?|ok){_END}",
        rf"{_WHAT} (?:ist|sind) (?:jetzt |nun |ab jetzt |wieder )(?:wieder )?(?:ok(?:ay)?|erlaubt"
        rf"|in ordnung){_END}",
        rf"(?:du|ihr|sie) (?:darfst|dürft|dürfen) (?:jetzt |nun |ab jetzt |wieder ){_WHAT}{_END}",
    )
)
_CJK_FORMS = tuple(
    lazy_pattern(form)
    for form in (
        r"^(?:もう|今後は?|これからは?)?(?P<what>[^、。!?\uff01\uff1f\n]{1,30}?)(?<!なく)て(?:も)?"
        r"(?:いい|良い|よい|大丈夫|構(?:わない|いません))"
        r"(?:です|よ|ですよ)?[。!\uff01]?$",
        r"^(?:现在|以后|今后|从现在起)(?:你|您)?(?:又|也)?可以(?P<what>[^\uff0c。\uff01\uff1f,!?\n]{1,30}?)了[。\uff01!]?$",
    )
)
_CLAUSE = lazy_pattern(r"(?:[,;\u2014\u2013]\s+)?\b(?:so|and|but)\s+(?=you\b|we\b)", re.IGNORECASE)
"""Separators between a clause that permits something and its reason."""
_CONDITION = lazy_pattern(
    r"\b(?:if|when(?:ever)?|once|unless|until|after|before|as soon as|provided)\b", re.IGNORECASE
)
_JAPANESE_NOW = lazy_pattern("もう|今後|これから|また")


def permission(text: str) -> str | None:
    """Return what a sentence permits from now on, verbatim, or None.

    Questions permit nothing, and neither do sentences that probably permit something once.

    Example:
        >>> permission("It's fine to push to main now.")
        'push to main'
        >>> permission("You can push now.") is None
        True
    """
    if "?" in text or "\uff1f" in text:
        return None
    for start in (0, *(gap.end() for gap in _CLAUSE.finditer(text))):
        if start and _CONDITION.search(text[:start]):
            break
        for form in _FORMS:
            if match := form.search(text[start:]):
                return match["what"]
    for form in _CJK_FORMS:
        if (match := form.search(text)) and ("\u53ef\u4ee5" in text or _JAPANESE_NOW.search(text)):
            return match["what"]
    return None
