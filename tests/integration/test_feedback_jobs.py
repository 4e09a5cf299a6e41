"""Interrupted feedback jobs are resumed, and finished ones not repeated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from acting import acting, begun, opened
from happenings import message_event

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import InvalidInput
from memoranda.feedback import table as feedback
from memoranda.feedback.feedback_service import NewFeedback
from memoranda.feedback.model import EffectTarget, Feedback, FeedbackState, FeedbackType
from memoranda.feedback.processor import FeedbackProcessor
from memoranda.jobs import table as jobs
from memoranda.jobs.model import JobKind
from memoranda.observations.model import Origin
from memoranda.scope import Scope

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

RULE = "Never ring before ten"


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        memory._services.background.stop()
        yield memory


def kept(
    memory: Memoranda, text: str = RULE, kind: FeedbackType = FeedbackType.PATTERN
) -> Feedback:
    """Store feedback whose processing was interrupted."""
    task = memory.tasks.show(begun(memory))
    book = memory._services.feedback
    scope = Scope("local", task.workspace, None, task.id)
    return book.add(scope, book.checked(NewFeedback(text, kind)))


def waiting(memory: Memoranda) -> int:
    return memory._database.read(lambda tx: jobs.waiting(tx, "local", JobKind.PROCESS_FEEDBACK))


def test_what_was_cut_short_is_done_by_the_job(memory: Memoranda) -> None:
    made = kept(memory)
    assert made.state is FeedbackState.WAITING
    assert waiting(memory) == 1
    memory.capture.drain()
    story = memory.feedback.show(made.id)
    assert story.feedback.state is FeedbackState.PROCESSED
    assert [one.touched for one in story.effects] == [EffectTarget.MEMORY, EffectTarget.BLOCK]
    project = memory.blocks.show("project", task=memory.tasks.list().items[0].id)
    assert project.value.count(RULE) == 1
    assert waiting(memory) == 0


def test_a_job_after_the_deed_does_nothing(memory: Memoranda) -> None:
    made = kept(memory)
    processing = memory._services.feedback_processing
    assert processing.process("local", made.id)
    before = memory.feedback.show(made.id)
    assert not processing.process("local", made.id)
    memory.capture.drain()
    assert memory.feedback.show(made.id) == before
    assert len(memory.memories.list().items) == 1


def test_what_fails_half_way_leaves_nothing_and_is_tried_again(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kept(memory, "ring twice", FeedbackType.INSTRUCTION)
    settle = feedback.settle

    def fails(*values: object) -> bool:
        raise RuntimeError("the machine went away")

    monkeypatch.setattr(feedback, "settle", fails)
    with pytest.raises(RuntimeError):
        memory._services.feedback_processing.process("local", made.id)
    monkeypatch.setattr(feedback, "settle", settle)
    task = memory.tasks.list().items[0].id
    assert memory.feedback.show(made.id).feedback == made
    assert "ring twice" not in memory.blocks.show("learned", task=task).value
    assert memory._services.feedback_processing.catch_up("local") == 1
    assert memory.blocks.show("learned", task=task).value.count("ring twice") == 1


def test_what_was_set_right_meanwhile_is_not_processed_as_it_was_read(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = kept(memory)
    processing = memory._services.feedback_processing
    meaning = FeedbackProcessor._meaning

    def corrected_first(self: FeedbackProcessor, read: Feedback) -> object:
        monkeypatch.setattr(FeedbackProcessor, "_meaning", meaning)
        memory._services.feedback.correct(Scope("local"), made.id, FeedbackType.INSTRUCTION)
        return meaning(self, read)

    monkeypatch.setattr(FeedbackProcessor, "_meaning", corrected_first)
    assert not processing.process("local", made.id)
    assert memory.memories.list().items == ()
    assert processing.process("local", made.id)
    story = memory.feedback.show(made.id)
    assert (story.feedback.type, story.feedback.revision) == (FeedbackType.INSTRUCTION, 2)
    assert [one.touched for one in story.effects] == [EffectTarget.BLOCK]


def test_feedback_that_is_gone_or_of_another_team_is_passed_over(memory: Memoranda) -> None:
    made = kept(memory)
    processing = memory._services.feedback_processing
    assert not processing.process("local", "nonesuch")
    assert not processing.process("elsewhere", made.id)
    assert memory.feedback.show(made.id).feedback.state is FeedbackState.WAITING


def test_the_context_of_the_place_is_rendered_again(memory: Memoranda) -> None:
    made = kept(memory)
    memory._services.feedback_processing.process("local", made.id)
    sql = "select count(*) from job where team = :team and kind = :kind and subject = :subject"
    bound = {"team": "local", "kind": "render_context", "subject": made.workspace}
    row = memory._database.read(lambda tx: tx.first(sql, bound))
    assert row is not None
    assert row[0] >= 1


# ---------------------------------------------------------------------- whose feedback counts


@pytest.mark.parametrize(
    "changes",
    [
        {"branch": "sidechain"},
        {"branch": "rewound"},
        {"origin": Origin.GENERATED},
        {"origin": Origin.TOOL},
        {"origin": Origin.AGENT},
        {"tags": ("recalled",)},
    ],
    ids=["sidechain", "rewound", "generated", "tool", "agent", "recalled"],
)
def test_messages_without_a_human_author_are_not_feedback(
    memory: Memoranda, changes: dict[str, object]
) -> None:
    memory.capture.take([replace(message_event("1", RULE), **changes)], workspace="shop")  # type: ignore[arg-type]
    memory.capture.drain()
    assert memory.feedback.list().items == ()


def test_what_the_agent_thinks_is_no_suggestion(memory: Memoranda) -> None:
    thought = replace(message_event("2", "I suggest oak.", origin=Origin.AGENT), tags=("thinking",))
    talk = [
        message_event("1", "Plan it"),
        message_event("2a", "I suggest pine.", origin=Origin.AGENT),
        thought,
    ]
    memory.capture.take([*talk, message_event("3", "No, I don't want that")], workspace="shop")
    memory.capture.drain()
    (heard,) = memory.feedback.list().items
    assert heard.about == "I suggest pine."


def test_a_second_message_in_a_row_answers_nothing(memory: Memoranda) -> None:
    talk = [
        message_event("1", "Plan it"),
        message_event("2", "I suggest oak.", origin=Origin.AGENT),
        message_event("3", "No, I don't want that"),
        message_event("4", "That's terrible, I hate it"),
    ]
    memory.capture.take(talk, workspace="shop")
    memory.capture.drain()
    assert [one.about for one in memory.feedback.list()] == ["", "I suggest oak."]


def test_an_answer_before_the_place_that_was_listened_to_is_still_answered(
    memory: Memoranda,
) -> None:
    suggestion = message_event("2", "I suggest oak.", origin=Origin.AGENT)
    memory.capture.take([message_event("1", "Plan it"), suggestion], workspace="shop")
    memory.capture.drain()
    assert memory.feedback.list().items == ()
    memory.capture.take([message_event("3", "No, I don't want that")], workspace="shop")
    memory.capture.drain()
    assert [one.about for one in memory.feedback.list()] == ["I suggest oak."]


def test_three_near_refusals_of_which_two_differ_make_no_rule(memory: Memoranda) -> None:
    abouts = ("Use oak for the doors of the house", "Use oak for the doors", "Use oak")
    for about in abouts:
        memory.feedback.add("No.", workspace="shop", type="rejection", about=about)
    ruled = [one for one in memory.memories.list() if one.title.startswith("Don't")]
    assert ruled == []


def test_a_proposal_by_the_listener_is_not_an_agents_to_decide(memory: Memoranda) -> None:
    memory.capture.take(
        [message_event("0", "Begin"), message_event("1", "From now on, " + RULE)], workspace="shop"
    )
    memory.capture.drain()
    (waits,) = memory.proposals.list().items
    bob = acting(memory, "bob", "shop")
    assert bob.proposals.list().items == ()
    (heard,) = memory.feedback.list().items
    with pytest.raises(InvalidInput):
        memory.feedback.correct(heard.id, "praise")
    memory.feedback.correct(heard.id, "pattern")
    assert memory.proposals.list().items == (), "a person's word needs no proposal"
    stored = memory.memories.evidence(waits.memory).memory
    assert stored.status.value == "rejected"
    (rule,) = memory.memories.list(status="approved").items  # type: ignore[arg-type]
    assert rule.content == "From now on, " + RULE
