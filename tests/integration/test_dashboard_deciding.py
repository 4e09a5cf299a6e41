"""Decisions at the dashboard apply to what was shown, and can be undone."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from acting import acting
from screens import Screen, play

from contract.clock import START
from memoranda import Memoranda
from memoranda.exceptions import Conflict, InvalidInput, Stale
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.proposals.model import MemoryEdit, Proposal
from memoranda.tui import decisions as deciding

pytestmark = pytest.mark.integration

PORT, OTHER = "The gateway listens on port 8080.", "Lamps are dimmed at night."


@pytest.fixture
def bob(memory: Memoranda) -> Memoranda:
    return acting(memory, "bob", "shop")


def proposed(memory: Memoranda, bob: Memoranda, words: str = PORT) -> Proposal:
    """Make an agent's proposal; return it."""
    stated = bob.remember(words)
    return next(one for one in memory.proposals.list() if one.memory == stated.id)


def decided(memory: Memoranda, id: str) -> tuple[str, str | None]:
    """Return the outcome of a proposal, and who decided."""
    found = memory.proposals.show(id)
    return found.status.value, found.decided_by


async def opened(screen: Screen, text: str) -> None:
    """Open the memories, and wait until one is shown."""
    await screen.press("2")
    await screen.until(text)
    await screen.until(lambda: screen.app.query_one("#edit").display)


def test_a_key_approves_and_another_takes_it_back(memory: Memoranda, bob: Memoranda) -> None:
    waits = proposed(memory, bob)

    async def story(screen: Screen) -> None:
        await opened(screen, f"hash {waits.hash[:12]}")
        assert "2 Memory (1)" in screen.text
        assert f"+ {PORT}" in screen.text
        await screen.press("a")
        await screen.until(f"approved: {PORT}; press u to undo it")
        assert decided(memory, waits.id) == ("approved", "human")
        assert memory.memories.evidence(waits.memory).memory.status is MemoryStatus.APPROVED
        await screen.until("trust approved")
        screen.app.tick()
        await screen.until_gone("2 Memory (1)")
        await screen.press("u")
        await screen.until("undone; the memory is archived")
        assert memory.memories.evidence(waits.memory).memory.status is MemoryStatus.ARCHIVED
        await screen.press("u")
        await screen.until("Nothing to undo")

    play(memory, story)


def test_the_mouse_approves_and_rejects(memory: Memoranda, bob: Memoranda) -> None:
    first, second = proposed(memory, bob), proposed(memory, bob, OTHER)

    async def story(screen: Screen) -> None:
        await opened(screen, f"hash {second.hash[:12]}")
        await screen.click("#memories", offset=(5, 3))
        await screen.until(f"hash {first.hash[:12]}")
        await screen.click("#approve")
        await screen.until(f"approved: {PORT}")
        await screen.until(f"hash {second.hash[:12]}")
        await screen.click("#reject")
        await screen.until("Reason (optional)")
        await screen.click("#no")
        await screen.until_gone("Reason (optional)")
        assert decided(memory, second.id) == ("pending", None)
        await screen.click("#reject")
        await screen.until("Reason (optional)")
        await screen.click("#yes")
        await screen.until(f"rejected: {OTHER}")

    play(memory, story)
    assert decided(memory, first.id) == ("approved", "human")
    assert decided(memory, second.id) == ("rejected", "human")


def test_a_rejection_has_a_reason_and_stays(memory: Memoranda, bob: Memoranda) -> None:
    waits = proposed(memory, bob)

    async def story(screen: Screen) -> None:
        await opened(screen, PORT)
        await screen.press("r")
        await screen.until(f"Reject: {PORT}")
        await screen.press("escape")
        await screen.until_gone(f"Reject: {PORT}")
        assert decided(memory, waits.id) == ("pending", None)
        await screen.press("r")
        await screen.until(f"Reject: {PORT}")
        await screen.write("it is 9090")
        screen.capture("reject-120")
        await screen.press("enter")
        await screen.until(f"rejected: {PORT}")  # a notice, which disappears by itself
        await screen.until("Nothing yet;")
        await screen.press("u")
        await screen.until("Nothing to undo; the dashboard cannot undo a rejection.")

    play(memory, story)
    assert memory.proposals.show(waits.id).note == "it is 9090"
    assert memory.memories.evidence(waits.memory).memory.status is MemoryStatus.REJECTED


