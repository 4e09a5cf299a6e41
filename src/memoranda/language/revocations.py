"""Sentences that end an earlier rule: "stop replying in German"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.revocation_patterns import DONE, NAMES, OPENING, SHORT, TOPICS
from memoranda.language.words import words

REPEATED = 4
"""Minimum number of words of a rule that "no need to ..." must repeat to end it."""

_LATIN = r"(?P<wrong>[^,;:.!?()\n]{1,60})"
_CJK = "(?P<wrong>[^,;:.!?()\n\u3001\u3002\uff0c\uff01\uff1f]{1,40}?)"
_ACT = lazy_pattern(
    rf"{OPENING}(?:(?:you (?:can|could|may|should)|(?:can|could|will|would) you) (?:please )?"
    r"(?:stop|quit|cease)(?= \w+ing\b)"
    r"|(?:please )?(?:stop|quit|cease)(?= \w+ing\b)"
    r"|(?:you|we) (?:no longer|don['\u2019]t) (?:need|have) to"
    r"|we no longer(?! (?:use|using|need|have)\b)(?= \w)"
    r"|(?:there['\u2019]?s )?no (?:more )?need to"
    r"|it(?:['\u2019]s| is) no longer (?:necessary|needed) to"
    r"|h[oö]re?n? (?:sie )?(?:bitte )?(?:damit )?auf,?(?= .*\bzu \w+en\b)"
    r"|(?:du|ihr|sie|wir) (?:musst|müsst|müssen|brauchst|braucht|brauchen)"
    r" (?:(?:jetzt|ab jetzt|ab sofort) )?(?=.*\bmehr\b)"
    r"|(?:puedes )?(?:deja|deje|dejad|dejar) de|(?:tu peux )?arr[eê]te[rz]? d(?:e |['\u2019])"
    r"|ya no (?:hace falta|es necesario|tienes que|necesitas|hay que|debes)(?: que)?"
    r"|(?:tu n['\u2019]as|vous n['\u2019]avez|il n['\u2019]y a|pas) plus (?:besoin |à )"
    r"(?:de |d['\u2019])?"
    r"|(?:ce n['\u2019]est|il n['\u2019]est) plus (?:nécessaire|la peine) d(?:e |['\u2019])"
    r"|(?:pode )?(?:pare|para|parar|deixe|deixa) de|não (?:precisa|é preciso) mais"
    rf"|(?:puoi )?(?:smett\w{{1,4}}) di|non (?:devi|serve|occorre) più)\s*{_LATIN}",
    re.IGNORECASE,
)
"""Phrases that end an ongoing behaviour of the agent: "stop replying", but not "stop the server".
"""
_MORE = lazy_pattern(r"^(?:you|we) don|^(?:there['\u2019]?s )?no need", re.IGNORECASE)
_ANY_MORE = lazy_pattern(
    r"\b(?:any ?more|any longer|now|from now on|no more need)\b", re.IGNORECASE
)
_RULE = r"(?:rules?|requirements?|instructions?|conventions?|polic(?:y|ies)|guidelines?|bans?)"
_RULES = tuple(
    lazy_pattern(form, re.IGNORECASE)
    for form in (
        rf"{OPENING}(?:we|you) (?:no longer need|don['\u2019]t need) the {SHORT} {_RULE}"
        rf"(?: any ?more)?{DONE}",
        rf"{OPENING}(?:vergiss|vergesst|vergessen sie|ignorier\w*|streich\w*|verwirf) (?:bitte )?"
        rf"(?:die|meine|unsere) (?:regel (?:mit|zum?r?|über|für|von|vom)"
        rf" (?:de[nmr] |die |das )?{SHORT}{DONE}|(?P<compound>\w+?)s?-?regel\b)",
        rf"{OPENING}(?:die|meine|unsere) (?:regel (?:mit|zum?r?|über|für|von|vom)"
        rf" (?:de[nmr] |die |das )?{SHORT}|(?P<compound>\w+?)s?-?regel)"
        r" (?:gilt nicht mehr|ist (?:aufgehoben|hinfällig|vom tisch)|entfällt)",
        rf"{OPENING}(?:olv[ií]d\w*|ignor\w*|cancel\w*|descart\w*|anul\w*) (?:de )?la regla"
        rf" (?:del?|sobre|para) (?:l[ao]s? |el )?{SHORT}{DONE}",
        rf"{OPENING}la regla (?:del?|sobre|para) (?:l[ao]s? |el )?{SHORT}"
        r" (?:ya no (?:vale|se aplica|aplica|rige)|queda anulada)",
        rf"{OPENING}(?:oubli\w+|ignore\w*|annule\w*|laisse\w* tomber) la règle"
        rf" (?:d(?:es?|u|e la) |d['\u2019]|sur (?:l[ae]s? )?){SHORT}{DONE}",
        rf"{OPENING}la règle (?:d(?:es?|u|e la) |d['\u2019]|sur (?:l[ae]s? )?){SHORT}"
        r" (?:ne s['\u2019]applique plus|n['\u2019]est plus valable|est (?:annul|lev)ée)",
        f"^{_CJK}の(?:ルール|規則|指示|規約)"
        "(?:は|を|については)?(?:もう)?"
        "(?:忘れ|無視|取り消|撤回|廃止|無効|無し"
        "|なし|なくな|不要|いらな|必要な)",
        "^(?:请)?(?:忘掉|忘记|忽略|取消|撤销|作废"
        f"|不用管|别管)(?:关于|那条)?{_CJK}"
        "的?(?:规则|规定|要求|约定)",
        f"^(?:关于)?{_CJK}(?:的|那条|这条)?(?:规则|规定|要求|约定)"
        "(?:取消|作废|不再适用|不用遵守|不用管|撤销)",
    )
)
"""Phrases that end a named rule, unlike "ignore the warning" or "scratch the surface"."""
_CLAUSE = lazy_pattern(
    r"[,;:\u2014\u2013]\s+(?:(?:so|and|but|also)\s+)?|\s(?:so|and|but)\s", re.IGNORECASE
)
"""Separators between a clause that ends a rule and the previous one."""
_PRONOUNS = frozenset(["it", "that", "this", "them", "these", "those", "one", "ones", "all"])
"""Words that do not identify a rule: "forget about that one"."""
_THING = r"(?P<wrong>[^,;:.!?()\n]{2,40}?)"
_USE = lazy_pattern(rf"{OPENING}(?:stop|quit) using (?:the )?{_THING}{DONE}", re.IGNORECASE)
"""Phrases that end the use of a tool named in rules."""
_NO_LONGER = lazy_pattern(r"\bno longer\b", re.IGNORECASE)
_NO_DATA = (
    r"(?![^.]*\b(?:tables?|columns?|databases?|ind(?:ex|ices|exes)|branch(?:es)?|schemas?|stash"
    r"|containers?|views?|rows?|files?|packages?|dependenc\w+|volumes?|caches?|sessions?)\b)"
)
"""Objects of "drop the ..." that are removed once, such as data."""
_THINGS = tuple(
    lazy_pattern(form, re.IGNORECASE)
    for form in (
        rf"{OPENING}(?:you|we) (?:no longer need|(?:don['\u2019]t|do not) need)(?! to\b) {_THING}"
        rf" (?:any ?more|any longer|from now on){DONE}",
        rf"{OPENING}(?:(?:you|we) )?no longer (?:need (?!to\b)|use |have ){_THING}{DONE}",
        rf"{OPENING}we (?:don['\u2019]?t|do not) use {_THING} (?:any ?more|any longer){DONE}",
        rf"{OPENING}(?:there['\u2019]?s )?no need for {_THING} (?:any ?more|any longer"
        rf"|from now on|now){DONE}",
        rf"{OPENING}(?:actually |and |also )?(?:(?:you )?don['\u2019]?t|no need to)"
        rf" (?:bother|worry) (?:with|about) (?:the )?{_THING} (?:any ?more|any longer|from now on)"
        rf"{DONE}",
        rf"^{_THING}: (?:not (?:needed|necessary|required) (?:any ?more|any longer)"
        rf"|no longer (?:needed|necessary|required)){DONE}",
        rf"{OPENING}no more (?!than\b){_THING}(?: please| from now on)?\s*(?=$|[,;.!])",
        rf"{OPENING}we(?:['\u2019]ve| have)? (?:dropped|ditched|abandoned|retired|got rid of"
        r"|replaced|stopped using|(?:moved|migrated|switched)"
        r" (?:to [^,;:.!?()\n]{1,40} )?(?:(?:away |off )?from|off|away)) (?:the )?"
        rf"{_THING}(?: (?:in favou?r of|for|to|with|by) [^,;:.!?()\n]{{1,40}})?{DONE}",
        rf"{OPENING}(?:let['\u2019]s )?(?:drop|lose|ditch|scratch) (?:the|those|these)"
        rf" {_NO_DATA}{_THING}"
        r"(?: (?:any ?more|from now on|again|please))?\s*[.!]*$",
        rf"{OPENING}{_THING} (?:is|are) (?:overkill|unnecessary|pointless|too much)\b"
        r"(?=.*\b(?:in (?:the )?future|from now on|going forward|always|any ?more)\b)",
        rf"{OPENING}(?:wir brauchen|du brauchst) (?:die |den |das |kein\w* )?{_THING}"
        rf"(?: nicht)? mehr{DONE}",
        rf"{OPENING}ya no (?:necesitamos|hace falta|hacen falta) (?:el |la |l[ao]s )?{_THING}"
        rf"{DONE}",
        rf"{OPENING}(?:on n['\u2019]a|nous n['\u2019]avons) plus besoin d(?:e |es |u |['\u2019])"
        rf"{_THING}{DONE}",
    )
)
"""Phrases that end a thing named in rules: "we don't need prettier any more"."""
_RESTATES = lazy_pattern(
    r"^\W*(?:(?:oh|ah|sorry|oops|hm+|perd[oó]n|pardon|sorry)[\s,.!]+)*"
    r"(?:i (?:meant|mean)\b(?! (?:it|that|this|to say|what|by|well)\b)|no,? wait\b|wait,? no\b"
    r"|correction:|ich meinte\b|quise decir\b|quer[ií]a decir\b|je voulais dire\b"
    r"|eu quis dizer\b)[\s,:;.!-]*",
    re.IGNORECASE,
)
"""Start of a statement in which speakers correct their last statement."""
_TAKES_BACK = lazy_pattern(
    r"^\W*(?:(?:no|ok(?:ay)?|actually|sorry|wait|hm+)[\s,.!]+)*"
    r"(?:(?:scrap|scratch|strike|forget|ignore|drop) (?:that|this|it|what i (?:just )?said)"
    r"|(?:vergiss|streich) das|olvida eso|oublie \u00e7a)"
    r"\s*[,;:.!\u2014\u2013-]+\s*\w",
    re.IGNORECASE,
)
"""Start of a statement that replaces the speaker's last one."""
_CJK_ACTS = tuple(
    lazy_pattern(form)
    for form in (
        "^(?:请|麻烦)?(?:你|您)?(?:以后|今后|现在)?"
        "(?:(?:不用|不必|不需要|无需|不要|别)"
        f"(?:再|继续)|停止|不再需要){_CJK}了?[\u3002\uff01!.]*$",
        f"^(?:请|你|您|以后|今后|现在)*(?:不用|不必|不需要|无需)(?!再|管){_CJK}了[\u3002\uff01!.]*$",
        f"^(?:もう|今後は?|これからは?){_CJK}"
        "(?:なくても?(?:いい|良い|よい|大丈夫"
        "|構いません|結構)"
        "|必要は?(?:ない|ありません))",
        f"^(?:もう)?{_CJK}(?:のは|のを)やめ(?:て|ましょう|る)",
    )
)
"""Start of a self-correction in Chinese and Japanese."""


