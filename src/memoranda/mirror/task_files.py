"""Expected mirror files of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memoranda.checkpoints import table as checkpoints
from memoranda.compression import table as compressions
from memoranda.json_data import JsonValue, as_json, iso_time
from memoranda.memories import table as memories
from memoranda.memories.model import Memory
from memoranda.mirror import table as mirrors
from memoranda.mirror.layout import EXECUTION, TASKS, GeneratedFile, both, document, section
from memoranda.stages import table as stages
from memoranda.stages.model import Stage
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task

SHOWN = 100
"""Number of tasks that have files: those with the newest activity."""
LEARNED = 100
STAGES = 200
DIFF = "diff"
"""Key of the diff in the recorded state of a task."""


def executions(tx: Transaction, team: str) -> Iterator[GeneratedFile]:
    """Yield the files of tasks, with each task's status and result."""
    for task in tasks.listed(tx, team, limit=SHOWN):
        yield from _overview(task)
        yield from _summary(tx, task)
        state = checkpoints.state(tx, team, task.id).state
        yield from _context(task, state, stages.listed(tx, team, task.id, limit=STAGES))
        yield from _learnings(tx, task)
        diff = state.get(DIFF)
        if isinstance(diff, str) and diff:
            yield GeneratedFile(
                f"{EXECUTION}/{task.number}/changes.diff", diff.encode(), subject=task.id
            )


def _facts(task: Task) -> dict[str, object]:
    facts: dict[str, object] = {
        "Status": task.status,
        "Agent": task.agent,
        "Started": iso_time(task.started_at),
        "Last event": iso_time(task.last_event_at),
        "Observations": task.observations,
    }
    return facts | ({"Ended": iso_time(task.ended_at)} if task.ended_at is not None else {})


def _title(task: Task) -> str:
    return f"Task {task.number}: {task.goal or 'no goal stated'}"


def _overview(task: Task) -> Iterator[GeneratedFile]:
    facts = _facts(task) | {"More": f"Execution/{task.number}/summary.md"}
    path = f"{TASKS}/{task.status.value}/{task.number}"
    yield from both(path, document(_title(task), facts), as_json(task), subject=task.id)


def _summary(tx: Transaction, task: Task) -> Iterator[GeneratedFile]:
    compression = compressions.of(tx, task.team, task.id, 0)
    text = compression.text if compression else ""
    data: JsonValue = {"task": as_json(task), "summary": text}
    content = document(_title(task), _facts(task), f"## Outcome\n\n{text}" if text else "")
    yield from both(f"{EXECUTION}/{task.number}/summary", content, data, subject=task.id)


def _context(
    task: Task, state: Mapping[str, JsonValue], stages_found: list[Stage]
) -> Iterator[GeneratedFile]:
    noted = {name: value for name, value in state.items() if name != DIFF}
    lines = [
        f"{stage.name}: {stage.began} to {stage.ended or 'now'}, {stage.reason}"
        for stage in stages_found
    ]
    notes = [f"{name}: {value}" for name, value in sorted(noted.items())]
    text = document(
        f"Context of task {task.number}",
        {"Goal": task.goal or "none was named"},
        section("Stages", lines),
        section("Noted", notes),
    )
    data: JsonValue = {"stages": [as_json(item) for item in stages_found], "state": dict(noted)}
    yield from both(f"{EXECUTION}/{task.number}/context", text, data, subject=task.id)


def _learnings(tx: Transaction, task: Task) -> Iterator[GeneratedFile]:
    ids = mirrors.memories_of_task(tx, task.team, task.id, LEARNED)
    stored = memories.by_ids(tx, task.team, ids, None)
    found: list[Memory] = [stored[id] for id in ids if id in stored]
    lines = [f"{memory.title} ({memory.category})" for memory in found]
    text = document(f"Learned in task {task.number}", {}, section("Memories", lines))
    data: JsonValue = {"memories": [item.id for item in found]}
    entries = {one.id: "" for one in found}
    path = f"{EXECUTION}/{task.number}/learnings"
    yield from both(path, text, data, subject=task.id, entries=entries)
