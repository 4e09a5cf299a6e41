"""Reports whether each local coding agent's sessions are recorded."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda import hook_event
from memoranda.assembly.services import Services
from memoranda.hooks.status import HookPresence, hook_presences
from memoranda.text import counted

if TYPE_CHECKING:
    from memoranda.upkeep.missing_sessions import MissingSessions


@dataclass(frozen=True, slots=True, kw_only=True)
class HostHooks:
    """State of the hooks in one settings file of a coding agent."""

    host: str
    """Name of the coding agent, such as ``claude-code``."""
    title: str
    path: str
    """Settings file of the agent."""
    installed: bool
    problems: tuple[str, ...]
    """Problems that prevent the hooks from running or recording; empty if there are none."""
    fix: str
    """Command or edit that fixes the problems; empty if there are none."""
    last_event_at: int | None
    """Time of the agent's last event in microseconds; None if there was none."""
    broken: bool
    """Whether the target of the commands is missing or cannot be run."""
    detail: str
    """Where they are installed, where they write, and whether they are off in this folder."""


def host_hooks(services: Services, *, trial: bool) -> list[HostHooks]:
    """Return the hooks in each settings file on this machine; change nothing.

    Args:
        trial: start the interpreters that the user's settings name, to see that they run.
    """
    newest = services.spool.newest()
    presences = hook_presences(services.settings.data_dir, _folder(), os.environ, trial=trial)
    states, compared = list[HostHooks](), set[str]()
    for presence in presences:
        found = _compared(presence, services.settings.data_dir)
        state = _state(found, newest.get(found.host.name))
        if state.installed and found is presence and state.host not in compared:
            from memoranda.upkeep.missing_sessions import missing_sessions  # rarely needed

            compared.add(state.host)
            state = _with_missing(state, missing_sessions(services, found.host))
        states.append(state)
    return states


def _with_missing(state: HostHooks, missing: MissingSessions | None) -> HostHooks:
    """Add sessions that are not in the store because a hook could not write."""
    if missing is None:
        return state
    is_one = missing.count == 1
    trouble = f"{counted(missing.count, 'recent session')} {'is' if is_one else 'are'} not stored"
    add = f"memoranda import {shlex.quote(str(missing.folder))}"
    return replace(state, problems=(*state.problems, trouble), fix=state.fix or add)


def _compared(found: HookPresence, data_dir: Path) -> HookPresence:
    """Add the problem that hooks write to another data directory.

    Hooks without a directory use the environment of the coding agent, which is not known here.
    """
    usual = {key: value for key, value in os.environ.items() if key != "MEMORANDA_DATA_DIR"}
    target = found.data_dir or Path(hook_event.data_dir(usual))
    if not found.installed or target.resolve() == data_dir.resolve():
        return found
    unless = "" if found.data_dir else ", unless the agent itself runs with MEMORANDA_DATA_DIR"
    trouble = f"they write to {target}, but this data directory is {data_dir}{unless}"
    again = f"memoranda install {found.host.name} --data-dir {shlex.quote(str(data_dir))}"
    return replace(found, trouble=(*found.trouble, trouble), fix=found.fix or again)


def _state(found: HookPresence, last_event_at: int | None) -> HostHooks:
    return HostHooks(
        host=found.host.name,
        title=found.host.title,
        path=str(found.path),
        installed=found.installed or found.plugin,
        broken=found.broken,
        problems=found.trouble,
        fix=found.fix,
        last_event_at=last_event_at,
        detail=f"{found.place}{_off_here()}",
    )


def _off_here() -> str:
    """Return that capture is switched off in the current folder; or empty."""
    folder = hook_event.switched_off_in(os.fsencode(_folder()))
    return f", switched off in {os.fsdecode(folder)} by {hook_event.OFF}" if folder else ""


def _folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # the current folder was removed
        return Path("/")
