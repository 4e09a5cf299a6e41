"""Initial records of every example: equal ids in both teams."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.machine.stores import Call, call
from contract.records import Records
from memoranda.capture import transcript_table as transcripts
from memoranda.jobs import table as jobs
from memoranda.journal import table as journal
from memoranda.journal.table import NewJournalEntry
from memoranda.memories import table as memories
from memoranda.memories.model import Memory, MemoryStatus, Visibility
from memoranda.observations import (
    blob_table as blobs,
    table as observations,
    total_table as observation_totals,
)
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import ObservationType, Origin, Salience
from memoranda.store.database import TextEntry
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task
from memoranda.working import table as working
from memoranda.working.model import WorkingEntry
from memoranda.workspaces import table as workspaces

PLACES = {"w1": ["path:/srv/shop"], "w2": ["remote:x/shop", "%"]}
WORK = {"01A1": "w1", "01A2": "w1", "01B1": "w2"}
"""The workspace of each task."""
SEEN: tuple[tuple[str, int, str, dict[str, Any]], ...] = (
    ("01A1", 1, "same output", {"tags": ("test", "git"), "files": ("a.py",)}),
    ("01A1", 2, "same output", {"repeats": "01A001", "salience": Salience.FOLDED}),
    ("01A1", 3, "zebra", {"type": ObservationType.ERROR, "tags": ("test",)}),
    ("01A1", 4, "never 100%", {"salience": Salience.CRITICAL, "constraints": ("never 100%",)}),
    ("01A1", 5, "always", {"salience": Salience.CRITICAL, "tags": ("git",)}),
    ("01A2", 1, "same output", {"type": ObservationType.MESSAGE, "files": ("a.py", "a_py")}),
    ("01A2", 2, "invoice", {"type": ObservationType.MESSAGE, "origin": Origin.HUMAN}),
    ("01A2", 3, "window", {"type": ObservationType.MESSAGE, "origin": Origin.HUMAN}),
    ("01B1", 1, "same output", {"salience": Salience.LOW, "tags": ("%", ""), "agent": "helper"}),
    ("01B1", 2, "zebra", {"type": ObservationType.ERROR, "files": ("src/b c.py",)}),
)
"""Observations: task, sequence, content and further fields."""
KNOWN: tuple[tuple[str | None, str, dict[str, Any]], ...] = (
    ("w1", "prices are net", {"critical": True}),
    (None, "prices are net", {"visibility": Visibility.AGENT}),
    ("w1", "kernel", {"agent": "main", "visibility": Visibility.AGENT, "critical": True}),
    ("w2", "window", {"status": MemoryStatus.PENDING, "critical": True}),
    ("w2", "kernel", {"status": MemoryStatus.REJECTED}),
)
"""Memories: workspace, content and further fields."""


def beginning(team: str) -> list[Call]:
    """Return the calls that store them."""
    records = Records(team)
    return [*_work(records), *_seen(records), *_known(records), *_noted(records)]


def _work(records: Records) -> list[Call]:
    made = (
        call(workspaces.insert, records.workspace(id=id), names) for id, names in PLACES.items()
    )
    begun = (
        call(tasks.insert, records.task(place, id=id, session=f"session {id}"))
        for id, place in WORK.items()
    )
    return [*made, *begun]


def _seen(records: Records) -> list[Call]:
    news = []
    for number, (name, sequence, text, particular) in enumerate(SEEN, 1):
        task: Task = records.task(WORK[name], id=name, number=[*WORK].index(name) + 1)
        new = records.observation(task, sequence, text, id=f"01A{number:03}", **particular)
        news.append(replace(new, event_key=f"key-01A{number:03}"))
    contents = [Blob.of(text) for _, _, text, _ in SEEN]
    return [
        call(blobs.insert, records.team, contents),
        call(observations.insert, news),
        call(observations.open_error, records.team, "01A1", "pytest", "01A003"),
        call(observations.open_error, records.team, "01B1", "pytest", "01A010"),
        call(observations.open_error, records.team, "01A1", "it's", "01A001"),
        call(observation_totals.count_redactions, records.team, "01A1", {"aws": 2}),
        call(observation_totals.count_redactions, records.team, "01B1", {"aws": 3}),
    ]


def _known(records: Records) -> list[Call]:
    calls = []
    for number, (place, text, particular) in enumerate(KNOWN, 1):
        memory: Memory = records.memory(place, text, id=f"m{number:02}", **particular)
        entry = TextEntry(memory.team, memory.id, place, None, text, text.split())
        calls.append(call(memories.insert, memory, entry, ["01A001", "01A003"]))
    return calls


def _noted(records: Records) -> list[Call]:
    ended = records.job(id="j1", subject="w1")
    later = [records.job(id="j2", subject="w1"), records.job(id="j3", subject="w2")]
    entry = WorkingEntry(records.team, "01A1", "step", ["it's", 1], START, START + 3)
    return [
        call(jobs.enqueue, ended, START),
        call(jobs.lease, records.team, "one", START),
        call(jobs.complete, ended, "one", START),
        *(call(jobs.enqueue, job, START) for job in later),
        call(working.put, entry),
        call(transcripts.advance, records.team, "/log/a", "head", (100, START)),
        call(
            journal.append,
            records.team,
            NewJournalEntry(START, "human", "observe", "01A1", {"count": 10}),
        ),
    ]
