"""Contract of the store for quarantined observations."""

from __future__ import annotations

from functools import partial

import pytest

from contract.clock import START
from contract.records import Records
from memoranda.exceptions import StorageError
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, ObservationType, Salience
from memoranda.quarantine import table as quarantine
from memoranda.quarantine.model import QuarantineRecord
from memoranda.scope import Scope
from memoranda.search import filter_table as filtering
from memoranda.search.filters import SearchFilter
from memoranda.store.database import Database, Transaction

TEAM = Records().team


def held(
    one: Observation, reason: str = "override", salience: Salience = Salience.NORMAL
) -> QuarantineRecord:
    """Return the reason of a quarantine."""
    return QuarantineRecord(one.id, reason, salience, START)


def plant(tx: Transaction, count: int = 3) -> list[Observation]:
    """Store some observations of one task and quarantine all of them."""
    records = Records()
    task = records.plant_task(tx)
    seen = [
        records.plant(tx, task, n, f"output {n}", salience=Salience.QUARANTINED)
        for n in range(1, count + 1)
    ]
    quarantine.insert(tx, TEAM, [held(one) for one in seen])
    return seen


class QuarantineContract:
    """The reason is kept, the last decision counts, deletion is complete."""

    def test_quarantined_observations_are_listed_newest_first_by_page(
        self, database: Database
    ) -> None:
        def work(tx: Transaction) -> None:
            seen = plant(tx)
            place, task = seen[0].workspace, seen[0].task
            found = quarantine.listed(tx, TEAM, place, task, limit=2)
            assert found == [held(seen[2]), held(seen[1])]
            after = quarantine.listed(tx, TEAM, None, None, before=found[-1].observation, limit=2)
            assert after == [held(seen[0])]
            assert quarantine.listed(tx, TEAM, "elsewhere", None, limit=9) == []
            assert quarantine.listed(tx, TEAM, None, "another", limit=9) == []
            assert quarantine.listed(tx, TEAM, None, None, quarantined=False, limit=9) == []

        database.write(work)

    def test_a_decision_is_kept_with_who_and_when(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            first, second, _ = plant(tx)
            assert quarantine.decide(tx, TEAM, first.id, False, "ann", START + 1)
            assert not quarantine.decide(tx, TEAM, first.id, False, "bob", START + 2)
            known = quarantine.by_ids(tx, TEAM, [first.id, second.id, "none"])
            assert known[first.id] == QuarantineRecord(
                first.id, "override", Salience.NORMAL, START, False, "ann", START + 1
            )
            assert known[second.id].held
            assert set(known) == {first.id, second.id}
            (free,) = quarantine.listed(tx, TEAM, None, None, quarantined=False, limit=9)
            assert free.observation == first.id
            assert quarantine.decide(tx, TEAM, first.id, True, "ann", START + 3)
            assert not quarantine.decide(tx, TEAM, "none", True, "ann", START)
            assert len(quarantine.listed(tx, TEAM, None, None, limit=9)) == 3

        database.write(work)

    def test_a_known_observation_is_not_quarantined_again(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            first, *_ = plant(tx)
            quarantine.decide(tx, TEAM, first.id, False, "ann", START)
            quarantine.insert(tx, TEAM, [held(first, "role")])
            known = quarantine.by_ids(tx, TEAM, [first.id])[first.id]
            assert (known.held, known.reason) == (False, "override")

        database.write(work)

    def test_quarantined_observations_are_found_by_id_and_short_name(
        self, database: Database
    ) -> None:
        def work(tx: Transaction) -> None:
            assert not quarantine.any_quarantined(tx, TEAM)
            first, second, third = plant(tx)
            quarantine.decide(tx, TEAM, second.id, False, "ann", START)
            assert quarantine.any_quarantined(tx, TEAM)
            ids = [first.id, second.id, "none"]
            assert quarantine.quarantined_among(tx, TEAM, ids) == {first.id}
            refs = [one.ref for one in (first, second, third)]
            assert quarantine.quarantined_refs(tx, TEAM, refs) == {first.ref, third.ref}
            assert quarantine.quarantined_refs(tx, TEAM, []) == set()
            hashes = [one.content_hash for one in (first, second, third)]
            assert quarantine.released_contents(tx, TEAM, hashes) == {second.content_hash}

        database.write(work)

    def test_they_are_counted_by_reason(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            seen = plant(tx)
            records = Records(seed=1)
            task = records.plant_task(tx, "barn")
            other = records.plant(tx, task, 1)
            quarantine.insert(tx, TEAM, [held(other, "role")])
            assert quarantine.counts(tx, TEAM, None) == {"override": 3, "role": 1}
            assert quarantine.counts(tx, TEAM, other.workspace) == {"role": 1}
            assert quarantine.counts(tx, TEAM, None, seen[0].task) == {"override": 3}
            quarantine.decide(tx, TEAM, other.id, False, "ann", START)
            assert quarantine.counts(tx, TEAM, None) == {"override": 3}
            assert quarantine.counts(tx, TEAM, None, quarantined=False) == {"role": 1}

        database.write(work)

    def test_a_mark_changes_what_search_lets_through(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            first, second, third = plant(tx)
            scope, ids = Scope(TEAM), [first.id, second.id, third.id]
            assert quarantine.mark(tx, TEAM, second.id, Salience.LOW)
            assert not quarantine.mark(tx, TEAM, "none", Salience.LOW)
            assert observations.by_ids(tx, TEAM, ids)[second.id].salience is Salience.LOW
            for where, expected in (
                (SearchFilter(), [second.id]),
                (SearchFilter(quarantined=True), ids[::-1]),
                (SearchFilter(types=[ObservationType.TOOL_CALL]), [second.id]),
            ):
                assert filtering.observations(tx, scope, where, limit=9) == expected
                assert filtering.observations(tx, scope, where, among=ids, limit=9) == expected

        database.write(work)

    def test_repeats_go_with_what_they_repeat(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            first, *_ = plant(tx, 1)
            records = Records(seed=1)
            task = records.plant_task(tx, "barn")
            again = records.plant(tx, task, 1, repeats=first.id, salience=Salience.FOLDED)
            assert quarantine.with_repeats(tx, TEAM, first.id) == sorted([first.id, again.id])
            assert quarantine.with_repeats(tx, TEAM, again.id) == [again.id]
            assert quarantine.with_repeats(tx, TEAM, "none") == []

        database.write(work)

    def test_a_forgotten_observation_leaves_the_quarantine(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            first, second, _ = plant(tx)
            observations.delete(tx, TEAM, [first.id], START)
            assert set(quarantine.by_ids(tx, TEAM, [first.id, second.id])) == {second.id}
            assert quarantine.counts(tx, TEAM, None) == {"override": 2}

        database.write(work)

    def test_only_existing_observations_can_be_quarantined(self, database: Database) -> None:
        nowhere = QuarantineRecord("none", "override", Salience.NORMAL, START)
        with pytest.raises(StorageError):
            database.write(lambda tx: quarantine.insert(tx, TEAM, [nowhere]))

    def test_a_release_in_one_team_does_not_affect_another(self, database: Database) -> None:
        for team, free in (("north", True), ("south", False)):
            records = Records(team)

            def work(tx: Transaction, records: Records = records, free: bool = free) -> None:
                one = records.plant(tx, records.plant_task(tx), 1, "the same output")
                quarantine.insert(tx, records.team, [held(one)])
                if free:
                    quarantine.decide(tx, records.team, one.id, False, "ann", START)

            database.of(team).write(work)
        digest = Records().observation(Records().task("w"), 1, "the same output")
        hashes = [digest.observation.content_hash]
        for team, found in (("north", set(hashes)), ("south", set())):
            look = partial(quarantine.released_contents, team=team, hashes=hashes)
            assert database.of(team).read(look) == found
