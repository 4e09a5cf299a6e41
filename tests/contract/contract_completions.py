"""Contract of the store for observations completed by a better source."""

from __future__ import annotations

from dataclasses import replace

from contract.records import Records
from memoranda.capture import observation_completion_table as completions
from memoranda.capture.event import REWOUND
from memoranda.capture.observation_completion_table import SUPERSEDED, Attempt
from memoranda.observations import (
    blob_table as blobs,
    table as observations,
    total_table as observation_totals,
)
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import Observation, ObservationType, Salience
from memoranda.store.database import Database, TextQuery, Transaction

ERROR, FIX, CALL = ObservationType.ERROR, ObservationType.FIX, ObservationType.TOOL_CALL


class CompletionContract:
    """A completed row keeps its position, and its derived data is renewed."""

    def test_a_completed_observation_is_found_by_its_new_text(self, database: Database) -> None:
        records = Records()
        task = database.write(records.plant_task)
        old = records.observation(task, 1, "said before", tags=("test",), files=("a.py",))
        old = replace(old, observation=replace(old.observation, constraints=("never",)))
        made = replace(
            old.observation,
            type=ERROR,
            summary="said now",
            tags=("import",),
            files=("a.py", "b.py"),
            tokens=77,
            created_at=5,
            branch=REWOUND,
            constraints=(),
            content_hash=Blob.of("said now").hash,
        )
        assert old.text is not None
        entry = replace(old.text, text="said now")
        new = replace(old, observation=made, target="shell now", text=entry)

        def work(tx: Transaction) -> None:
            blobs.insert(tx, records.team, [Blob.of("said before"), Blob.of("said now")])
            observations.insert(tx, [old])
            completions.complete(tx, old.observation, new)
            completions.set_event_keys(tx, "other", {made.id: "key of another team"})
            completions.set_event_keys(tx, records.team, {made.id: key})
            completions.retotal(tx, records.team, task.id)

        key = f"{old.event_key}, copied"
        database.write(work)

        def look(tx: Transaction) -> None:
            found = completions.by_event_keys(tx, records.team, [key, "unknown"])
            assert list(found) == [key]
            assert found[key].observation == made
            assert completions.by_ids(tx, records.team, [made.id, "x"]) == {made.id: found[key]}
            assert completions.by_ids(tx, "other", [made.id]) == {}
            assert (found[key].source, found[key].target) == (old.source, "shell now")
            assert observation_totals.measures(tx, records.team, None, task.id).tokens == 77
            by_tag = observations.ObservationFilter(tags=("test",))
            assert observations.in_task(tx, records.team, task.id, where=by_tag, limit=9) == []
            by_file = observations.ObservationFilter(files=("b.py",))
            assert observations.in_task(tx, records.team, task.id, where=by_file, limit=9) == [made]
            for word, ids in (("before", []), ("now", [made.id])):
                query = TextQuery(records.team, (word,), limit=9)
                assert [hit.id for hit in tx.text("observation").search(query)] == ids

        database.read(look)

    def test_the_earlier_text_is_found_with_its_completion(self, database: Database) -> None:
        records = Records()
        task = database.write(records.plant_task)

        def work(tx: Transaction) -> tuple[Observation, Observation]:
            now = records.plant(tx, task, 1)
            kept = records.plant(
                tx, task, 2, tags=(SUPERSEDED,), repeats=now.id, salience=Salience.FOLDED
            )
            records.plant(tx, task, 3, repeats=now.id, salience=Salience.FOLDED)
            return now, kept

        now, kept = database.write(work)
        found = database.read(lambda tx: completions.superseded(tx, records.team, [now.id, "x"]))
        assert found == [kept.id]
        other = Records(team="other")
        assert database.read(lambda tx: completions.superseded(tx, other.team, [now.id])) == []

    def test_what_was_taken_back_is_no_attempt(self, database: Database) -> None:
        records = Records()
        task = database.write(records.plant_task)
        gone = records.observation(task, 1, "gone", branch=REWOUND)
        database.write(lambda tx: observations.insert(tx, [replace(gone, target="a")]))
        assert database.read(lambda tx: completions.attempts(tx, records.team, task.id)) == []

    def test_attempts_are_classified_in_the_order_of_their_times(self, database: Database) -> None:
        records = Records()
        task = database.write(records.plant_task)
        made = [
            records.observation(task, 1, "second", created_at=20),
            records.observation(task, 2, "first", created_at=10, type=ERROR),
            records.observation(task, 3, "no target", created_at=5),
        ]
        news = [replace(one, target=target) for one, target in zip(made, "aa ", strict=True)]
        news[2] = replace(news[2], target=None)
        database.write(lambda tx: observations.insert(tx, news))
        second, first, _ = (one.observation.id for one in news)

        def work(tx: Transaction) -> None:
            found = completions.attempts(tx, records.team, task.id)
            assert found == [Attempt(first, ERROR, "a", None), Attempt(second, CALL, "a", None)]
            fixed = Attempt(second, FIX, "a", first)
            completions.classify(tx, records.team, task.id, [fixed], {"b": first})

        database.write(work)

        def look(tx: Transaction) -> None:
            ended = observations.by_ids(tx, records.team, [second])[second]
            assert (ended.type, ended.resolves) == (FIX, first)
            assert observations.standing_errors(tx, records.team, task.id) == {"b": first}

        database.read(look)
