"""Lines of long text, found in linear time even in hostile text."""

from __future__ import annotations

from collections.abc import Iterable

WINDOW = 65_536
"""Number of characters read from each end of a text."""
LINE = 600
"""Maximum number of characters read of one line."""


def window(text: str) -> str:
    """Return the text, or only its head and tail if it exceeds 128 KiB."""
    return text if len(text) <= 2 * WINDOW else f"{text[:WINDOW]}\n{text[-WINDOW:]}"


def lines_with(text: str, literal: str, limit: int = 40) -> list[str]:
    """Return the first lines with a string, each cut to 600 characters."""
    return [line for _, line in first_placed(text, literal, limit)]


def first_placed(text: str, literal: str, limit: int = 40) -> list[tuple[int, str]]:
    """Return the first lines that contain a string, with offsets, in order."""
    result: list[tuple[int, str]] = []
    at = text.find(literal)
    while at >= 0 and len(result) < limit:
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        end = end if end >= 0 else len(text)
        result.append((start, text[start : min(end, start + LINE)]))
        at = text.find(literal, end)
    return result


def lines_with_any(text: str, literals: Iterable[str], limit: int = 40) -> list[str]:
    """Return the first lines that contain one of these strings, in order."""
    found = {place for literal in literals if literal in text
             for place in first_placed(text, literal, limit)}  # fmt: skip
    return [line for _, line in sorted(found)][:limit]


def last_placed(text: str, literal: str, limit: int = 12) -> list[tuple[int, str]]:
    """Return the last lines that contain a string, with offsets, last first."""
    result: list[tuple[int, str]] = []
    at = text.rfind(literal)
    while at >= 0 and len(result) < limit:
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        result.append((start, text[start : min(end if end >= 0 else len(text), start + LINE)]))
        at = text.rfind(literal, 0, start)
    return result


def last_lines(text: str, count: int) -> list[str]:
    """Return the last lines that are not blank, in order.

    Each line is cut to 600 characters. If a long line overwrites itself with carriage returns, as a
    progress bar does, only its last state is returned.
    """
    result: list[str] = []
    text = text.rstrip()
    end = len(text)
    for _ in range(4 * count):
        start = text.rfind("\n", 0, end) + 1
        seen = start if end - start <= LINE else max(start, text.rfind("\r", start, end) + 1)
        line = text[seen : min(end, seen + LINE)]
        if line and not line.isspace():
            result.append(line)
        if len(result) == count or start == 0:
            break
        end = start - 1
    result.reverse()
    return result


_TROUBLE = (
    *("error", "fail", "exception", "traceback", "fatal", "panic", "denied", "refused", "abort"),
    *("cannot", "timeout", "time out", "timedout", "timed out", "killed", "warn", "assert"),
    *("not found", "unexpected", "invalid"),
)
"""Words that mark lines that report errors; a regular expression takes seven times as long."""
_NO_DIGITS = dict.fromkeys(range(48, 58))


def distinct_lines(text: str, room: int) -> list[str]:
    """Return lines that differ not only in numbers, in order.

    The lines have at most ``room`` characters in total; if not all lines fit, those that report
    errors are chosen first.
    """
    first: dict[str, tuple[int, str]] = {}
    forms = text.translate(_NO_DIGITS).split("\n")
    for place, (form, line) in enumerate(zip(forms, text.split("\n"), strict=True)):
        first.setdefault(form[:LINE], (place, line[:LINE]))
    chosen: list[tuple[int, str]] = []
    for place, line in sorted(first.values(), key=lambda one: not _reports_error(one[1])):
        room -= len(line) + 1
        if room < 0:
            break
        chosen.append((place, line))
    return [line for _, line in sorted(chosen)]


def _reports_error(line: str) -> bool:
    lower = line.lower()
    return any(term in lower for term in _TROUBLE)


def first_line(text: str) -> str:
    """Return the first line that is not blank, cut to 600 characters, or ''."""
    text = text[: 4 * LINE].lstrip()
    return text[:LINE].partition("\n")[0].rstrip()


def flat(text: str) -> str:
    """Collapse white space to single spaces; mostly faster than `one_line`."""
    return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())
