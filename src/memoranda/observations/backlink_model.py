"""Backlinks of observations, and numbers of errors of tasks: values."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.memories.model import Category, MemoryStatus


@dataclass(frozen=True, slots=True)
class RestingMemory:
    """Memory that rests on an observation, in the form of a list item."""

    id: str
    title: str
    category: Category
    status: MemoryStatus


@dataclass(frozen=True, slots=True)
class Backlinks:
    """Links of one observation."""

    observation: str
    """Its id."""
    ref: str
    """Its short name."""
    ended_by: str
    """Short name of the fix that resolved it.

    Empty if there was none, or it is not an error.
    """
    ends: str
    """Short name of the error that it resolved; empty if none."""
    repeats: str
    """Short name of the earlier one that it repeats; empty if none."""
    memories: tuple[RestingMemory, ...]
    """Memories that rest on it, newest first."""
    open: bool = False
    """Whether it is an error that is not resolved."""
    failed_again: str = ""
    """Short name of the open failure of the same action, if nothing resolved this error before."""


@dataclass(frozen=True, slots=True)
class ErrorCount:
    """Number of errors of a task."""

    task: str
    """Its id."""
    errors: int
    open: int
    """Number of unresolved errors."""
