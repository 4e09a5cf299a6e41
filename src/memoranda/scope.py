"""Scope of a read or write: team, workspace, agent, task and person."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput

if TYPE_CHECKING:
    from memoranda.workspaces.recognition import WorkspaceIdentity

LOCAL_TEAM = "local"
"""Team of a store that one person uses on one machine."""
PERSON = "human"
"""Name of the local person, for whom no other name is needed."""


NEW_FOLDER = "00000000-0000-0000-0000-000000000000"
"""Workspace id for folders without captures, in which only global memories are visible."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Scope (team, workspace?, agent?, task?) of every statement.

    The store enforces the scope. ``workspace``, ``agent`` and ``task`` restrict it; None means "any
    within the team" when reading and "global to the team" when writing a memory.
    """

    team: str = LOCAL_TEAM
    workspace: str | None = None
    agent: str | None = None
    task: str | None = None
    person: str = PERSON
    """Actor if there is no acting agent; it does not restrict the scope."""
    sees_private_blocks: bool = True
    """Whether a person sees the private blocks of agents."""
    new_workspace: WorkspaceIdentity | None = None
    """Identity of ``workspace``, if the write must create the workspace in the same transaction."""

    def __post_init__(self) -> None:
        if not self.team:
            raise InvalidInput("a scope needs a team")

    @property
    def actor(self) -> str:
        """Return the actor for the journal and for stored records."""
        return self.agent or self.person

    def within(self, *, workspace: str | None = None, task: str | None = None) -> Scope:
        """Return this scope, restricted to a workspace or task."""
        return replace(self, workspace=workspace or self.workspace, task=task or self.task)