@dataclass(frozen=True, slots=True)
class Revocation:
    """The part of a sentence that ends a rule."""

    wrong: str
    """What ends, verbatim."""
    end: int
    """Position after this part; the rest of the sentence may state what is right."""
    names_rule: bool
    """Whether a rule is named briefly: "the tabs rule"."""
    names_topic: bool = False
    """Whether only the rule's topic is named: "forget what I said about the bastion"."""
    names_thing: bool = False
    """Whether the part ends a thing that rules name: "we don't need prettier any more"."""
    repeats: bool = False
    """Whether the part ends only a rule whose words it repeats, as it may concern the moment."""
    start: int = 0
    """Start of the clause that ends the rule; the preceding text may state something else."""
    lasting: bool = False
    """Whether the words exclude the moment: "you no longer need to"."""


def revocation(text: str) -> Revocation | None:
    """Return what a sentence revokes, or None.

    Example:
        >>> found = revocation("Scratch the tabs rule, go with spaces.")
        >>> found.wrong if found else None
        'tabs'
        >>> revocation("Ignore the warning in the log.") is None
        True
    """
    if match := _USE.search(text):
        return Revocation(match["wrong"], match.end(), False, names_thing=True)
    if match := _ACT.search(text):
        lasting = not _MORE.search(text.lstrip()) or _ANY_MORE.search(text)
        repeats = not lasting
        if lasting or len(words(match["wrong"])) >= REPEATED:
            for_good = _NO_LONGER.search(match[0]) is not None
            return Revocation(match["wrong"], match.end(), False, repeats=repeats, lasting=for_good)
        return None
    for form in _CJK_ACTS:
        if match := form.search(text):
            return Revocation(match["wrong"], match.end(), False)
    if named := _named_rule(text):
        return named
    for form in _THINGS:
        if match := form.search(text):
            return Revocation(match["wrong"], match.end(), False, names_thing=True)
    return None


def _named_rule(text: str) -> Revocation | None:
    """Return the end of a rule named in a sentence or a later clause of it."""
    for start in (0, *(gap.end() for gap in _CLAUSE.finditer(text))):
        clause = text[start:]
        for form in (*TOPICS, *_RULES):
            if match := form.search(clause):
                parts = match.groupdict()
                wrong = next(filter(None, (parts.get(name) for name in NAMES)))
                if not start or not _PRONOUNS.issuperset(words(wrong)):
                    return Revocation(wrong, start + match.end(), True, form in TOPICS, start=start)
    return None


def takes_back(text: str) -> bool:
    """Return whether a sentence replaces the speaker's last statement with its own.

    Example:
        >>> takes_back("Scrap that, use pnpm from now on."), takes_back("Scrap that chart.")
        (True, False)
    """
    return _TAKES_BACK.match(text) is not None and "?" not in text


def restated(text: str) -> str | None:
    """Return what a sentence substitutes in the speaker's last one, or None.

    Example:
        >>> restated("Sorry, I meant double quotes.")
        'double quotes.'
        >>> restated("I meant it.") is None
        True
    """
    match = _RESTATES.match(text)
    return text[match.end() :] if match and "?" not in text else None
