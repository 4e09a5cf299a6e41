"""Contract of the store for events of several sources and their order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contract.clock import START
from contract.records import Records
from memoranda.capture import observation_completion_table as completions
from memoranda.capture.event import EventSource
from memoranda.memories import table as memories
from memoranda.observations import table as observations
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import ObservationType, Origin, Salience
from memoranda.store.database import Database, Transaction

KEY = "0123456789abcdef"
"""The common part of the keys of one event in all sessions."""
SAID: dict[str, Any] = {"type": ObservationType.MESSAGE, "origin": Origin.AGENT, "tool": None}


class SourceContract:
    """An event is found by key, by content and time, and by source."""

    def test_events_with_the_same_host_and_key_are_namesakes(self, database: Database) -> None:
        records = Records()
        team = records.team

        def work(tx: Transaction) -> None:
            keys = [KEY + "one session", KEY + "another", KEY[:-1] + "e another", "z" + KEY]
            planted = []
            for number, key in enumerate(keys, 1):
                planted.append(task := records.plant_task(tx))
                made = records.observation(task, 1, f"text {number}", created_at=START + number)
                hook = EventSource.HOOK if number == 2 else EventSource.TRANSCRIPT
                new = replace(made, event_key=key, source=hook, target=f"target {number}")
                observations.insert(tx, [new])
            found = observations.namesakes(tx, team, KEY + "a third session")
            assert sorted(found, key=lambda one: one.created_at) == [
                observations.SameKeyObservation(
                    planted[number - 1].id,
                    source,
                    START + number,
                    Blob.of(f"text {number}").hash,
                    "Bash",
                    f"target {number}",
                )
                for number, source in ((1, EventSource.TRANSCRIPT), (2, EventSource.HOOK))
            ]
            assert observations.namesakes(tx, team, KEY.upper() + "one session") == []

        database.write(work)

    def test_a_copy_is_found_by_its_very_content_and_time(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            made = [records.plant(tx, records.plant_task(tx), 1, text) for text in ("a", "b")]
            digests = [one.content_hash for one in made]
            at = made[0].created_at
            found = [
                observations.has_content_at(tx, records.team, digest, when)
                for digest, when in ((digests[0], at), (digests[1], at), (digests[0], at + 1))
            ]
            assert found == [True, True, False]
            assert not observations.has_content_at(tx, records.team, Blob.of("c").hash, at)

        database.write(work)

    def test_calls_of_a_source_are_found_between_two_times(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            made = [
                replace(
                    records.observation(task, number, text, created_at=START + number),
                    source=source,
                )
                for number, text, source in (
                    (1, "a", EventSource.HOOK),
                    (2, "b", EventSource.TRANSCRIPT),
                    (3, "c", EventSource.HOOK),
                    (4, "d", EventSource.HOOK),
                )
            ]
            observation = records.observation(task, 5, "e", created_at=START + 2, **SAID)
            observations.insert(tx, [*made, replace(observation, source=EventSource.HOOK)])
            found = completions.calls(
                tx, records.team, task.id, EventSource.HOOK, range(START + 1, START + 4)
            )
            assert [one.created_at for one in found] == [START + 1, START + 3]
            span = range(START + 1, START + 4)
            assert not completions.calls(tx, "other", task.id, EventSource.HOOK, span)
            assert [one.content_hash for one in found] == [Blob.of(one).hash for one in "ac"]

        database.write(work)

    @pytest.mark.parametrize("source", EventSource)
    def test_a_task_is_hooked_once_a_hook_reported_anything(
        self, database: Database, source: EventSource
    ) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task, other = records.plant_task(tx), records.plant_task(tx)
            observations.insert(tx, [replace(records.observation(task, 1), source=source)])
            assert observations.has_hook_events(tx, records.team, task.id) is (
                source is EventSource.HOOK
            )
            assert not observations.has_hook_events(tx, records.team, other.id)

        database.write(work)

    def test_the_last_message_is_chosen_by_time_not_sequence(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task, other = records.plant_task(tx), records.plant_task(tx)
            assert observations.last_messages(tx, records.team, task.id) == []
            elsewhere = records.plant(tx, other, 1, "elsewhere", **SAID, created_at=START + 99)
            late = records.plant(tx, task, 1, "done", **SAID, created_at=START + 9)
            records.plant(tx, task, 2, "begun", **SAID, created_at=START + 1)
            assert observations.last_messages(tx, records.team, task.id) == [late]
            after = records.plant(tx, task, 3, "done, at once", **SAID, created_at=START + 9)
            assert observations.last_messages(tx, records.team, task.id) == [after]
            alone = records.plant(tx, other, 2, "named", **SAID, agent="ada", created_at=START + 1)
            assert observations.last_messages(tx, records.team, other.id) != [alone]
            observations.delete(tx, records.team, [elsewhere.id], START)
            assert observations.last_messages(tx, records.team, other.id) == [alone]
            assert observations.last_messages(tx, records.team, task.id, limit=2) == [after, late]

        database.write(work)

    @pytest.mark.parametrize(
        "changes",
        [
            {"type": ObservationType.TOOL_CALL},
            {"origin": Origin.HUMAN},
            {"branch": "sidechain"},
            {"agent": "helper"},
            {"salience": Salience.LOW},
            {"salience": Salience.QUARANTINED},
            {"repeats": "the first"},
        ],
    )
    def test_messages_of_other_authors_are_not_the_last_message(
        self, database: Database, changes: dict[str, Any]
    ) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            first = records.plant(tx, task, 1, "said", **SAID)
            repeated = {"repeats": first.id} if "repeats" in changes else {}
            records.plant(tx, task, 2, "later", **SAID | changes | repeated)
            assert observations.last_messages(tx, records.team, task.id) == [first]

        database.write(work)

    def test_ids_come_part_by_part_without_folded_repeats(self, database: Database) -> None:
        records = Records()
        team = records.team

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            seen = [records.plant(tx, task, n, f"text {n}").id for n in range(1, 6)]
            records.plant(tx, task, 6, "text 1", repeats=seen[0], salience=Salience.FOLDED)
            known = [records.plant_memory(tx, records.memory(None, f"{n}")).id for n in range(5)]
            for table, ids in ((observations, sorted(seen)), (memories, sorted(known))):
                assert table.ids_after(tx, team, "", 9) == ids
                assert table.ids_after(tx, team, ids[1], 2) == ids[2:4]
                assert table.ids_after(tx, team, ids[-1], 2) == []

        database.write(work)
