"""Who and what a read or a write is about."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memoranda.errors import InvalidInput

LOCAL_TEAM = "local"
"""The team of a store that one person keeps on one machine."""


@dataclass(frozen=True, slots=True)
class Scope:
    """(team, workspace?, agent?, task?): the store applies it to every statement.

    ``workspace``, ``agent`` and ``task`` narrow; None means "any within the team" when reading
    and "global to the team" when writing a memory.
    """

    team: str = LOCAL_TEAM
    workspace: str | None = None
    agent: str | None = None
    task: str | None = None

    def __post_init__(self) -> None:
        if not self.team:
            raise InvalidInput("a scope needs a team")

    def within(self, *, workspace: str | None = None, task: str | None = None) -> Scope:
        """Return this scope narrowed to a workspace or a task."""
        return replace(self, workspace=workspace or self.workspace, task=task or self.task)
