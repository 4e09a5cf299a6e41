"""Spoken commands: clear ones are executed, unclear ones confirmed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from acting import acting, opened

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.feedback.model import CommandKind, CommandOutcome
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, MemoryStatus, Visibility
from memoranda.proposals.model import ProposalKind
from memoranda.scope import Scope

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

TEA = "The tea is in the cupboard"


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def approved(memory: Memoranda) -> list[str]:
    return [one.content for one in memory.memories.list(status=MemoryStatus.APPROVED)]


def test_remember_stores_a_valid_memory(memory: Memoranda) -> None:
    done = memory.say("Please remember that prices are net", workspace="shop")
    (entry,) = done.memories
    assert (done.command, done.outcome) == (CommandKind.REMEMBER, CommandOutcome.REMEMBERED)
    assert (entry.content, entry.category) == ("prices are net", Category.DOMAIN_KNOWLEDGE)
    assert memory.memories.evidence(entry.id).memory.status is MemoryStatus.APPROVED
    (again,) = memory.say("Remember that prices are net", workspace="shop").memories
    assert (again.id, again.uses) == (entry.id, 1)


def test_without_a_workspace_it_is_for_the_team(memory: Memoranda) -> None:
    (entry,) = memory.say("Remember that prices are net").memories
    assert entry.visibility is Visibility.TEAM


def test_a_rule_is_a_learned_rule(memory: Memoranda) -> None:
    (entry,) = memory.say("Add this rule: never ring before ten", workspace="shop").memories
    assert (entry.content, entry.category) == ("never ring before ten", Category.LEARNED_RULE)


def test_an_agents_command_is_pending(memory: Memoranda) -> None:
    tea = memory.remember(TEA, workspace="shop")
    bob = acting(memory, "bob", "shop")
    assert bob.say("Remember that prices are net").outcome is CommandOutcome.WAITS
    assert bob.say("Forget about the tea").outcome is CommandOutcome.WAITS
    kinds = {one.kind for one in memory.proposals.list()}
    assert kinds == {ProposalKind.ADD, ProposalKind.ARCHIVE}
    assert approved(memory) == [TEA]
    assert memory.memories.evidence(tea.id).memory == tea


def test_forget_archives_the_one_that_has_all_the_words(memory: Memoranda) -> None:
    tea = memory.remember(TEA, workspace="shop")
    memory.remember("The cupboard is green", workspace="shop")
    done = memory.say("Forget about the tea in the cupboard", workspace="shop")
    assert done.outcome is CommandOutcome.ARCHIVED
    assert approved(memory) == ["The cupboard is green"]
    assert memory.memories.restore(tea.id, 1).status is MemoryStatus.APPROVED


def test_forget_prefers_an_exact_match(memory: Memoranda) -> None:
    memory.remember("Prices are net", workspace="shop")
    memory.remember("Prices are net of tax", workspace="shop")
    memory.say("Forget about prices are net", workspace="shop")
    assert approved(memory) == ["Prices are net of tax"]


def test_forget_finds_other_forms_of_a_word_and_tags(memory: Memoranda) -> None:
    memory.remember(NewMemory("It stands by the gate", tags=("lamps",)), workspace="shop")
    assert memory.say("Forget about the lamp", workspace="shop").outcome is CommandOutcome.ARCHIVED


def test_forget_returns_several_matches_as_a_question(memory: Memoranda) -> None:
    for number in range(12):
        memory.remember(f"Lamp {number} is on", workspace="shop")
    done = memory.say("Forget about the lamp", workspace="shop")
    assert (done.outcome, len(done.memories)) == (CommandOutcome.ASKING, 10)
    assert "12 memories match" in done.note
    assert len(approved(memory)) == 12


def test_forget_leaves_what_is_protected(memory: Memoranda) -> None:
    memory.remember(NewMemory(TEA, protected=True), workspace="shop")
    with pytest.raises(InvalidInput, match="protected"):
        memory.say("Forget about the tea", workspace="shop")
    assert approved(memory) == [TEA]


def test_forget_reaches_neither_other_workspaces_nor_private_memories(memory: Memoranda) -> None:
    memory.remember(TEA, workspace="yard")
    memory.remember("Lamps are on", workspace="shop")
    private = NewMemory("My tea is a secret plan", visibility=Visibility.AGENT)
    acting(memory, "bob", "shop").remember(private)
    (waits,) = memory.proposals.list().items
    memory.proposals.approve(waits.id, waits.hash)
    with pytest.raises(NotFound):
        memory.say("Forget about the tea", workspace="shop")
    with pytest.raises(NotFound):
        acting(memory, "eve", "shop").say("Forget about the secret plan")
    assert memory.say("Forget about the tea", workspace="yard").outcome is CommandOutcome.ARCHIVED


@pytest.mark.parametrize(
    "text",
    ["", "  ", "hello", "Forget about", "Forget about everything", "Forget everything", "Forget it",
     "Remember that", "Add this rule:", "Optimize your memory usage in parse()"],
)  # fmt: skip
def test_what_orders_nothing_does_nothing(memory: Memoranda, text: str) -> None:
    memory.remember(TEA, workspace="shop")
    before = memory.memories.list().items
    with pytest.raises(InvalidInput, match="not a known instruction"):
        memory.say(text, workspace="elsewhere")
    assert memory.memories.list().items == before
    assert [one.name for one in memory.workspaces.list()] == ["shop"]


def test_recall_returns_the_valid_profile(memory: Memoranda) -> None:
    assert memory.say("What do you know about me?").note == "nothing yet"
    memory.remember(NewMemory("tabs", category=Category.USER_PREFERENCE), workspace="shop")
    memory.remember(NewMemory("ring", category=Category.DECISION), workspace="shop")
    memory.remember(NewMemory("knock", category=Category.LEARNED_RULE), workspace="yard")
    acting(memory, "bob", "shop").remember(NewMemory("mine", category=Category.LEARNED_RULE))
    result = memory.say("What do you know about me?", workspace="shop")
    assert (result.outcome, [one.content for one in result.memories]) == (
        CommandOutcome.TOLD,
        ["tabs"],
    )
    assert len(memory.say("What do you know about me?").memories) == 2


def test_the_optimiser_is_whoever_the_wiring_names(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert memory.say("Optimize your memory").note.startswith("nothing to do: the profile has 0 of")
    queries: list[Scope] = []
    monkeypatch.setattr(
        memory._services.spoken, "_optimise", lambda s: queries.append(s) or "smaller"
    )
    done = memory.say("Optimize your memory")
    assert (done.outcome, done.note, len(queries)) == (CommandOutcome.OPTIMIZED, "smaller", 1)


def test_secrets_are_taken_out_of_what_is_to_be_remembered(memory: Memoranda) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    memory.say(f"Remember that the key is {key}", workspace="shop")
    assert key not in repr(memory.memories.list().items)


RECEIPT = "Never give a refund without a receipt."


def test_a_message_changes_only_what_is_of_its_workspace(memory: Memoranda) -> None:
    memory.remember(NewMemory(RECEIPT, visibility=Visibility.TEAM))
    memory.remember("My blue tandem is at home", workspace="user:eve")
    eve = memory.conversations
    add = {"role": "user", "session": "s1", "workspace": "user:eve"}
    eve.add("Forget about the refund receipt", **add)  # type: ignore[arg-type]
    eve.add("Forget about the blue tandem", **add)  # type: ignore[arg-type]
    memory.capture.drain()
    memory.capture.drain()  # jobs that follow from the feedback
    assert approved(memory) == [RECEIPT]
    (proposal,) = memory.proposals.list()
    assert (proposal.kind, proposal.agent) == (ProposalKind.ARCHIVE, "memoranda")
    memory.proposals.reject(str(proposal.number))
    assert approved(memory) == [RECEIPT]


def test_in_a_workspace_say_only_proposes_to_archive_what_is_of_all(memory: Memoranda) -> None:
    memory.remember(NewMemory(TEA, visibility=Visibility.TEAM))
    memory.remember("The lamp is on", workspace="shop")
    assert memory.say("Forget about the tea", workspace="shop").outcome is CommandOutcome.WAITS
    assert TEA in approved(memory)
    assert memory.say("Forget about the tea").outcome is CommandOutcome.ARCHIVED


def test_forget_asks_where_only_a_long_memory_mentions_it(memory: Memoranda) -> None:
    body = "".join(f"\nStep {number}: water the beds of row {number}." for number in range(12))
    long = f"How it was done: Start with the harvest planner.{body}\nThen deploy on tuesdays."
    memory.remember(long, workspace="shop")
    done = memory.say("Forget about deploying on tuesdays", workspace="shop")
    assert (done.outcome, len(done.memories)) == (CommandOutcome.ASKING, 1)
    memory.remember("we deploy on tuesdays only", workspace="shop")
    done = memory.say("Forget about deploying on tuesdays", workspace="shop")
    assert done.outcome is CommandOutcome.ARCHIVED
    assert [text[:11] for text in approved(memory)] == ["How it was "]


def test_forget_ends_what_a_person_stated_in_a_message(memory: Memoranda) -> None:
    def shown(query: str | None = None) -> str:
        return memory.context(query=query, budget=900, workspace="shop").text

    for text in ("We deploy on tuesdays only.", "Always answer in Polish, please."):
        memory.conversations.add(text, role="user", session="s1", workspace="shop")
    assert "#2 Always answer in Polish" in shown()
    done = memory.say("Forget about answering in Polish", workspace="shop")
    assert (done.outcome, done.statements) == (CommandOutcome.LIFTED, ("1#2",))
    assert "#2 Always answer in Polish" not in shown()
    text = "Forget about deploying on tuesdays"
    memory.conversations.add(text, role="user", session="s2", workspace="shop")
    assert "#1 We deploy on tuesdays" not in shown()
    assert "#1 We deploy on tuesdays" not in shown("standing rules for deploying")
    assert not memory.feedback.list(state="asking").items


def test_forget_by_the_name_of_what_a_memory_says(memory: Memoranda) -> None:
    memory.say("Remember that our production server is called heron", workspace="shop")
    done = memory.say("Forget about the production server name.", workspace="shop")
    assert done.outcome is CommandOutcome.ARCHIVED
    assert approved(memory) == []


def test_a_short_message_forgets_a_memory_with_a_number(memory: Memoranda) -> None:
    for text in ("Let us go.", "Note for later: the image is 200 MB",
                 "Please forget the 200 MB limit."):  # fmt: skip
        memory.observe(text, task="one", type="message", origin="human", workspace="shop")
    memory.capture.drain()
    assert [one.content for one in memory.memories.list(status=MemoryStatus.ARCHIVED)] == [
        "the image is 200 MB"
    ]


def test_a_memory_that_a_lifted_message_also_states_is_named(memory: Memoranda) -> None:
    text = "Remember that our production server is called heron."
    memory.observe(text, task="one", type="message", origin="human", workspace="shop")
    memory.capture.drain()
    done = memory.say("Forget about the production server hostname.", workspace="shop")
    assert done.outcome is CommandOutcome.ASKING
    assert [one.content for one in done.memories] == ["our production server is called heron."]
    assert "memoranda memory archive" in done.note


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("Remember that Piotr reviews all changes to the parser.",
         "You can forget that Piotr reviews changes to the parser."),
        ("Remember that our production server is called heron.",
         "Forget about the production server name."),
    ],
)  # fmt: skip
def test_a_message_that_forgets_is_no_statement(memory: Memoranda, said: str, order: str) -> None:
    for text in ("Let us go.", said, order):
        memory.observe(text, task="one", type="message", origin="human", workspace="shop")
    memory.capture.drain()
    assert approved(memory) == []
    memory.observe("Go on.", task="two", type="message", origin="human", workspace="shop")
    memory.capture.drain()
    text = memory.context(workspace="shop").text
    standing = text.partition("<standing-instructions>")[2].partition("</standing")[0]
    assert "orget" not in standing
    assert said not in text.partition("</task-progress>")[2]
