"""N-grams of characters and of terms."""

from __future__ import annotations

import re
from itertools import pairwise
from zlib import crc32

from memoranda.language.lexemes import CJK

MAX_LENGTH = 400
"""Number of characters of a part that are read, at its start and its end."""
_TAIL = 120
_WORDS = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*|[?!]+|[^\w\s]")
_IDEOGRAPHS = re.compile(f"[{CJK}]")
_DIGITS = re.compile(r"\d+")


def folded(text: str) -> str:
    """Return a text on one line, in lower case, with each number as ``0``.

    The length of the result is bounded.
    """
    line = " ".join(text.split()).lower().replace("\u2019", "'")
    if len(line) > MAX_LENGTH:
        line = f"{line[: MAX_LENGTH - _TAIL]} {line[-_TAIL:]}"
    return _DIGITS.sub("0", line)


def words(text: str) -> list[str]:
    """Return the words and marks of a normalised text, in order."""
    return _WORDS.findall(text)


def word_grams(found: list[str]) -> list[str]:
    """Return single words, pairs, and the first and last words of a text."""
    names = [f"w{word}" for word in found]
    names += [f"p{first} {second}" for first, second in pairwise(found)]
    if found:
        names += [f"b{' '.join(found[:length])}" for length in (1, 2, 3)]
        names.append(f"e{' '.join(found[-2:])}")
    return names


def character_grams(text: str) -> list[str]:
    """Return runs of three to five characters.

    In scripts without spaces, runs of one to three characters are returned.
    """
    lengths = (1, 2, 3) if _IDEOGRAPHS.search(text) else (3, 4, 5)
    padded = f" {text} "
    return [
        "c" + padded[at : at + length]
        for length in lengths
        for at in range(len(padded) - length + 1)
    ]


def bucket(name: str, count: int) -> int:
    """Return the bucket of a name, a number below ``count``."""
    return crc32(name.encode(errors="replace")) % count
