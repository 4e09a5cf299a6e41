"""Contract of the store for stages and their summaries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contract.clock import START
from contract.records import Records
from memoranda.compression import table as compressions
from memoranda.compression.model import CompressedLine, Compression, PassageSpeaker
from memoranda.exceptions import CorruptData, StorageError
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.stages import table as stages
from memoranda.stages.model import Stage, StageName, StageSource
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task

TEAM = Records().team


def stage(task: Task, number: int = 1, **changes: Any) -> Stage:
    """Make a running stage."""
    made = Stage(
        team=task.team,
        task=task.id,
        number=number,
        name=StageName.PLANNING,
        began=1,
        ended=None,
        source=StageSource.ACTION,
        confidence=0.75,
        reason="action look",
        started_at=START,
        ended_at=None,
    )
    return replace(made, **changes)


def compression(task: Task, stage: int, **changes: Any) -> Compression:
    """Make a summary of a stage of a task."""
    text = f"summary {stage} of {task.team}"
    made = Compression(
        team=task.team,
        task=task.id,
        stage=stage,
        until_sequence=9,
        text=text,
        lines=(
            CompressedLine("1#2", PassageSpeaker.USER, text, worth=0.5),
            CompressedLine(
                "1#4", PassageSpeaker.TOOL, "12 of 12 passed", outdated=True, pinned=True, times=3
            ),
        ),
        tokens=12,
        source_tokens=140,
        target=10.0,
        facts=4,
        kept=3,
        contradictions=1,
        method="extract",
        cost=7,
        declined="half JSON",
        tries=2,
        created_at=START,
    )
    return replace(made, **changes)


class StageContract:
    """Stages are numbered within their task; each has one summary."""

    def test_a_stage_comes_back_as_it_was_written(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            assert stages.newest(tx, TEAM, task.id) is None
            made = [stage(task), stage(task, 2, began=5, name=StageName.REFLECTION)]
            for one in made:
                stages.put(tx, one)
            assert stages.listed(tx, TEAM, task.id, limit=9) == made
            assert stages.listed(tx, TEAM, task.id, after=1, limit=9) == made[1:]
            assert stages.newest(tx, TEAM, task.id) == made[1]
            assert stages.by_number(tx, TEAM, task.id, 1) == made[0]
            ended = replace(made[0], ended=4, ended_at=START + 1, reason="done")
            stages.put(tx, ended)
            assert stages.by_number(tx, TEAM, task.id, 1) == ended

        database.write(work)

    def test_observations_of_a_span_are_labelled(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task, other = records.plant_task(tx), records.plant_task(tx)
            for sequence in range(1, 6):
                records.plant(tx, task, sequence)
            records.plant(tx, other, 3)
            stages.label(tx, TEAM, task.id, (2, 4), StageName.EXECUTION)
            newest = stages.labelled(tx, TEAM, task.id, ["execution", "planning"], limit=2)
            found = observations.in_task(tx, TEAM, task.id, limit=9)
            assert [one.stage for one in found] == [None, *["execution"] * 3, None]
            assert newest == [found[3].id, found[2].id]
            assert stages.labelled(tx, TEAM, task.id, ["planning"], limit=9) == []
            (alone,) = observations.in_task(tx, TEAM, other.id, limit=9)
            assert alone.stage is None
            assert stages.extent(tx, TEAM, task.id, 2, 4) == (3, sum(o.tokens for o in found[1:4]))

        database.write(work)

    def test_how_far_a_task_was_followed_is_kept(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            assert stages.tracking(tx, TEAM, task.id) == (0, None)
            stages.put_tracking(tx, TEAM, task.id, 4, {"stage": None})
            stages.put_tracking(tx, TEAM, task.id, 7, {"stage": "planning", "quiet": [0.5, 1]})
            kept = {"stage": "planning", "quiet": [0.5, 1]}
            assert stages.tracking(tx, TEAM, task.id) == (7, kept)

        database.write(work)

    def test_a_summary_comes_back_as_it_was_written(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            made = [compression(task, number) for number in (0, 1, 2)]
            for one in reversed(made):
                compressions.put(tx, one)
            assert compressions.listed(tx, TEAM, task.id) == made
            assert compressions.of(tx, TEAM, task.id, 2) == made[2]
            assert compressions.of(tx, TEAM, task.id, 3) is None
            assert compressions.summarised_extents(tx, TEAM, task.id) == dict.fromkeys(
                range(3), (9, 140)
            )

        database.write(work)

    def test_a_new_summary_takes_the_place_of_the_old_one_and_its_text(
        self, database: Database
    ) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            compressions.put(tx, compression(task, 1))
            compressions.put(tx, compression(task, 1))
            before = blobs.totals(tx, TEAM)
            changed = compression(task, 1, text="another", until_sequence=20)
            compressions.put(tx, changed)
            assert compressions.listed(tx, TEAM, task.id) == [changed]
            assert blobs.totals(tx, TEAM)[0] == before[0]

        database.write(work)

    def test_the_latest_are_listed_without_their_texts(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task = records.plant_task(tx)
            for number, at in ((1, 5), (2, 9), (3, 7)):
                compressions.put(tx, compression(task, number, created_at=START + at))
            found = compressions.recent(tx, TEAM, task.workspace, limit=2)
            assert [one.stage for one in found] == [2, 3]
            assert [(one.text, one.lines) for one in found] == [("", ())] * 2
            assert found[0].retention == 0.75
            assert compressions.recent(tx, TEAM, "elsewhere", limit=2) == []
            other = records.plant_task(tx, task.workspace)
            compressions.put(tx, compression(other, 1, created_at=START + 11))
            of_one = compressions.recent(tx, TEAM, None, task.id, limit=9)
            assert {one.task for one in of_one} == {task.id}
            assert [one.stage for one in of_one] == [2, 3, 1]

        database.write(work)

    def test_summaries_go_with_their_text_and_with_their_task(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task, other = records.plant_task(tx), records.plant_task(tx)
            for number in (0, 1):
                compressions.put(tx, compression(task, number))
            compressions.put(tx, compression(other, 1, text="other"))
            stages.put(tx, stage(other))
            dropped = compressions.drop(tx, TEAM, [task.id])
            assert compressions.listed(tx, TEAM, task.id) == []
            assert blobs.delete_unused(tx, TEAM, dropped) == 2
            hashes = tasks.contents(tx, TEAM, other.id)
            assert blobs.delete_unused(tx, TEAM, hashes) == 0
            tasks.delete(tx, TEAM, other.id)
            assert blobs.delete_unused(tx, TEAM, hashes) == 1
            assert stages.newest(tx, TEAM, other.id) is None

        database.write(work)

    def test_a_damaged_summary_is_reported(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            compressions.put(tx, compression(task, 1))
            tx.execute("update blob set data = :data", {"data": b"torn"})
            with pytest.raises(CorruptData):
                compressions.of(tx, TEAM, task.id, 1)

        database.write(work)

    def test_both_need_their_task(self, database: Database) -> None:
        task = Records().task("nowhere")
        with pytest.raises(StorageError):
            database.write(lambda tx: stages.put(tx, stage(task)))
        with pytest.raises(StorageError):
            database.write(lambda tx: compressions.put(tx, compression(task, 1)))
