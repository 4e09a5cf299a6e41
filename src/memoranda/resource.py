"""The store seen from one scope, and the base class of the resources."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from memoranda.exceptions import Conflict, InvalidInput, MemorandaError, NotFound
from memoranda.ids import ambiguous, is_uuid
from memoranda.json_data import JsonValue
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.tasks.model import NAMED_BY_CALLER, Task, Workspace
from memoranda.tasks.reference import (
    TaskReference,
    checked,
    checked_name,
    find,
    find_session,
    find_to_write,
    session_of,
)
from memoranda.text import clip, is_blank, normalise
from memoranda.workspaces import table as workspaces
from memoranda.workspaces.recognition import WorkspaceIdentity, find_or_make_workspace

if TYPE_CHECKING:
    from memoranda.assembly.services import Services
    from memoranda.capture.event import Event
    from memoranda.memory import Memoranda
    from memoranda.observations.model import Observation

ALL = "all"
"""Name that stands for every workspace of the team."""
MAX_NAME = 200
"""Maximum number of characters of a workspace name."""
HANDLER_WAIT_SECONDS = 0.5
"""Maximum seconds that a call waits for event handlers.

Slower handlers finish when the memory is closed.
"""


logger = logging.getLogger(__name__)


class ScopedStore:
    """The open store, restricted to the caller's scope."""

    def __init__(self, services: Services, scope: Scope) -> None:
        self._services = services
        self._scope = scope
        self._database = services.database
        self._telemetry = services.telemetry

    @property
    def acting(self) -> str | None:
        """Return the acting agent; None for a person."""
        return self._scope.agent

    @property
    def workspace(self) -> str | None:
        """Return the workspace with which the memory was opened.

        The result is None if the memory covers the whole team.
        """
        return self._scope.workspace

    @property
    def _actor(self) -> str:
        """Return the actor for the journal: the agent, or else the person."""
        return self._scope.actor

    def _task(self, reference: TaskReference, place: str | None = None) -> Task:
        """Return the task that a reference denotes, preferably in the workspace.

        Raises:
            InvalidInput: the reference is empty, too long or ambiguous.
            NotFound: there is no such task.
        """
        team, near = self._scope.team, place or self._scope.workspace
        return self._database.read(lambda tx: find(tx, team, reference, near))

    def _record_id(self, id: str) -> str:
        """Return the full id of an observation, memory or error from a prefix.

        Raises:
            NotFound: no record has this prefix.
            InvalidInput: several records have it.
        """
        from memoranda.errors import note_table as error_notes
        from memoranda.memories import table as memories
        from memoranda.observations import table as observations

        team, id = self._scope.team, normalise(id)
        agent = self._scope.agent

        def work(tx: Transaction) -> list[str]:
            return [
                *observations.matching_name(tx, team, id),
                *memories.by_prefix(tx, team, id, agent),
                *error_notes.by_prefix(tx, team, id),
            ]

        found = self._database.read(work) if id else []
        if not found:
            raise NotFound(f"no observation or memory {id!r}")
        if len(found) > 1:
            raise InvalidInput(ambiguous("record", id, found))
        return found[0]

    def _record_ids(self, ids: Iterable[str], *, known: bool = True) -> tuple[str, ...]:
        """Return the full ids for full ids, short names and prefixes.

        Without ``known``, a name that denotes no record is returned unchanged; the code that uses
        it reports which record is missing.
        """

        def whole(id: str) -> str:
            try:
                return id if is_uuid(id) else self._record_id(id)
            except NotFound:
                if known:
                    raise
                return id

        return tuple(map(whole, ids))

    def _within(
        self, workspace: str | None, task: TaskReference | None, *, new: bool = False
    ) -> Scope:
        """Return the scope of a workspace, or of a task with its workspace.

        With ``new``, the workspace need not exist: if it does not, the write creates it
        (`with_workspace`).

        Raises:
            InvalidInput: the workspace is an empty string, which would otherwise select all
                workspaces.
        """
        require_name(workspace)
        place, identity = None if workspace == ALL else self._scope.workspace, None
        if workspace and workspace != ALL and new:
            place, identity = self._new_place(workspace)
        elif workspace and workspace != ALL:
            place = self._named(workspace).id
        if task is None:
            return replace(self._scope, workspace=place, new_workspace=identity)
        chosen = self._task(task, place)
        if place not in (None, chosen.workspace):
            raise NotFound(
                f"no task {task!r} in this workspace; `memoranda task list` lists the tasks"
            )
        return replace(self._scope, workspace=chosen.workspace, task=chosen.id)

    def _named(self, workspace: str) -> Workspace:
        workspace = normalise(workspace)

        def work(tx: Transaction) -> Workspace | None:
            team = self._scope.team
            return workspaces.by_label(tx, team, workspace) or workspaces.by_id(tx, team, workspace)

        result = self._database.read(work)
        if result is None:
            team = self._scope.team
            listed = self._database.read(lambda tx: workspaces.listed(tx, team, "", 10))
            names = ", ".join(place.name for place in listed) or "none yet"
            raise NotFound(f"no workspace {workspace!r}; known: {names}")
        return result

    def _named_or_new(self, name: str) -> Workspace:
        identity, services = WorkspaceIdentity.named(one_place(name)), self._services
        existing = self._existing(identity.name)
        if existing is None:
            require_short(identity.name)
            services.sanitiser.checked_label("the name of a workspace", identity.name)
        team, ids, now = self._scope.team, services.ids, services.clock.now()
        return existing or self._database.write(
            lambda tx: find_or_make_workspace(tx, team, identity, ids, now)
        )

    def _new_place(self, name: str) -> tuple[str, WorkspaceIdentity | None]:
        """Return a workspace's id, and its identity if it must be created."""
        planned = self._services.new_workspaces.get(name)
        identity = planned or WorkspaceIdentity.named(one_place(name))
        if workspace := self._existing(name if planned else identity.name):
            return workspace.id, None
        if planned:
            return name, planned
        require_short(identity.name)
        self._services.sanitiser.checked_label("the name of a workspace", identity.name)
        return self._services.ids.new(), identity

    def _existing(self, workspace: str) -> Workspace | None:
        """Return the workspace with an id or a name, if there is one."""
        team = self._scope.team

        def work(tx: Transaction) -> Workspace | None:
            by_id = workspaces.by_id(tx, team, workspace)
            return by_id or workspaces.by_label(tx, team, workspace)

        return self._database.read(work)

    def _label(self, workspace: str | None) -> str | None:
        """Return the workspace name to be stored.

        An id is converted to the workspace's name; a new name is unchanged.
        """
        require_name(workspace)
        wanted = normalise(workspace or self._scope.workspace or "")
        if not one_place(wanted):
            return None
        found = self._existing(wanted)
        if found is None:
            require_short(wanted)
            self._services.sanitiser.checked_label("the name of a workspace", wanted)
        return found.name if found else wanted

    def _session(
        self, task: TaskReference, workspace: str | None, *, new: bool = False
    ) -> tuple[str, str]:
        """Return the host and session of a task to write to.

        A new name creates a task. With ``new``, the text is treated as a name even if it looks like
        a number or an id. ``workspace`` is a name.
        """
        place = self._existing(workspace) if workspace else None
        # a workspace that does not exist yet is identified by its name
        where = place.id if place else workspace
        find_it = find_session if new else find_to_write
        name = checked_name(task) if new else checked(task)
        found = self._database.read(lambda tx: find_it(tx, self._scope.team, name, where))
        if found:
            return found.host, found.session
        self._services.sanitiser.checked_label("the name of a task", name)
        return NAMED_BY_CALLER, session_of(name, workspace)

    def _stored(self, event: Event, written: Observation | None = None) -> Observation:
        """Return the observation stored for an event.

        ``written`` is what this call stored; it is empty for a repeated key. The observation is
        returned even if another process has replaced the store since, because it was committed.

        Raises:
            Conflict: the key was stored with other content, so this content would be dropped
                silently.
            NotFound: the event was forgotten.
        """
        from memoranda.capture.event_preparation import event_key
        from memoranda.observations import table as observations

        observation = self._database.read(
            lambda tx: observations.by_event(tx, self._scope.team, event_key(event))
        )
        observation = observation or written
        if observation is None:
            raise NotFound("this event was forgotten and is not stored again")
        hash_of = self._services.intake.content_hash
        if written is None and hash_of(event) != observation.content_hash:
            raise Conflict(
                f"{observation.ref} has the key {clip(event.key, 60)!r} with other content; "
                "nothing was stored; use another key"
            )
        return observation


