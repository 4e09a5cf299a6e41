"""One open memory, used as people and agents in several workspaces."""

from __future__ import annotations

from dataclasses import replace

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.config import Settings
from memoranda.scope import Scope


def opened(settings: Settings, clock: FixedClock | None = None) -> Memoranda:
    """Open a store without an embedder, as a person."""
    return Memoranda(Services(replace(settings, embedder="none"), clock), Scope())


def acting(memory: Memoranda, agent: str | None, workspace: str | None = None) -> Memoranda:
    """Return the same open memory as an agent or as a person."""
    place = memory._named_or_new(workspace).id if workspace else None
    return Memoranda(memory._services, Scope(memory._scope.team, place, agent))


def begun(memory: Memoranda, name: str = "one", workspace: str = "shop") -> str:
    """Begin a task; return its id."""
    return memory.observe(f"begin {name}", task=name, workspace=workspace).task
