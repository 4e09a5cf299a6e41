"""Contract of the store for search entries of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from contract.contract_vectors import directions
from contract.records import Records
from memoranda.memories.model import Memory
from memoranda.search import table as entries
from memoranda.search.table import (
    INSTRUCTION,
    PREFERENCE,
    NewSearchEntry,
    SearchEntry,
    WaitingPassage,
)
from memoranda.store.database import Database, Transaction, VectorEntry
from memoranda.tasks import table as tasks
from memoranda.workspaces import table as workspaces

TEAM = "local"


def insert(database: Database, *news: NewSearchEntry, team: str = TEAM) -> list[str]:
    """Store entries; return their sources."""
    database.of(team).write(partial(entries.insert, team=team, news=news))
    return [new.entry.source for new in news]


def by_sources(database: Database, *sources: str, team: str = TEAM) -> dict[str, SearchEntry]:
    """Read entries."""
    return database.of(team).read(partial(entries.by_sources, team=team, sources=sources))


def waiting(database: Database, model: str, limit: int = 99) -> list[tuple[str, int]]:
    """Return the passages that wait for a vector, in order."""
    found = database.read(partial(entries.waiting, team=TEAM, model=model, limit=limit))
    return sorted((passage.source, passage.place) for passage in found)


def put(database: Database, model: str, *places: tuple[str, int]) -> None:
    """Store a vector for each passage."""
    made = [VectorEntry(*place, directions(1)[0]) for place in places]
    database.write(lambda tx: tx.vectors().put(TEAM, model, made))


class EntryContract:
    """Entries are derived: made once, found by source, replaced by deletion."""

    def test_an_entry_round_trips(self, database: Database) -> None:
        records = Records()
        plain = records.entry()
        changes: dict[str, Any] = {"kind": "decision", "position": 7, "at": -5, "standing": 2}
        full = records.entry("shop", "task", features=bytes(range(256)), **changes)
        bare = records.entry(features=b"", passages=0)
        first, second, third = insert(database, plain, full, bare)
        found = by_sources(database, second, first, third, "unknown", first)
        assert found == {first: plain.entry, second: full.entry, third: bare.entry}
        assert by_sources(database) == {}

    def test_an_entry_that_is_there_stays_as_it_is(self, database: Database) -> None:
        new = Records().entry(passages=2)
        [source] = insert(database, new)
        put(database, "m", (source, 0))
        other = replace(new, entry=replace(new.entry, features=b"other"), version=2)
        insert(database, other, other)
        assert by_sources(database, source) == {source: new.entry}
        assert waiting(database, "m") == [(source, 1)]
        assert database.read(partial(entries.counts, team=TEAM, model="m")) == (1, 2)

    def test_entries_are_found_by_their_place_in_a_task(self, database: Database) -> None:
        records = Records()
        news = [
            records.entry("shop", task, position=position)
            for task in ("one", "two", "three")
            for position in range(1, 13)
        ]
        insert(database, *news, records.entry("shop"))
        wanted = {"one": [2, 11, 99], "two": [12], "unknown": [1], "three": []}
        found = database.read(partial(entries.at_positions, team=TEAM, wanted=wanted))
        places = sorted((entry.task, entry.position) for entry in found)
        assert places == [("one", 2), ("one", 11), ("two", 12)]
        assert all(entry in [new.entry for new in news] for entry in found)

    def test_lasting_statements_are_listed_newest_first(self, database: Database) -> None:
        records = Records()
        news = [
            records.entry(workspace, standing=standing)
            for workspace in ("shop", "mill", None)
            for standing in (0, INSTRUCTION, PREFERENCE, INSTRUCTION)
        ]
        sources = insert(database, *news)

        def found(workspace: str | None, kind: int, limit: int = 9) -> list[int]:
            look = partial(entries.lasting_records, workspace=workspace, kind=kind, limit=limit)
            return [sources.index(source) for source in database.read(partial(look, team=TEAM))]

        assert found("shop", INSTRUCTION) == [11, 9, 3, 1]
        assert found("mill", PREFERENCE) == [10, 6]
        assert found(None, INSTRUCTION) == [11, 9, 7, 5, 3, 1]
        assert found(None, INSTRUCTION, 2) == [11, 9]
        assert found("unknown", PREFERENCE) == [10]

    def test_passages_wait_for_their_vector(self, database: Database) -> None:
        records = Records()
        news = [records.entry(passages=count) for count in (2, 0, 12)]
        first, _, third = insert(database, *news)
        everything = [*((first, place) for place in range(2)), *((third, p) for p in range(12))]
        assert waiting(database, "m") == everything
        some = waiting(database, "m", 4)
        assert len(some) == 4
        assert set(some) < set(everything)
        found = database.read(partial(entries.waiting, team=TEAM, model="m", limit=99))
        assert WaitingPassage(first, 1, news[0].passages[1]) in found

    def test_a_passage_is_pending_until_the_requested_model_embeds_it(
        self, database: Database
    ) -> None:
        [source] = insert(database, Records().entry(passages=3))

        def counts(model: str) -> tuple[int, int]:
            return database.read(partial(entries.counts, team=TEAM, model=model))

        assert (counts("m"), counts("a")) == ((3, 3), (3, 3))
        put(database, "m", (source, 1))
        assert waiting(database, "m") == [(source, 0), (source, 2)]
        assert [len(waiting(database, model)) for model in ("a", "z", "M")] == [3, 3, 3]
        assert (counts("m"), counts("a"), counts("z")) == ((2, 3), (3, 3), (3, 3))
        put(database, "z", (source, 1), (source, 2))
        assert (counts("m"), counts("z")) == ((3, 3), (1, 3))

    def test_observations_after_the_last_entry_of_their_task_have_none(
        self, database: Database
    ) -> None:
        records = Records()

        def fill(tx: Transaction) -> tuple[str, list[str]]:
            task, other = records.plant_task(tx), records.plant_task(tx)
            ids = [records.plant(tx, task, number, f"n{number}").id for number in range(1, 6)]
            records.plant(tx, task, 6, "n2", repeats=ids[1])
            ids.append(records.plant(tx, task, 7, "n7").id)
            records.plant(tx, other, 1, "other")
            return task.id, ids

        task, ids = database.write(fill)

        def found(limit: int = 99) -> list[str]:
            look = partial(entries.observations_without, team=TEAM, task=task, limit=limit)
            return database.read(look)

        assert (found(), found(2)) == (ids, ids[:2])
        for at in (0, 2):
            insert(database, records.entry("shop", task, source=ids[at], position=at + 1))
        assert found() == ids[3:]
        insert(database, records.entry("shop", task, source=ids[5], position=7))
        assert found() == []

    def test_memories_without_an_entry_are_found(self, database: Database) -> None:
        records = Records()

        def fill(tx: Transaction) -> list[Memory]:
            texts = ("one", "two", "three")
            return [records.plant_memory(tx, records.memory(None, text)) for text in texts]

        ids = [memory.id for memory in database.write(fill)]

        def found(limit: int = 99) -> list[str]:
            return database.read(partial(entries.memories_without, team=TEAM, limit=limit))

        assert (found(), found(2)) == (ids, ids[:2])
        insert(database, records.entry(source=ids[1]))
        assert found() == [ids[0], ids[2]]

    def test_an_entry_is_deleted_with_its_passages_and_can_be_made_again(
        self, database: Database
    ) -> None:
        records = Records()
        news = [records.entry(passages=2) for _ in range(3)]
        gone, kept, also_gone = insert(database, *news)
        put(database, "m", (gone, 0), (kept, 0))

        def delete(sources: Sequence[str]) -> None:
            database.write(partial(entries.delete, team=TEAM, sources=sources))

        delete([])
        delete([gone, also_gone, "unknown"])
        assert set(by_sources(database, gone, kept, also_gone)) == {kept}
        assert waiting(database, "m") == [(kept, 1)]
        hashes = [text_hash for new in news for text_hash in new.passages]
        known = database.read(lambda tx: set(tx.vectors().known(TEAM, "m", hashes)))
        assert known == {news[1].passages[0]}
        insert(database, news[0])
        assert waiting(database, "m") == [(gone, 0), (gone, 1), (kept, 1)]

    def test_entries_of_an_earlier_analysis_are_outdated(self, database: Database) -> None:
        records = Records()
        news = [replace(records.entry(), version=version) for version in (1, 3, 2, 1)]
        sources = insert(database, *news)

        def found(version: int, limit: int = 99) -> list[int]:
            look = partial(entries.outdated, version=version, limit=limit)
            return [sources.index(source) for source in database.read(partial(look, team=TEAM))]

        assert [found(1), found(2), found(3), found(4)] == [[], [0, 3], [0, 2, 3], [0, 1, 2, 3]]
        assert found(4, 2) == [0, 1]

    def test_a_new_entry_of_the_same_texts_leaves_the_vectors_where_they_are(
        self, database: Database
    ) -> None:
        records = Records()
        news = [records.entry("shop", passages=count) for count in (2, 2, 1, 0, 1)]
        alike, cut, gone, bare, other = insert(database, *news)
        put(database, "m", *[(source, 0) for source in (alike, cut, gone, other)])
        again = [
            replace(new, entry=replace(new.entry, features=b"new", standing=1), version=2)
            for new in news
        ]
        again[1] = replace(again[1], passages=(again[1].passages[0], "another"))
        made = [again[0], again[1], again[3]]
        work = partial(entries.replace, team=TEAM, old=[alike, cut, gone, bare], news=made)
        database.write(work)
        found = by_sources(database, alike, cut, gone, bare, other)
        assert found == {new.entry.source: new.entry for new in made} | {other: news[4].entry}
        assert waiting(database, "m") == [(alike, 1), (cut, 0), (cut, 1)]
        look = partial(entries.outdated, team=TEAM, version=2, limit=9)
        assert database.read(look) == [other]
        database.write(partial(entries.make_outdated, team=TEAM))
        assert database.read(look) == sorted([alike, cut, bare, other])

    def test_a_task_is_unfinished_until_its_newest_observation_has_an_entry(
        self, database: Database
    ) -> None:
        records = Records()

        def fill(tx: Transaction) -> list[str]:
            made = [records.plant_task(tx) for _ in range(3)]
            for task, count in zip(made, (0, 2, 3), strict=True):
                tasks.update(tx, replace(task, observations=count))
            return [task.id for task in made]

        _, second, third = database.write(fill)

        def unfinished() -> list[str]:
            return database.read(partial(entries.unfinished_tasks, team=TEAM))

        assert unfinished() == [second, third]
        insert(database, records.entry("shop", second, position=2))
        insert(database, records.entry("shop", third, position=1))
        assert unfinished() == [third]

    def test_those_who_speak_are_known_as_long_as_something_of_them_is_left(
        self, database: Database
    ) -> None:
        records = Records()

        def fill(tx: Transaction) -> str:
            task = records.plant_task(tx)
            records.plant(tx, task, 1, "hello", agent="Ana")
            news = [
                replace(records.entry(workspace), speaker=name)
                for workspace, name in (
                    (task.workspace, "Ana"),
                    (task.workspace, "Ben"),
                    (task.workspace, "Ana"),
                    (task.workspace, ""),
                    ("mill", "Ana"),
                    (None, "Cleo"),
                )
            ]
            entries.insert(tx, TEAM, news)
            return task.workspace

        workspace = database.write(fill)

        def speakers(workspace: str | None) -> list[str]:
            look = partial(entries.extent, team=TEAM, workspace=workspace)
            return sorted(database.read(look).speakers)

        assert speakers(workspace) == ["Ana", "Ben"]
        assert (speakers("mill"), speakers("unknown")) == (["Ana"], [])
        assert speakers(None) == ["Ana", "Ben", "Cleo"]
        database.write(partial(entries.drop_speakers, team=TEAM))
        assert (speakers(None), speakers(workspace), speakers("mill")) == (["Ana"], ["Ana"], [])

    def test_sessions_are_the_tasks_of_a_scope_with_their_observations(
        self, database: Database
    ) -> None:
        records = Records()

        def fill(tx: Transaction) -> str:
            for name, count in (("shop", 3), ("shop", 4), ("mill", 9)):
                task = records.plant_task(tx, name)
                tasks.update(tx, replace(task, observations=count))
            place = workspaces.by_name(tx, TEAM, "shop")
            return place.id if place else ""

        shop = database.write(fill)

        def sessions(workspace: str | None) -> tuple[int, int]:
            found = database.read(partial(entries.extent, team=TEAM, workspace=workspace))
            return found.tasks, found.observations

        assert [sessions(shop), sessions(None), sessions("unknown")] == [(2, 7), (3, 16), (0, 0)]

    def test_teams_with_the_same_records_have_their_own_entries(self, database: Database) -> None:
        made = {team: Records(team).entry(features=team.encode()) for team in ("north", "south")}
        for team, new in made.items():
            insert(database, new, team=team)
        source = made["north"].entry.source
        assert source == made["south"].entry.source
        database.of("south").write(partial(entries.delete, team="south", sources=[source]))
        assert by_sources(database, source, team="north") == {source: made["north"].entry}
        assert by_sources(database, source, team="south") == {}
