"""Which agent acts: the one that is named, the one the settings name, or one that is kept."""

from __future__ import annotations

from pathlib import Path

from memoranda.agents.model import checked_id
from memoranda.config import Settings
from memoranda.exceptions import StorageUnusable
from memoranda.ids import IdSource
from memoranda.private_folders import private_folder

AUTO = "auto"
"""Stands for the agent of the settings, or else for one of this installation's own."""
FILE = "agent"


def identity(settings: Settings, given: str | None, ids: IdSource) -> str | None:
    """Return the id of the agent that acts; None for a person.

    ``given`` goes before the settings. Where it is `AUTO` and the settings name nobody, an id is
    made once and kept in the data directory. An instance, if the settings have one, tells several
    that run at once apart.

    Raises:
        InvalidInput: the id is too long.
        StorageUnusable: an id cannot be kept.
    """
    named = settings.agent_id if given in (None, AUTO) else given
    if not named:
        return _kept(settings.data_dir / FILE, ids) if given == AUTO else None
    if given in (None, AUTO) and settings.agent_instance:
        named = f"{named}/{settings.agent_instance}"
    return checked_id(named)


def _kept(path: Path, ids: IdSource) -> str:
    try:
        private_folder(path.parent)
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(f"agent-{ids.new()}")
        except FileExistsError:
            pass  # made before, or by another process that was faster
        return path.read_text("utf-8").strip()
    except OSError as error:
        raise StorageUnusable(f"cannot keep the agent's id in {path}: {error.strerror}") from error
