"""Detects earlier sentences that a later message made untrue.

The later message states a change of the same subject.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.natural_languages import LANGUAGE_NAMES
from memoranda.language.sentences import sentence_spans
from memoranda.language.words import FUNCTION_WORDS, STOP_WORDS, stems, words
from memoranda.utterances.labels import UtteranceLabel, UtterancePart
from memoranda.utterances.sentence_checks import is_momentary

READ = 2_048
"""Number of sentences whose topics are cached."""
SAME = 0.35
"""Minimum fraction of a sentence's topics, weighted by rarity, that a change must have."""
NAMED = 0.5
"""Alternative minimum fraction of the topics in the change itself: "forget what I said on cents".
"""
MIN_COUNT = 2
"""Minimum number of common topics."""

_CHANGE = lazy_pattern(
    r"\b(?:no longer|any ?more|from now on|from here on|from (?:today|\w+ \d+) on|so far|until now"
    r"|up to now|used to|these days|as of (?:today|now)|moved (?:from|to)|replaced|outdated"
    r"|obsolete|new (?:date|deadline|rule|number|limit|value|one|name)|scratch that|changed my mind"
    r"|thought again|after all|withdrawn|swapped|instead of|is (?:gone|off)"
    r"|now,? not (?:(?:the|on|at) )?\d\w*|forget (?:what|that) i (?:said|told)"
    r"|(?:change|pass|switch|shift)\w* (?:\w+,? ){0,3}from \w+ to|push\w* (?:\w+ ){0,4}back"
    r"|put off|postponed|rescheduled|brought forward|any longer|going forward"
    r"|verschoben|aplazad\w|pospuest\w|report(?:é|ée)s?"
    r"|desde (?:hoy|ahora|ayer)|a partir de|ya no|ahora (?:sí|es|son)|en (?:vez|lugar) de"
    r"|ab (?:jetzt|sofort|heute)|von jetzt an|nicht mehr|kein\w* (?:\w+ )?mehr|bisher|statt"
    r"|désormais|dorénavant|à partir|ne \w+ plus|au lieu d|d'ora in poi|non più|a partire"
    r"|doravante|não \w+ mais|em vez d\w)\b"
    "|今后|以后|不再|别再|不要再|不用再|不必再|改为|今後|これから|もう|やめて",
    re.IGNORECASE,
)
_EMPTY = STOP_WORDS | FUNCTION_WORDS
_LABELS = tuple(UtteranceLabel)
_MARKS = r"(?:[,;:(\u2014\u2013]\s*|\s-\s|\b(?:and|y|und|et|e)\s)"
_CONTRAST = lazy_pattern(
    rf"{_MARKS}(?:not|never|nicht|nie|pas|jamais|nunca|non|n[\u00e3a]o|mai"
    r"|no (?:el|la|los|las|en|con|por|un|una|de|del|al|es|[a-z]*[-_/.\d]\w*))\b"
    r"(?! (?:only|just|nur|s[o\u00f3]l?o|solamente|seulement|need|needed|worries|problem|hurry|rush"
    r"|great|good|bad|nice|sure|ideal|yet|much|(?:the )?(?:first|second|third|last|other))\b)"
    r"|\b(?:isn|aren|wasn)['\u2019]?t\b.{1,60}\bit['\u2019]?s\b"
    r"|\b(?:instead of|statt|au lieu d|en (?:vez|lugar) de|em vez d)"
    "|\u800c\u4e0d\u662f|\u4e0d\u662f.{1,30}\u662f|\u3067\u306f\u306a\u304f|\u3058\u3083\u306a\u304f",
    re.IGNORECASE,
)
"""Contrast between something right and something wrong: "X, not Y"."""
_GUESS = lazy_pattern(
    r"\b(?:maybe|perhaps|might|vielleicht|quiz[\u00e1a]s?|tal vez|talvez|peut-[\u00eae]tre"
    r"|forse)\b",
    re.IGNORECASE,
)
_ARTEFACT = (
    r"(?:command|cli|script|function|method|class|module|program|tool|app|page|screen|button|form"
    r"|endpoint|route|parser|chart|table|migration|bot|service|library|feature|test|dashboard)s?"
)
_WORK = lazy_pattern(
    r"\b(?:fix|correct|repair|solve|resolve|debug|investigate|check|look into)"
    r" (?:it|this|that|them)\b"
    r"|\b(?:korrigier|beheb|reparier|fix)\w* (?:das|es|sie|ihn|dies\w*)\b"
    r"|\b(?:arr[e\u00e9]gla|corr[i\u00ed]ge|repara)(?:lo|la|los|las)\b"
    r"|\b(?:corrige|r[e\u00e9]pare)[sz]?-(?:le|la|les)\b"
    rf"|^\W*(?:we|i)(?:['\u2019]d| would)? (?:also )?(?:need|want|like) (?:an?|another|some)"
    rf" (?:[\w-]+ ){{0,3}}{_ARTEFACT}\b",
    re.IGNORECASE,
)
"""Requests for work: to fix what was just mentioned, or to create something."""
_GENERAL = lazy_pattern(
    r"\b(?:never|always|every|each|any|whenever|if|when|unless|before|after|must|from now on"
    r"|immer|nie|jede\w?|wenn|falls|vor|nach|siempre|nunca|cada|si|toujours|jamais|chaque)\b",
    re.IGNORECASE,
)
_BARE_NO = lazy_pattern(r"\W*(?:no+|nope|nah|nein|non|n[\u00e3a]o)\W*", re.IGNORECASE)
"""A part that denies without a reason, which may also refuse an offer."""
CORRECTS, CORRECTS_OR_LASTS = 0.3, 0.6
"""Minimum probabilities of a correction: of the correction label, and of its sum with lasting
statements.
"""
CONTRASTS = 0.5
"""Minimum summed probability that a contrast corrects, lasts or states a fact."""
MIN_LENGTH = 12
"""Minimum number of characters of a correction; "no, not that" is too short."""


