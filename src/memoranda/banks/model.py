"""Banks: the memories and tasks of a workspace or team, with counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memoranda.memories.model import Category, Memory
from memoranda.tasks.model import Task

GLOBAL = "global"
"""Name of the bank for the whole team.

A workspace with that name is addressed by its id.
"""


@dataclass(frozen=True, slots=True)
class Bank:
    """Counts of the memories and tasks of a workspace or the team."""

    workspace: str | None
    """Id of the workspace; None for the whole team."""
    name: str
    memories: Mapping[Category, int]
    """Number of approved memories by category, largest first."""
    pending: int
    """Number of pending memories."""
    tasks: int
    last_at: int | None
    """Time of the last activity in microseconds; None if there was none."""


@dataclass(frozen=True, slots=True)
class BankDetail:
    """A bank with its newest memories and tasks."""

    bank: Bank
    entries: Mapping[Category, tuple[Memory, ...]]
    """The newest approved memories of each category."""
    tasks: tuple[Task, ...]
    """The newest tasks, by latest activity."""
