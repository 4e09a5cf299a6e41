"""Signature of a failure, which is the same for failures of one cause.

Parts that change from one occurrence to the next (times, ids, addresses, paths, quantities) are
replaced by placeholders. Parts that distinguish causes are kept: names of exceptions, quoted names,
codes of compilers and linters, exit codes and statuses.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memoranda.text import one_line, strip_ansi

LINE = 300
"""Maximum number of characters of a line that are read."""
MAX_LENGTH = 160
"""Maximum number of characters of a signature."""
KNOWN = 10_000
"""Number of lines with cached results, as masking is the slowest step."""

_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ENDINGS = (
    "py pyi ipynb js jsx mjs cjs ts tsx go rs java kt c cc cpp h hpp rb php cs swift scala sh yaml"
    " yml json toml ini cfg conf env md rst txt csv lock log sql html css scss vue svelte xml"
    " gradle proto tf"
)
_PLACE = r"(?::\d{1,7}){0,2}"
_UNIT = r"(?:ms|us|ns|s|m|h|[kmg]i?b|b|%)?"
_PIECES = {
    # Kept parts come first, so that no other pattern matches within them.
    "code": r"\b[A-Z]{1,6}-?\d{3,5}\b"
    r"|\b(?i:(?:exit|code|status|errno|signal|http(?:/\d(?:\.\d)?)?)"
    r"(?: (?:code|status))?[:= ]{1,2}-?\d{1,5})\b"
    r"|\bcurl: \(\d{1,3}\)"
    r"|\b[45]\d\d(?= [A-Z][a-z])",
    # Replaced parts.
    "time": rf"\b\d{{4}}-\d\d-\d\d(?:[T ]{_TIME}(?:Z|[+-]\d\d:?\d\d)?)?|\b{_TIME}",
    "id": r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"
    r"|\b(?:[a-z][a-z0-9]{0,30}-){1,6}(?=[a-z]{0,9}\d)[a-z0-9]{8,10}-[a-z0-9]{5}\b",
    "url": r"\b[a-z][a-z0-9+.-]{1,15}://[^\s'\"<>)]{1,300}",
    "mail": r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.]{1,63}",
    "address": r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\blocalhost:\d{1,5}\b|::1\b",
    "path": r"(?<![\w<.])(?:[A-Za-z]:(?=[\\/]))?[~.]{0,2}[\\/][\w.@+-][\w.@+\\/-]{0,250}" + _PLACE
    + r"|(?<![\w<./-])(?:[\w.-]{1,60}/){1,12}[\w-]{1,80}\.\w{1,5}\b" + _PLACE
    + rf"|(?<![\w<-])[\w-]{{1,80}}\.(?:{'|'.join(_ENDINGS.split())})\b" + _PLACE,
    "hex": r"\b0x[0-9a-fA-F]{1,64}\b|\b(?:sha256:)?[0-9a-f]{12,64}\b"
    r"|\b(?=[0-9a-f]{0,10}\d)(?=\d{0,10}[a-f])[0-9a-f]{7,11}\b",
    "n": rf"\b\d[\d,._]{{0,30}}(?i:{_UNIT})\b",
}  # fmt: skip
_CHANGING = re.compile("|".join(f"(?P<{name}>{piece})" for name, piece in _PIECES.items()))
_REPEATED = re.compile(r"(<\w{1,7}>)(?:[\s:,.-]{0,3}\1){1,50}")
SEARCHED = 600
"""Maximum number of characters of a text that are searched for names."""
MIN_NAME_LENGTH = 4
"""Minimum number of characters of a significant name."""
_QUOTED = re.compile(r"['\"`\u2018\u201c]([\w./@:+-]{2,80})['\"`\u2019\u201d]")
_NAMED = re.compile(r"[A-Za-z_][\w-]{0,60}(?:[./][\w-]{1,60}){1,8}|\b\w{1,40}_\w{1,40}\b")


def signature(kind: str, line: str) -> str:
    """Return a text that is the same for failures of one kind and cause.

    The result has at most 160 characters. ``line`` is the line that names the cause, including the
    name of the error. Only its first 300 characters are read, in bounded time.
    """
    return f"{kind}: {_masked(line[:LINE])}"[:MAX_LENGTH].rstrip()


def masked(line: str) -> str:
    """Replace variable parts with placeholders such as <path> and <n>."""
    text = _CHANGING.sub(_placeholder, one_line(strip_ansi(line[:LINE])))
    return _REPEATED.sub(r"\1", text).strip(" .:-")


_masked = lru_cache(maxsize=KNOWN)(masked)


def clear_cache() -> None:
    """Clear the cache of lines."""
    _masked.cache_clear()


def _placeholder(found: re.Match[str]) -> str:
    return found[0] if found.lastgroup == "code" else f"<{found.lastgroup}>"


def names_in(text: str) -> list[str]:
    """Return the names in a text: quoted words, paths, identifiers.

    Identifiers are dotted and underscored names. All names are in lower case; the last part of a
    path is also returned.
    """
    found = [*_QUOTED.findall(text[:SEARCHED]), *_NAMED.findall(text[:SEARCHED])]
    found += [name.rpartition("/")[2] for name in found if "/" in name]
    return list(dict.fromkeys(name.lower() for name in found if len(name) >= MIN_NAME_LENGTH))
