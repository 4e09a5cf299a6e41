"""Decodes other programs' text files, whatever their encoding or damage."""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # must be checked first: it begins with the next mark
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_WIDE_MARKS = (codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LETTER = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
_SINGLE = re.compile(rb"[A-Za-z][\xc0-\xfe](?![\x80-\xff])")
_EXAMINED = 400
"""Number of bytes that are checked to detect UTF-16 and UTF-32 without a byte order mark."""
_MIN_ZEROS, _MAX_ZEROS = 0.3, 0.02
"""Minimum fraction of zeros in the high bytes, and maximum fraction in the low bytes."""
_WIDE_FORMS = (
    ("utf-32-le", 4, (2, 3), (0,)),
    ("utf-32-be", 4, (0, 1), (3,)),
    ("utf-16-le", 2, (1,), (0,)),
    ("utf-16-be", 2, (0,), (1,)),
)
"""Encodings with their width in bytes and the positions of the high and low bytes."""


def decoded(data: bytes) -> str:
    """Return the text of a file, without a byte order mark and NUL.

    The text is decoded as UTF-8 unless a byte order mark, or zeros in every second position,
    indicate UTF-16 or UTF-32, or accented letters in single bytes indicate Windows-1252. Invalid
    bytes become U+FFFD, so that a damaged byte affects only one character.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _plain(data[len(mark) :], encoding)
    if wide := _unmarked(data[:_EXAMINED]):
        return _plain(data, wide)
    return _plain(data, "utf-8" if _is_utf_8(data) else "cp1252")


def is_wide(head: bytes) -> bool:
    """Return whether a file starts like UTF-16 or UTF-32."""
    return head.startswith(_WIDE_MARKS) or _unmarked(head[:_EXAMINED]) is not None


def _unmarked(head: bytes) -> str | None:
    for encoding, width, high, low in _WIDE_FORMS:
        if len(head) < 2 * width:
            continue
        zeros = min(_zeros(head[place::width]) for place in high)
        others = max(_zeros(head[place::width]) for place in low)
        if zeros >= (1 - _MAX_ZEROS if width == 4 else _MIN_ZEROS) and others <= _MAX_ZEROS:
            return encoding
    return None


def _zeros(part: bytes) -> float:
    return part.count(0) / len(part)


def _is_utf_8(data: bytes) -> bool:
    """Return whether a text is UTF-8, even if damaged, and not Windows-1252.

    In Windows-1252, accented letters are single bytes.
    """
    try:
        data.decode()
    except UnicodeDecodeError:
        return _LETTER.search(data) is not None or _SINGLE.search(data) is None
    return True


def _plain(data: bytes, encoding: str) -> str:
    return data.decode(encoding, "replace").replace("\0", "")
