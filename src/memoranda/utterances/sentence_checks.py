"""Checks of sentences, and the classifier without an embedder.

The checks determine whether a sentence refers back to the previous one, praises, or applies only
temporarily.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from memoranda.language.descriptions import is_description
from memoranda.language.sentences import sentence_spans
from memoranda.utterances.lasting_requests import is_recollection

if TYPE_CHECKING:
    from memoranda.utterances.classifier import UtteranceClassifier

READ = 2_048
"""Number of sentences whose results are cached."""
NAMES = 4
"""Minimum number of words of a sentence to which the next sentence can refer."""

_MOMENTARY = re.compile(
    r"\b(?<!from )(?<!since )(?<!as of )(?<!starting )(?:today|tonight|tomorrow)\b"
    r"|\b(?:for now|right now|as of now|yet|for the moment|for the time being|meanwhile"
    r"|until (?:\d|i |we |you )|(?:only|just) this"
    r"|(?:only|just) for (?=this|that|today|tonight|tomorrow"
    r"|now|once|one |an? |half |\d|the (?:next|moment|rest|one|day|time) )"
    r"|now,? not (?:later|tomorrow|then|after|next|when)"
    r"|for once(?! and for all)|as an exception|(?:only|just) that one(?=\s*[,.;:)]|\s*$)"
    r"|that one (?:time|morning|afternoon|evening|day|week)"
    r"|for this (?:one |single )?(?:commit|pr|change|release|run|build|case|task|ticket)"
    r"|(?<!from )this week|this (?:time|once|morning|afternoon|evening|run)"
    r"|this one(?!['\u2019]s| is| has))\b"
    r"|(?<!desde )\b(?:hoy|mañana)\b|\b(?:por ahora|esta vez|de momento|por el momento)\b"
    r"|(?<!ab )\bheute\b|\b(?:erstmal|vorerst|diesmal|im moment|hoje|desta vez|por enquanto"
    r"|aujourd['\u2019]hui|pour l['\u2019]instant|cette fois)\b"
    r"|\b(?:s[oó]lo (?:[eé]st[ae]|por esta)|nur (?:diesmal|heute|dieses (?:eine )?mal)"
    r"|dieses eine mal|juste cette|seulement cette|s[oó] desta)\b"
    r"|\b(?:ausnahmsweise|por una vez|como excepci[óo]n|excepcionalmente|por uma vez"
    r"|pour une fois|exceptionnellement)\b"
    r"|\bnoch (?:nicht|kein\w*)\b|\b(?:todav[i\u00ed]a|a[u\u00fa]n) no\b|\bpas encore\b"
    r"|\bainda n[a\u00e3]o\b"
    r"|^\W*(?:(?:h+m+|oh|ah|ok|sorry|no|actually|please)\W+)*make that\b.*"
    r"(?:rather than|instead of|, not)\b"
    r"|^\W*never ?mind\b|\b(?:vergiss es|lass gut sein|olv[íi]dalo|laisse tomber|deixa pra l[áa])\b"
    "|今天|今回|暂时|这次|今日|とりあえず|先别|先不要|算了|今は|今だけ",
    re.IGNORECASE,
)
_FROM_NOW_ON = re.compile(
    r"\b(?:from (?:now|here|today|this (?:point|moment)) (?:on|onwards?|forward)"
    r"|starting (?:now|today)|going forward|moving forward|henceforth|hereafter"
    r"|ab (?:jetzt|sofort)|von (?:jetzt|nun) an|k[üu]nftig|zuk[üu]nftig"
    r"|(?:a partir|d'ora) (?:de |in )?(?:ahora|agora|hoy|hoje|poi)|de (?:ahora|agora) en adelante"
    r"|de agora em diante|daqui (?:pra|para) (?:a )?frente"
    r"|d[ée]sormais|dor[ée]navant|[àa] partir de maintenant)\b|отныне|впредь"
    "|从现在起|从今以后|今後は|これからは|앞으로는|이제부터",
    re.IGNORECASE,
)
_CUSTOM = re.compile(
    r"\b(?:we|wir|nous) (?:do not|don['\u2019]?t|never) (?:use|write|put|commit|merge|ship)\b"
    r"|\b(?:aqu[ií] )?(?:no|nunca) usamos\b|\b(?:n[ãa]o|nunca) usamos\b|\ba gente n[ãa]o usa\b"
    r"|\bn['\u2019]utilis(?:e|ons) (?:pas|jamais)\b"
    r"|\b(?:go|goes|belongs?|lives?) (?:in|into|under)\b.*, not\b"
    r"|\bstop \w+ing\b.*\b(?:all the time|every time|always|constantly)\b"
    r"|^\W*(?:please )?prefer \w.* over\b|\blet['\u2019]?s agree that\b"
    r"|^\W*(?:please )?(?:avoid (?!th(?:is|at|ese|ose|e)\b|it\b)\w|treat \w+(?: \w+)? as\b"
    r"|make sure (?:that )?(?:every|each|all)\b|stop using \w)"
    r"|\b(?:allowed|permitted|fine|ok|okay) again\b|\bis enough (?:now|from now on)\b"
    r"|\byou no longer (?:need|have) to\b"
    r"|\b(?:when|if) in doubt\b|\b(?:do not|don['\u2019]?t) be (?:so|too)\b"
    r"|\b(?:under|below|at most|no more than|max(?:imum)?(?: of)?) \d+"
    r" (?:lines?|characters|chars|words|columns)\b"
    r"|\bin (?:this|our) (?:project|repo|codebase|team)\b(?=.*\bwe"
    r" (?:use|write|put|have|keep|run|build|test|format|name|call|deploy|start)\b)"
    r"|^\W*(?:please )?use [^.!?]{1,40}?,? (?:and )?never \w"
    r"|\b(?:without|ohne|sans|sin|sem) (?:any )?(?:exceptions?|ausnahmen?|excepci[óo]n"
    r"|exce[çc][ãa]o)\b"
    r"|^\W*sempre \w+a\b|\bgrunds[äa]tzlich (?:auf|in|mit|nur|immer|nie)\b"
    r"|\bу нас (?:всегда|никогда|принято)\b"  # noqa: RUF001
    "|我(?:还是|更|比较)?(?:喜欢|喜歡|偏好|习惯|習慣)"
    "|必ず|絶対に|毎回|いつもどおり|禁止|(?:では|には).*使いません|(?:しない|触らない|使わない)でください"
    "|一定要|必须|必須|务必|務必|永远|永遠|始终|请勿|請勿|不得|不准|不许|不許|一律|凡是|谁都别|誰都別",
    re.IGNORECASE,
)
_BOUNDED = re.compile(
    r"\b(?:in|for|during) this (?:session|sitting|conversation|chat|thread)\b|\buntil\b|\btill\b",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?<!by )(?<!until )(?<!till )(?<!starting )(?<!from )now(?=\s*[,.;]|\s*$)", re.IGNORECASE
)
_STATES = re.compile(
    r"\b(?:is|are|has|lives|runs|uses|listens|sits|goes|needs|stays)\b|['\u2019](?:s|re)\b"
    r"|\b(?:we|they|[a-z]{3,}s)"
    r" (?:have|live|run|use|listen|go|need|stay|end|start|begin|take|get)\b"
    r"|\b(?:you|we|they|it|[a-z]{3,}s)"
    r" (?:can|may|need not|(?:do not|don['\u2019]?t) (?:need|have) to)\b"
    r"|\b(?:we|they) [a-z]+ (?:\w+ )?(?:with|in|via|using|through) \w"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b"
    r"|\b(?:(?:every|any) ?time|whenever|altogether)\b",
    re.IGNORECASE,
)
"""Statement of a change ("the port is 4010 now", "you can touch it now"), as opposed to "do it
now".
"""
_CONTRASTED = re.compile(
    r"[\s,;:(\u2014\u2013-]+(?:(?i:and|but) )?(?i:not|no longer|instead of|rather than)"
    r" (?!(?i:later|tomorrow|tonight|then|after|before|when|until|in an?|next|at|just|only|yet)\b)"
    r"(?P<named>(?:(?i:the|in|on|with|at) )?[A-Z\d`])?"
)
"""Alternative that a change leaves behind: "… now, not Tuesdays", unlike "… now, not later"."""
_CUSTOMARY = re.compile(r"^\W*(?:actually\W+)?(?:we|they|our|please use|use|\w+s)\b", re.IGNORECASE)
_KEEP = re.compile(
    r"(?<!\bi )(?<!you )(?<!to )(?<!t )(?<!not )\bremember (?!to\b)|\b(?:keep|bear) in mind\b"
    r"|\b(?:don['\u2019]?t|do not) forget\b|\bnote to self\b|\bremind me\b|\bmake a note\b"
    r"|\brecu[e\u00e9]rdame\b|\bbitte merken\b|\brappelle-moi\b|\u899a\u3048\u3066\u304a",
    re.IGNORECASE,
)
"""Requests to remember, which remain valid after the moment that they mention.

