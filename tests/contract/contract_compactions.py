"""Contract of the store for compactions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contract.clock import START
from contract.records import Records
from memoranda.conversations import table as compactions
from memoranda.conversations.model import Compaction
from memoranda.exceptions import CorruptData, StorageError
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import ObservationType
from memoranda.settings import CompactionMode
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task

TEAM = Records().team


def compaction(task: Task, until: int, **changes: Any) -> Compaction:
    """Make a compaction of a task's conversation, visible to everybody."""
    mode = CompactionMode.SLIDING_WINDOW
    made = Compaction(task.id, None, until, f"until {until}", 2, 3 * until, mode, START)
    return replace(made, **changes)


def speak(tx: Transaction, records: Records, task: Task, sequence: int, **changes: Any) -> str:
    """Store a message of three tokens."""
    values = {"type": ObservationType.MESSAGE} | changes
    return records.plant(tx, task, sequence, f"message {sequence}", **values).id


class CompactionContract:
    """A compaction stays unchanged until one of its messages is deleted."""

    def test_a_compaction_comes_back_as_it_was_written(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            long = "[user 1#1] " + "a sentence that is long enough to be compressed. " * 20
            made = compaction(task, 4, summary=long, mode=CompactionMode.WHOLE, agent="worker")
            assert compactions.newest(tx, TEAM, task.id, "worker") is None
            assert compactions.add(tx, TEAM, made)
            assert compactions.newest(tx, TEAM, task.id, "worker") == made

        database.write(work)

    def test_the_first_of_two_for_the_same_message_stays(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            assert compactions.add(tx, TEAM, compaction(task, 4, summary="first"))
            assert not compactions.add(tx, TEAM, compaction(task, 4, summary="second"))
            found = compactions.newest(tx, TEAM, task.id, None)
            assert found is not None
            assert found.summary == "first"
            with pytest.raises(CorruptData, match="missing"):
                blobs.content(tx, TEAM, Blob.of("second").hash)

        database.write(work)

    def test_they_are_listed_from_the_furthest_on(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task, other = records.plant_task(tx), records.plant_task(tx)
            made = [compaction(task, until) for until in (9, 4, 30)]
            for one in (*made, compaction(other, 50)):
                compactions.add(tx, TEAM, one)
            found = compactions.listed(tx, TEAM, task.id, None, limit=9)
            assert [one.until_sequence for one in found] == [30, 9, 4]
            before = compactions.listed(tx, TEAM, task.id, None, before=30, limit=1)
            assert before == [made[0]]
            assert compactions.newest(tx, TEAM, task.id, None) == made[2]

        database.write(work)

    def test_every_agent_has_its_own_and_everybody_together_too(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            for agent, until in ((None, 1), ("one", 2), ("two", 3)):
                compactions.add(tx, TEAM, compaction(task, until, agent=agent))
            for agent, until in ((None, 1), ("one", 2), ("two", 3)):
                found = compactions.newest(tx, TEAM, task.id, agent)
                assert found is not None
                assert (found.agent, found.until_sequence) == (agent, until)
            assert compactions.newest(tx, TEAM, task.id, "three") is None

        database.write(work)

    def test_only_messages_of_the_agent_and_the_span_are_counted(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task = records.plant_task(tx)
            for sequence, agent in enumerate(("one", "two", "one", "one"), 1):
                speak(tx, records, task, sequence, agent=agent)
            speak(tx, records, task, 5, agent="one", branch="rewound")
            records.plant(tx, task, 6, agent="one")
            assert compactions.extent(tx, TEAM, task.id, None) == (4, 12)
            assert compactions.extent(tx, TEAM, task.id, "one") == (3, 9)
            assert compactions.extent(tx, TEAM, task.id, "one", (1, 4)) == (1, 3)
            assert compactions.extent(tx, TEAM, task.id, "three") == (0, 0)
            assert compactions.extent(tx, "other", task.id, None) == (0, 0)

        database.write(work)

    def test_a_compaction_is_deleted_with_a_message_that_it_summarises(
        self, database: Database
    ) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task, other = records.plant_task(tx), records.plant_task(tx)
            ids = [speak(tx, records, task, n, agent=f"of {n % 2}") for n in range(1, 5)]
            made = (
                compaction(task, 1),
                compaction(task, 3),
                compaction(task, 3, agent="of 0", source_tokens=3, summary="of 0"),
                compaction(task, 3, agent="of 1", source_tokens=6, summary="of 1"),
                compaction(other, 1, summary="other"),
            )
            for one in made:
                compactions.add(tx, TEAM, one)
            assert compactions.drop_outdated(tx, TEAM, [task.id]) == []
            observations.delete(tx, TEAM, [ids[1]], START)
            gone = {made[1].summary, made[2].summary}
            dropped = compactions.drop_outdated(tx, TEAM, [task.id])
            assert set(dropped) == {Blob.of(summary).hash for summary in gone}
            assert compactions.newest(tx, TEAM, task.id, None) == made[0]
            assert compactions.newest(tx, TEAM, task.id, "of 0") is None
            assert compactions.newest(tx, TEAM, task.id, "of 1") == made[3]
            assert compactions.newest(tx, TEAM, other.id, None) == made[4]
            assert blobs.delete_unused(tx, TEAM, dropped) == 2

        database.write(work)

    def test_a_summary_is_in_use_as_long_as_its_compaction_is_there(
        self, database: Database
    ) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            compactions.add(tx, TEAM, compaction(task, 1))
            assert blobs.delete_unused(tx, TEAM, [Blob.of("until 1").hash]) == 0
            tasks.delete(tx, TEAM, task.id)
            assert compactions.newest(tx, TEAM, task.id, None) is None
            assert blobs.delete_unused(tx, TEAM, [Blob.of("until 1").hash]) == 1

        database.write(work)

    def test_a_compaction_needs_its_task(self, database: Database) -> None:
        task = Records().task("nowhere")
        with pytest.raises(StorageError):
            database.write(lambda tx: compactions.add(tx, TEAM, compaction(task, 1)))
