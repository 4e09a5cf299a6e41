"""Context lines from observations and memories, and the shortening of their text."""

from __future__ import annotations

import json
import re

from memoranda.ids import short
from memoranda.language.prose import without_list_mark
from memoranda.memories.model import Memory
from memoranda.observations.model import Observation, title
from memoranda.search.model import ContextItem
from memoranda.text import clip
from memoranda.trust import BY_ORIGIN, trust_of

_GREETING = re.compile(
    r"(?:(?:hi|hello|hey|good (?:morning|afternoon|evening|day|night)|guten (?:morgen|tag|abend)"
    r"|hola|bonjour|bye|goodbye|see you|thanks(?: a lot| so much)?|thank you(?: very much)?)"
    r"(?:,? (?:all|everyone|everybody|folks|team|there|again|you too|to you))?[\s,.!\u2026]*)+",
    re.IGNORECASE,
)
"""A message that consists only of greetings."""
_OBJECT = re.compile(r'\{"[\w$. -]{1,60}":')
_OPEN = re.compile(r'\{"[^{}]*…$')
_CALL = re.compile(r'[\w.:-]{1,80} \{"[\w-]{1,60}":')
_KEYS = re.compile(r'","[\w-]{1,60}":["\[{]|(?:[^"\\]"|\])\}$|\\n.*\\n')
_INSIDE_JSON = re.compile(r'\\n|\\"|","[\w-]{1,60}":|"\}\s*$')
"""Markers of partial JSON on one line: escapes, the next key, the end of an object."""
_DECODER = json.JSONDecoder(strict=False)
BRIEF = 220
"""Maximum number of characters of an observation in a context; one call returns the rest."""
MINIMUM = 3
"""Minimum number of words that are left after removing an opening."""
_ALONE = (
    r"oh|ah|ok|okay|kk|h+m+|u+h+m*|well|so(?! that)|and|but|also|then|btw|by the way|please|pls"
    r"|hey+|hi|hello|honestly|one (?:more|last|small) thing|before i forget|like i said"
    r"|as i said|i mean|fyi|(?:could|can) you please"
    r"|(?:and )?while (?:you're|you are|we're|we are|i'm) (?:here|there|at it|in there)"
    r"|vale|oye|por cierto|por favor|pues|bueno|venga|entonces|y|pero|bitte|ach|übrigens|und|aber"
    r"|na ja|merci|au fait|alors|et"
)
_MARKED = (
    r"right|great|perfect|nice|lovely|super|cool|good|very good|thanks(?: a lot| so much)?"
    r"|thank you(?: very much| so much)?|bien|perfecto|genial|gracias|ojo|mira|danke|gut|prima|bon"
    r"|d'accord|bem|obrigad[oa]|bene|grazie|allora"
)
"""Words that are fillers only before punctuation: "good", but not in "good names"."""
_MARK = r"\s*[,.!:;\u2026\u2013-]+"
_OPENING = re.compile(rf"(?:(?:(?:{_ALONE})(?:{_MARK})?|(?:{_MARKED}){_MARK})\s+)+", re.IGNORECASE)
_DECORATION = re.compile(
    "[\U0001f300-\U0001faff\u2600-\u27bf\u200d\ufe0f]+|(?<=\\s)[:;]-?[)(DP](?=\\s|$)|\\(y\\)"
)


def item_of(observation: Observation, text: str) -> ContextItem:
    """Return a context line for an observation."""
    origin = observation.origin
    return ContextItem(
        observation.id,
        observation.ref,
        text,
        origin,
        observation.counted_at,
        trust=BY_ORIGIN[origin],
    )


def memory_item(memory: Memory) -> ContextItem:
    """Return a context line for a whole memory."""
    return ContextItem(
        memory.id,
        short(memory.id),
        memory.content,
        memory.origin,
        memory.created_at,
        critical=memory.critical,
        trust=trust_of(memory),
    )


def brief_of(summary: str) -> str:
    """Return a summary on one line, without a title cut from its own text."""
    return shortened(" · ".join(untitled(summary).split("\n")), BRIEF)


def untitled(text: str) -> str:
    """Return a text without a title cut from its own first words."""
    first, _, rest = text.partition("\n")
    return rest if rest and rest.startswith(first.removesuffix("…").rstrip()) else text


def is_greeting(text: str) -> bool:
    """Return whether a text is only a greeting, a farewell or thanks.

    Example:
        >>> is_greeting("Good morning, everyone!"), is_greeting("Hello world is the test page.")
        (True, False)
    """
    return bool(_GREETING.fullmatch(text.strip()))


def shortened(text: str, limit: int) -> str:
    """Cut text to at most ``limit`` characters.

    A JSON object that would be cut is replaced by a note of its presence.
    """
    cut = clip(text, limit)
    if '{"' not in cut:
        return cut
    for match in _OBJECT.finditer(cut):
        if _end(cut, match.start()) < 0:
            return f"{cut[: match.start()]}{{…}}"
    return _OPEN.sub("{…}", cut)


def is_arguments(text: str) -> bool:
    """Return whether a line is (part of) the JSON arguments of a tool call."""
    return bool(_CALL.match(text) or _KEYS.search(text))


def summarised_call(observation: Observation, passage: str) -> str:
    """Return a passage of a tool call with its arguments summarised.

    The arguments are JSON on the first line. If the passage has no other text, the summary is
    returned.
    """
    if observation.tool is None:
        return passage
    first, _, rest = passage.partition("\n")
    if not (_OBJECT.search(first) or _INSIDE_JSON.search(first)):
        return passage
    return f"{title(observation.summary)}\n{rest}" if rest.strip() else observation.summary


def _end(text: str, start: int) -> int:
    """Return the end of the JSON value at ``start``, or -1."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except ValueError:
        return -1


def concise(sentence: str) -> str:
    """Return a sentence on one line, without emoji, list mark or filler.

    Example:
        >>> concise("oh and btw, keep main green please \U0001f64f")
        'keep main green please'
        >>> concise("Good names for tests, always.")
        'Good names for tests, always.'
    """
    plain = without_list_mark(" ".join(_DECORATION.sub(" ", sentence).split()))
    match = _OPENING.match(plain)
    rest = plain[match.end() :] if match else plain
    shortened = rest if len(rest.split()) >= MINIMUM else plain
    return shortened or " ".join(sentence.split())
