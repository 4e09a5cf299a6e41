"""The open store and the caller's scope, for the memory object and its resources."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from memoranda.assembly.services import Services
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, Workspace
from memoranda.text import normalise
from memoranda.workspaces import table as workspaces
from memoranda.workspaces.recognition import (
    WorkspaceIdentity,
    find_or_make_workspace,
)

if TYPE_CHECKING:
    from memoranda.capture.event import Event
    from memoranda.observations.model import Observation

ALL = "all"
"""Name that represents every workspace of the team."""


class ScopedStore:
    """Open store, seen from one scope."""

    def __init__(self, rooms: Services, scope: Scope) -> None:
        self._rooms = rooms
        self._scope = scope
        self._database = rooms.database
        self._telemetry = rooms.telemetry

    @property
    def acting(self) -> str | None:
        """Return the acting agent; None for a person."""
        return self._scope.agent

    @property
    def workspace(self) -> str | None:
        """Return the workspace of the memory; None where it covers the team.

        It is the one that the memory was opened with.
        """
        return self._scope.workspace

    @property
    def _actor(self) -> str:
        """Return the actor in the journal: the agent, or the person.

        It is the person at the keyboard.
        """
        return self._scope.actor

    def _task(self, id: str) -> Task:
        """Return one task by its number, its id, or a unique prefix of the id.

        Raises:
            NotFound: there is none.
        """
        team, id = self._scope.team, normalise(id)
        if id.isdecimal() and len(id) < 8:
            numbered = self._database.read(lambda tx: tasks.by_number(tx, team, int(id)))
            if numbered:
                return numbered
        found = self._database.read(lambda tx: tasks.by_prefix(tx, team, id))
        if len(found) > 1 and found[0].id != id:
            raise InvalidInput(
                f"more than one task begins with {id!r}; use a longer prefix of the id"
            )
        if not id or not found:
            raise NotFound(f"no task {id!r}; `memoranda task list` shows them")
        return found[0]

    def _within(self, workspace: str | None, task: str | None, *, new: bool = False) -> Scope:
        """Return the scope of a workspace or task; a task brings its workspace."""
        place = None if workspace == ALL else self._scope.workspace
        if workspace and workspace != ALL:
            found = self._named_or_new(workspace) if new else self._named(workspace)
            place = found.id
        if not task:
            return replace(self._scope, workspace=place)
        chosen = self._task(task)
        if place not in (None, chosen.workspace):
            raise NotFound(f"no task {task!r} in this workspace; `memoranda task list` shows them")
        return replace(self._scope, workspace=chosen.workspace, task=chosen.id)

    def _named(self, workspace: str) -> Workspace:
        workspace = normalise(workspace)

        def work(tx: Transaction) -> Workspace | None:
            team = self._scope.team
            return workspaces.by_label(tx, team, workspace) or workspaces.by_id(tx, team, workspace)

        found = self._database.read(work)
        if found is None:
            team = self._scope.team
            listed = self._database.read(lambda tx: workspaces.listed(tx, team, "", 10))
            known = ", ".join(place.name for place in listed) or "none yet"
            raise NotFound(f"no workspace {workspace!r}; known: {known}")
        return found

    def _named_or_new(self, name: str) -> Workspace:
        identity, rooms = WorkspaceIdentity.named(one_place(name)), self._rooms
        known = self._known(identity.name)
        if known is None:
            rooms.sanitiser.checked_name("the name of a workspace", identity.name)
        team, ids, now = self._scope.team, rooms.ids, rooms.clock.now()
        return known or self._database.write(
            lambda tx: find_or_make_workspace(tx, team, identity, ids, now)
        )

    def _known(self, workspace: str) -> Workspace | None:
        """Return the workspace of an id or a name, if there is one."""
        team = self._scope.team

        def work(tx: Transaction) -> Workspace | None:
            by_id = workspaces.by_id(tx, team, workspace)
            return by_id or workspaces.by_label(tx, team, workspace)

        return self._database.read(work)

    def _label(self, workspace: str | None) -> str | None:
        """Return the workspace name to store under.

        An id is converted to its name, a new name is unchanged.
        """
        wanted = normalise(workspace or self._scope.workspace or "")
        if not one_place(wanted):
            return None
        found = self._known(wanted)
        if found is None:
            self._rooms.sanitiser.checked_name("the name of a workspace", wanted)
        return found.name if found else wanted

    def _session(self, task: str, workspace: str | None) -> tuple[str, str]:
        task = normalise(task)
        found = self._database.read(lambda tx: tasks.by_id(tx, self._scope.team, task))
        if found:
            return found.host, found.session
        self._rooms.sanitiser.checked_name("the name of a task", task)
        return "api", f"{task}@{quote(workspace)}" if workspace else task

    def _stored(self, event: Event) -> Observation:
        from memoranda.capture.event_preparation import event_key
        from memoranda.observations import table as observations

        found = self._database.read(
            lambda tx: observations.by_event(tx, self._scope.team, event_key(event))
        )
        if found is None:
            raise NotFound("this event was forgotten before and is not stored again")
        return found


def one_place(workspace: str) -> str:
    """Return the name of a workspace to write to.

    Raises:
        InvalidInput: it represents all of them.
    """
    if workspace == ALL:
        raise InvalidInput(f"{ALL!r} means every workspace; specify one to write to")
    return workspace


def member(kind: Any, value: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        known = ", ".join(kind)
        raise InvalidInput(f"{value!r} is not one of {known}") from None


def number(cursor: str) -> int:
    if not (cursor.isdecimal() and len(cursor) < 19):
        raise InvalidInput(f"{cursor!r} is not a cursor of this list")
    return int(cursor)
