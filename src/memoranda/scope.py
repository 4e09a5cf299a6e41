"""Who and what a read or a write is about."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memoranda.exceptions import InvalidInput

LOCAL_TEAM = "local"
"""The team of a store that one person keeps on one machine."""
PERSON = "human"
"""The person at the keyboard of that machine, who needs no other name."""


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
    person: str = PERSON
    """Who acts where no agent does; it narrows nothing."""

    def __post_init__(self) -> None:
        if not self.team:
            raise InvalidInput("a scope needs a team")

    @property
    def actor(self) -> str:
        """Who acts, as the journal and what is written name it."""
        return self.agent or self.person

    def within(self, *, workspace: str | None = None, task: str | None = None) -> Scope:
        """Return this scope narrowed to a workspace or a task."""
        return replace(self, workspace=workspace or self.workspace, task=task or self.task)
