"""Decodes text hidden by encodings, ROT13 or reversed order."""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator
from itertools import islice

MAX_LENGTH = 4_000
"""Maximum number of characters of an encoded piece that are decoded."""
_PRINTABLE_SHARE = 0.9
_MIN_LENGTH = 24
_RUN = re.compile(rf"[A-Za-z0-9+/_-]{{{_MIN_LENGTH},4000}}={{0,2}}")
"""Candidates for base64, or for hexadecimal digits within it."""
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}){16,2000}(?![0-9A-Za-z])")
_ESCAPES = re.compile(r"(?:\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}){8,1000}")
_ENTITIES = re.compile(r"(?:&#x?[0-9A-Fa-f]{1,6};[ \t]{0,2}){8,1000}")
_DIGIT_INSIDE = re.compile(r"\b[A-Za-z]+[013457]+[A-Za-z]+\b")
_DIGITS_INSIDE = 4
_DIGIT_LETTERS = str.maketrans("013457", "oieast")
_SPACED_OUT = re.compile(r"(?<!\w)(?:[a-z] {1,3}){8,80}")
_SPELLED = (
    *("ignoreall", "ignoreprev", "ignoreyour", "disregard", "systemprompt"),
    *("forgetall", "forgetthe"),
)
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2}){12,1000}")


def decoded(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the span and decoded text of each readable encoded piece."""
    for span, plain in _pieces(text):
        if plain and _is_readable(plain):
            yield span, plain


def _pieces(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    long = any(len(word) >= _MIN_LENGTH for word in text.split())
    for run in _RUN.finditer(text) if long else ():
        yield run.span(), _from_base64(run[0][:MAX_LENGTH])
        for match in _HEX.finditer(text, *run.span()):
            yield match.span(), _from_hex(match[0])
    for mark, sort, reads in _SORTS:
        if mark in text:
            for match in sort.finditer(text):
                yield match.span(), reads(match[0])


def turned(text: str) -> Iterator[tuple[str, Callable[[int, int], tuple[int, int]]]]:
    """Yield a text decoded from ROT13, reversed, and with digits as letters.

    Each variant is returned with a function that maps its spans to the original text. ROT13 and
    reversal are tried only if the text mentions them, digits only if several words contain a digit.
    """
    low = text.lower()
    if "rot13" in low or "rot-13" in low:
        yield codecs.encode(text, "rot13"), lambda start, end: (start, end)
    if "backward" in low or "revers" in low:
        length = len(text)
        yield text[::-1], lambda start, end: (length - end, length - start)
    if sum(1 for _ in islice(_DIGIT_INSIDE.finditer(text), _DIGITS_INSIDE)) == _DIGITS_INSIDE:
        yield text.translate(_DIGIT_LETTERS), lambda start, end: (start, end)


def spelled_out(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of override phrases spelled like "i g n o r e a l l"."""
    for match in _SPACED_OUT.finditer(text):
        letters = match[0].replace(" ", "")
        if any(phrase in letters for phrase in _SPELLED):
            yield match.span()


def _from_base64(text: str) -> str:
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    if len(plain) % 4 == 1:
        plain = plain[:-1]
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4)).decode("utf-8", "ignore")
    except (binascii.Error, ValueError):
        return ""


def _from_hex(text: str) -> str:
    return bytes.fromhex(text).decode("utf-8", "ignore")


def _from_escapes(text: str) -> str:
    return "".join(chr(int(digits, 16)) for digits in re.findall(r"[0-9A-Fa-f]{2,4}", text))


def _from_percent(text: str) -> str:
    return bytes.fromhex(text.replace("%", "")).decode("utf-8", "ignore")


def _is_readable(text: str) -> bool:
    """Return whether a decoded piece is text rather than image or key data."""
    good = sum(character.isprintable() or character in "\n\t" for character in text)
    return len(text) >= 8 and good >= _PRINTABLE_SHARE * len(text) and " " in text.strip()


_SORTS: tuple[tuple[str, re.Pattern[str], Callable[[str], str]], ...] = (
    ("\\u", _ESCAPES, _from_escapes),
    ("\\x", _ESCAPES, _from_escapes),
    ("&#", _ENTITIES, html.unescape),
    ("%", _PERCENT, _from_percent),
)
"""Other encodings: pre-check, pattern and decoder."""
