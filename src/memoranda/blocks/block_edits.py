"""Kinds of block edits; each computes the new value from the newest one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from memoranda.blocks import text_edits
from memoranda.blocks.model import BlockChangeKind


@dataclass(frozen=True, slots=True)
class BlockEdit:
    """An edit of a value."""

    change: BlockChangeKind
    texts: tuple[str, ...]
    """Texts that the writer adds, from which secrets are removed."""
    apply: Callable[..., str]
    """Function that returns the next value, given the value and the texts."""
    reason: str = ""
    version: int | None = None
    """Version that the writer has read; a different current version is a conflict."""

    def with_texts(self, texts: tuple[str, ...]) -> BlockEdit:
        """Return the same edit with other texts."""
        return replace(self, texts=texts)

    def noted(self, reason: str, version: int | None) -> BlockEdit:
        """Return the same edit with a reason and the version that was read."""
        return replace(self, reason=reason, version=version)


def replacement(old: str, new: str, *, every: bool = False) -> BlockEdit:
    """Return an edit that replaces a unique text, or each occurrence."""
    return BlockEdit(BlockChangeKind.REPLACE, (old, new), partial(text_edits.replaced, every=every))


def insertion(text: str, *, line: int = -1, after: str | None = None) -> BlockEdit:
    """Return an edit that adds lines.

    The lines are added after line ``line`` (0: start, -1: end), or after the line containing
    ``after``.
    """
    if after is None:
        return BlockEdit(BlockChangeKind.INSERT, (text,), partial(text_edits.inserted, line=line))
    return BlockEdit(BlockChangeKind.INSERT, (text, after), partial(_inserted_after, line=line))


def rewriting(value: str) -> BlockEdit:
    """Return an edit that replaces the whole value."""
    return BlockEdit(BlockChangeKind.RETHINK, (value,), lambda _, anew: anew)


def patching(patch: str) -> BlockEdit:
    """Return an edit that applies the hunks of a unified diff."""
    return BlockEdit(BlockChangeKind.PATCH, (patch,), text_edits.patched_value)


def _inserted_after(value: str, text: str, after: str, *, line: int) -> str:
    return text_edits.inserted(value, text, line=line, after=after)