class Resource(ScopedStore):
    """Operations of one resource; others are at ``self.memory.<resource>``."""

    def __init__(self, memory: Memoranda) -> None:
        super().__init__(memory._services, memory._scope)
        self.memory = memory

    def _note_copy(self, operation: str, subject: str, detail: Mapping[str, JsonValue]) -> None:
        """Record in the journal that data was copied out of the store.

        The copy is complete; a store that cannot be written, as on a full disk, only logs it.
        """
        from memoranda.journal import table as journal

        now = self._services.clock.now()
        note = journal.NewJournalEntry(now, self._actor, operation, subject, detail)
        try:
            self._database.write(lambda tx: journal.append(tx, self._scope.team, note))
        except MemorandaError as error:
            logger.warning(
                "%s was not recorded in the journal", operation, extra={"code": error.code}
            )

    def _wait_for_handlers(self, seconds: float | None = HANDLER_WAIT_SECONDS) -> None:
        """Wait for the event handlers, for at most ``seconds`` if passed."""
        if handlers := vars(self._services).get("bus"):
            handlers.settle(seconds)


def require_name(workspace: str | None) -> None:
    """Refuse a workspace name that is empty or invisible.

    An empty variable in a script must not select all workspaces.

    Raises:
        InvalidInput: the name is empty, or cannot be encoded.
    """
    if workspace is not None and is_blank(workspace):
        raise InvalidInput(
            f"the workspace name is empty; omit it for the default, or pass {ALL!r} for every one"
        )
    if workspace is not None and normalise(workspace) != workspace.replace("\0", "\u2400"):
        raise InvalidInput(
            "the workspace name contains a lone surrogate, which is not a"
            " character; omit the surrogate"
        )


def require_short(name: str) -> None:
    """Refuse a new workspace name that is too long.

    Raises:
        InvalidInput: the name has more than 200 characters.
    """
    if len(name) > MAX_NAME:
        raise InvalidInput(f"the name of a workspace must have 1 to {MAX_NAME} characters")


def one_place(workspace: str) -> str:
    """Return the name of a workspace to write to.

    Raises:
        InvalidInput: the name stands for all workspaces.
    """
    if workspace == ALL:
        raise InvalidInput(f"{ALL!r} stands for every workspace; specify the workspace to write to")
    return workspace


def member(kind: Any, value: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        choices = ", ".join(kind)
        raise InvalidInput(f"{value!r} is not one of {choices}") from None