All of the 18 labelled parts that contain such words and mention a moment are lasting
(benchmarks/data/utterances).
"""

_PRAISE = re.compile(
    r"^\W{0,3}(?:i|we) (?:really |do )?(?:like|love) (?:it|that|this|how)\b", re.IGNORECASE
)

_ASIDE = re.compile(
    r"\b(?:this|that|it) must be (?:an?|the|some) (?:\w+ )?"
    r"(?:bug|error|mistake|issue|problem|typo)\b"
    r"|\b(?:in|at|from) my (?:last|old|previous|former) (?:job|company|team|place|office)\b"
    r"|^\W*imagine\b|\bi never said\b",
    re.IGNORECASE,
)
"""Guesses, and remarks about other places; they are not lasting."""

_POINTS_BACK = re.compile(
    r"^\W{0,3}(?:(?:and|so|but|then|also|please|well|y|pero|und|aber|et|mais|e)\W+){0,3}"
    r"(?:that(?:['\u2019]?s)?|it(?:['\u2019]?s)?|they|those|these"
    r"|this(?! (?:repo\w*|project|codebase|team|company|branch|machine|workspace)\b)"
    r"|the same|from there|otherwise|if (?:it|that|they)(?:['\u2019]s)?"
    r"|eso|esto|das|dies\w*|sonst|\u00e7a|cela|sinon|isso|questo)\b"
    r"|\b(?:keep|bear|have) (?:that|this|it|these|those) in mind\b"
    r"|\b(?:remember|remind me of) (?:that|this|it)(?=\W*$|\W+(?:for|when|too|next|please)\b)",
    re.IGNORECASE,
)


def points_back(sentence: str) -> bool:
    """Return whether a sentence cannot be understood without the previous one.

    Example:
        >>> points_back("So please keep that in mind."), points_back("Amounts are in cents.")
        (True, False)
    """
    return _POINTS_BACK.search(sentence) is not None


def antecedent(text: str, sentence: str) -> str:
    """Return the sentence to which another one refers; empty if none.

    Only the previous sentence in the same paragraph is considered.

    Example:
        >>> antecedent("The date is June 5. Keep that in mind.", "Keep that in mind.")
        'The date is June 5.'
    """
    at = text.find(sentence)
    if at < 1 or not points_back(sentence):
        return ""
    *_, (start, end) = [(0, 0), *sentence_spans(text[:at])]
    named = len(text[start:end].split()) >= NAMES and "\n\n" not in text[end:at]
    passing = is_momentary(text[start:end]) or "?" in text[start:end]
    return text[start:end] if named and not passing else ""


def is_praise(sentence: str) -> bool:
    """Return whether a sentence praises past work.

    Example:
        >>> is_praise("I like it, it reads well."), is_praise("I like short names.")
        (True, False)
    """
    return _PRAISE.search(sentence) is not None


def is_aside(sentence: str) -> bool:
    """Return whether a sentence guesses, imagines, describes, or is about elsewhere.

    Example:
        >>> is_aside("That must be a bug in the driver."), is_aside("It must be a power of 2.")
        (True, False)
    """
    describes = is_description(sentence) or is_recollection(sentence)
    return describes or _ASIDE.search(sentence) is not None


@lru_cache(maxsize=READ)
def is_momentary(sentence: str) -> bool:
    """Return whether a sentence applies only temporarily: "just this once".

    Example:
        >>> is_momentary("Forget the taints for now."), is_momentary("From today on, use uv.")
        (True, False)
        >>> is_momentary("Stop it now."), is_momentary("The port is 4010 now.")
        (True, False)
    """
    if _KEEP.search(sentence):
        return False
    if _MOMENTARY.search(sentence):
        return True
    now = _NOW.search(sentence)
    if now is None or _STATES.search(sentence, 0, now.start()):
        return False
    contrast = _CONTRASTED.match(sentence, now.end())
    return not (contrast and (contrast["named"] or _CUSTOMARY.match(sentence)))


def is_from_now_on(sentence: str) -> bool:
    """Return whether a sentence applies from now on and indefinitely.

    88 of the 89 labelled parts with such words are lasting (benchmarks/data/utterances); a request
    in the form of a question ("could you from here on …") is the form that the classifier misses.

    Example:
        >>> is_from_now_on("Can you from here on show me the SQL first?")
        True
        >>> is_from_now_on("From here on in this session only diffs.")
        False
    """
    return (
        _FROM_NOW_ON.search(sentence) is not None
        and _BOUNDED.search(sentence) is None
        and not is_momentary(sentence)
    )


def is_customary(sentence: str) -> bool:
    """Return whether a sentence describes a habit, by certain set phrases.

    127 of the 140 labelled parts with such words are lasting (benchmarks/data/utterances).

    Example:
        >>> is_customary("Fixtures go into data/, not next to the code.")
        True
        >>> is_customary("It goes into the log now.")
        False
    """
    return (
        _CUSTOM.search(sentence) is not None
        and _BOUNDED.search(sentence) is None
        and not is_momentary(sentence)
    )


@cache
def plain_classifier() -> UtteranceClassifier:
    """Return the process's classifier without an embedder.

    No neural network is loaded.
    """
    from memoranda.utterances.classifier import UtteranceClassifier

    return UtteranceClassifier(None)
