"""Surface cues of a text and a question, for ranking.

The cues are English only; for other languages only terms and vectors are used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.months import MONTH_NUMBERS, WEEKDAY

_MONTHS = "|".join(name for name in MONTH_NUMBERS if name != "may")  # also a verb
_UNITS = "minute|hour|day|night|week|weekend|month|year|decade"

_TIME = lazy_pattern(
    rf"\b(?:yesterday|today|tonight|tomorrow|recently|ago|since|{WEEKDAY}"
    rf"|{_MONTHS}|(?:19|20)\d\d|\d+(?:st|nd|rd|th)"
    rf"|(?:last|next|this|past)\s+(?:{_UNITS}|morning|afternoon|evening|spring|summer|fall|autumn"
    rf"|winter|{WEEKDAY}|mon|tues?|wed|thurs?|fri|sat|sun)\w*"
    rf"|(?:an?|one|two|three|four|five|six|few|couple(?: of)?|\d+)\s+(?:{_UNITS})s?)\b",
    re.IGNORECASE,
)
_NUMBER = lazy_pattern(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|few|several"
    r"|once|twice|first|second|third)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = lazy_pattern(r"\b(?:i|im|ive|my|me|mine|we|our)\b", re.IGNORECASE)
_CAPITAL = lazy_pattern(r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-z]+")

_INSTRUCTION = lazy_pattern(
    r"^\W*(?:(?:please|and|also|ok(?:ay)?)[\s,]+)?(?:always|never|from now on|going forward"
    r"|in (?:the )?future|when(?:ever)? i ask|make sure (?:to|you)"
    r"|(?:don['\u2019]?t|do not) (?:ever )?(?:use|include|give|show|add|write))\b"
    r"|\balways\b.{3,140}\bwhen(?:ever)? i\b|\bwhenever i ask\b|\bfrom now on\b",
    re.IGNORECASE,
)
_PREFERENCE = lazy_pattern(
    r"\bi(?:['\u2019]d| would)? (?:really |also |usually |generally |always |strongly |much )?"
    r"(?:prefer|rather|love|hate|dislike|enjoy|favou?r|avoid|(?:like|want) to (?:keep|avoid|use))\b"
    r"|\bi(?:['\u2019]m| am) (?:trying|looking|aiming) to (?:keep|avoid)\b"
    r"|\bi (?:don['\u2019]?t|do not) (?:want|like)\b"
    r"|\b(?:my preference|as i prefer|rather than)\b",
    re.IGNORECASE,
)

_ASKS_WHEN = lazy_pattern(
    r"^\W*(?:when|since when|how long|on what"
    r"|(?:in |on )?(?:what|which) (?:date|day|month|year|time))\b"
    r"|\bwhen (?:did|does|do|is|are|was|were|will)\b",
    re.IGNORECASE,
)
_ASKS_NUMBER = lazy_pattern(
    r"\bhow (?:many|much|often|old|far|long)\b|\bwhat (?:percentage|number|score|amount)\b",
    re.IGNORECASE,
)
_ASKS_NAME = lazy_pattern(
    r"^\W*(?:who|where|which|what (?:is the name|place|city|state|country|book|movie|game|band|song"
    r"|team|company))\b|\bname of\b",
    re.IGNORECASE,
)
_ASKS_HELP = lazy_pattern(
    r"^\W*(?:how (?:do|can|could|should|would|might|to)|(?:can|could|would|will) you"
    r"|what (?:are|is) (?:some|the best|the different|a good)"
    r"|what (?:steps|tools|libraries|approach(?:es)?|types?|kind|strateg\w+|should|would|typical"
    r"|common|happens)|which (?:libraries|tools)"
    r"|i['\u2019]?m (?:\w+ing|about|interested)|i (?:want|need|would|have|am|plan|was)"
    r"|help|show|explain|suggest|recommend|give|tell|walk|provide|describe|write|create|please"
    r"|if i|when (?:i|\w+ing)|let['\u2019]?s|any)\b"
    r"|\b(?:(?:can|could|would) you (?:help|show|walk|explain|suggest|give|recommend)|could you"
    r"|how (?:should|can|would|do) (?:i|we|you)|what would you|do you recommend|suggestions?"
    r"|recommend\w*|help me)\b",
    re.IGNORECASE,
)
_ASKS_ANSWER = lazy_pattern(
    r"\b(?:did|have|had) you\b|\byour (?:recommend|suggest|advice|explan|answer|response)\w*"
    r"|\byou (?:recommended|suggested|mentioned|explained|provided|gave|said|told|proposed"
    r"|described|outlined|advised)\b",
    re.IGNORECASE,
)
_ASKS_OVERVIEW = lazy_pattern(
    r"\b(?:summar\w+|overview|order in which|in order|throughout|over time|so far|progressed"
    r"|developed|evolved|across (?:our|my|all))\b",
    re.IGNORECASE,
)

MAX_READ = 65_536
"""Maximum number of characters that are searched for a time or a number."""
HEAD = 700
"""Number of characters of a text searched for persons and names."""


@dataclass(frozen=True, slots=True)
class TextCues:
    """Features of a text."""

    time: bool
    number: bool
    first_person: int
    """Number of first-person words, at most 3."""
    capitals: int
    """Number of capitalised words, at most 4.

    Words that begin a sentence or name a speaker are not counted.
    """


@dataclass(frozen=True, slots=True)
class QuestionCues:
    """Features of a query."""

    when: bool
    number: bool
    name: bool
    help: bool
    """Whether the query is a request, such as for advice, rather than a question about the past."""
    answer: bool
    """Whether the query asks about what the assistant said."""
    overview: bool


def text_cues(text: str, speaker: str) -> TextCues:
    """Return the features of a text.

    ``speaker`` is the first word of the speaker's name, in lower case.
    """
    head = text[:HEAD]
    capitals = sum(1 for word in _CAPITAL.findall(head) if word.lower() != speaker)
    return TextCues(
        time=bool(_TIME.search(text, 0, MAX_READ)),
        number=bool(_NUMBER.search(text, 0, MAX_READ)),
        first_person=min(3, len(_FIRST_PERSON.findall(head))),
        capitals=min(4, capitals),
    )


def is_instruction(text: str) -> bool:
    """Return whether a text is a person's standing instruction."""
    return bool(_INSTRUCTION.search(text[:400]))


def is_preference(text: str) -> bool:
    """Return whether a text states a person's preference."""
    return bool(_PREFERENCE.search(text[:1_500]))


def question_cues(question: str) -> QuestionCues:
    """Return the features of a query."""
    return QuestionCues(
        when=bool(_ASKS_WHEN.search(question)),
        number=bool(_ASKS_NUMBER.search(question)),
        name=bool(_ASKS_NAME.search(question)),
        help=bool(_ASKS_HELP.search(question)),
        answer=bool(_ASKS_ANSWER.search(question)),
        overview=bool(_ASKS_OVERVIEW.search(question)),
    )
