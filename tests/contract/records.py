"""Valid, plain values to store, the same in every run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contract.clock import START, FixedClock, SeededBytes
from memoranda.ids import IdSource
from memoranda.jobs.model import Job, JobState
from memoranda.memories import table as memories
from memoranda.memories.model import Category, Memory, MemoryKind, MemoryStatus, Visibility
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import (
    ContentFormat,
    Observation,
    ObservationType,
    Origin,
    Salience,
)
from memoranda.observations.table import NewObservation
from memoranda.scope import LOCAL_TEAM
from memoranda.search.table import NewSearchEntry, SearchEntry
from memoranda.store.database import TextEntry, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus, Workspace
from memoranda.workspaces import table as workspaces


class Records:
    """Makes the values of one team, and stores them.

    Two instances with the same seed make the same ids, to test that teams are kept apart.
    """

    def __init__(self, team: str = LOCAL_TEAM, seed: int = 0) -> None:
        self.team = team
        self.ids = IdSource(FixedClock(step=1_000), SeededBytes(seed))

    def workspace(self, name: str = "shop", **changes: Any) -> Workspace:
        """Make a workspace."""
        made = Workspace(self.team, self.ids.new(), name, f"/srv/{name}", START)
        return replace(made, **changes)

    def task(self, workspace: str, **changes: Any) -> Task:
        """Make a task of a workspace, with its own session."""
        id = self.ids.new()
        made = Task(
            team=self.team,
            id=id,
            number=0,
            workspace=workspace,
            agent="main",
            goal="make the tests pass",
            status=TaskStatus.ACTIVE,
            host="generic",
            session=f"session-{id}",
            started_at=START,
            last_event_at=START,
            ended_at=None,
            observations=0,
        )
        return replace(made, **changes)

    def observation(
        self, task: Task, sequence: int, text: str = "ran the tests", **changes: Any
    ) -> NewObservation:
        """Make an observation of a task; ``changes`` are its fields."""
        id = self.ids.new()
        made = Observation(
            team=self.team,
            id=id,
            ref=f"{task.number}#{sequence}",
            workspace=task.workspace,
            task=task.id,
            sequence=sequence,
            type=ObservationType.TOOL_CALL,
            origin=Origin.TOOL,
            agent="main",
            tool="Bash",
            summary=text,
            tags=(),
            files=(),
            constraints=(),
            salience=Salience.NORMAL,
            tokens=3,
            tokens_used=None,
            duration_ms=None,
            stage=None,
            branch="main",
            resolves=None,
            repeats=None,
            content_hash=Blob.of(text).hash,
            redactions=0,
            created_at=START + sequence,
            recorded_at=START + sequence,
        )
        made = replace(made, **changes)
        entry = TextEntry(made.team, made.id, made.workspace, made.task, text, text.split())
        folded = made.repeats is not None
        return NewObservation(
            made, ContentFormat.TEXT, "api", f"key-{id}", None, None if folded else entry
        )

    def memory(
        self, workspace: str | None, content: str = "prices are net", **changes: Any
    ) -> Memory:
        """Make an approved memory of a workspace, or of the whole team."""
        made = Memory(
            team=self.team,
            id=self.ids.new(),
            workspace=workspace,
            agent=None,
            visibility=Visibility.WORKSPACE if workspace else Visibility.TEAM,
            title=content,
            content=content,
            kind=MemoryKind.SEMANTIC,
            category=Category.DOMAIN_KNOWLEDGE,
            tags=(),
            origin=Origin.HUMAN,
            confidence=1.0,
            critical=False,
            critical_reason=None,
            protected=False,
            status=MemoryStatus.APPROVED,
            tokens=3,
            created_at=START,
            updated_at=START,
        )
        return replace(made, **changes)

    def entry(
        self,
        workspace: str | None = None,
        task: str | None = None,
        passages: int = 1,
        **changes: Any,
    ) -> NewSearchEntry:
        """Make the search entry of a record; ``changes`` are its fields."""
        source = changes.get("source") or self.ids.new()
        made = SearchEntry(source, "memory", task, 0, START, 0, b"\x00features\xff")
        hashes = tuple(f"hash-{source}-{place}" for place in range(passages))
        return NewSearchEntry(replace(made, **changes), workspace, 1, hashes)

    def job(self, kind: str = "render_context", subject: str = "shop", **changes: Any) -> Job:
        """Make a job that is due at the start time."""
        made = Job(self.team, self.ids.new(), kind, subject, JobState.PENDING, 0, START, None)
        return replace(made, **changes)

    def plant_task(self, tx: Transaction, name: str = "shop") -> Task:
        """Store a task, and its workspace if the name is new."""
        place = workspaces.by_name(tx, self.team, name)
        if place is None:
            place = self.workspace(name)
            workspaces.insert(tx, place, [f"path:{place.root}"])
        return tasks.insert(tx, self.task(place.id))

    def plant(
        self,
        tx: Transaction,
        task: Task,
        sequence: int,
        text: str = "ran the tests",
        **changes: Any,
    ) -> Observation:
        """Store an observation with its content and its full text."""
        made = self.observation(task, sequence, text, **changes)
        blobs.insert(tx, self.team, [Blob.of(text)])
        observations.insert(tx, [made])
        return made.observation

    def plant_memory(
        self, tx: Transaction, memory: Memory, evidence: tuple[str, ...] = ()
    ) -> Memory:
        """Store a memory with its full text."""
        text = f"{memory.title}\n{memory.content}"
        entry = TextEntry(memory.team, memory.id, memory.workspace, None, text, text.split())
        memories.insert(tx, memory, entry, evidence)
        return memory
