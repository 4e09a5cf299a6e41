"""Compare the writes acknowledged to writers with the store's content.

A writer's data follows from the seed, so an acknowledgement needs one byte: the number of the
thread whose next batch was acknowledged.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from measuring.work import Desk
from memoranda.capture.event import Event
from memoranda.capture.event_preparation import event_key
from memoranda.exceptions import CorruptData
from memoranda.journal import table as journal
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.observations.blob_table import Blob
from memoranda.observations.content import tool_content
from memoranda.scope import LOCAL_TEAM
from memoranda.store.database import Transaction
from memoranda.store.sqlite import inspection_and_backup as maintenance
from memoranda.store.sqlite.engine import SqliteDatabase

THREADS = 4
SESSIONS = 2
"""Fewer than threads, so that they contend for a task's next number."""

MISNUMBERED = """
select t.id from task t left join observation o on o.team = t.team and o.task = t.id
group by t.team, t.id
having count(o.id) <> t.observations or (count(o.id) > 0
  and (min(o.sequence) <> 1 or max(o.sequence) <> count(o.id)))
"""


@dataclass(frozen=True, slots=True)
class Life:
    """One writer from its start to its kill."""

    seed: int
    number: int

    def batch(self, thread: int, number: int) -> list[Event]:
        """Return the batch of a thread's call: mostly one event, sometimes more."""
        name = f"{self.seed}-{self.number}-{thread}-{number}"
        size = random.Random(name).choice((1, 1, 1, 2, 4))
        desk, session = Desk(name), f"session-{thread % SESSIONS}"
        return [desk.event(session, f"{name}-{at}") for at in range(size)]


@dataclass(slots=True)
class Findings:
    """Results of checks; everything but the first two counts is a fault."""

    acknowledged: int = 0
    """Acknowledged events."""
    checks: int = 0
    """Number of checks of the whole store."""
    lost: int = 0
    """Acknowledged events that are missing."""
    altered: int = 0
    """Events with another content."""
    halved: int = 0
    """Batches that are stored only in part."""
    misnumbered: int = 0
    """Tasks whose sequence has gaps or disagrees with their count."""
    unsound: int = 0
    """Stores that fail checks of integrity, full text, contents, references."""
    broken_chains: int = 0
    """Journals whose hash chain does not verify."""
    unreadable: int = 0
    """Stores that could not be opened."""
    writer_errors: int = 0
    """Writers that failed before they were killed."""
    notes: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether the store is consistent, even if data was lost."""
        faults = (self.altered, self.halved, self.misnumbered, self.unsound, self.broken_chains)
        return not any(faults) and not self.unreadable and not self.writer_errors

    def note(self, text: str) -> None:
        """Store a message about a fault, up to twenty."""
        if len(self.notes) < 20:
            self.notes.append(text)


def check_life(
    database: SqliteDatabase, life: Life, acknowledged: Sequence[int], found: Findings
) -> None:
    """Check that acknowledged batches are stored, and others whole or absent."""

    def work(tx: Transaction) -> None:
        for thread, count in enumerate(acknowledged):
            for number in range(count):
                states = [_state(tx, event) for event in life.batch(thread, number)]
                found.acknowledged += len(states)
                found.lost += states.count("missing")
                found.altered += states.count("altered")
                if len(set(states)) > 1 or states[0] != "there":
                    found.note(f"life {life.number}, thread {thread}, batch {number}: {states}")
            under_way = [_state(tx, event) for event in life.batch(thread, count)]
            found.altered += under_way.count("altered")
            if "missing" in under_way and len(set(under_way)) > 1:
                found.halved += 1
                found.note(f"life {life.number}, thread {thread}, under way {count}: {under_way}")

    database.read(work)


def _state(tx: Transaction, event: Event) -> str:
    stored = observations.by_event(tx, LOCAL_TEAM, event_key(event))
    if stored is None:
        return "missing"
    wanted = Blob.of(tool_content(event.tool, event.input, event.output)).hash
    try:
        blobs.content(tx, LOCAL_TEAM, stored.content_hash)
    except CorruptData:
        return "altered"
    return "there" if stored.content_hash == wanted else "altered"


def check_store(database: SqliteDatabase, found: Findings) -> None:
    """Check the store: pages, full text against rows, numbers, hash chain."""
    found.checks += 1
    inspection = maintenance.inspect(database)
    if not inspection.sound:
        found.unsound += 1
        found.note(str(inspection))
    gaps = database.read(lambda tx: tx.fetch(MISNUMBERED, {}))
    found.misnumbered += len(gaps)
    chain = database.read(lambda tx: journal.verify(tx, LOCAL_TEAM))
    if not chain.intact:
        found.broken_chains += 1
        found.note(f"journal: {chain.reason} at {chain.broken_at}")
