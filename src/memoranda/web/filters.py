"""Template filters that format numbers, units and times."""

from __future__ import annotations

import shlex
from datetime import datetime

from markupsafe import Markup, escape

from memoranda.clock import MICROSECONDS
from memoranda.costs.model import DOLLAR
from memoranda.ids import is_uuid
from memoranda.json_data import iso_time, parse_iso_time
from memoranda.text import clip

MINUTE, HOUR, DAY = 60, 3_600, 86_400
SHORT_ID = 18
"""Number of characters of an id that identify it, as in the CLI."""
_STEPS = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))


def short(number: float) -> str:
    """Format a number in few characters: 940, 1.9k, 184k, 2.3M."""
    size = abs(number)
    for step, letter in _STEPS:
        if size >= step * 0.9995:
            value = number / step
            return f"{value:.1f}{letter}" if abs(value) < 9.95 else f"{value:.0f}{letter}"
    return f"{number:,.0f}"


def tokens(number: float) -> str:
    """Format a number of tokens."""
    return f"{short(number)} {'token' if number == 1 else 'tokens'}"


def money(millionths: int) -> str:
    """Format millionths of a dollar to the cent, smaller amounts exactly."""
    dollars = millionths / DOLLAR
    if 0 < dollars < 0.01:
        return f"${dollars:.4f}"
    return f"${dollars:,.2f}"


def size(bytes: float) -> str:
    """Format a size in bytes."""
    for step, letter in _STEPS:
        if bytes >= step:
            return f"{bytes / step:.1f} {letter}B"
    return f"{bytes:,.0f} bytes"


def share(part: float) -> str:
    """Format a share as a percentage.

    A share near 0 or 1 is never rounded to 0 % or 100 %.
    """
    if 0 < part < 0.01:
        return "under 1 %"
    if 0.99 < part < 1:
        return "over 99 %"
    return f"{part * 100:.0f} %"


def span(seconds: float) -> str:
    """Format a duration: 0.4 s, 12 s, 6 min, 3 h, 5 days."""
    if seconds < 10:
        return f"{seconds:.1f} s" if seconds else "0 s"
    for limit, step, unit in ((MINUTE, 1, "s"), (HOUR, MINUTE, "min"), (2 * DAY, HOUR, "h")):
        if seconds < limit:
            return f"{seconds / step:.0f} {unit}"
    return f"{seconds / DAY:.0f} days"


def seconds_between(earlier: str | None, later: str | None) -> float:
    """Return the seconds between two ISO 8601 times; 0 if one is missing."""
    first, last = (parse_iso_time(item) if item else None for item in (earlier, later))
    return 0.0 if first is None or last is None else (last - first) / MICROSECONDS


def relative(moment: str | None, now: int) -> Markup:
    """Format the time since a moment, as an element with the moment itself."""
    at = parse_iso_time(moment) if moment else None
    if moment is None or at is None:
        return Markup("never")
    past = (now - at) / MICROSECONDS
    words = _ago(past) if past >= 0 else f"in {_rough(-past)}"
    return _element(moment, "relative", _plain(at), words)


def absolute(moment: str | None) -> Markup:
    """Format a time to the minute in UTC; a script converts it to local time."""
    at = parse_iso_time(moment) if moment else None
    if moment is None or at is None:
        return Markup("never")
    return _element(moment, "absolute", "", _plain(at))


def quoted(text: str) -> str:
    """Quote a name for a shell, for commands that people copy.

    The shell then does not expand anything in the name.
    """
    return shlex.quote(text)


def short_id(subject: str) -> str:
    """Shorten an id to a prefix that commands accept; keep other subjects."""
    return subject[:SHORT_ID] if is_uuid(subject) else clip(subject, 60)


def message(text: str) -> Markup:
    """Return an error as a sentence for a page, with code in backticks."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # an unpaired backtick is part of the text
        return escape(text[:1].upper() + text[1:])
    parts[0] = parts[0][:1].upper() + parts[0][1:]
    codes = (Markup("<code>{}</code>") if at % 2 else Markup("{}") for at in range(len(parts)))
    return Markup("").join(code.format(part) for code, part in zip(codes, parts, strict=True))


def _element(moment: str, kind: str, title: str, words: str) -> Markup:
    attribute = Markup(' title="{}"').format(title) if title else Markup("")
    return Markup('<time datetime="{}" data-time="{}"{}>{}</time>').format(
        moment, kind, attribute, escape(words)
    )


def _plain(microseconds: int) -> str:
    moment = datetime.fromisoformat(iso_time(microseconds).replace("Z", "+00:00"))
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def _ago(seconds: float) -> str:
    return "just now" if seconds < 10 else f"{_rough(seconds)} ago"


def _rough(seconds: float) -> str:
    if seconds < MINUTE:
        return f"{seconds:.0f} s"
    for limit, step, unit in ((HOUR, MINUTE, "min"), (DAY, HOUR, "h"), (60 * DAY, DAY, "days")):
        if seconds < limit:
            number = seconds / step
            return f"{number:.0f} {unit.removesuffix('s') if round(number) == 1 else unit}"
    return f"{seconds / (30.4 * DAY):.0f} months"