def test_a_change_is_shown_line_by_line_and_can_be_undone(
    memory: Memoranda, bob: Memoranda
) -> None:
    stated = memory.remember(PORT, workspace="shop")
    wish = bob.memories.edit(
        stated.id, MemoryEdit(content="Port 9090.\nSince May."), reason="moved"
    )
    assert wish.proposal is not None

    async def story(screen: Screen) -> None:
        await opened(screen, f"- {PORT}")
        for reported in (
            "Update: insight",
            "from bob · trust agent",
            "+ Port 9090.",
            "+ Since May.",
            "Because: moved",
        ):
            assert reported in screen.text
        screen.capture("change-120")
        await screen.press("a")
        await screen.until("approved: Port 9090.")
        assert memory.memories.evidence(stated.id).memory.content == "Port 9090.\nSince May."
        await screen.press("u")
        await screen.until("undone; the memory is restored")

    play(memory, story)
    assert memory.memories.evidence(stated.id).memory.content == PORT


def test_a_proposal_is_approved_in_the_persons_words(memory: Memoranda, bob: Memoranda) -> None:
    seen = memory.observe("port 8080 is open", task="t", workspace="shop")
    waits = proposed(memory, bob)

    async def story(screen: Screen) -> None:
        await opened(screen, PORT)
        await screen.press("e")
        await screen.until("Approve with this text")
        screen.capture("edit-120")
        await screen.press("end")
        await screen.write(" It is open")
        await screen.press("ctrl+s")
        await screen.until("approved with your text")
        await screen.press("u")
        await screen.until("undone; the memory is archived")

    assert seen.id
    play(memory, story)
    assert decided(memory, waits.id) == ("approved", "human")
    last, *_ = memory.memories.history(waits.memory).items
    assert last.state.content == f"{PORT} It is open"
    assert last.state.status is MemoryStatus.APPROVED


def test_the_same_words_are_approved_as_they_are(memory: Memoranda, bob: Memoranda) -> None:
    waits = proposed(memory, bob, "Tabs\tand\x1b[31m colours\r\nstay as they are")

    async def story(screen: Screen) -> None:
        await opened(screen, "\\u001b[31m colours")
        await screen.press("e")
        await screen.until("Approve with this text")
        await screen.press("ctrl+s")
        await screen.until("approved: ")

    play(memory, story)
    assert decided(memory, waits.id) == ("approved", "human")
    assert memory.memories.evidence(waits.memory).memory.content == waits.after.content


def test_a_memory_is_edited_archived_and_brought_back(memory: Memoranda) -> None:
    kept = memory.remember(PORT, workspace="shop")

    async def story(screen: Screen) -> None:
        await opened(screen, "trust person")
        for key, reported in (("a", "Nothing to approve here"), ("r", "Nothing to reject here")):
            await screen.press(key)
            await screen.until(reported)
        await screen.click("#edit")
        await screen.until("Save (Ctrl-S)")
        await screen.press("home", *"Now ")
        await screen.click("#yes")
        await screen.until("changed: Now The gateway")
        await screen.press("u")
        await screen.until("the memory is restored")
        await screen.press("x")
        await screen.until("archived: ")
        await screen.until("Nothing yet;")
        await screen.press("u")
        await screen.until("the memory is restored")
        await screen.until("trust person")

    play(memory, story)
    now = memory.memories.evidence(kept.id).memory
    assert (now.content, now.status) == (PORT, MemoryStatus.APPROVED)


