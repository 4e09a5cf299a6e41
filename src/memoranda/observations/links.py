"""What hangs on observations and tasks."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.memories.model import Category, MemoryStatus


@dataclass(frozen=True, slots=True)
class RestingMemory:
    """A memory that rests on an observation, as a list has it."""

    id: str
    title: str
    category: Category
    status: MemoryStatus


@dataclass(frozen=True, slots=True)
class Backlinks:
    """What hangs on one observation."""

    observation: str
    """Its id."""
    ref: str
    """Its short name."""
    ended_by: str
    """The short name of the fix that ended it; empty: none did, or it is no error."""
    ends: str
    """The short name of the error that it ended; empty: none."""
    repeats: str
    """The short name of the earlier one that it repeats; empty: none."""
    memories: tuple[RestingMemory, ...]
    """Those that rest on it, newest first."""


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """How many errors a task has had."""

    task: str
    """Its id."""
    errors: int
    open: int
    """Those that nothing has ended."""
