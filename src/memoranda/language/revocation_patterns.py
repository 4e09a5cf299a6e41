"""Forms of sentences that end a rule or topic: "scratch that bit about CHF"."""

from __future__ import annotations

import re

from memoranda.language.lazy_patterns import lazy_pattern

NAMES = ("compound", "wrong", "noted", "rule", "thing")
"""Groups of the forms that name what ends; exactly one matches."""
SHORT = r"(?P<wrong>[^,;:.!?()\n]{1,40}?)"
DONE = r"(?=\s*(?:$|[,;:.!?()\u2014\u2013\n]|-|and\b|now\b|from now\b|please\b|und\b|y\b|et\b))"
OPENING = (
    r"^\W*(?:(?:please|ok(?:ay)?|well|actually|btw|fyi|bitte|por favor"
    r"|s['\u2019]il (?:te|vous) pla[iî]t|from now on|from today(?: on)?"
    r"|ab (?:jetzt|sofort|heute)|(?:desde|a partir de) (?:ahora|hoy)|désormais|dorénavant"
    r"|d['\u2019]ora in poi|de agora em diante)[\s,]+){0,2}"
)
"""What may precede a request: polite words, and words such as "from now on"."""
_RULE = (
    r"(?:rules?|requirements?|conventions?|polic(?:y|ies)|guidelines?|preferences?|bans?"
    r"|objections?|instructions?)"
)
_THING = r"(?:things?|stuff|bits?|ideas?|stor(?:y|ies)|business)"
_NOTE = rf"(?:{_RULE}|{_THING}|parts?|notes?|remarks?|comments?)"
_ABOUT = r"(?:about|abt|on|re|regarding|concerning|with|of|to|for)"
_SAID = (
    r"(?:what|that|whatever|anything|everything|nothing|all) (?:that )?(?:i|we)"
    r"(?:['\u2019]ve| have|['\u2019]d| had)? (?:said|told (?:you|u)|wrote|written|mentioned|noted)"
    rf"(?: (?:you|to you|earlier|before|yesterday))? {_ABOUT} (?:the |my |our |those )?{SHORT}"
)
_LONG = r"(?:all )?(?:the|my|our|that|this|those) (?:earlier |previous |old |last |whole |entire )?"
_OWN_NOTE = (
    rf"(?:(?:my|our|that|this|those) (?:earlier |previous |old |last )?{_NOTE}|the {_RULE})"
    rf" {_ABOUT}"
    r" (?:the |my |our |those )?(?P<noted>[^,;:.!?()\n]{1,40}?)"
)
_NAMED_RULE = rf"(?:{_LONG})?(?P<rule>[^,;:.!?()\n]{{1,40}}?) {_RULE}"
_NAMED_THING = rf"(?:{_LONG})(?P<thing>[^,;:.!?()\n]{{1,40}}?) {_THING}"
_RULES = rf"(?:{_SAID}|{_OWN_NOTE}|{_NAMED_RULE})"
"""An earlier statement or rule: "what I said about CHF", "the CHF rule"."""
_THINGS = rf"(?:{_SAID}|{_OWN_NOTE}|{_NAMED_RULE}|{_NAMED_THING})"
"""An earlier statement or rule, or a thing, which may also be part of the work: "the CHF thing"."""
_WE = (
    r"(?:(?:let['\u2019]s|(?:you|we) (?:can|may|could|should)|i|i['\u2019]m|we"
    r"|i (?:hereby|want to|have to)) )?(?:now |just )?"
)
_FORGET = (
    rf"{_WE}(?:forget|ignor(?:e|ing)|disregard(?:ing)?|scratch|scrap|strike|dropp?(?:ing)?"
    r"|withdraw(?:ing)?|retract(?:ing)?|revok(?:e|ing)|rescind(?:ing)?|set aside"
    r"|tak(?:e|ing) back|never ?mind|unsay)(?: about)?"
)
_END = (
    rf"{_WE}(?:cancel|undo|remove|wipe|lift|lose|skip|abandon(?:ing)?|kill|void"
    r"|don['\u2019]?t use|stop using)"
)
"""Verbs that also apply to things in the work."""
_IS = r"(?:(?:is|are|was|were|['\u2019]s|has become) (?:just |now |all |officially |finally )?)"
_MORE = r"(?: any ?more| any longer| now)?"
_IS_VOID = (
    rf"(?:{_IS}(?:void|moot|lifted|withdrawn|history|obsolete|off the table|a misunderstanding"
    r"|a mistake|nonsense|not true|just a phase|no longer (?:a thing|true|valid|relevant|needed"
    r"|necessary|the case))"
    r"|(?:is|are|was|were)(?:n['\u2019]?t| not) (?:true|valid|relevant|needed|the case|a thing)"
    r"(?: any ?more| any longer)|(?:no longer|does(?:n['\u2019]?t| not)|do(?:n['\u2019]?t| not))"
    rf" (?:appl(?:y|ies)|holds?|counts?)|makes? no sense|is valid(?= any ?more)){_MORE}"
)
_IS_OVER = (
    rf"(?:{_IS}(?:over|cancell?ed|dead|off|gone|out|done|wrong)|lifted|withdrawn|can go){_MORE}"
)
"""Phrases that also describe the work."""
_DONE_HERE = rf"(?:{DONE}|(?= (?:on my part|because|since|lol|for good|anyway|btw|as)\b))"
_TOPIC_OPENING = (
    r"^\W*(?:(?:please|pls|kindly|ok(?:ay)?|well|oh|ah|and|also|so|but|actually|honestly|sorry|btw"
    r"|hm+|turns out|you know what|by the way|fyi|from now on)[\s,:]+){0,3}"
)
TOPICS = tuple(
    lazy_pattern(form, re.IGNORECASE)
    for form in (
        rf"{_TOPIC_OPENING}{_FORGET} {_THINGS}{_MORE}{_DONE_HERE}",
        rf"{_TOPIC_OPENING}{_END} {_RULES}{_MORE}{_DONE_HERE}",
        rf"{_TOPIC_OPENING}{_THINGS}:? {_IS_VOID}{_DONE_HERE}",
        rf"{_TOPIC_OPENING}{_RULES}:? {_IS_OVER}{_DONE_HERE}",
        rf"{_TOPIC_OPENING}(?:no longer (?:relevant|valid|needed|true)|withdrawn|lifted|void"
        rf"|obsolete) ?[:,] ?{_THINGS}{DONE}",
        rf"{_TOPIC_OPENING}{_THINGS} (?:that )?(?:i|we) (?:said|told (?:you|u)|mentioned)"
        rf"[^,.;:]{{0,20}}[,:] (?:{_FORGET}|{_END}) (?:it|that){DONE}",
        rf"{_TOPIC_OPENING}(?:about|regarding|as (?:for|to)) {_THINGS}[:,] (?:{_FORGET}|{_END})"
        rf" (?:it|that){DONE}",
        rf"{OPENING}(?:(?:you|we) can )?(?:stop|enough) (?:it )?with (?:the|that|this|those)"
        rf" {SHORT} (?:thing|stuff){DONE}",
        rf"{OPENING}(?:(?:you|we) can )?forget about {SHORT}{DONE}",
        rf"{OPENING}i(?:['\u2019]ve| have)? changed my mind (?:about|on|regarding) (?:the )?"
        rf"{SHORT}{DONE}",
        rf"{OPENING}(?:vergiss|vergesst|streich\w*) (?:bitte )?(?:das|die sache)"
        rf" (?:mit|über|zum?r?) (?:de[nmr] |die |das )?{SHORT}{DONE}",
        rf"{OPENING}(?:vergiss|vergesst|ignorier\w*)(?: bitte)?,? was ich (?:über|zum?r?)"
        rf" (?:de[nmr] |die |das )?{SHORT} (?:gesagt|geschrieben)",
        rf"{OPENING}das mit (?:de[nmr] |die |das )?{SHORT} (?:hat sich erledigt|gilt nicht mehr"
        r"|stimmt nicht mehr|kannst du vergessen)",
        rf"{OPENING}(?:ich )?nehme zurück,? was ich (?:über|zum?r?) (?:de[nmr] |die |das )?{SHORT}"
        r" gesagt",
        rf"{OPENING}lo del? (?:l[ao]s? |el )?{SHORT} ya no"
        r" (?:vale|cuenta|es (?:cierto|verdad|así))",
        rf"{OPENING}(?:olv[ií]d\w*|borra|ignora) lo (?:del? |que dije (?:sobre|de) )"
        rf"(?:l[ao]s? |el )?{SHORT}{DONE}",
        rf"{OPENING}(?:oubli\w+|ignore\w*) ce que j['\u2019]ai dit (?:sur|de)"
        rf" (?:l[ae]s? |l['\u2019])?{SHORT}{DONE}",
    )
)
"""Phrases that end statements about a topic: "forget what I said about the bastion"."""
