"""Tokenizer of statements: terms, amounts with units, and dates, in order."""

from __future__ import annotations

import re
from typing import NamedTuple

from memoranda.language.months import CAPITAL_FULL_MONTH, MONTH, MONTHS, WEEKDAY
from memoranda.language.words import NUMBERS, stem

_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"\b(?i:\d{{4}}-\d\d-\d\d|{MONTH}\.? {_DAY}(?:,? ?\d{{4}})?"
    rf"|{_DAY} (?:of )?{MONTH}(?: \d{{4}})?|{WEEKDAY}s?)\b"
    rf"|(?<=\b[Ii]n ){CAPITAL_FULL_MONTH}\b(?! \d)"
)
_UNITS: dict[str, tuple[str, float]] = {
    "%": ("share", 1), "percent": ("share", 1),
    "ms": ("time", 0.001), "s": ("time", 1), "sec": ("time", 1), "second": ("time", 1),
    "min": ("time", 60), "minute": ("time", 60), "h": ("time", 3600), "hour": ("time", 3600),
    "day": ("time", 86_400), "week": ("time", 604_800), "month": ("months", 1),
    "year": ("months", 12),
    "kb": ("bytes", 1e3), "mb": ("bytes", 1e6), "gb": ("bytes", 1e9), "tb": ("bytes", 1e12),
    "k": ("", 1000), "am": ("clock", 1), "pm": ("clock", 1),
}  # fmt: skip
_UNIT = (
    r"%|percent|ms|secs?|seconds?|s|min(?:ute)?s?|hours?|h|days?|weeks?|months?|years?"
    r"|[kmgt]b|k|am|pm"
)
_AMOUNT = rf"(?<![\w.])(?<!\d,)[$€£]?\d[\d,]*(?:\.\d+)*(?::\d\d)?(?: ?(?i:{_UNIT}))?(?!\w)"
_WORD = r"[^\W\d_](?:\w|['+#.-](?=[^\W_]))*[+#]{0,2}"
_TOKEN = re.compile(rf"(?P<date>{_DATE})|(?P<amount>{_AMOUNT})|(?P<word>{_WORD})")
_PARTS = re.compile(r"([$€£]?)([\d,]*\d)((?:\.\d+)*)(?::(\d\d))?,* ?(.*)", re.DOTALL)
_DIGITS = re.compile(r"\d+")
_MIN_YEAR = 32


class Token(NamedTuple):
    """A word, an amount or a date of a statement."""

    text: str
    """The text as written."""
    start: int
    word: str = ""
    """Lower-case word without 's, 'm, 're; empty for amounts and dates."""
    stem: str = ""
    number: float | None = None
    """Value of an amount in the base unit of its dimension."""
    dimension: str = ""
    """Dimension of an amount: time, bytes, a currency.

    Empty for a count or a version.
    """
    date: str = ""
    """A weekday, or the known parts of a date.

    Formats are "05", "05-04" and "05-04-2026": month, day and year.
    """


def scan(text: str) -> tuple[Token, ...]:
    """Return the words, amounts and dates of a text.

    White space in the text must be single spaces.
    """
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "word":
            before = tokens[-1].word if tokens else ""
            tokens.extend(_words(match[0], match.start(), before))
        elif match.lastgroup == "amount":
            number, dimension = _measure(match[0])
            tokens.append(Token(match[0], match.start(), number=number, dimension=dimension))
        else:
            tokens.append(Token(match[0], match.start(), date=_date(match[0].lower())))
    return tuple(tokens)


def _words(text: str, start: int, before: str) -> list[Token]:
    """Split "don't" into two words; drop the text after other apostrophes.

    "one" in "no one" is not parsed as a number.
    """
    low = text.lower()
    if low.endswith("n't"):
        verb = low[:-3]
        return [Token(text[:-3], start, verb, stem(verb)), Token("not", start, "not", "not")]
    word = low.partition("'")[0]
    number = NUMBERS.get(word) if before != "no" else None
    return [Token(text, start, word, stem(word), number)]


def _measure(text: str) -> tuple[float, str]:
    """Parse an amount.

    "2 hours" is (7200, time), "$5k" is (5000, $), "9:30 am" is 9.5 of the clock.
    """
    parts = _PARTS.match(text)
    if parts is None:
        return 0.0, ""
    currency, whole, fraction, minutes, unit = parts.groups()
    number = float(whole.replace(",", "") or 0) + _fraction(fraction)
    if minutes is not None:
        return _hour(number + float(minutes) / 60, unit), "clock"
    dimension, factor = _UNITS.get(unit.lower()) or _UNITS.get(unit.lower()[:-1], ("", 1))
    if dimension == "clock":
        return _hour(number, unit), dimension
    return number * factor, currency or dimension


def _fraction(text: str) -> float:
    """Parse the fraction of a number, or the rest of a version number.

    ".5" is a half; 2.3.1, 2.3.2 and 2.3 get different values.
    """
    first, *others = text.split(".")[1:] or ["0"]
    return float(f"0.{first}") + sum(
        (float(part) + 1) * 1e-6**place for place, part in enumerate(others, 1)
    )


def _hour(number: float, unit: str) -> float:
    return number % 12 + 12 if unit.lower() == "pm" else number


def _date(text: str) -> str:
    if text[:4].isdigit() and text[4:5] == "-":
        return f"{text[5:]}-{text[:4]}"
    month = next((at for at, name in enumerate(MONTHS, 1) if name[:3] in text), 0)
    if text.rstrip("s").endswith("day") or not month:
        return text[:3]
    numbers = [int(digits) for digits in _DIGITS.findall(text)]
    days = [f"{number:02}" for number in numbers if number < _MIN_YEAR]
    years = [str(number) for number in numbers if number >= _MIN_YEAR]
    return "-".join([f"{month:02}", *days[:1], *years[:1]])
