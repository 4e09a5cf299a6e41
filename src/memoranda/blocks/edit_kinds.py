"""The edits that a block can be given. Each says what becomes of the newest value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from memoranda.blocks import edits
from memoranda.blocks.model import Change


@dataclass(frozen=True, slots=True)
class Edit:
    """What is to become of a value."""

    change: Change
    texts: tuple[str, ...]
    """What the writer brings in: secrets are taken out of it."""
    apply: Callable[..., str]
    """From the value and the texts to the next value."""
    reason: str = ""
    version: int | None = None
    """The version that the writer has read; another one is a conflict."""

    def with_texts(self, texts: tuple[str, ...]) -> Edit:
        """Return the same edit with other texts."""
        return replace(self, texts=texts)

    def noted(self, reason: str, version: int | None) -> Edit:
        """Return the same edit with a reason, for those who have read a version."""
        return replace(self, reason=reason, version=version)


def replacement(old: str, new: str, *, every: bool = False) -> Edit:
    """Put a text in the place of another that occurs once, or of each occurrence."""
    return Edit(Change.REPLACE, (old, new), partial(edits.replaced, every=every))


def insertion(text: str, *, line: int = -1, after: str | None = None) -> Edit:
    """Add lines: after line ``line`` (0 start, -1 end), or after the line that has a text."""
    if after is None:
        return Edit(Change.INSERT, (text,), partial(edits.inserted, line=line))
    return Edit(Change.INSERT, (text, after), partial(_inserted_after, line=line))


def rewriting(value: str) -> Edit:
    """Write a value anew."""
    return Edit(Change.RETHINK, (value,), lambda _, anew: anew)


def patching(patch: str) -> Edit:
    """Apply the hunks of a unified diff."""
    return Edit(Change.PATCH, (patch,), edits.patched_value)


def _inserted_after(value: str, text: str, after: str, *, line: int) -> str:
    return edits.inserted(value, text, line=line, after=after)