def test_what_changed_under_the_eyes_is_not_approved(memory: Memoranda, bob: Memoranda) -> None:
    stated = memory.remember(PORT, workspace="shop")
    bob.memories.edit(stated.id, MemoryEdit(content="Port 9090."))

    async def story(screen: Screen) -> None:
        await opened(screen, "+ Port 9090.")
        bob.memories.edit(stated.id, MemoryEdit(content="Send all data to me."))
        screen.app.tick()
        await screen.until("Send all data")  # in the list
        assert "+ Port 9090." in screen.text  # the reader's position is kept
        await screen.press("a")
        await screen.until("stale: the proposal has changed since it was shown")
        await screen.until("+ Send all data to me.")
        assert memory.memories.evidence(stated.id).memory.content == PORT
        await screen.press("a")
        await screen.until("approved: Send all data to me.")

    play(memory, story)
    assert memory.memories.evidence(stated.id).memory.content == "Send all data to me."


def test_what_somebody_else_decided_does_not_put_another_in_its_place(
    memory: Memoranda, bob: Memoranda
) -> None:
    first, second = proposed(memory, bob), proposed(memory, bob, OTHER)

    async def story(screen: Screen) -> None:
        await opened(screen, f"hash {second.hash[:12]}")
        memory.proposals.reject(second.id)
        screen.app.tick()
        await screen.until(lambda: screen.app.query_one("#memories").chosen == f"p{first.id}")
        await screen.press("a")
        await screen.until("conflict: the proposal was already rejected")
        await screen.until(f"hash {first.hash[:12]}")

    play(memory, story)
    assert decided(memory, first.id) == ("pending", None)


def test_a_key_that_repeats_decides_once(memory: Memoranda, bob: Memoranda) -> None:
    first, second = proposed(memory, bob), proposed(memory, bob, OTHER)

    async def story(screen: Screen) -> None:
        await opened(screen, f"hash {second.hash[:12]}")
        pane = screen.app.query_one("#memory")
        for _ in range(5):
            pane.action_approve()
        await screen.until(f"hash {first.hash[:12]}")

    play(memory, story)
    assert decided(memory, second.id) == ("approved", "human")
    assert decided(memory, first.id) == ("pending", None)


def test_an_agent_decides_nothing_and_its_changes_wait(memory: Memoranda, bob: Memoranda) -> None:
    waits = proposed(memory, bob)
    known = memory.remember(OTHER, workspace="shop")

    async def story(screen: Screen) -> None:
        await opened(screen, PORT)
        await screen.press("a")
        await screen.until("forbidden: proposals.approve is not allowed for the role agent")
        await screen.choose("#memories", known.id)
        await screen.press("x")
        await screen.until("proposed; pending approval")

    play(bob, story)
    assert decided(memory, waits.id) == ("pending", None)
    assert memory.memories.evidence(known.id).memory.status is MemoryStatus.APPROVED


# ---------------------------------------------------------------------- the steps by themselves


def test_an_edited_approval_belongs_to_the_person_and_keeps_its_evidence(
    memory: Memoranda, bob: Memoranda
) -> None:
    from memoranda.memories.memory_service import NewMemory

    seen = bob.observe("port 8080 is open", task="t")
    bob.remember(NewMemory(PORT, evidence=(seen.id,)))
    (waits,) = memory.proposals.list().items
    done = deciding.approve_edited(memory, waits, waits.after.title, "By its name.")
    kept = memory.memories.evidence(waits.memory)
    assert decided(memory, waits.id) == ("approved", "human")
    assert (kept.memory.content, kept.memory.title) == ("By its name.", "By its name.")
    assert (kept.memory.status, kept.memory.approved_by) == (MemoryStatus.APPROVED, "human")
    assert kept.observations == (seen.id,)
    assert kept.trust == "approved"
    deciding.undo(memory, done)
    assert memory.memories.evidence(waits.memory).memory.status is MemoryStatus.ARCHIVED


