"""Text from memory as a terminal may show it: no escape sequence, no markup, nothing hidden.

Markup is off wherever a text is shown; what is left to do here is what a terminal itself would
act on, and what a person would not see.
"""

from __future__ import annotations

import unicodedata

from memoranda.clock import MICROSECONDS
from memoranda.text import clip, one_line, strip_ansi, visible
from memoranda.time_zones import day

LINE = 300
"""Characters of one line of a list."""
CUT = 20_000
"""Characters of a long text that are shown."""
LEFT_TO_RIGHT = "\u200e"
"""Says where text that runs from right to left ends, so that it moves nothing that follows."""

_SPANS = ((60, "min"), (24, "h"), (99, "d"))


def line(text: str) -> str:
    """Return a text as one line of a list: without what nobody sees, cut."""
    return "".join(_shown(char) for char in clip(one_line(visible(text[: 4 * LINE])), LINE))


def written_out(text: str) -> str:
    """Return a text with its invisible characters written out, so that a person who decides about
    it sees what a model would read."""
    return "".join(map(_shown, text.replace("\r\n", "\n").expandtabs(4)))


def whole(text: str, more: str = "") -> str:
    """Return the beginning of a long text, without the colours it had in a terminal.

    Args:
        more: what brings the rest.
    """
    shown = written_out(strip_ansi(text[:CUT]))
    rest = len(text) - CUT
    return shown if rest <= 0 else f"{shown}\n… {rest:,} characters more: {more}"


def runs_backwards(text: str) -> bool:
    """Say whether some of a text runs from right to left."""
    return any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text)


def amount(number: int) -> str:
    """Write a number in few characters: 950, 1.9k, 124k, 3.1M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            short = number / size
            return f"{short:.1f}{unit}" if short < 10 else f"{short:.0f}{unit}"
    return str(number)


def counted(number: int, noun: str) -> str:
    """Say how many there are of something: 1 task, 2 tasks."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def ago(then: int | None, now: int) -> str:
    """Say how long ago something was, both in microseconds; from 99 days on, its date.

    Seconds are not told: what nobody needs to know need not be drawn again and again.
    """
    if then is None:
        return "never"
    count = (now - then) // (60 * MICROSECONDS)
    if count < 1:
        return "now"
    for size, unit in _SPANS:
        if count < size:
            return f"{count} {unit} ago"
        count //= size
    return day(then)


def words(name: str) -> str:
    """Return a name of this program, such as ``learned_rule``, as words."""
    return name.replace("_", " ")


def _shown(char: str) -> str:
    if char.isprintable() or char == "\n":
        return char
    return " " if char.isspace() else f"\\u{ord(char):04x}"