@lru_cache(maxsize=READ)
def states_change(text: str) -> bool:
    """Return whether a sentence states that something has changed.

    Example:
        >>> states_change("From now on in English."), states_change("Now run the tests.")
        (True, False)
    """
    return _CHANGE.search(text) is not None


def is_ended(text: str, later: Collection[str]) -> bool:
    """Return whether a later text states a change of a sentence's subject."""
    changes = Changes((text, *later))
    changes.add([item for item in later if states_change(item)])
    return changes.ended(text)


class Changes:
    """Detects changed sentences while messages are read from newest to oldest."""

    def __init__(self, texts: Collection[str]) -> None:
        """Create the detector.

        ``texts`` are all messages; topics that few of them contain have the most weight.
        """
        counts = Counter(topic for text in texts for topic in topics(text))
        self._weights = {topic: math.log(1 + len(texts) / count) for topic, count in counts.items()}
        self._having: dict[str, list[int]] = defaultdict(list)
        self._named: list[frozenset[str]] = []
        """Topics of each sentence that states a change."""

    def add(self, sentences: Sequence[str]) -> None:
        """Add a message; a change also gets the topics of adjacent sentences."""
        for at, text in enumerate(sentences):
            if states_change(text):
                for topic in topics(" ".join(sentences[max(0, at - 1) : at + 2])):
                    self._having[topic].append(len(self._named))
                self._named.append(topics(_CHANGE.sub(" ", text)))

    def ended(self, text: str) -> bool:
        """Return whether a change affects one of the sentences of a text."""
        return any(self._is_of(text[start:end]) for start, end in sentence_spans(text))

    def _is_of(self, sentence: str) -> bool:
        own = topics(sentence)
        shared: dict[int, set[str]] = defaultdict(set)
        for topic in own:
            for change in self._having.get(topic, ()):
                shared[change].add(topic)
        least = SAME * self._weight(own)
        return any(
            len(found) >= MIN_COUNT and self._covers(own, self._named[change], found, least)
            for change, found in shared.items()
        )

    def _covers(
        self, own: frozenset[str], named: frozenset[str], found: Collection[str], minimum: float
    ) -> bool:
        """Return whether a change contains enough of a sentence's topics.

        At least one common topic must be in the change itself.
        """
        both = own & named
        most = NAMED * self._weight(named)
        return bool(both) and (self._weight(found) >= minimum or self._weight(both) >= most)

    def _weight(self, topics: Iterable[str]) -> float:
        return sum(self._weights.get(topic, 0.0) for topic in topics)


@lru_cache(maxsize=READ)
def topics(text: str) -> frozenset[str]:
    """Return the topics of a text as stems; all language names are one topic."""
    found = [word for word in words(text) if word not in _EMPTY]
    return frozenset(stems("language" if word in LANGUAGE_NAMES else word for word in found))


def asks_for_work(sentence: str) -> bool:
    """Return whether a sentence only requests work and states nothing general.

    Example:
        >>> asks_for_work("The discount is wrong, please fix it.")
        True
        >>> asks_for_work("If a test is flaky, fix it, never skip it.")
        False
    """
    return _WORK.search(sentence) is not None and not _GENERAL.search(sentence)


def sets_right(sentence: str, parts: Collection[UtterancePart]) -> bool:
    """Return whether a sentence with its labelled parts states what is right.

    Questions, guesses and sentences about the moment do not state what is right.
    """
    if "?" in sentence or is_momentary(sentence) or _GUESS.search(sentence):
        return False
    if asks_for_work(sentence) and not _CONTRAST.search(sentence):
        return False
    if len(sentence) < MIN_LENGTH:
        return False
    corrects, fact = map(_LABELS.index, (UtteranceLabel.CORRECTION, UtteranceLabel.FACT))
    chances = [
        (part.chances[corrects], part.lasting, part.chances[fact])
        for part in parts
        if not _BARE_NO.fullmatch(part.text)
    ]
    if any(item >= CORRECTS and item + lasts >= CORRECTS_OR_LASTS for item, lasts, _ in chances):
        return True
    contrasts = _CONTRAST.search(sentence) is not None
    return contrasts and any(sum(chance) >= CONTRASTS for chance in chances)
