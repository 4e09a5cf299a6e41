"""Types for backlinks of observations and error counts of tasks."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.memories.model import Category, MemoryStatus


@dataclass(frozen=True, slots=True)
class RestingMemory:
    """Memory based on an observation, as a list item."""

    id: str
    title: str
    category: Category
    status: MemoryStatus


@dataclass(frozen=True, slots=True)
class Backlinks:
    """Links of one observation."""

    observation: str
    """Id of the observation."""
    ref: str
    """Short name of the observation."""
    ended_by: str
    """Short name of the fix that resolved the error.

    Empty if there was no fix, or the observation is not an error.
    """
    ends: str
    """Short name of the error that the observation resolved; empty if there is none."""
    repeats: str
    """Short name of the earlier observation that this observation repeats; empty if there is none.
    """
    memories: tuple[RestingMemory, ...]
    """Memories based on the observation, newest first."""
    open: bool = False
    """Whether the observation is an unresolved error."""
    failed_again: str = ""
    """Short name of the next failure of the same action, if that failure is still open and this one
    was not resolved before it.
    """


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """Numbers of errors of a task."""

    task: str
    """Id of the task."""
    errors: int
    open: int
    """Number of unresolved errors."""
