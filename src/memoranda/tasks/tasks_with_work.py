"""Tasks with work, as opposed to sessions with slash commands only."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task
from memoranda.text import own_command

EXAMINED = 60
"""Number of the newest tasks among which tasks with work are searched for."""
FEW = 40
"""Number of observations above which a session certainly contains work."""
NO_STEPS = tasks.TaskSteps(worked=False, acted=False, commanded=False)


def with_work(tx: Transaction, team: str, workspace: str | None, limit: int) -> list[Task]:
    """Return the newest tasks with work, or else the newest tasks.

    A session contains no work if it consists only of commands to the host or to Memoranda
    (``/clear``, ``/model``, ``/memoranda:recall …``) and the answers to them.
    """
    newest = tasks.listed(tx, team, workspace=workspace, limit=EXAMINED)
    idle = _idle(tx, team, [item for item in newest if _may_be_idle(item)])
    found = [one for one in newest if one.id not in idle]
    return (found if any(task.observations for task in found) else newest)[:limit]


def _may_be_idle(task: Task) -> bool:
    return task.observations <= FEW and (not task.goal or own_command(task.goal) is not None)


def _idle(tx: Transaction, team: str, few: Sequence[Task]) -> set[str]:
    """Return the ids of the tasks that only responded to commands."""
    if not few:
        return set()
    steps = tasks.kinds_of_steps(tx, team, [task.id for task in few])
    return {item.id for item in few if _only_answered(item, steps.get(item.id, NO_STEPS))}


def _only_answered(task: Task, steps: tasks.TaskSteps) -> bool:
    return not steps.worked and bool(task.goal or steps.commanded or not steps.acted)
