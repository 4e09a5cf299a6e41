"""The id of the acting agent: an argument, a setting, or a stored id."""

from __future__ import annotations

from pathlib import Path

from memoranda.agents.model import checked_id
from memoranda.config import Settings
from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.ids import IdSource
from memoranda.private_folders import private_folder
from memoranda.scope import PERSON

AUTO = "auto"
"""Value that selects the settings' agent id, or that of this installation."""
FILE = "agent"
RULE = "rule:"
"""Prefix of the names of approval rules, which are also recorded as actors in the journal."""


def identity(settings: Settings, agent: str | None, ids: IdSource) -> str | None:
    """Return the id of the acting agent; None for a person.

    ``agent`` takes precedence over the settings. If ``agent`` is `AUTO` and the settings name no
    agent, an id is generated once and stored in the data directory. An instance, if the settings
    have one, distinguishes several agents that run at the same time.

    Raises:
        InvalidInput: the id is empty, too long, or reserved for people.
        StorageUnusable: a generated id cannot be stored.
    """
    if agent is not None and not agent.strip():
        raise InvalidInput("the id of the agent is empty; omit the id to act as a person")
    named = settings.agent_id if agent in (None, AUTO) else agent
    if not named:
        return _stored_id(settings.data_dir / FILE, ids) if agent == AUTO else None
    if agent in (None, AUTO) and settings.agent_instance:
        named = f"{named}/{settings.agent_instance}"
    id = checked_id(named)
    if id == PERSON or id.startswith(RULE):
        raise InvalidInput(f"{id!r} is reserved; an agent's id must not be {PERSON!r} or {RULE}…")
    return id


def _stored_id(path: Path, ids: IdSource) -> str:
    try:
        private_folder(path.parent)
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(f"agent-{ids.new()}")
        except FileExistsError:
            pass  # stored earlier, or in the meantime by another process
        return path.read_text("utf-8").strip()
    except OSError as error:
        raise StorageUnusable(f"cannot store the agent's id in {path}: {error.strerror}") from error
