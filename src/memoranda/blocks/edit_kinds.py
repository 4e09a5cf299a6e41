"""The edits that a block can be given. Each says what becomes of the newest value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from memoranda.blocks import edits
from memoranda.blocks.model import BlockChangeKind


@dataclass(frozen=True, slots=True)
class BlockEdit:
    """What is to become of a value."""

    change: BlockChangeKind
    texts: tuple[str, ...]
    """What the writer brings in: secrets are taken out of it."""
    apply: Callable[..., str]
    """From the value and the texts to the next value."""
    reason: str = ""
    version: int | None = None
    """The version that the writer has read; another one is a conflict."""

    def with_texts(self, texts: tuple[str, ...]) -> BlockEdit:
        """Return the same edit with other texts."""
        return replace(self, texts=texts)

    def noted(self, reason: str, version: int | None) -> BlockEdit:
        """Return the same edit with a reason, for those who have read a version."""
        return replace(self, reason=reason, version=version)


def replacement(old: str, new: str, *, every: bool = False) -> BlockEdit:
    """Put a text in the place of another that occurs once, or of each occurrence."""
    return BlockEdit(BlockChangeKind.REPLACE, (old, new), partial(edits.replaced, every=every))


def insertion(text: str, *, line: int = -1, after: str | None = None) -> BlockEdit:
    """Add lines: after line ``line`` (0 start, -1 end), or after the line that has a text."""
    if after is None:
        return BlockEdit(BlockChangeKind.INSERT, (text,), partial(edits.inserted, line=line))
    return BlockEdit(BlockChangeKind.INSERT, (text, after), partial(_inserted_after, line=line))


def rewriting(value: str) -> BlockEdit:
    """Write a value anew."""
    return BlockEdit(BlockChangeKind.RETHINK, (value,), lambda _, anew: anew)


def patching(patch: str) -> BlockEdit:
    """Apply the hunks of a unified diff."""
    return BlockEdit(BlockChangeKind.PATCH, (patch,), edits.patched_value)


def _inserted_after(value: str, text: str, after: str, *, line: int) -> str:
    return edits.inserted(value, text, line=line, after=after)