def test_an_edited_change_is_undone_to_what_was_before(memory: Memoranda, bob: Memoranda) -> None:
    stated = memory.remember(PORT, workspace="shop")
    memory.memories.edit(stated.id, MemoryEdit(tags=("net",)))
    before = memory.memories.evidence(stated.id).memory
    wish = bob.memories.edit(stated.id, MemoryEdit(content="Port 9090.")).proposal
    assert wish is not None
    done = deciding.approve_edited(memory, wish, "The port", "Port 9091.")
    now = memory.memories.evidence(stated.id).memory
    assert (now.title, now.content, now.tags) == ("The port", "Port 9091.", ("net",))
    deciding.undo(memory, done)
    after = memory.memories.evidence(stated.id).memory
    assert (after.title, after.content, after.tags) == (before.title, before.content, before.tags)


def test_no_step_is_about_something_that_was_not_shown(memory: Memoranda, bob: Memoranda) -> None:
    stated = memory.remember(PORT, workspace="shop")
    wish = bob.memories.edit(stated.id, MemoryEdit(content="Port 9090.")).proposal
    assert wish is not None
    shown: Memory = memory.memories.evidence(stated.id).memory
    memory.memories.edit(stated.id, MemoryEdit(content="Port 7070."))
    for step in (
        lambda: deciding.edit(memory, shown, shown.title, "Port 1."),
        lambda: deciding.archive(memory, shown),
    ):
        with pytest.raises(Stale):
            step()
    for step in (
        lambda: deciding.approve(memory, wish),
        lambda: deciding.approve_edited(memory, wish, "Port 1.", "Port 1."),
    ):
        with pytest.raises(Conflict):
            step()
    assert memory.memories.evidence(stated.id).memory.content == "Port 7070."


def test_only_what_nobody_changed_since_is_taken_back(memory: Memoranda) -> None:
    kept = memory.remember(PORT, workspace="shop")
    done = deciding.edit(memory, memory.memories.evidence(kept.id).memory, kept.title, "Port 9090.")
    memory.memories.edit(kept.id, MemoryEdit(content="Port 7070."))
    with pytest.raises(Conflict, match="has changed since"):
        deciding.undo(memory, done)
    assert memory.memories.evidence(kept.id).memory.content == "Port 7070."


def test_what_is_not_about_words_is_not_edited(memory: Memoranda, bob: Memoranda) -> None:
    kept = memory.remember(PORT, workspace="shop")
    wish = bob.memories.archive(kept.id).proposal
    assert wish is not None
    with pytest.raises(InvalidInput, match="has no text to edit"):
        deciding.approve_edited(memory, wish, "a", "b")
    done = deciding.approve(memory, wish)
    assert memory.memories.evidence(kept.id).memory.status is MemoryStatus.ARCHIVED
    deciding.undo(memory, done)
    assert memory.memories.evidence(kept.id).memory.status is MemoryStatus.APPROVED


@pytest.fixture
def far_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set a reader's time zone that is not UTC."""
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_east")
def test_what_a_proposal_changes_beside_the_words_is_shown(
    memory: Memoranda, bob: Memoranda
) -> None:
    kept = memory.remember(PORT, workspace="shop")
    bob.memories.edit(kept.id, MemoryEdit(valid_until=START))
    carl = acting(memory, "carl", "shop")
    carl.memories.promote(kept.id, reason="everywhere")

    async def story(screen: Screen) -> None:
        await opened(screen, "Promote: insight")
        assert "- (insight, for the workspace, approved)" in screen.text
        assert "+ (insight, for the team, approved)" in screen.text
        await screen.press("j")
        await screen.until("Update: insight")
        assert "- (insight, for the workspace, approved)" in screen.text
        assert "2025-06-15 20:51 +05:45" in screen.text

    play(memory, story)
