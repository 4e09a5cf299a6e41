"""Agents: list and show known agents and their shared blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.agents import table as agents
from memoranda.exceptions import NotFound
from memoranda.operation_declaration import read
from memoranda.page import Page, checked_limit, page_of, place_of
from memoranda.resource import Resource

if TYPE_CHECKING:
    from memoranda.agents.model import Agent, AttachedBlock


class AgentsResource(Resource):
    """``memory.agents``: agents that have acted."""

    @read("agents.list", alias=("agent.list",))
    def list(self, *, cursor: str | None = None, limit: int = 50) -> Page[Agent]:
        """List known agents, by id."""
        checked_limit(limit)
        team, after = self._scope.team, place_of(cursor, first="")
        found = self._database.read(
            lambda tx: agents.listed(tx, team, after=after, limit=limit + 1)
        )
        return page_of(found, limit, lambda agent: agent.id)

    @read("agents.show", alias=("agent.show",))
    def show(self, id: str) -> Agent:
        """Show an agent.

        Raises:
            NotFound: there is no agent with this id.
        """
        agent = self._database.read(lambda tx: agents.by_id(tx, self._scope.team, id))
        if agent is None:
            raise NotFound(f"no agent {id!r}; `memoranda agent list` lists the agents")
        return agent

    @read("agents.blocks", alias=("agent.blocks",))
    def blocks(self, id: str) -> tuple[AttachedBlock, ...]:
        """List the shared blocks of an agent, and the agent's role in each."""
        return tuple(
            self._database.read(lambda tx: agents.attached_blocks(tx, self._scope.team, id))
        )
