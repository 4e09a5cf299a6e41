"""Agents' blocks and people's decisions: proposals, checkpoints, feedback."""

from __future__ import annotations

import pytest

from contract.service_callers import BOT, MEMBER, SHOP, Callers, ServiceCase
from memoranda import Memoranda, NewBlock
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.json_data import JsonValue
from memoranda.memories.model import MemoryStatus
from memoranda.proposals.model import MemoryEdit, ProposalKind, ProposalStatus

PORT = "The gateway listens on port 8080."


class HoldingServiceContract(ServiceCase):
    def test_every_edit_of_a_block_is_a_version(self, ada: Memoranda) -> None:
        made = ada.blocks.create(NewBlock("board", "one\ntwo"), workspace=SHOP)
        edited = ada.blocks.replace("board", "two", "three", workspace=SHOP, version=made.version)
        assert (edited.value, edited.version) == ("one\nthree", made.version + 1)
        ada.blocks.insert("board", "zero", line=0, workspace=SHOP, reason="order")
        versions = ada.blocks.history("board", workspace=SHOP)
        assert [one.version for one in versions] == [3, 2, 1]
        assert versions.items[0].reason == "order"
        back = ada.blocks.restore("board", 1, workspace=SHOP)
        assert (back.value, back.version) == ("one\ntwo", 4)

    def test_an_edit_of_what_was_changed_meanwhile_is_refused(self, ada: Memoranda) -> None:
        made = ada.blocks.create(NewBlock("board", "one"), workspace=SHOP)
        ada.blocks.rethink("board", "two", workspace=SHOP, version=made.version)
        with pytest.raises(Conflict):
            ada.blocks.rethink("board", "three", workspace=SHOP, version=made.version)
        assert ada.blocks.show("board", workspace=SHOP).value == "two"

    def test_a_block_has_its_limit_and_its_label_once(self, ada: Memoranda) -> None:
        ada.blocks.create(NewBlock("board", limit=20), workspace=SHOP)
        with pytest.raises(Conflict):
            ada.blocks.create(NewBlock("board"), workspace=SHOP)
        with pytest.raises(InvalidInput):
            ada.blocks.rethink("board", "x" * 21, workspace=SHOP)
        with pytest.raises(NotFound):
            ada.blocks.show("nonesuch", workspace=SHOP)

    def test_an_agent_does_not_write_what_it_may_only_read(
        self, ada: Memoranda, bot: Memoranda
    ) -> None:
        ada.blocks.create(NewBlock("rules", "stay", read_only=True), workspace=SHOP)
        with pytest.raises(Forbidden):
            bot.blocks.rethink("rules", "go", workspace=SHOP)
        assert bot.blocks.show("rules", workspace=SHOP).value == "stay"

    def test_an_agents_statement_is_pending_until_reviewed(
        self, ada: Memoranda, bot: Memoranda
    ) -> None:
        stated = bot.remember(PORT, workspace=SHOP)
        assert stated.status is MemoryStatus.PENDING
        (waits,) = ada.proposals.list().items
        assert (waits.kind, waits.agent, waits.memory) == (ProposalKind.ADD, "bot", stated.id)
        assert ada.search("gateway port", workspace=SHOP).hits == ()
        with pytest.raises(Conflict):
            ada.proposals.approve(waits.id, "0" * len(waits.hash))
        decided = ada.proposals.approve(waits.id, waits.hash, note="I checked")
        assert decided.status is ProposalStatus.APPROVED
        assert ada.proposals.count() == 0
        assert [hit.id for hit in ada.search("gateway port", workspace=SHOP).hits] == [stated.id]
        with pytest.raises(Conflict):
            ada.proposals.reject(waits.id)

    def test_an_agent_decides_nothing(self, ada: Memoranda, bot: Memoranda) -> None:
        stated = bot.remember(PORT, workspace=SHOP)
        (waits,) = ada.proposals.list().items
        with pytest.raises(Forbidden):
            bot.proposals.approve(waits.id, waits.hash)
        with pytest.raises(Forbidden):
            bot.proposals.reject(waits.id)
        with pytest.raises(Forbidden):
            bot.proposals.approve_all([waits])
        assert ada.memories.show(stated.id).memory.status is MemoryStatus.PENDING

    def test_a_decision_applies_only_to_the_version_shown(
        self, ada: Memoranda, bot: Memoranda
    ) -> None:
        kept = ada.remember(PORT, workspace=SHOP)
        wanted = bot.memories.edit(kept.id, MemoryEdit(content="It listens on 9090."))
        assert wanted.proposal is not None
        ada.memories.edit(kept.id, MemoryEdit(content="It listens on 7070."))
        with pytest.raises(Conflict):
            ada.proposals.approve(wanted.proposal.id, wanted.proposal.hash)
        assert ada.memories.show(kept.id).memory.content == "It listens on 7070."

    def test_many_are_approved_as_they_were_shown(self, ada: Memoranda, bot: Memoranda) -> None:
        for number in range(3):
            bot.remember(f"Port {number} is open.", workspace=SHOP)
        shown = ada.proposals.list().items
        decided = ada.proposals.approve_all(shown)
        assert set(decided.approved) == {one.id for one in shown}
        assert ada.proposals.count() == 0

    def test_a_checkpoint_brings_blocks_and_state_back(self, ada: Memoranda) -> None:
        task = ada.observe("begin", task="one", workspace=SHOP).task
        ada.blocks.create(NewBlock("plan", "first"), task=task)
        state: dict[str, JsonValue] = {"created_at": 5, "plan": ["a", 1.5, None]}
        made = ada.checkpoints.create(task, "coding", "half done", state=state)
        ada.blocks.rethink("plan", "second", task=task)
        done = ada.checkpoints.rollback(task, made.id)
        assert ada.blocks.show("plan", task=task).value == "first"
        assert done.blocks == ("plan",)
        assert ada.tasks.state(task).state == state
        ada.checkpoints.rollback(task, done.undo.id)
        assert ada.blocks.show("plan", task=task).value == "second"
        assert made.id in {one.checkpoint.id for one in ada.checkpoints.list(task)}
        with pytest.raises(NotFound):
            ada.checkpoints.rollback(task, "99")

    def test_events_since_a_checkpoint_are_returned_in_order(self, ada: Memoranda) -> None:
        task = ada.observe("begin", task="one", workspace=SHOP).task
        made = ada.checkpoints.create(task, "coding")
        later = [ada.observe(f"step {n}", task="one", workspace=SHOP).id for n in range(3)]
        assert [one.id for one in ada.checkpoints.replay(task, made.id)] == later

    def test_feedback_is_kept_with_what_followed(self, callers: Callers) -> None:
        person, agent = callers(MEMBER), callers(BOT)
        task = agent.observe("Set the port to 8080.", task="one", workspace=SHOP).task
        story = person.feedback.add("No, it must be port 9090.", task=task, type="correction")
        assert story.feedback.text == "No, it must be port 9090."
        assert person.feedback.show(story.feedback.id).feedback.id == story.feedback.id
        assert [one.id for one in person.feedback.list(task=task)] == [story.feedback.id]
        with pytest.raises(InvalidInput):
            person.feedback.add("fine", task=task, type="nonsense")

    def test_messages_of_a_conversation_come_in_order(self, ada: Memoranda) -> None:
        task = ada.observe("begin", task="one", workspace=SHOP).task
        messages = [
            ada.conversations.add("Which database?", task=task),
            ada.conversations.add("And where?", task=task),
        ]
        assert ada.conversations.list(task).items[-2:] == tuple(messages)
