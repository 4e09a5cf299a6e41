"""Tags, files and figures of a step, as stated by the caller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.exceptions import InvalidInput
from memoranda.text import normalise

MAX_TAGS, MAX_FILES = 12, 20
"""Maximum number of tags and files that a caller may state."""
TAG, PATH = 100, 1_000
"""Maximum length of a tag and of a path, in characters."""
LARGEST = 10**12
RESERVED = frozenset({"compaction", "envelope", "excluded", "recalled", "thinking"})
"""Tags with which Memoranda hides an observation or lowers its rank."""


@dataclass(frozen=True, slots=True)
class StepDetails:
    """Details of a step; the tags and files are added to those in the text."""

    tags: Sequence[str] = ()
    """Up to 12 tags, stored in lower case."""
    files: Sequence[str] = ()
    """Up to 20 paths of files that the step concerns."""
    tokens_used: int | None = None
    """Number of tokens that the agent's model spent on the step."""
    duration_ms: int | None = None

    def checked(self) -> StepDetails:
        """Return the details as they are stored.

        Raises:
            InvalidInput: there are too many tags or files, one is empty or too long, a tag is
                reserved, or a number is not a non-negative integer.
        """
        tags = dict.fromkeys(tag.lower() for tag in _texts("tag", self.tags, MAX_TAGS, TAG))
        if reserved := RESERVED.intersection(tags):
            raise InvalidInput(f"the tag {min(reserved)!r} is set by Memoranda itself")
        return StepDetails(
            tuple(tags),
            _texts("file", self.files, MAX_FILES, PATH),
            _figure("tokens_used", self.tokens_used),
            _figure("duration_ms", self.duration_ms),
        )


def _figure(name: str, value: int | None) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST:
        raise InvalidInput(f"{name} must be an integer from 0 to {LARGEST:,}")
    return value


def _texts(kind: str, values: Sequence[str], most: int, limit: int) -> tuple[str, ...]:
    if isinstance(values, str):
        raise InvalidInput(f"{kind}s must be a list of strings, not one string")
    result = tuple(dict.fromkeys(normalise(text).strip() for text in values))
    if len(result) > most:
        raise InvalidInput(f"an observation may have at most {most} {kind}s, not {len(result)}")
    for text in result:
        if not text or len(text) > limit:
            raise InvalidInput(f"a {kind} must have 1 to {limit:,} characters")
    return result
