"""Contract of the store for versions, proposals and notifications."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_transactions import together
from contract.records import Records
from memoranda.memories import table as memories, version_table as memory_versions
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.proposals import table as proposals
from memoranda.proposals.model import (
    MemoryState,
    MemoryVersion,
    Notification,
    NotificationKind,
    Proposal,
    ProposalKind,
    ProposalStatus,
)
from memoranda.store.database import Database, TextEntry, Transaction
from memoranda.workspaces import table as workspaces

TEAM = Records().team


def proposal(records: Records, memory: Memory, **changes: Any) -> Proposal:
    """Make a pending proposal."""
    state = MemoryState.of(memory)
    made = Proposal(
        team=records.team,
        id=records.ids.new(),
        kind=ProposalKind.UPDATE,
        memory=memory.id,
        workspace=memory.workspace,
        agent="critic",
        task=None,
        reason="it moved",
        before=state,
        after=replace(state, content="prices are gross"),
        status=ProposalStatus.PENDING,
        created_at=START,
        decided_at=None,
        decided_by=None,
        note="",
    )
    return replace(made, **changes)


def notification(records: Records, result: Proposal, **changes: Any) -> Notification:
    """Make a notification."""
    made = Notification(records.team, records.ids.new(), NotificationKind.PENDING, result.id, START)
    return replace(made, **changes)


def text(memory: Memory) -> TextEntry:
    """Return the full-text entry of a memory."""
    words = memory.content
    return TextEntry(memory.team, memory.id, memory.workspace, None, words, words.split())


class ProposalContract:
    """A decision is made once, a channel notified once, the past kept."""

    def test_a_memory_is_written_over_with_its_words(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            memory = records.plant_memory(tx, records.memory(None, "prices are net"))
            after = replace(
                memory,
                content="rates are gross",
                tags=("vat",),
                critical=True,
                critical_reason="law",
                status=MemoryStatus.ARCHIVED,
                updated_at=START + 1,
            )
            memories.update(tx, after, text(after))
            assert memories.by_ids(tx, TEAM, [memory.id], None) == {memory.id: after}
            assert tx.text("memory").frequencies(TEAM, ["prices", "rates"]).of == {
                "prices": 0,
                "rates": 1,
            }

        database.write(work)

    def test_versions_are_numbered_and_go_with_their_memory(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            memory = records.plant_memory(tx, records.memory(None, "ein \u00bbSatz\u00ab \u2603"))
            state = MemoryState.of(memory)
            assert memory_versions.newest(tx, TEAM, memory.id) == 0
            made = [
                MemoryVersion(TEAM, memory.id, n, replace(state, title=f"{n}"), "human", "", n)
                for n in (1, 2, 3)
            ]
            for version in made:
                memory_versions.put(tx, version)
            assert memory_versions.newest(tx, TEAM, memory.id) == 3
            assert memory_versions.listed(tx, TEAM, memory.id, limit=2) == made[:0:-1]
            assert memory_versions.listed(tx, TEAM, memory.id, before=2, limit=2) == made[:1]
            assert memory_versions.by_number(tx, TEAM, memory.id, 2) == made[1]
            assert memory_versions.by_number(tx, TEAM, memory.id, 4) is None
            memories.delete(tx, TEAM, [memory.id])
            assert memory_versions.listed(tx, TEAM, memory.id, limit=9) == []

        database.write(work)

    def test_only_what_waits_can_be_written_over_or_decided(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            memory = records.plant_memory(tx, records.memory(None))
            made = proposals.put(tx, proposal(records, memory))
            assert made.number == 1
            changed = replace(made, reason="it moved twice", kind=ProposalKind.ARCHIVE)
            assert proposals.put(tx, changed) == changed
            assert proposals.waiting(tx, TEAM, memory.id, "critic") == changed
            assert proposals.waiting(tx, TEAM, memory.id, None) is None
            decided = replace(
                changed, status=ProposalStatus.APPROVED, decided_at=5, decided_by="human", note="ok"
            )
            assert proposals.count(tx, TEAM, None) == 1
            assert proposals.decide(tx, decided)
            assert not proposals.decide(tx, replace(decided, status=ProposalStatus.REJECTED))
            proposals.put(tx, made)
            assert proposals.by_id(tx, TEAM, made.id) == decided
            assert proposals.count(tx, TEAM, None) == 0
            memories.delete(tx, TEAM, [memory.id])
            assert proposals.by_id(tx, TEAM, made.id) is None

        database.write(work)

    def test_proposals_are_listed_by_place_agent_and_status(self, database: Database) -> None:
        records = Records()
        shop, yard = records.workspace(), records.workspace()

        def work(tx: Transaction) -> None:
            for place in (shop, replace(yard, name="yard")):
                workspaces.insert(tx, place, [])
            made = []
            for where, agent in ((shop.id, "a"), (None, "b"), (yard.id, "a")):
                memory = records.plant_memory(tx, records.memory(where, f"of {where}"))
                made.append(proposal(records, memory, agent=agent))
                proposals.put(tx, made[-1])
            one, two, three = made

            def ids(*value: Any, **page: Any) -> list[str]:
                found = proposals.listed(tx, TEAM, *value, **{"limit": 9, **page})
                return [each.id for each in found]

            assert ids(None, None, None) == [three.id, two.id, one.id]
            assert ids(shop.id, None, None) == [two.id, one.id]
            assert ids(None, "a", None) == [three.id, one.id]
            assert ids(None, None, ProposalStatus.REJECTED) == []
            assert ids(None, None, None, before=three.id, limit=1) == [two.id]
            assert proposals.by_id(tx, TEAM, two.id, "a") is None
            assert proposals.by_prefix(tx, TEAM, two.id[:34]) != []
            both = one.id[:8]
            assert proposals.by_prefix(tx, TEAM, both) == [one.id, two.id, three.id]
            assert proposals.by_prefix(tx, TEAM, both, "a") == [one.id, three.id]
            assert proposals.count(tx, TEAM, shop.id) == 2

        database.write(work)

    def test_a_channel_is_notified_once(self, database: Database) -> None:
        records = Records()

        def plant(tx: Transaction) -> list[Notification]:
            made = proposal(records, records.plant_memory(tx, records.memory(None)))
            proposals.put(tx, made)
            entry = [notification(records, made) for _ in range(5)]
            for one in entry:
                proposals.put_notification(tx, one)
            return entry

        entry = database.write(plant)

        def notify(channel: str, limit: int) -> list[Notification]:
            def work(tx: Transaction) -> list[Notification]:
                found = proposals.undelivered(tx, TEAM, channel, limit=limit)
                proposals.deliver(tx, TEAM, channel, found, START)
                return found

            return database.write(work)

        assert notify("cli", 2) == entry[:2]
        assert notify("page", 9) == entry
        assert notify("cli", 9) == entry[2:]
        assert notify("cli", 9) == []

    def test_of_concurrent_decisions_one_is_stored(self, database: Database) -> None:
        records = Records()

        def plant(tx: Transaction) -> Proposal:
            made = proposal(records, records.plant_memory(tx, records.memory(None)))
            proposals.put(tx, made)
            return made

        made = database.write(plant)
        decided = replace(made, status=ProposalStatus.APPROVED, decided_at=1, decided_by="human")
        found: list[bool] = []
        together(
            lambda _: found.append(database.write(lambda tx: proposals.decide(tx, decided))), 8
        )
        assert sorted(found) == [False] * 7 + [True]
