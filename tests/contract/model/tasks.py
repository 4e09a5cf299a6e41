"""Tasks in the model."""

from __future__ import annotations

from dataclasses import replace

from contract.model.content import Model, demand
from memoranda.observations.model import ObservationType, Origin
from memoranda.tasks.model import Task, TaskStatus
from memoranda.tasks.table import NEWEST


def by_id(model: Model, team: str, id: str) -> Task | None:
    """Return one task."""
    return model.of(team).tasks.get(id)


def by_session(model: Model, team: str, host: str, session: str) -> Task | None:
    """Return the task of a host's session."""
    tasks = model.of(team).tasks.values()
    return next((one for one in tasks if (one.host, one.session) == (host, session)), None)


def by_number(model: Model, team: str, number: int) -> Task | None:
    """Return one task by its number."""
    return next((one for one in model.of(team).tasks.values() if one.number == number), None)


def by_prefix(model: Model, team: str, prefix: str) -> list[Task]:
    """Return at most six tasks whose id begins with the prefix."""
    tasks = model.of(team).tasks
    return [tasks[id] for id in sorted(tasks) if id.startswith(prefix)][:6]


def listed(
    model: Model,
    team: str,
    *,
    workspace: str | None = None,
    status: TaskStatus | None = None,
    before: tuple[int, str] = NEWEST,
    limit: int = 50,
) -> list[Task]:
    """Return tasks by last event, newest first."""
    found = [
        one
        for one in model.of(team).tasks.values()
        if (one.last_event_at, one.id) < before
        and workspace in (None, one.workspace)
        and status in (None, one.status)
    ]
    return sorted(found, key=lambda one: (one.last_event_at, one.id), reverse=True)[:limit]


def insert(model: Model, task: Task) -> Task:
    """Add a task; return it with its number."""
    content = model.of(task.team)
    demand(task.workspace in content.workspaces, "a task is done in a workspace")
    demand(task.id not in content.tasks, "ids are unique")
    session = by_session(model, task.team, task.host, task.session)
    demand(session is None, "a session is one task")
    number = max((one.number for one in content.tasks.values()), default=0) + 1
    content.tasks[task.id] = replace(task, number=number)
    return content.tasks[task.id]


def update(model: Model, task: Task) -> None:
    """Store the changed fields of a running task."""
    tasks = model.of(task.team).tasks
    if task.id in tasks:
        tasks[task.id] = replace(
            tasks[task.id],
            goal=task.goal,
            status=task.status,
            started_at=task.started_at,
            last_event_at=task.last_event_at,
            ended_at=task.ended_at,
            observations=task.observations,
            tokens=task.tokens,
        )


def delete(model: Model, team: str, id: str) -> None:
    """Delete a task without observations, with its dependent records."""
    content = model.of(team)
    used = any(new.observation.task == id for new in content.observations.values())
    demand(not used, "an observation belongs to a task")
    content.tasks.pop(id, None)
    content.errors = {key: to for key, to in content.errors.items() if key[0] != id}
    content.redactions = {key: n for key, n in content.redactions.items() if key[0] != id}
    content.working = {key: one for key, one in content.working.items() if key[0] != id}


def count(model: Model, team: str, workspace: str | None) -> int:
    """Return how many tasks there are."""
    return sum(workspace in (None, one.workspace) for one in model.of(team).tasks.values())


def restate(model: Model, team: str, id: str) -> None:
    """Recompute goal and tokens from what is left."""
    content = model.of(team)
    if id in content.tasks:
        left = [new.observation for new in content.observations.values()]
        messages = [
            (one.sequence, one.summary)
            for one in left
            if (one.task, one.type, one.origin) == (id, ObservationType.MESSAGE, Origin.HUMAN)
        ]
        goal = min(messages, default=(0, ""))[1]
        tokens = sum(one.tokens for one in left if one.task == id)
        content.tasks[id] = replace(content.tasks[id], goal=goal, tokens=tokens)


def captured(model: Model, team: str, workspace: str | None, task: str | None) -> int:
    """Return the tokens of everything that was captured."""
    return sum(
        one.tokens
        for one in model.of(team).tasks.values()
        if workspace in (None, one.workspace) and task in (None, one.id)
    )
