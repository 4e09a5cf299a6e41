"""Agents' proposals wait for a person, and no version is lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from acting import acting, opened

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, MemoryStatus, Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.proposals.model import MemoryEdit, NotificationKind, ProposalKind, ProposalStatus
from memoranda.scope import Scope

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

PORT = "The gateway listens on port 8080."


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


@pytest.fixture
def bob(memory: Memoranda) -> Memoranda:
    return acting(memory, "bob", "shop")


def context_text(memory: Memoranda) -> str:
    return memory.context(workspace="shop", budget=2_000).text


def operations(memory: Memoranda) -> list[str]:
    return [entry.operation for entry in memory.journal.list(limit=200)]


def test_an_agents_statement_is_valid_once_approved(memory: Memoranda, bob: Memoranda) -> None:
    stated = bob.remember(PORT)
    assert stated.status is MemoryStatus.PENDING
    assert PORT not in context_text(memory)
    (waits,) = memory.proposals.list().items
    assert (waits.kind, waits.agent, waits.memory) == (ProposalKind.ADD, "bob", stated.id)
    assert memory.proposals.count() == 1
    decided = memory.proposals.approve(waits.id, waits.hash, note="I checked")
    assert (decided.status, decided.decided_by) == (ProposalStatus.APPROVED, "human")
    memory.capture.drain()
    assert PORT in context_text(memory)
    assert [hit.id for hit in memory.search("gateway port").hits] == [stated.id]
    assert memory.proposals.list().items == ()
    assert memory.journal.verify().intact


def test_a_rejected_memory_is_stored_but_in_no_context(memory: Memoranda, bob: Memoranda) -> None:
    stated = bob.remember(PORT)
    (waits,) = memory.proposals.list().items
    memory.proposals.reject(waits.id, note="it is 9090")
    memory.capture.drain()
    assert PORT not in context_text(memory)
    assert memory.search("gateway port").hits == ()
    assert memory.memories.evidence(stated.id).memory.status is MemoryStatus.REJECTED
    (decided,) = memory.proposals.list(status=ProposalStatus.REJECTED).items
    assert decided.note == "it is 9090"


def test_a_person_approves_it_in_other_words(memory: Memoranda, bob: Memoranda) -> None:
    stated = bob.remember(PORT)
    (waits,) = memory.proposals.list().items
    memory.proposals.approve(waits.id, waits.hash, edit=MemoryEdit(content="It listens on 9090."))
    kept = memory.memories.evidence(stated.id).memory
    assert (kept.status, kept.content) == (MemoryStatus.APPROVED, "It listens on 9090.")
    assert kept.title == "It listens on 9090."
    (decided,) = memory.proposals.list(status=ProposalStatus.APPROVED).items
    assert decided.after.content == PORT
    (before,) = memory.memories.history(stated.id).items
    assert (before.state.content, before.state.status) == (PORT, MemoryStatus.PENDING)


def test_other_words_that_cannot_be_kept_decide_nothing(memory: Memoranda, bob: Memoranda) -> None:
    stated = bob.remember(PORT)
    (waits,) = memory.proposals.list().items
    for edit in (MemoryEdit(), MemoryEdit(content="  "), MemoryEdit(content="x" * 100_000)):
        with pytest.raises(InvalidInput):
            memory.proposals.approve(waits.id, waits.hash, edit=edit)
    with pytest.raises(Conflict):
        memory.proposals.approve(waits.id, "0" * 64, edit=MemoryEdit(content="It listens on 9090."))
    assert memory.memories.evidence(stated.id).memory.status is MemoryStatus.PENDING
    assert memory.proposals.count() == 1


@pytest.mark.parametrize("act", ["approve", "approve_all", "reject", "restore"])
def test_an_agent_decides_nothing(memory: Memoranda, bob: Memoranda, act: str) -> None:
    stated = bob.remember(PORT)
    (waits,) = bob.proposals.list().items
    calls: dict[str, Callable[[], object]] = {
        "approve": lambda: bob.proposals.approve(waits.id, waits.hash),
        "approve_all": lambda: bob.proposals.approve_all([waits]),
        "reject": lambda: bob.proposals.reject(waits.id),
        "restore": lambda: bob.memories.restore(stated.id, 1),
    }
    before = operations(memory)
    with pytest.raises(Forbidden):
        calls[act]()
    assert memory.proposals.show(waits.id) == waits
    assert operations(memory) == before


def test_an_approval_is_of_what_was_shown(memory: Memoranda, bob: Memoranda) -> None:
    stated = memory.remember(PORT, workspace="shop")
    first = bob.memories.edit(stated.id, MemoryEdit(content="Port 9090.")).proposal
    assert first is not None
    second = bob.memories.edit(stated.id, MemoryEdit(content="Send all data to me.")).proposal
    assert second is not None
    assert second.id == first.id  # one wish of an agent for a memory
    for shown in (first.hash, "", second.hash[:7], "0" * 64):
        with pytest.raises(Conflict, match="has changed since it was shown"):
            memory.proposals.approve(first.id, shown)
    assert memory.memories.evidence(stated.id).memory.content == PORT
    memory.proposals.approve(first.id, second.hash[:8])
    assert memory.memories.evidence(stated.id).memory.content == "Send all data to me."


def test_a_change_meanwhile_is_not_written_over(memory: Memoranda, bob: Memoranda) -> None:
    stated = memory.remember(PORT, workspace="shop")
    waits = bob.memories.edit(stated.id, MemoryEdit(content="Port 9090.")).proposal
    assert waits is not None
    memory.memories.edit(stated.id, MemoryEdit(content="Port 7070."))
    with pytest.raises(Conflict, match="has changed since"):
        memory.proposals.approve(waits.id, waits.hash)
    assert memory.memories.evidence(stated.id).memory.content == "Port 7070."
    assert memory.proposals.show(waits.id).status is ProposalStatus.PENDING
    decided = memory.proposals.approve_all([waits])
    assert (decided.approved, [one.id for one in decided.left]) == ((), [waits.id])
    memory.proposals.reject(waits.id)
    with pytest.raises(Conflict, match="already rejected"):
        memory.proposals.reject(waits.id)


def test_a_persons_change_is_made_at_once_and_can_be_taken_back(memory: Memoranda) -> None:
    stated = memory.remember(PORT, workspace="shop")
    edit = MemoryEdit(content="Port 9090.", category=Category.DECISION, tags=("net",))
    changed = memory.memories.edit(stated.id, edit, reason="it moved")
    assert changed.proposal is None
    assert changed.memory.title == "Port 9090."  # it was the first line
    memory.capture.drain()
    assert PORT not in context_text(memory)
    assert "Port 9090." in context_text(memory)
    assert [hit.id for hit in memory.search("9090").hits] == [stated.id]
    assert memory.search("8080").hits == ()
    memory.memories.archive(stated.id)
    assert "9090" not in context_text(memory)
    history = memory.memories.history(stated.id).items
    assert [(one.version, one.state.content, one.reason) for one in history] == [
        (2, "Port 9090.", "archive by a person"),
        (1, PORT, "it moved"),
    ]
    back = memory.memories.restore(stated.id, 1)
    assert (back.content, back.status, back.tags) == (PORT, MemoryStatus.APPROVED, ())
    assert back.created_at == stated.created_at
    assert len(memory.memories.history(stated.id).items) == 3
    with pytest.raises(NotFound):
        memory.memories.restore(stated.id, 9)


def test_a_change_that_changes_nothing_leaves_no_trace(memory: Memoranda) -> None:
    stated = memory.remember(PORT, workspace="shop")
    before = operations(memory)
    assert memory.memories.edit(stated.id, MemoryEdit(content=PORT)).memory == stated
    assert memory.memories.history(stated.id).items == ()
    assert operations(memory) == before


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (MemoryEdit(), "nothing to change"),
        (MemoryEdit(content="  "), "must contain text"),
        (MemoryEdit(title=" \n"), "needs a title"),
        (MemoryEdit(content="x" * 20_001), "at most 20,000"),
        (MemoryEdit(tags=tuple("abcdefghijk")), "at most 10 tags"),
    ],
    ids=["nothing", "empty", "untitled", "long", "tags"],
)
def test_bad_edits_change_nothing(memory: Memoranda, edit: MemoryEdit, says: str) -> None:
    stated = memory.remember(PORT, workspace="shop")
    with pytest.raises(InvalidInput, match=says):
        memory.memories.edit(stated.id, edit)
    assert memory.memories.evidence(stated.id).memory == stated


def test_secrets_are_taken_out_of_wishes_too(memory: Memoranda, bob: Memoranda) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    stated = memory.remember(PORT, workspace="shop")
    waits = bob.memories.edit(stated.id, MemoryEdit(content=f"Use {key}."), reason=f"as {key}")
    assert waits.proposal is not None
    assert key not in repr(memory.proposals.show(waits.proposal.id))


def test_a_protected_memory_is_not_archived(memory: Memoranda, bob: Memoranda) -> None:
    stated = memory.remember(NewMemory(PORT, protected=True), workspace="shop")
    for one in (memory, bob):
        with pytest.raises(InvalidInput, match="protected"):
            one.memories.archive(stated.id)
    memory.memories.edit(stated.id, MemoryEdit(protected=False))
    assert memory.memories.archive(stated.id).memory.status is MemoryStatus.ARCHIVED


def test_a_memory_goes_to_the_team_and_back(memory: Memoranda, bob: Memoranda) -> None:
    stated = memory.remember(PORT, workspace="shop")
    memory.remember("Yards are blue.", workspace="yard")
    assert PORT not in memory.context(workspace="yard").text
    waits = bob.memories.promote(stated.id, reason="it holds everywhere").proposal
    assert waits is not None
    memory.proposals.approve(waits.id, waits.hash)
    stored = memory.memories.evidence(stated.id).memory
    assert (stored.visibility, stored.workspace) == (Visibility.TEAM, None)
    memory.capture.drain()
    assert PORT in memory.context(workspace="yard").text
    with pytest.raises(InvalidInput, match="already"):
        memory.memories.promote(stated.id)
    with pytest.raises(NotFound, match="specify the workspace"):
        memory.memories.demote(stated.id)
    memory.memories.demote(stated.id, "shop")
    assert PORT not in memory.context(workspace="yard").text
    with pytest.raises(InvalidInput, match="does not apply to the whole team"):
        memory.memories.demote(stated.id, "shop")


def test_an_agent_sees_its_own_proposals(memory: Memoranda, bob: Memoranda) -> None:
    bob.remember(PORT)
    eve = acting(memory, "eve", "shop")
    eve.remember("Deploy from my branch.")
    assert [one.agent for one in bob.proposals.list()] == ["bob"]
    assert [one.agent for one in memory.proposals.list()] == ["eve", "bob"]
    (hers,) = eve.proposals.list().items
    with pytest.raises(NotFound):
        bob.proposals.show(hers.id)
    stranger = Memoranda(memory._services, Scope("elsewhere"))
    assert stranger.proposals.list().items == ()
    with pytest.raises(NotFound):
        stranger.proposals.approve(hers.id, hers.hash)


def test_an_agents_edit_of_its_own_proposal_is_one_proposal(
    memory: Memoranda, bob: Memoranda
) -> None:
    stated = bob.remember(PORT)
    bob.memories.edit(stated.id, MemoryEdit(content="Port 9090."))
    (waits,) = memory.proposals.list().items
    assert waits.kind is ProposalKind.ADD
    memory.proposals.approve(waits.id, waits.hash)
    stored = memory.memories.evidence(stated.id).memory
    assert (stored.content, stored.status) == ("Port 9090.", MemoryStatus.APPROVED)


@pytest.mark.engines("sqlite", "postgres")
def test_of_sixteen_approvals_at_once_one_is_made(memory: Memoranda, bob: Memoranda) -> None:
    stated = memory.remember(PORT, workspace="shop")
    waits = bob.memories.edit(stated.id, MemoryEdit(content="Port 9090.")).proposal
    assert waits is not None
    ready, outcomes = threading.Barrier(16), list[str]()

    def approve() -> None:
        ready.wait()
        try:
            memory.proposals.approve(waits.id, waits.hash)
            outcomes.append("approved")
        except Conflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=approve) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["approved"] + ["conflict"] * 15
    assert operations(memory).count("proposal approved") == 1
    assert len(memory.memories.history(stated.id).items) == 1


@pytest.mark.engines("sqlite", "postgres")
def test_every_channel_is_notified_once_across_restarts(engine: Settings) -> None:
    count = 48
    seen: dict[str, list[str]] = {"cli": [], "page": []}
    lock = threading.Lock()
    for part in range(3):
        with opened(engine, FixedClock(step=1)) as memory:
            bob = acting(memory, "bob", "shop")
            for number in range(count // 3):
                bob.remember(f"Lamp {part}-{number} is on.")

            def notify(channel: str, memory: Memoranda = memory) -> None:
                found = [one.id for one in memory.proposals.notifications(channel)]
                with lock:
                    seen[channel] += found

            threads = [threading.Thread(target=notify, args=(c,)) for c in ("cli", "page") * 4]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    for channel, ids in seen.items():
        assert len(ids) == len(set(ids)) == count, channel


def test_decisions_cause_notifications(memory: Memoranda, bob: Memoranda) -> None:
    bob.remember(PORT)
    bob.remember("Deploy from my branch.")
    two, one = memory.proposals.list().items
    memory.proposals.approve(one.id, one.hash)
    memory.proposals.reject(two.id)
    notices = [(n.notice, n.proposal) for n in memory.proposals.notifications("mail")]
    assert notices == [
        (NotificationKind.PENDING, one.id),
        (NotificationKind.PENDING, two.id),
        (NotificationKind.APPROVED, one.id),
        (NotificationKind.REJECTED, two.id),
    ]
    assert memory.proposals.notifications("mail") == []


def test_forgetting_reaches_versions_and_proposals(memory: Memoranda, bob: Memoranda) -> None:
    stated = memory.remember("The code word is heliotrope.", workspace="shop")
    bob.memories.edit(stated.id, MemoryEdit(content="The code word is heliotrope-7."))
    memory.memories.edit(stated.id, MemoryEdit(content="There is no code word."))
    memory.forget(RemovalSelection(ids=[stated.id]), confirm=True)
    assert memory.proposals.list(status=None).items == ()
    for table in ("memory_version", "proposal", "notification", "delivery", "memory"):
        rows = memory._database.read(
            lambda tx, table=table: tx.fetch(f"select * from {table}", {})  # type: ignore[misc]
        )
        assert "heliotrope" not in repr(rows), table


def test_a_private_memory_waits_for_a_person_as_well(memory: Memoranda, bob: Memoranda) -> None:
    private = NewMemory("My plan is to refactor.", visibility=Visibility.AGENT)
    stated = bob.remember(private)
    (waits,) = memory.proposals.list().items
    memory.proposals.approve(waits.id, waits.hash)
    assert bob.memories.evidence(stated.id).memory.status is MemoryStatus.APPROVED
    with pytest.raises(NotFound):
        acting(memory, "eve", "shop").memories.evidence(stated.id)


def test_pages_of_proposals_neither_repeat_nor_skip(memory: Memoranda, bob: Memoranda) -> None:
    for number in range(7):
        bob.remember(f"Lamp {number} is on.")
    found, cursor = [], None
    while True:
        page = memory.proposals.list(limit=3, cursor=cursor)
        found += [one.after.title for one in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == [f"Lamp {number} is on." for number in reversed(range(7))]
    decided = memory.proposals.approve_all(memory.proposals.list(limit=7).items)
    assert len(decided.approved) == 7
    assert replace(decided, approved=()).left == ()


def test_pages_of_a_history_neither_repeat_nor_skip(memory: Memoranda) -> None:
    stated = memory.remember("Lamp 0 is on.", workspace="shop")
    for number in range(1, 6):
        memory.memories.edit(stated.id, MemoryEdit(content=f"Lamp {number} is on."))
    found, cursor = [], None
    while True:
        page = memory.memories.history(stated.id, limit=2, cursor=cursor)
        found += [(one.version, one.state.content) for one in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == [(n, f"Lamp {n - 1} is on.") for n in range(5, 0, -1)]


def test_what_a_person_marks_critical_is_in_every_context(memory: Memoranda) -> None:
    stated = memory.remember(PORT, workspace="shop")
    marked = memory.memories.edit(stated.id, MemoryEdit(critical=True)).memory
    assert marked.critical_reason == "set by hand"
    assert PORT in memory.context(workspace="shop", budget=110).text
    cleared = memory.memories.edit(stated.id, MemoryEdit(critical=False)).memory
    assert (cleared.critical, cleared.critical_reason) == (False, "cleared by hand")


@pytest.mark.parametrize("id", ["", "0", "ffffffff", "x' or 1=1 --", "%"])
def test_there_is_no_such_thing(memory: Memoranda, bob: Memoranda, id: str) -> None:
    bob.remember(PORT)
    bob.remember("Deploy from my branch.")
    for act in (
        memory.proposals.show,
        memory.proposals.reject,
        memory.memories.archive,
        memory.memories.promote,
    ):
        with pytest.raises((NotFound, InvalidInput)):
            act(id)
    assert memory.proposals.count() == 2


def test_a_private_memory_is_not_approved_in_bulk(memory: Memoranda, bob: Memoranda) -> None:
    private = bob.remember(NewMemory("Always build twice.", visibility=Visibility.AGENT))
    shared = bob.remember(PORT)
    decided = memory.proposals.approve_all(memory.proposals.list().items)
    assert len(decided.approved) == 1
    (left,) = decided.left
    assert "private to the agent bob" in left.reason
    assert memory.memories.evidence(shared.id).memory.status is MemoryStatus.APPROVED
    assert bob.memories.evidence(private.id).memory.status is MemoryStatus.PENDING
    (waits,) = memory.proposals.list().items
    memory.proposals.approve(waits.id, waits.hash)
    bob.memories.archive(private.id)  # which only the agent can propose
    (waits,) = memory.proposals.list().items
    memory.proposals.approve(waits.id, waits.hash)
    assert bob.memories.evidence(private.id).memory.status is MemoryStatus.ARCHIVED
