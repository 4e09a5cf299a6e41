"""Sentences with "always", "never" or "remember" that only describe.

A rule is a wish about what the agent or the team does. Experiences ("it never worked"), habits of
others, complaints, memories of the past and the contents of a requested text are none.
"""

from __future__ import annotations

import re

from memoranda.language.lazy_patterns import lazy_pattern

_CUES = lazy_pattern(
    r"\b(?:always|never|ever|every|each|constantly|whenever|remember|recall|forget)", re.IGNORECASE
)
"""Words of which every description has one. A fast pre-check."""
_OFTEN = r"(?:(?:almost|nearly|just|simply) )?(?:always|never(?: ever)?|constantly)"
_FILL = r"(?:(?:really|quite|actually|even|just|also|ever|once|seem(?:s|ed)? to|been able to) )?"
_OPENING = (
    r"(?:^|[.!?;:,\u2014\u2013(-]\s*|\b(?:and|but|so|because|since|cause|that|which|why|as|if"
    r"|though|although|while|where)\s)\W{0,3}"
)
_NO_PURPOSE = r"(?<!so )(?<!so that )\b"
_PAST = (
    r"(?!(?:need|feed|embed|proceed|exceed|speed|shed|used)\b)"
    r"(?!(?:lov|lik|hat|preferr|enjoy|dislik|trust)ed\b)(?!got (?:on|along|warm|used)\b)"
    r"(?:\w{2,}ed|got|said|saw|came|went|did|had|told|knew|thought|understood|found|heard|took|made"
    r"|gave|lost|felt|kept|forgot|wrote|read|ran|broke|meant|left|worn|grew|chose|let|put|set|paid"
    r"|held|wanted)"
)
_PARTICIPLE = rf"(?:{_PAST}|seen|done|gone|known|been|given|taken|written|broken|grown)"
_EXPERIENCE = (
    r"(?:forget|remember|know|knew|understand|mix|confuse|mess|misspell|mistype|struggle|lose|fail"
    r"|wonder|notice|run out|stumble"
    r"|get (?:confused|lost|stuck|wrong|bitten|it wrong|(?:the same|an?|this|that|these|those) ))"
)
_BREAKS = (
    r"(?:work(?:s|ed|ing)?|crash(?:es|ed|ing)?"
    r"|fail(?:s|ed|ing)?(?! (?:fast|closed|open|loud\w*|silently|the|if|when|on)\b)"
    r"|compile[sd]|loads|loaded|responds|responded|repli(?:es|ed)|connects|connected|cuts? off"
    r"|hangs?|hung|breaks?|broke|happen(?:s|ed|ing)?|times? out|freez(?:es|ing)|froze|lets? me"
    r"|complain(?:s|ed|ing)?|disappear(?:s|ed)|expired|shows? up|loses?|forgets|stops? working"
    r"|finish(?:es|ed)|goes wrong|turns? out|rains?|gets? (?:stuck|lost|slow\w*|worse))"
)
_PERSON = (
    r"(?:(?:old|new|former|ex-?|best|own|dear|little|big|older|younger) ?)?"
    r"(?:colleague|co-?worker|boss|manager|wife|husband|girlfriend|boyfriend|friend|flatmate"
    r"|brother|sister|mother|mom|mum|father|dad|dog|cat|kid|son|daughter|partner|teacher|professor"
    r"|neighbou?r|grandm\w+|grandf\w+|laptop|computer|machine|phone|keyboard|mac(?:book)?|wifi)s?"
)
_DESCRIBES = lazy_pattern(
    rf"{_OPENING}(?:i|you|we|he|she|they)(?:['\u2019](?:ll|d)| can| could| will| would| do)?"
    rf" {_OFTEN} {_FILL}{_EXPERIENCE}\b"
    rf"|{_OPENING}you {_OFTEN} (?:do (?:this|that|it|so)\b|listen\b(?! to)|know what"
    r"|[^,.;:]{0,80}\b(?:outdated|wrong|broken|nonsense|the same mistakes?)\b)"
    rf"|\bwe {_OFTEN} {_FILL}(?:found|noticed|knew|understood|heard|got|saw|learned|figured|had)\b"
    r"|\bnever used [^,.;:]{1,80} before\W*$"
    rf"|{_NO_PURPOSE}(?:i|you|he|she|it|they|that|this|nobody|no ?one|somebody|someone|who)"
    rf"(?:['\u2019](?:ve|s)| have| has| had)? {_OFTEN} {_FILL}{_PAST}\b(?! by\b)"
    rf"|\b(?:nobody|no ?one) (?:has |had )?ever {_PARTICIPLE}\b"
    rf"|\b(?:have|has|had|['\u2019]ve) {_OFTEN} {_FILL}{_PARTICIPLE}\b"
    rf"|\bnothing ever {_BREAKS}\b"
    r"|\b(?:was|were) (?:always|never)\b(?! (?:meant|supposed|intended)\b)"
    rf"|{_NO_PURPOSE}(?:it|this|that|which|everything|something|nothing"
    r"|(?:the|that|this|my|our|your|one|some) [\w-]+(?: [\w-]+)?"
    rf"|windows|mac ?os|linux|git|docker|ci) {_OFTEN} {_FILL}{_BREAKS}\b"
    rf"|{_OPENING}(?:(?:my|his|her|our|their) {_PERSON}(?: \w+)?|he|she|someone|somebody) {_OFTEN}"
    r" (?!(?:wants?|needs?|expects?|insists?|has|have|must|gets?|reviews?|approves?|decides?|is|be"
    r"|are)\b)\w+"
    rf"|{_OPENING}(?:it|that|this|there)(?:['\u2019]?s| is) {_OFTEN} (?:the same\b|something\b|me\b"
    r"|you\b|(?:so|that|too|a good|a bad) )"
    r"|^\W*(?:always (?:the same|good|nice|fun|great|happy|a (?:pleasure|joy))"
    r"|never an? (?:dull|good|bad))\b"
    r"|\b(?:every ?time|each time|whenever) (?:i|we) (?!(?:ask|say|tell|type|mention)\b)"
    r"[^,.;:]{0,80}?,? (?:it|i get|i see|there(?:['\u2019]s| is)|(?:the|my) [\w-]+) ?"
    rf"(?:{_BREAKS}|get|see|the same|an?|says?|gets?|takes?|is|['\u2019]s)\b",
    re.IGNORECASE,
)
_RECALLS = lazy_pattern(
    r"\bi (?:(?:still|do|vaguely|can|can['\u2019]?t|cannot|don['\u2019]?t|clearly|now|will|always"
    r"|never) ){0,2}(?:remember|recall)\b"
    r"|\b(?:do|did|don['\u2019]?t) (?:you|we|u|they) (?:(?:still|even|not) )?(?:remember|recall)\b"
    r"|^\W*remember when (?!i (?:said|told|asked)\b)",
    re.IGNORECASE,
)
_TEXT = (
    r"(?:poem|story|stories|haiku|song|lyrics|limerick|joke|novel|tale|speech|scene|rap|verse"
    r"|sonnet|ballad|fairy ?tale|dialogue|monologue|letter|essay)"
)
_CONTENT = lazy_pattern(
    r"^\W*(?:(?:please|pls|now|then|and|ok|can you|could you|would you) )*"
    r"(?:(?:write|compose|draft|generate|create|make|build|implement|invent|add) (?:(?:me|us) )?"
    r"(?:an?|another|the) (?!(?:\w+ )?(?:note|rule|memory|policy|convention)\b)"
    r"(?:[\w'-]+ ){0,4}?[\w'-]+,? (?:that|which|where|who|whose|in which|about)\b"
    r"|(?:write|compose|draft|generate|create|make|invent|tell|give|sing) (?:(?:me|us) )?"
    rf"(?:[\w'-]+ ){{0,4}}?{_TEXT}\b)"
    r".*\b(?:always|never|ever|every|remember|forget)",
    re.IGNORECASE | re.DOTALL,
)
"""Request for a work, whose contents are no wish about later work."""
_ORDER = (
    r"(?:always|never|no|none|only|use|write|keep|add|put|run|check|ask|show|leave|include|avoid"
    r"|remember|open|send|name|call|test|not|do|be|give|tell|you)"
)
_WISH = lazy_pattern(
    r"\b(?:please|pls|must|should|shall|(?<!i )(?:have|has) to|needs? to|let['\u2019]s|from now on"
    r"|going forward|in (?:the )?future|make sure|do not|stop|keep|mind|note|rules?|policy"
    r"|don['\u2019]?t(?! (?:remember|recall|know|you|we)\b)|not allowed|therefore|agreed|convention"
    r"|i (?:want|need|expect|prefer|like|love|hate|find|mean)|that['\u2019]?s why|won['\u2019]?t"
    rf"|never will|so {_ORDER})\b"
    rf"|[,;:.!\u2014\u2013-]\s*(?:(?:so|and|but|then|instead)[, ]+)*{_ORDER}\b",
    re.IGNORECASE,
)
"""Wish in the same sentence, beside a description that is its reason."""


def is_description(sentence: str) -> bool:
    """Return whether a sentence describes, and wishes nothing of later work.

    Example:
        >>> is_description("It never worked on Windows."), is_description("We never squash.")
        (True, False)
        >>> is_description("You always forget the imports, so check them.")
        False
    """
    if not _CUES.search(sentence):
        return False
    if _CONTENT.search(sentence):
        return True
    describes = _DESCRIBES.search(sentence) or _RECALLS.search(sentence)
    return describes is not None and _WISH.search(sentence) is None
