"""Text made safe for a terminal: no escape sequences or markup.

No text is hidden. Markup is disabled wherever a text is shown; this module handles escape sequences
and invisible characters.
"""

from __future__ import annotations

import unicodedata

from memoranda.clock import MICROSECONDS
from memoranda.local_time import day
from memoranda.text import clip, one_line, strip_ansi, visible

LINE = 300
"""Maximum number of characters of one line in a list."""
CUT = 20_000
"""Number of characters of a long text that are shown."""
LEFT_TO_RIGHT = "\u200e"
"""Mark that ends right-to-left text, so that the following text does not move."""

_SPANS = ((60, "min"), (24, "h"), (99, "d"))


def line(text: str) -> str:
    """Return a text as one line of a list: cut, without invisible characters."""
    return "".join(_shown(char) for char in clip(one_line(visible(text[: 4 * LINE])), LINE))


def written_out(text: str) -> str:
    """Return a text with its invisible characters escaped.

    A person who makes a decision then sees everything that a model would read.
    """
    return "".join(map(_shown, text.replace("\r\n", "\n").expandtabs(4)))


def limited(text: str, more: str = "") -> str:
    """Return the start of a long text without its terminal colours.

    Args:
        more: text of the command that shows the rest.
    """
    shown = written_out(strip_ansi(text[:CUT]))
    rest = len(text) - CUT
    return shown if rest <= 0 else f"{shown}\n… {rest:,} characters more: {more}"


def runs_backwards(text: str) -> bool:
    """Return whether any of the text runs from right to left."""
    return any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in text)


def amount(number: int) -> str:
    """Format a number in few characters: 950, 1.9k, 124k, 3.1M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            short = number / size
            return f"{short:.1f}{unit}" if short < 10 else f"{short:.0f}{unit}"
    return str(number)


def ago(then: int | None, now: int) -> str:
    """Format the time since a moment, both in microseconds.

    From 99 days on, the date is shown. Seconds are not shown, to avoid constant redrawing.
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
    """Return an identifier such as ``learned_rule`` as words."""
    return name.replace("_", " ")


def _shown(char: str) -> str:
    if char.isprintable() or char == "\n":
        return char
    return " " if char.isspace() else f"\\u{ord(char):04x}"
