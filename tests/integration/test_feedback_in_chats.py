"""Feedback in messages: read once, applied if certain, else a question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from acting import opened
from happenings import START, message_event

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.blocks.block_writer import NewBlock
from memoranda.capture.event import Event
from memoranda.config import Settings, load_settings
from memoranda.exceptions import EmbedderUnavailable
from memoranda.feedback.model import EffectTarget, FeedbackSource, FeedbackState, FeedbackType
from memoranda.memories.model import MemorySource, MemoryStatus
from memoranda.memories.removal import RemovalSelection
from memoranda.observations.model import Origin
from memoranda.scope import Scope

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

RULE = "From now on, quote prices with tax."
MINUTE = 60_000_000


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def talk(memory: Memoranda, *turns: str, session: str = "one") -> None:
    """Capture a conversation of person and agent in turn; run due jobs."""
    add(memory, *turns, session=session)
    memory.capture.drain()
    memory.capture.drain()  # jobs that follow from the feedback


def add(memory: Memoranda, *turns: str, session: str = "one") -> None:
    there = len(memory.observations.list(limit=1_000).items)
    memory.capture.take(
        [
            message_event(
                f"{session}-{there + at}",
                text,
                session=session,
                origin=Origin.AGENT if at % 2 else Origin.HUMAN,
            )
            for at, text in enumerate(turns)
        ],
        workspace="shop",
    )


def task_of(memory: Memoranda) -> str:
    return memory.tasks.list().items[0].id


BEGIN = ("Set up the gateway", "I suggest port 8080 for the gateway.")


def test_a_correction_in_the_chat_is_a_line_in_the_block(memory: Memoranda) -> None:
    talk(memory, *BEGIN, "That's wrong, it should be port 9090.")
    (heard,) = memory.feedback.list().items
    assert (heard.type, heard.source) == (FeedbackType.CORRECTION, FeedbackSource.CHAT)
    assert (heard.state, heard.confirmed) == (FeedbackState.PROCESSED, False)
    assert heard.about == "I suggest port 8080 for the gateway."
    assert heard.confidence < 1
    block = memory.blocks.show("learned", task=task_of(memory)).value
    assert "correction: That's wrong, it should be port 9090. (of: I suggest port" in block


@pytest.mark.parametrize("order", ["run that once more", "now start the import", "make it smaller"])
def test_an_order_of_the_moment_is_in_no_block(memory: Memoranda, order: str) -> None:
    talk(memory, "Set up the gateway", "I wrote the gateway.", order)
    assert memory.blocks.show("learned", task=task_of(memory)).value == ""
    assert memory.memories.list().items == memory.proposals.list().items == ()


def test_a_noted_statement_ends_with_a_later_rule(memory: Memoranda) -> None:
    talk(memory, "Set up the gateway", "I set it up with spaces.")
    noted = "- 2025-01-02 instruction: use tabs (of: I set it up with spaces.)"
    memory.blocks.create(NewBlock("learned", noted), workspace="shop")
    before = memory.context(workspace="shop", at_start=True).text
    assert noted in before
    assert "human 2025-01-02" in before
    talk(memory, "Why is it red?", "I looked.", "Use spaces from now on, not tabs.")
    text = memory.context(workspace="shop", at_start=True).text
    assert "Use spaces from now on" in text
    assert "use tabs" not in text


def test_a_rule_in_the_chat_waits_for_a_person_with_its_message_as_evidence(
    memory: Memoranda,
) -> None:
    talk(memory, *BEGIN, RULE)
    (heard,) = memory.feedback.list().items
    (waits,) = memory.proposals.list().items
    evidence = memory.memories.evidence(waits.memory)
    assert (evidence.memory.status, evidence.memory.source) == (
        MemoryStatus.PENDING,
        MemorySource.LEARNED,
    )
    assert evidence.observations == (heard.observation,)
    assert waits.memory not in {hit.id for hit in memory.search("prices with tax").hits}
    memory.proposals.approve(waits.id, waits.hash)
    memory.capture.drain()
    assert waits.memory in {hit.id for hit in memory.search("prices with tax").hits}


def test_a_message_is_processed_once_however_often_the_task_is_read(memory: Memoranda) -> None:
    talk(memory, *BEGIN, RULE)
    seen = memory.feedback.list().items
    for _ in range(2):
        memory._services.enqueue_distilling(task_of(memory))
        memory.capture.drain()
    assert memory.feedback.list().items == seen
    talk(memory, "Perfect, thank you", "You're welcome.", "No, I don't want port 8080")
    assert [one.type for one in memory.feedback.list()] == [
        FeedbackType.REJECTION,
        FeedbackType.APPROVAL,
        FeedbackType.PATTERN,
    ]
    assert len(memory.proposals.list().items) == 1


def test_a_message_without_a_recorded_position_is_processed_once(memory: Memoranda) -> None:
    talk(memory, *BEGIN, RULE)
    sql = "update hearing set position = 0"
    memory._database.write(lambda tx: tx.execute(sql, {}))
    assert memory._services.hearing.listen(Scope("local"), task_of(memory)) == 0
    assert len(memory.feedback.list().items) == 1


def test_what_opens_a_task_and_what_only_asks_is_no_feedback(memory: Memoranda) -> None:
    talk(memory, "Write a leaflet about the museum.", "Here it is.", "How deep is the well?")
    assert memory.feedback.list().items == ()


def test_a_complaint_or_habit_in_a_chat_is_proposed_as_no_rule(memory: Memoranda) -> None:
    replies = ("You never answered my question", "ok", "I always forget this flag", "ok")
    talk(memory, "hello", "Hi.", *replies, "I never got the mail. We never squash here.")
    assert [proposal.after.content for proposal in memory.proposals.list().items] == [
        "We never squash here."
    ]


def test_an_agents_message_is_never_feedback(memory: Memoranda) -> None:
    talk(memory, "Set up the gateway", RULE, "How deep is the well?", "Remember that tea is green.")
    assert memory.feedback.list().items == ()
    assert memory.memories.list().items == ()


def test_words_that_speak_for_two_things_wait(memory: Memoranda) -> None:
    talk(memory, "Add a lamp", "I added a lamp.", "Nice, but take it out")
    (heard,) = memory.feedback.list().items
    assert heard.state is FeedbackState.ASKING
    assert memory.feedback.show(heard.id).effects == ()
    assert memory.blocks.show("learned", task=task_of(memory)).value == ""
    story = memory.feedback.correct(heard.id, "rejection")
    assert [one.touched for one in story.effects] == [EffectTarget.SUGGESTION, EffectTarget.BLOCK]


def test_three_refusals_in_chats_are_a_rule_that_waits(memory: Memoranda) -> None:
    for session in ("one", "two", "three"):
        talk(
            memory,
            f"Make the tables of {session}",
            "I suggest UUIDs for the primary keys.",
            "No, I don't want UUIDs",
            session=session,
        )
    (waits,) = memory.proposals.list().items
    assert waits.after.title == 'Don\'t suggest: "I suggest UUIDs for the primary keys".'
    assert waits.agent == "memoranda"
    (standing,) = memory.feedback.suggestions().items
    assert (standing.rejected, standing.rule) == (3, waits.memory)


def test_an_announcement_that_is_approved_is_no_pattern(memory: Memoranda) -> None:
    talk(memory, "Check the gateway", "I'll run the whole suite of tests now.", "Perfect, go ahead")
    assert [one.type for one in memory.feedback.list()] == [FeedbackType.APPROVAL]
    assert memory.proposals.list().items == ()
    talk(memory, "And?", "You should always run the whole suite first.", "Exactly, good call")
    (waits,) = memory.proposals.list().items
    assert waits.after.content.startswith("You should always run the whole suite first.")


# ---------------------------------------------------------------------- spoken commands


def test_remember_is_done_once_and_valid(memory: Memoranda) -> None:
    talk(memory, "Remember that prices are net", "Noted.")
    (entry,) = memory.memories.list().items
    assert (entry.content, entry.status) == ("prices are net", MemoryStatus.APPROVED)
    (heard,) = memory.feedback.list().items
    assert memory.memories.evidence(entry.id).observations == (heard.observation,)
    memory._services.enqueue_distilling(task_of(memory))
    memory.capture.drain()
    assert len(memory.memories.list().items) == 1
    assert memory.blocks.show("learned", task=task_of(memory)).value == ""


def test_forget_archives_memories_older_than_the_command(memory: Memoranda) -> None:
    memory.remember("The tea is in the cupboard", workspace="shop")
    add(memory, "Begin", "Yes?", "Forget about the tea")
    sql = "update observation set created_at = 1"
    memory._database.write(lambda tx: tx.execute(sql, {}))
    memory.capture.drain()
    memory.capture.drain()
    (entry,) = memory.memories.list().items
    assert entry.status is MemoryStatus.APPROVED, "it was said before the memory was made"
    (heard,) = memory.feedback.list().items
    assert heard.state is FeedbackState.ASKING


@pytest.mark.parametrize("order", ["Forget about the discount.", "Forget the discount."])
def test_forget_archives_what_a_message_of_the_same_spool_stated(
    memory: Memoranda, order: str
) -> None:
    said = "Remember that I always get a discount."
    texts = ("Hello there.", said, order)
    memory.capture.take(
        [
            message_event(str(at), text, occurred_at=START + (at - 9) * MINUTE)
            for at, text in enumerate(texts)
        ],
        workspace="shop",
    )
    memory.capture.drain()
    memory.capture.drain()
    (entry,) = memory.memories.list().items
    assert entry.status is MemoryStatus.ARCHIVED
    assert entry.created_at == START - 8 * MINUTE, "it is as old as the message"
    assert "discount." not in memory.context(workspace="shop").text.replace(order, "")


def test_a_short_forget_without_one_memory_changes_and_requests_nothing(memory: Memoranda) -> None:
    for text in ("The milk is cold", "The milk is sour"):
        memory.remember(text, workspace="shop")
    talk(memory, "Hello", "Yes?", "Forget the milk.", "Fine.", "Forget the ferry.")
    assert {one.status for one in memory.memories.list()} == {MemoryStatus.APPROVED}
    assert {one.state for one in memory.feedback.list()} == {FeedbackState.PROCESSED}


def test_forget_in_a_chat_archives_one_match_and_returns_several(memory: Memoranda) -> None:
    for text in ("The tea is green", "The milk is cold", "The milk is sour"):
        memory.remember(text, workspace="shop")
    now = memory._services.clock.now() + 1_000_000
    events = [
        message_event("1", "Forget about the tea", occurred_at=now),
        message_event("2", "Forget about the milk", occurred_at=now),
        message_event("3", "Forget about it", occurred_at=now),
    ]
    memory.capture.take(events, workspace="shop")
    memory.capture.drain()
    memory.capture.drain()
    status = {one.content: one.status for one in memory.memories.list()}
    assert status == {
        "The tea is green": MemoryStatus.ARCHIVED,
        "The milk is cold": MemoryStatus.APPROVED,
        "The milk is sour": MemoryStatus.APPROVED,
    }
    requests, done = memory.feedback.list().items
    assert (requests.state, done.state) == (FeedbackState.ASKING, FeedbackState.PROCESSED)
    assert "2 memories match" in memory.feedback.show(requests.id).effects[0].note


def test_an_ordered_rule_is_valid_and_the_optimiser_runs_on_request(memory: Memoranda) -> None:
    talk(
        memory,
        "Add this rule: never ring before ten",
        "Noted.",
        "Optimize your memory",
        "Yes.",
        "What do you know about me?",
    )
    (entry,) = memory.memories.list().items
    assert (entry.content, entry.status) == ("never ring before ten", MemoryStatus.APPROVED)
    requests, done = memory.feedback.list().items
    assert done.type is FeedbackType.PATTERN
    assert requests.state is FeedbackState.ASKING
    assert "memoranda optimize" in memory.feedback.show(requests.id).effects[0].note


# ---------------------------------------------------------------------- the model, and failures


def test_feedback_that_only_the_model_detects_is_pending(engine: Settings) -> None:
    with Memoranda(Services(engine, FixedClock(step=1)), Scope()) as memory:
        talk(memory, "Plan the hall", "The hall holds forty guests.", "sixty with the balcony")
        (heard,) = memory.feedback.list().items
        assert (heard.type, heard.state) == (FeedbackType.CORRECTION, FeedbackState.ASKING)
        assert memory.blocks.show("learned", task=task_of(memory)).value == ""


def test_few_messages_await_a_confirmation_and_the_others_are_listed(engine: Settings) -> None:
    with Memoranda(Services(engine, FixedClock(step=1)), Scope()) as memory:
        for number in range(4):
            turns = ["Plan the hall", "The hall holds forty guests."]
            for at in range(8):
                said = f"Plan {number}.{at}: the hall holds {40 + at} guests."
                turns += [f"{60 + 8 * number + at} with the balcony", said]
            talk(memory, *turns, session=f"session-{number}")
        asked = memory.feedback.list(state=FeedbackState.ASKING).items
        others = memory.feedback.list(state=FeedbackState.UNCERTAIN).items

        assert len(asked) == memory.store.status().feedback_asking == 12
        assert max(Counter(one.task for one in asked).values()) == 5
        assert len(others) == 20
        assert min(one.id for one in asked) > min(one.id for one in others)

        memory.feedback.process(others[0].id)
        memory.capture.drain()
        assert memory.feedback.show(others[0].id).feedback.state is FeedbackState.PROCESSED


def test_refusals_of_one_suggestion_in_other_words_are_counted_together(engine: Settings) -> None:
    with Memoranda(Services(engine, FixedClock(step=1)), Scope()) as memory:
        for about in (
            "Use UUIDs for the primary keys",
            "We could take UUIDs as primary keys of the tables",
            "Use UUIDs for all primary keys",
        ):
            memory.feedback.add("No.", workspace="shop", type="rejection", about=about)
        (standing,) = memory.feedback.suggestions().items
        assert standing.rejected == 3
        (rule,) = memory.memories.list().items
        assert rule.title.startswith("Don't suggest")


class Silent:
    """An embedder that does not answer."""

    name = "silent"
    dimensions = 2

    def embed(self, texts: object, *, query: bool = False) -> object:
        raise EmbedderUnavailable("nobody answers")


def test_an_embedder_that_fails_is_done_without(tmp_path: Path) -> None:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    services = Services(settings, FixedClock(step=1))
    services.embedder = Silent()  # type: ignore[assignment]
    with Memoranda(services, Scope()) as memory:
        story = memory.feedback.add("No.", workspace="shop", type="rejection", about="Use UUIDs")
        assert [one.touched for one in story.effects] == [EffectTarget.SUGGESTION]
        memory.feedback.add("That's wrong, it is red", workspace="shop", about="It is blue.")
        assert memory.feedback.list(type="correction").items[0].state is FeedbackState.PROCESSED


def test_more_messages_than_one_batch_are_all_processed(tmp_path: Path) -> None:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    events: list[Event] = []
    for number in range(120):
        events += [
            message_event(f"a{number}", f"I suggest lamp {number}.", origin=Origin.AGENT),
            message_event(f"p{number}", f"I don't want lamp {number}"),
        ]
    with opened(replace(settings), FixedClock(step=1)) as memory:
        memory.capture.take(events, workspace="shop")
        memory.capture.drain()
        found = memory.feedback.list(limit=1_000).items
        assert [one.text for one in found] == [
            f"I don't want lamp {number}" for number in reversed(range(120))
        ]
        assert all(one.about == f"I suggest {one.text[13:]}." for one in found)


def test_forgetting_a_message_removes_its_feedback(memory: Memoranda) -> None:
    talk(memory, *BEGIN, "No, I don't want heliotrope")
    (heard,) = memory.feedback.list().items
    assert heard.observation is not None
    memory.forget(RemovalSelection(ids=[heard.observation]), confirm=True)
    assert memory.feedback.list().items == ()
    assert memory.feedback.suggestions().items == ()


@pytest.mark.parametrize(
    "text",
    [
        "The discount for Ben Carter's order is wrong, please fix it.",
        "I like oolong tea.",
        "Suggest a snack.",
        "Plan the move of the call centre to Porto. Never close the chat channel.",
        "Plan the trip to Rome. Always book the window seat.",
        "--verbose --output /tmp/test.log",
    ],
)
def test_a_first_message_that_asks_or_tells_is_no_feedback_to_confirm(
    tmp_path: Path, text: str
) -> None:
    with Memoranda.open(tmp_path, workspace="shop") as memory:
        talk(memory, text)
        assert memory.feedback.list().items == ()
        if "fix it" in text:
            assert "<standing-instructions" not in memory.context().text


@pytest.mark.parametrize(
    "said",
    [
        "Please remember that our production server is called heron.",
        "Keep in mind that our production server is called heron.",
    ],
)
def test_a_remembered_message_is_not_proposed_again(tmp_path: Path, said: str) -> None:
    with Memoranda.open(tmp_path, workspace="shop") as memory:
        for text in ("Let us write the script.", said):
            memory.observe(text, task="one", type="message", origin="human")
            memory.observe("3 passed", type="tool_call", tool="Bash", task="one")
        memory.capture.drain()
        memory.tasks.end("1")
        assert memory.proposals.list().items == ()
        stated = [one.content for one in memory.memories.list(status=MemoryStatus.APPROVED)]
        assert "our production server is called heron." in stated
