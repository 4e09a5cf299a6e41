"""MCP over standard input and output, for a host that starts this program.

The caller is an agent unless the person who starts the program chooses another role: the caller is
a model, not a person.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from memoranda.agents.acting_agent import AUTO
from memoranda.api.mcp.mcp_server import Context, server
from memoranda.api.mcp.tools import ToolProfile
from memoranda.api.mcp.unanswered_requests import PendingAnswers
from memoranda.api.mcp.unreadable_messages import relay
from memoranda.api.service import Service
from memoranda.config import Settings
from memoranda.exceptions import StorageError
from memoranda.hook_session import start_drain
from memoranda.identity.principal import Principal, Role
from memoranda.scope import PERSON

PATIENCE_SECONDS = 3.0
"""Seconds that a call waits for another process to import the event files."""
UNNAMED = "mcp"
"""Agent id for a host that does not send its name."""
_OUTSIDE = re.compile(r"[^A-Za-z0-9@._+-]+")

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StdioOptions:
    """Options chosen by the person who starts the server."""

    profile: ToolProfile = ToolProfile.DEFAULT
    role: Role = Role.AGENT
    agent: str | None = None
    workspace: str | None = None


class StdioSession:
    """Session for the caller of a process; the first request opens the store."""

    def __init__(self, settings: Settings, starting: StdioOptions) -> None:
        self._settings = settings
        self._starting = starting
        self._opening = threading.Lock()
        self._service: Service | None = None
        self._workspace = starting.workspace

    def service(self) -> Service:
        """Return the open service, after storing the events that hooks wrote."""
        with self._opening:
            if self._service is None:
                self._service = Service(self._settings)
            self._take_in(self._service)
            return self._service

    def principal(self, context: Context) -> Principal:
        """Return the caller.

        Role and workspace come from the start options; by default the folder determines the
        workspace.
        """
        role, workspace = self._starting.role, self._place()
        if role is not Role.AGENT:
            return Principal(self._settings.team, PERSON, role, workspace=workspace)
        agent = self._agent(context)
        subject = _OUTSIDE.sub("-", agent).strip("-@._+") or UNNAMED
        return Principal(self._settings.team, subject[:200], role, agent, workspace)

    def close(self) -> None:
        """Close the store if it is open."""
        with self._opening:
            if self._service is not None:
                self._service.close()

    def _agent(self, context: Context) -> str:
        """Return the agent of the start options, else the settings, else the host."""
        if named := self._starting.agent:
            return named
        chosen = self._settings.agent_id
        if chosen and chosen != AUTO:
            instance = self._settings.agent_instance
            return f"{chosen}/{instance}" if instance else chosen
        client = context.session.client_params
        name = client.client_info.name if client else ""
        return _OUTSIDE.sub("-", name).strip("-@._+")[:80] or UNNAMED

    def _place(self) -> str | None:
        """Return the workspace of the host's working folder, if there is one."""
        if self._workspace is None and self._service is not None:
            try:
                folder = os.getcwd()  # noqa: PTH109 - as the host sets it, unresolved
            except FileNotFoundError:  # the folder was deleted
                return None
            owner = Principal(self._settings.team, PERSON, Role.READER)
            workspace = self._service.memory(owner).workspace_of(folder)
            self._workspace = workspace.name if workspace else None
        return self._workspace

    def _take_in(self, service: Service) -> None:
        owner = Principal(self._settings.team, PERSON, Role.ADMIN)
        try:
            service.memory(owner).capture.catch_up(
                PATIENCE_SECONDS, partial(start_drain, always=True)
            )
        except StorageError as error:
            log.warning("the spool was not drained: %s", error)


def serve(settings: Settings, starting: StdioOptions) -> None:
    """Serve requests on standard input and output until the input ends."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    session = StdioSession(settings, starting)
    try:
        anyio.run(_serve, session, starting.profile)
    except KeyboardInterrupt:
        pass  # ended by the person who started the server
    finally:
        session.close()


async def _serve(session: StdioSession, profile: ToolProfile) -> None:
    answering: Any = server(session, profile)
    readable: Any
    to, readable = anyio.create_memory_object_stream(0)
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
        answers = PendingAnswers(outgoing)
        tasks.start_soon(relay, answers.awaited(incoming), to, answers)
        await answering.run(readable, answers, answering.create_initialization_options())
