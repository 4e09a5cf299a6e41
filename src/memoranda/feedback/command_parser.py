"""Parser for a command to the memory at the start of a person's turn.

Only a few fixed forms count, at the beginning of the turn or after polite phrases. Quotations,
code, quoted lines and questions about the past are never commands. Commands are recognised in
English, and in text that is addressed directly to the memory also in the most common phrasings of
other languages.
"""

from __future__ import annotations

import re

from memoranda.feedback.command_patterns import DIRECT, FORMS, OF_THE_WORK, SHORT_FORGET
from memoranda.feedback.model import CommandKind, SpokenCommand
from memoranda.feedback.turn import proposes
from memoranda.language.words import word_set
from memoranda.text import one_line, own_command

MAX_TURN_LENGTH = 2_000
"""Maximum number of characters of a turn; a longer turn is treated as pasted text."""
MAX_ARGUMENT_LENGTH = 500
"""Maximum number of characters of an argument; a longer argument is not a single item to remember.
"""

_POLITE = r"(?:(?:can|could|would|will) you |please |kindly |just ){0,3}"
_OPENING = re.compile(
    r"[\W_]{0,8}(?:(?:hey|hi|hello|ok|okay|so|also|and|well|now|oh|claude"
    r"|assistant)\b[\s,.!\u2026]{1,5})"
    rf"{{0,4}}{_POLITE}",
    re.IGNORECASE,
)
_POLITE_REQUEST = re.compile(r"\b(?:can|could|would|will) you $|\byou please $", re.IGNORECASE)
_QUOTES = ('"', "'", "`", ">", "\u201c", "\u2018", "\u00ab")
_CLOSING = {'"': '"', "'": "'", "\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}


_COURTESY = re.compile(
    r"(?:, ?(?:please|pls|thanks|thank you|ok(?:ay)?|will you|would you)| please| thanks)"
    r"[ .!]{0,4}$",
    re.IGNORECASE,
)
"""Polite phrases that are not part of the text to remember."""

_NOTHING = word_set(
    "it that this them those these everything anything all any some one the a an of my me you us"
    " please now again really completely what i said thing things stuff not no never always to in"
    " on at for with about of and or is are was be have has do does so if by from as"
    " we our your last idea"
)
"""Words that do not identify anything to forget."""
_GOING_ON = re.compile(
    r"[,;.:!?\u2013\u2014-] (?:i|we|he|she|it|they|you|that|this|there|just|let'?s|use|do|go|try"
    r"|move"
    r"|keep|instead|the|never ?mind|not)\b"
    r"|\bfor (?:now|today|a (?:moment|minute|second|while))\b",
    re.IGNORECASE,
)
"""Continuation with a dropped subject in a conversation.

Example: "forget about the tea, just come in".
"""


def command(turn: str, *, before: str = "", direct: bool = False) -> SpokenCommand | None:
    """Return the command at the start of a turn, or None.

    Only the first paragraph is read, and it must be one line; each form takes at most one pass. The
    argument must name something: "forget about it" is not a command. ``before`` is the agent's
    message that the turn answers. ``direct``: the text is for the memory and not for an agent, so
    that "forget X" alone is a command too.
    """
    if own := own_command(turn):
        name, own_sentence = own
        argument = _unquoted(own_sentence)
        is_order = name == CommandKind.REMEMBER and 0 < len(argument) <= MAX_TURN_LENGTH
        return SpokenCommand(CommandKind.REMEMBER, argument) if is_order else None
    line = _own_line(turn)
    opening = _OPENING.match(line)
    if not line or opening is None:
        return None
    polite = _POLITE_REQUEST.search(opening[0]) is not None
    for kind, form in (*FORMS, *DIRECT) if direct else FORMS:
        match = form.match(line, opening.end())
        if match is not None:
            return _command(kind, match.groupdict().get("argument", ""), polite=polite)
    return None if direct or proposes(before) else _short_forget(line, opening.end())


def _short_forget(line: str, start: int) -> SpokenCommand | None:
    """Return the command of a message such as "Forget the discount.", or None.

    In a message to an agent, the text may also be about the work: "forget the cache dir".
    """
    match = SHORT_FORGET.match(line, start)
    argument = _COURTESY.sub("", match["argument"]).rstrip(".! ") if match else ""
    if _names_nothing(argument) or OF_THE_WORK.search(argument) or _GOING_ON.search(argument):
        return None
    return SpokenCommand(CommandKind.FORGET, argument, if_clear=True)


def _own_line(turn: str) -> str:
    """Return the first paragraph if it is one line of the person's own text.

    Otherwise the result is empty.
    """
    if len(turn) > MAX_TURN_LENGTH:
        return ""
    first = turn.strip().partition("\n\n")[0].strip()
    quoted = first.startswith(_QUOTES) or "```" in first or "~~~" in first
    return "" if quoted or "\n" in first else one_line(first)


def _command(kind: CommandKind, sentence: str, *, polite: bool) -> SpokenCommand | None:
    argument = sentence.strip()
    if kind is CommandKind.OPTIMIZE:
        return SpokenCommand(kind, "")
    if kind is CommandKind.KNOW:
        topic = argument.rstrip(" ?.!")
        return SpokenCommand(kind, "" if _names_nothing(topic) else topic)
    if argument.endswith("?"):
        if kind is CommandKind.REMEMBER and not polite:
            return None
        argument = argument.rstrip("? ")
    argument = _unquoted(_COURTESY.sub("", argument))
    if kind is CommandKind.FORGET:
        argument = argument.rstrip(".! ")
        if _GOING_ON.search(argument):
            return None
    if kind is not CommandKind.RULE and _names_nothing(argument):
        return None
    if not any(map(str.isalnum, argument)) or len(argument) > MAX_ARGUMENT_LENGTH:
        return None
    return SpokenCommand(kind, argument)


def _unquoted(argument: str) -> str:
    closing = _CLOSING.get(argument[:1])
    if closing and len(argument) > 2 and argument.endswith(closing):
        inner = argument[1:-1]
        return argument if closing in inner else inner.strip()
    return argument


def _names_nothing(argument: str) -> bool:
    return all(word in _NOTHING for word in re.findall(r"\w+", argument.lower()))
