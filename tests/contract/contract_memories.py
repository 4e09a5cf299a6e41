"""Contract of the store for memories."""

from __future__ import annotations

from dataclasses import replace

from contract.records import Records
from memoranda.memories import table as memories
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility
from memoranda.memories.table import MemoryFilter
from memoranda.store.database import Database, TextEntry, TextQuery, Transaction


class MemoryContract:
    """Memories are returned unchanged to those who may see them."""

    def test_a_memory_comes_back_field_by_field(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            evidence = tuple(records.plant(tx, task, n).id for n in (1, 2))
            made = records.memory(
                task.workspace,
                "use tabs\n" * 30,
                tags=("style", 'odd "tag"'),
                critical=True,
                critical_reason="said so",
                protected=True,
                confidence=0.125,
                category=Category.ANTI_PATTERN,
            )
            records.plant_memory(tx, made, evidence[::-1])
            assert memories.by_ids(tx, made.team, [made.id, "unknown"], None) == {made.id: made}
            assert memories.evidence(tx, made.team, made.id) == evidence
            assert memories.by_prefix(tx, made.team, made.id[:9], None) == [made.id]
            assert memories.critical(tx, made.team, task.workspace, None) == [made]

        database.write(work)

    def test_ids_that_begin_alike_in_one_team_are_returned(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            place = records.plant_task(tx).workspace
            one, alone = (records.memory(place, text) for text in ("use tabs", "use spaces"))
            end = "1" if one.id.endswith("0") else "0"
            copy = replace(one, id=one.id[:-1] + end, content="use tabs again")
            for memory in (one, copy, alone):
                records.plant_memory(tx, memory)
            ids = [one.id, copy.id, alone.id]
            assert memories.of_shared_prefix(tx, records.team, ids) == {one.id, copy.id}
            assert memories.of_shared_prefix(tx, records.team, [one.id]) == {one.id}
            assert memories.of_shared_prefix(tx, "other", ids) == frozenset()
            assert memories.of_shared_prefix(tx, records.team, []) == frozenset()

        database.write(work)

    def test_a_private_memory_is_seen_by_its_agent_alone(self, database: Database) -> None:
        records = Records()
        team = records.team

        def fill(tx: Transaction) -> tuple[Memory, Memory]:
            place = records.plant_task(tx).workspace
            secret = records.memory(
                place, "only for me", agent="anna", visibility=Visibility.AGENT, critical=True
            )
            common = records.memory(place, "for everybody", critical=True)
            return records.plant_memory(tx, secret), records.plant_memory(tx, common)

        secret, common = database.write(fill)
        ids = [secret.id, common.id]

        def seen_by(tx: Transaction, agent: str | None) -> list[set[str]]:
            listed = memories.listed(tx, team, MemoryFilter(agent=agent), limit=10)
            critical = memories.critical(tx, team, secret.workspace, agent)
            return [
                set(memories.by_ids(tx, team, ids, agent)),
                {memory.id for memory in listed},
                {memory.id for memory in critical},
            ]

        both = secret.id[:8]

        def look(tx: Transaction) -> None:
            assert memories.by_prefix(tx, team, both, "anna") == sorted(ids)
            assert seen_by(tx, "anna") == [{secret.id, common.id}] * 3
            for other in ("bert", "", "ANNA", None):
                assert seen_by(tx, other) == [{common.id}] * 3, other
                assert memories.by_prefix(tx, team, both, other) == [common.id], other

        database.read(look)

    def test_the_same_words_are_recognised_in_their_own_place_only(
        self, database: Database
    ) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = (records.plant_task(tx, name).workspace for name in ("one", "two"))
            made = records.plant_memory(tx, records.memory(one, "net prices"))
            private = records.memory(one, "net prices", agent="anna", visibility=Visibility.AGENT)
            assert memories.same_content(tx, records.memory(one, "net prices")) == made.id
            for alike in ("net  prices", "Net prices.", " NET\nprices! "):
                assert memories.same_content(tx, records.memory(one, alike)) == made.id
            for other in ("net-prices", "net price", "net prices (eu)"):
                assert memories.same_content(tx, records.memory(one, other)) is None
            assert memories.same_content(tx, records.memory(two, "net prices")) is None
            assert memories.same_content(tx, records.memory(None, "net prices")) is None
            assert memories.same_content(tx, private) is None
            records.plant_memory(tx, private)
            assert memories.same_content(tx, private) == private.id
            assert memories.same_content(tx, replace(private, agent="bert")) is None
            own = records.memory(two, "gross", agent="anna", visibility=Visibility.AGENT)
            shared = replace(records.plant_memory(tx, own), visibility=Visibility.WORKSPACE)
            words = TextEntry(shared.team, shared.id, two, None, "gross", ["gross"])
            memories.update(tx, shared, words)
            assert memories.same_content(tx, records.memory(two, "gross")) == own.id
            assert memories.same_content(tx, own) is None

        database.write(work)

    def test_a_rejected_memory_is_no_duplicate_of_a_new_one(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            rejected = records.memory(None, "no", status=MemoryStatus.REJECTED)
            records.plant_memory(tx, rejected)
            assert memories.same_content(tx, records.memory(None, "no")) is None

        database.write(work)

    def test_lists_are_filtered_and_read_page_by_page(self, database: Database) -> None:
        records = Records()
        team = records.team

        def work(tx: Transaction) -> None:
            one, two = (records.plant_task(tx, name).workspace for name in ("one", "two"))
            here = records.plant_memory(tx, records.memory(one, "here"))
            there = records.plant_memory(tx, records.memory(two, "there"))
            waits = records.memory(
                one, "waits", status=MemoryStatus.PENDING, category=Category.DECISION
            )
            records.plant_memory(tx, waits)
            everywhere = records.plant_memory(tx, records.memory(None, "everywhere"))

            def listed(where: MemoryFilter, before: str = memories.NEWEST) -> list[Memory]:
                return memories.listed(tx, team, where, before=before, limit=2)

            assert listed(MemoryFilter()) == [everywhere, waits]
            assert listed(MemoryFilter(), waits.id) == [there, here]
            assert listed(MemoryFilter(), here.id) == []
            assert listed(MemoryFilter(workspace=two)) == [everywhere, there]
            assert listed(MemoryFilter(status=MemoryStatus.PENDING)) == [waits]
            assert listed(MemoryFilter(category=Category.DECISION)) == [waits]
            assert listed(MemoryFilter(critical=1)) == []
            dear = records.plant_memory(tx, records.memory(one, "dear", critical=True))
            assert listed(MemoryFilter(critical=1)) == [dear]
            assert (
                memories.listed(tx, team, MemoryFilter(critical=1), before=dear.id, limit=2) == []
            )
            memories.delete(tx, team, [dear.id])
            assert memories.counts(tx, team, one, None) == {"approved": 2, "pending": 1}
            assert memories.counts(tx, team, None, None) == {"approved": 3, "pending": 1}

        database.write(work)

    def test_only_approved_critical_memories_of_the_place_are_critical(
        self, database: Database
    ) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = (records.plant_task(tx, name).workspace for name in ("one", "two"))
            wanted = [
                records.plant_memory(tx, records.memory(place, text, critical=True))
                for place, text in ((one, "here"), (None, "everywhere"))
            ]
            records.plant_memory(tx, records.memory(two, "there", critical=True))
            records.plant_memory(tx, records.memory(one, "ordinary"))
            waits = records.memory(one, "waits", critical=True, status=MemoryStatus.PENDING)
            records.plant_memory(tx, waits)
            assert memories.critical(tx, records.team, one, None) == wanted
            ids = [memory.id for memory in wanted]
            assert memories.critical_ids(tx, records.team, one, None) == ids
            everywhere = memories.critical_ids(tx, records.team, None, None)
            assert set(ids) < set(everywhere)
            of_all = memories.critical(tx, records.team, None, None)
            assert [memory.id for memory in of_all] == everywhere

        database.write(work)

    def test_a_deleted_memory_is_gone_from_rows_evidence_and_text(self, database: Database) -> None:
        records = Records()
        team = records.team

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            seen = records.plant(tx, task, 1)
            gone, kept = (
                records.plant_memory(tx, records.memory(task.workspace, f"zebra {n}"), (seen.id,))
                for n in (1, 2)
            )
            assert memories.delete(tx, team, [gone.id, "unknown"]) == 1
            assert list(memories.by_ids(tx, team, [gone.id, kept.id], None)) == [kept.id]
            assert memories.evidence(tx, team, gone.id) == ()
            query = TextQuery(team, ["zebra"], ["zebra"])
            assert [hit.id for hit in tx.text("memory").search(query)] == [kept.id]

        database.write(work)
