"""Tags, files and figures that a caller gives an observation."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.capture.analysis.event_subjects import MOST_FILES, MOST_TAGS
from memoranda.exceptions import InvalidInput
from memoranda.text import normalise

LONGEST_TAG = 100
LONGEST_PATH = 1_000
LARGEST = 10**12
RESERVED = frozenset({"compaction", "envelope", "excluded", "recalled", "thinking"})
"""Tags by which the memory itself hides or demotes an observation."""


def checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return a caller's tags in lower case, each once.

    Raises:
        InvalidInput: there are too many, one is empty or too long, or the memory sets it itself.
    """
    found = _texts("tag", tags, MOST_TAGS, LONGEST_TAG)
    lower = tuple(dict.fromkeys(tag.lower() for tag in found))
    if reserved := RESERVED.intersection(lower):
        raise InvalidInput(f"the tag {min(reserved)!r} is set by the memory itself")
    return lower


def checked_files(files: Sequence[str]) -> tuple[str, ...]:
    """Return a caller's paths, each once.

    Raises:
        InvalidInput: there are too many, or one is empty or too long.
    """
    return _texts("file", files, MOST_FILES, LONGEST_PATH)


def checked_figure(name: str, value: int | None) -> int | None:
    """Return a count that a caller gives.

    Raises:
        InvalidInput: it is no whole number from 0 on.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
        raise InvalidInput(f"{name} is a whole number from 0 to {LARGEST:,}")
    return value


def _texts(kind: str, given: Sequence[str], most: int, longest: int) -> tuple[str, ...]:
    if isinstance(given, str):
        raise InvalidInput(f"{kind}s are a list of texts, not one text")
    found = tuple(dict.fromkeys(normalise(text).strip() for text in given))
    if len(found) > most:
        raise InvalidInput(f"an observation takes at most {most} {kind}s, not {len(found)}")
    for text in found:
        if not text or len(text) > longest:
            raise InvalidInput(f"a {kind} has 1 to {longest:,} characters")
    return found
