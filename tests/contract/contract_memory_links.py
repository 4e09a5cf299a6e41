"""Contract of the store for memories' analysis, links and validity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.records import Records
from memoranda.memories import (
    extraction_table as memory_encodings,
    link_table as memory_links,
    table as memories,
)
from memoranda.memories.extraction_model import ActionOutcome, Encoding, Entity, EntityType
from memoranda.memories.extraction_table import WORDS, StoredEncoding
from memoranda.memories.link_model import LinkKind, MemoryLink, Reference, ReferenceKind
from memoranda.memories.model import Memory, MemoryStatus, Visibility
from memoranda.memories.table import MemoryFilter
from memoranda.search import table as entries
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import TaskStatus
from memoranda.workspaces import table as workspaces

TEAM = Records().team
HELD = Encoding(
    entities=(Entity("Ana ☃", EntityType.PERSON), Entity("SQLite", EntityType.TECHNOLOGY)),
    facts=("Prices are net.",),
    keywords=("prices", "net"),
    constraints=('Never "round" twice.',),
    outcomes=(ActionOutcome("pinned it", "the build passed", True),),
)


def stored(memory: Memory, **changes: Any) -> StoredEncoding:
    """Make the analysis of a memory by version 2."""
    return replace(StoredEncoding(memory.id, 2, HELD), **changes)


def link(memory: Memory, other: Memory, kind: LinkKind = LinkKind.CONTRADICTS) -> MemoryLink:
    """Make a link."""
    return MemoryLink(memory.team, memory.id, kind, other.id, "number", "memoranda", START)


class MemoryLinkContract:
    """Derived data can be rebuilt, links end with their ends, times differ."""

    def test_a_memory_encoding_round_trips(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            memory = records.plant_memory(tx, records.memory(None))
            assert memory_encodings.waiting(tx, TEAM, 2, 9) == [memory.id]
            assert memory_encodings.by_memory(tx, TEAM, memory.id) is None
            assert memory_encodings.put(tx, TEAM, stored(memory))
            assert memory_encodings.by_memory(tx, TEAM, memory.id) == stored(memory)
            bare = StoredEncoding(memory.id, 2, Encoding())
            memory_encodings.put(tx, TEAM, bare)
            assert memory_encodings.by_memory(tx, TEAM, memory.id) == bare
            assert memory_encodings.waiting(tx, TEAM, 2, 9) == []
            assert memory_encodings.waiting(tx, TEAM, 3, 9) == [memory.id]
            assert not memory_encodings.put(tx, TEAM, replace(bare, memory="gone"))
            memories.delete(tx, TEAM, [memory.id])
            assert memory_encodings.by_memory(tx, TEAM, memory.id) is None

        database.write(work)

    def test_an_encoding_of_another_content_is_not_returned(self, database: Database) -> None:
        from contract.contract_proposals import text

        records = Records()

        def work(tx: Transaction) -> None:
            memory = records.plant_memory(tx, records.memory(None))
            memory_encodings.put(tx, TEAM, stored(memory))
            after = replace(memory, content="prices are gross")
            memories.update(tx, after, text(after))
            assert memory_encodings.by_memory(tx, TEAM, memory.id) is None
            assert memory_encodings.waiting(tx, TEAM, 2, 9) == [memory.id]
            assert memory_encodings.delete(tx, TEAM, memory.id)
            assert not memory_encodings.delete(tx, TEAM, memory.id)
            memory_encodings.put(tx, TEAM, stored(after))
            assert memory_encodings.clear(tx, TEAM) == 1

        database.write(work)

    def test_a_memory_is_looked_at_until_search_and_comparing_know_it(
        self, database: Database
    ) -> None:
        from contract.contract_proposals import text

        records = Records()

        def work(tx: Transaction) -> None:
            memory = records.plant_memory(tx, records.memory(None))
            memory_encodings.put(tx, TEAM, stored(memory))
            assert memories.mark_processed(tx, TEAM) == 0
            assert entries.memories_without(tx, TEAM, 9) == [memory.id]
            entries.insert(tx, TEAM, [records.entry(source=memory.id)])
            assert memories.mark_processed(tx, TEAM) == 1
            memories.update(tx, replace(memory, title="another"), text(memory))
            entries.delete(tx, TEAM, [memory.id])
            assert entries.memories_without(tx, TEAM, 9) == [memory.id]
            assert memory_encodings.waiting(tx, TEAM, 2, 9) == []
            entries.insert(tx, TEAM, [records.entry(source=memory.id)])
            assert memories.mark_processed(tx, TEAM) == 1
            memory_encodings.clear(tx, TEAM)
            assert memory_encodings.waiting(tx, TEAM, 2, 9) == [memory.id]

        database.write(work)

    def test_memories_wait_to_be_compared_until_that_is_noted(self, database: Database) -> None:
        from contract.contract_vectors import directions
        from memoranda.store.database import VectorEntry

        records = Records()

        def work(tx: Transaction) -> None:
            memory = records.plant_memory(tx, records.memory(None))
            gone = records.memory(None, "no", status=MemoryStatus.REJECTED)
            for one in (memory, records.plant_memory(tx, gone)):
                memory_encodings.put(tx, TEAM, stored(one))
            assert memory_encodings.uncompared(tx, TEAM, "", 9) == [memory.id]
            assert memory_encodings.mark(tx, TEAM, memory.id, WORDS)
            assert memory_encodings.uncompared(tx, TEAM, "", 9) == []
            assert memory_encodings.uncompared(tx, TEAM, "m", 9) == []  # it has no vector yet
            entries.insert(tx, TEAM, [records.entry(source=memory.id)])
            assert memory_encodings.uncompared(tx, TEAM, "m", 9) == []
            tx.vectors().put(TEAM, "m", [VectorEntry(memory.id, 0, directions(1)[0])])
            assert memory_encodings.uncompared(tx, TEAM, "m", 9) == [memory.id]
            memory_encodings.mark(tx, TEAM, memory.id, "m")
            assert memory_encodings.uncompared(tx, TEAM, "m", 9) == []
            assert not memory_encodings.mark(tx, TEAM, "gone", "m")

        database.write(work)

    def test_a_link_is_there_once_and_goes_with_either_end(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two, three = (
                records.plant_memory(tx, records.memory(None, f"fact {n}")) for n in range(3)
            )
            assert memory_links.put(tx, link(one, two))
            assert not memory_links.put(tx, replace(link(one, two), reason="date"))
            assert memory_links.put(tx, replace(link(three, one), created_at=START + 1))
            found = memory_links.of_memory(tx, TEAM, one.id, 9)
            assert [each.memory for each in found] == [three.id, one.id]
            assert found[1] == link(one, two)
            assert memory_links.of_memory(tx, TEAM, one.id, 1) == found[:1]
            ids = [one.id, two.id]
            assert memory_links.among(tx, TEAM, ids, LinkKind.CONTRADICTS) == [link(one, two)]
            assert memory_links.among(tx, TEAM, ids, LinkKind.RELATED) == []
            memories.delete(tx, TEAM, [two.id])
            assert memory_links.among(tx, TEAM, ids, LinkKind.CONTRADICTS) == []
            memories.delete(tx, TEAM, [three.id])
            assert memory_links.of_memory(tx, TEAM, one.id, 9) == []

        database.write(work)

    def test_what_was_found_by_comparing_is_dropped_alone(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = (
                records.plant_memory(tx, records.memory(None, f"fact {n}")) for n in range(2)
            )
            kept = [
                link(one, two, LinkKind.SUPERSEDES),
                replace(link(one, two, LinkKind.PARENT), actor="human"),
            ]
            for each in (*kept, link(one, two), link(two, one, LinkKind.RELATED)):
                memory_links.put(tx, each)
            assert memory_links.drop_derived(tx, TEAM, one.id, "memoranda") == 2
            left = memory_links.of_memory(tx, TEAM, one.id, 9)
            assert {each.kind for each in left} == {LinkKind.SUPERSEDES, LinkKind.PARENT}

        database.write(work)

    def test_conflicts_are_limited_to_visible_open_ones(self, database: Database) -> None:
        records = Records()

        def conflicts(tx: Transaction, *scope: str | None, **page: Any) -> list[tuple[str, str]]:
            found = memory_links.conflicts(
                tx, TEAM, *(scope or (None, None)), **{"now": START, "limit": 9, **page}
            )
            return [(each.memory, each.other) for each in found]

        def work(tx: Transaction) -> None:
            shop, yard = records.workspace(), records.workspace()
            for place in (shop, replace(yard, name="yard")):
                workspaces.insert(tx, place, [])
            private: dict[str, Any] = {"agent": "anna", "visibility": Visibility.AGENT}
            made = [
                records.plant_memory(tx, records.memory(place, f"fact {n}", **changes))
                for n, (place, changes) in enumerate(
                    [
                        (None, {}),
                        (shop.id, {}),
                        (yard.id, {}),
                        (shop.id, private),
                        (shop.id, {"status": MemoryStatus.ARCHIVED}),
                        (shop.id, {"valid_until": START}),
                        (shop.id, {"valid_until": START + 1}),
                    ]
                )
            ]
            for each in made[1:]:
                memory_links.put(tx, link(each, made[0]))
            memory_links.put(tx, link(made[2], made[0], LinkKind.RELATED))
            ends = [(each.id, made[0].id) for each in made]
            assert conflicts(tx) == [ends[6], ends[2], ends[1]]
            assert conflicts(tx, shop.id, None) == [ends[6], ends[1]]
            assert conflicts(tx, None, "anna") == [ends[6], ends[3], ends[2], ends[1]]
            assert conflicts(tx, None, "bert") == [ends[6], ends[2], ends[1]]
            assert conflicts(tx, limit=1, before=ends[6]) == [ends[2]]
            assert conflicts(tx, now=START + 1) == [ends[2], ends[1]]

        database.write(work)

    def test_references_come_back_by_kind_and_value(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            memory = records.plant_memory(tx, records.memory(None))
            url = Reference(ReferenceKind.URL, "https://example.com/?a=1")
            file = Reference(ReferenceKind.FILE, "src/ä.py")
            for _ in range(2):
                memory_links.put_references(tx, TEAM, memory.id, [url, file])
            assert memory_links.references_of(tx, TEAM, memory.id) == (file, url)
            memories.delete(tx, TEAM, [memory.id])
            assert memory_links.references_of(tx, TEAM, memory.id) == ()

        database.write(work)

    def test_what_served_in_tasks_that_were_completed_is_found(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            done = [records.plant_task(tx) for _ in range(3)]
            for task in done:
                tasks.update(tx, replace(task, status=TaskStatus.COMPLETED, ended_at=START))
            failed = records.plant_task(tx)
            tasks.update(tx, replace(failed, status=TaskStatus.FAILED, ended_at=START))

            def served(content: str, in_tasks: list[Any], **changes: Any) -> Memory:
                memory = records.plant_memory(tx, records.memory(None, content, **changes))
                used = [Reference(ReferenceKind.EXECUTION, task.id) for task in in_tasks]
                memory_links.put_references(tx, TEAM, memory.id, used)
                return memory

            often = served("often", done)
            served("seldom", [*done[:2], failed])
            served("cleared", done, critical_reason="cleared by hand")
            served("waits", done, status=MemoryStatus.PENDING)
            assert memory_links.served(tx, TEAM, done[0].id, 3) == [often.id]
            assert memory_links.served(tx, TEAM, done[0].id, 4) == []
            assert memory_links.served(tx, TEAM, failed.id, 3) == []

        database.write(work)

    def test_a_memory_is_strengthened_up_to_certainty(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            memory = records.plant_memory(tx, records.memory(None, confidence=0.75))
            assert memories.reinforce(tx, TEAM, memory.id, START + 5, 0.125)
            after = memories.by_ids(tx, TEAM, [memory.id], None)[memory.id]
            assert (after.uses, after.last_used, after.confidence) == (1, START + 5, 0.875)
            for step in (0.0, 0.5):
                memories.reinforce(tx, TEAM, memory.id, START + 6, step)
            after = memories.by_ids(tx, TEAM, [memory.id], None)[memory.id]
            assert (after.uses, after.last_used, after.confidence) == (3, START + 6, 1.0)
            assert not memories.reinforce(tx, TEAM, "gone", START)

        database.write(work)

    def test_lists_return_memories_valid_at_a_time(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            spans = [(None, None), (None, START), (START, None), (START - 5, START + 5)]
            made = [
                records.plant_memory(
                    tx,
                    records.memory(
                        None, f"fact {n}", valid_from=begin, valid_until=end, critical=True
                    ),
                )
                for n, (begin, end) in enumerate(spans)
            ]

            def at(time: int) -> set[str]:
                where = MemoryFilter(begun_by=time, unended_at=time)
                return {one.id for one in memories.listed(tx, TEAM, where, limit=9)}

            for time in (START - 6, START - 5, START - 1, START, START + 4, START + 5):
                expected_state = {one.id for one in made if one.holds_at(time)}
                assert at(time) == expected_state, time
                assert {
                    o.id for o in memories.critical(tx, TEAM, None, None, time)
                } == expected_state
                assert set(memories.critical_ids(tx, TEAM, None, None, time)) == expected_state
            later = MemoryFilter(unended_at=START)
            assert len(memories.listed(tx, TEAM, later, limit=9)) == 3
            assert len(memories.critical(tx, TEAM, None, None)) == 4
            again = records.memory(None, "FACT 1.")
            assert memories.same_content(tx, again, START - 1) == made[1].id
            assert memories.same_content(tx, again, START) is None

        database.write(work)

    def test_a_place_has_its_own_memories_and_those_of_the_team(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = (records.plant_task(tx, name).workspace for name in ("one", "two"))
            private: dict[str, Any] = {"agent": "anna", "visibility": Visibility.AGENT}
            team, here, there, mine = (
                records.plant_memory(tx, records.memory(place, f"fact {n}", **changes)).id
                for n, (place, changes) in enumerate(
                    [(None, {}), (one, {}), (two, {}), (one, private)]
                )
            )
            records.plant_memory(tx, records.memory(one, "no", status=MemoryStatus.REJECTED))
            assert memories.in_place(tx, TEAM, one, None, 9) == [here, team]
            assert memories.in_place(tx, TEAM, None, None, 9) == [there, here, team]
            assert memories.in_place(tx, TEAM, None, None, 1) == [there]
            assert memories.in_place(tx, TEAM, one, "anna", 9) == [mine]
            assert memories.in_place(tx, TEAM, two, "anna", 9) == []
            assert memories.in_place(tx, TEAM, one, "bert", 9) == []

        database.write(work)

    def test_evidence_is_added_to_existing_evidence(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            one, two = (records.plant(tx, task, n).id for n in (1, 2))
            memory = records.plant_memory(tx, records.memory(None), (one,))
            memories.add_evidence(tx, TEAM, memory.id, [one, two])
            assert memories.evidence(tx, TEAM, memory.id) == (one, two)

        database.write(work)
