"""Creation of named tasks without observations, and changes of goals."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memoranda.clock import Clock
from memoranda.exceptions import Conflict
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.ports import Sanitiser
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import NAMED_BY_CALLER, Task, TaskStatus
from memoranda.tasks.reference import chosen_id, find_named, session_of
from memoranda.text import clip, one_line
from memoranda.workspaces.recognition import WorkspaceIdentity, find_or_make_workspace

GOAL = 500
"""Maximum number of characters of a goal."""
ANYWHERE = "default"
"""Workspace of a task that is created without specifying one."""


@dataclass(frozen=True, slots=True)
class TaskCreation:
    """Creates tasks that callers name, and changes goals."""

    database: Database
    sanitiser: Sanitiser
    clock: Clock
    ids: IdSource

    def create(
        self, scope: Scope, name: str, goal: str, workspace: WorkspaceIdentity | None
    ) -> Task:
        """Create a task that has no observations yet.

        Args:
            name: a valid task name.
            workspace: identity of an existing or new workspace.

        Raises:
            Conflict: the workspace already has a task with that name.
        """
        aim = clip(one_line(self.sanitiser.clean(goal)), GOAL)

        def work(tx: Transaction) -> Task:
            now, identity = self.clock.now(), workspace or WorkspaceIdentity.named(ANYWHERE)
            found_place = find_or_make_workspace(tx, scope.team, identity, self.ids, now)
            place = found_place.id
            session = session_of(name, found_place.name if workspace else None)
            if task := find_named(tx, scope.team, name, place):
                raise Conflict(
                    f"this workspace already has a task {name!r}: #{task.number}; "
                    "choose another name, or continue that task"
                )
            id = chosen_id(tx, scope.team, name) or self.ids.new()
            result = tasks.insert(tx, _new(scope, id, place, session, aim, now))
            entry = journal.NewJournalEntry(now, scope.actor, "task create", result.id, {})
            journal.append(tx, scope.team, entry)
            return result

        return self.database.write(work)

    def edit(self, scope: Scope, task: Task, goal: str) -> Task:
        """Replace a task's goal; if it is empty, by a person's first message."""
        aim = clip(one_line(self.sanitiser.clean(goal)), GOAL)

        def work(tx: Transaction) -> Task:
            found = tasks.by_id(tx, task.team, task.id) or task
            tasks.update(tx, replace(found, goal=aim))
            if not aim:
                tasks.restate(tx, task.team, task.id)
            entry = journal.NewJournalEntry(self.clock.now(), scope.actor, "task edit", task.id, {})
            journal.append(tx, scope.team, entry)
            return tasks.by_id(tx, task.team, task.id) or found

        return self.database.write(work)


def _new(scope: Scope, id: str, place: str, session: str, goal: str, now: int) -> Task:
    return Task(
        team=scope.team,
        id=id,
        number=0,
        workspace=place,
        agent=scope.agent or NAMED_BY_CALLER,
        goal=goal,
        status=TaskStatus.ACTIVE,
        host=NAMED_BY_CALLER,
        session=session,
        started_at=now,
        last_event_at=now,
        ended_at=None,
        observations=0,
    )
