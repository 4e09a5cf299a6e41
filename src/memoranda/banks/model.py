"""Banks: what is known in one workspace, or in the whole team, seen as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memoranda.memories.model import Category, Memory
from memoranda.tasks.model import Task

GLOBAL = "global"
"""What the bank of the whole team is called; a workspace of that name is meant by its id."""


@dataclass(frozen=True, slots=True)
class Bank:
    """The memories and tasks of one place, counted."""

    workspace: str | None
    """The id; None for the whole team."""
    name: str
    memories: Mapping[Category, int]
    """Approved ones, most first."""
    pending: int
    """Memories that wait for a person."""
    tasks: int
    last_at: int | None
    """When anything happened last, in microseconds; None where nothing has."""


@dataclass(frozen=True, slots=True)
class BankDetail:
    """A bank with the newest of what it holds."""

    bank: Bank
    entries: Mapping[Category, tuple[Memory, ...]]
    """Approved memories by category, newest first, a few of each."""
    tasks: tuple[Task, ...]
    """Newest activity first, a few."""
