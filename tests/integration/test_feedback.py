"""Feedback is kept as stated, processed once, and can be corrected."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from acting import acting, begun, opened

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.exceptions import Forbidden, InvalidInput, NotFound
from memoranda.feedback.model import (
    EffectTarget,
    FeedbackSource,
    FeedbackState,
    FeedbackStory,
    FeedbackType,
)
from memoranda.json_data import iso_time
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, Memory, MemorySource, MemoryStatus
from memoranda.memories.removal import RemovalSelection
from memoranda.proposals.model import MemoryEdit, ProposalKind, ProposalStatus
from memoranda.scope import Scope
from tables import each

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

PORT = "That's wrong, it should be port 9090."
GATEWAY = "The gateway listens on port 8080."
RULE = "From now on, quote prices with tax."
UUIDS = "Use UUIDs for the primary keys"


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


@pytest.fixture
def bob(memory: Memoranda) -> Memoranda:
    return acting(memory, "bob", "shop")


def learned(memory: Memoranda, task: str) -> str:
    return memory.blocks.show("learned", task=task).value


def touched(story: FeedbackStory) -> list[EffectTarget]:
    return [one.touched for one in story.effects]


def only(memory: Memoranda, **where: MemoryStatus) -> Memory:
    (found,) = memory.memories.list(workspace="shop", **where).items
    return found


def refused(memory: Memoranda, about: str = UUIDS, text: str = "No.") -> FeedbackStory:
    return memory.feedback.add(text, workspace="shop", type="rejection", about=about)


def test_a_correction_is_a_dated_line_in_the_block_of_its_task(memory: Memoranda) -> None:
    task = begun(memory)
    story = memory.feedback.add(PORT, task=task, about=GATEWAY)
    feedback = story.feedback
    assert (feedback.type, feedback.state) == (FeedbackType.CORRECTION, FeedbackState.PROCESSED)
    assert (feedback.text, feedback.about, feedback.author) == (PORT, GATEWAY, "human")
    (effect,) = story.effects
    block = memory.blocks.show("learned", task=task)
    assert (effect.touched, effect.target) == (EffectTarget.BLOCK, block.id)
    day = iso_time(feedback.created_at)[:10]
    assert block.value == f"- {day} correction: {PORT} (of: {GATEWAY})"
    assert block.value == effect.note
    assert memory.memories.list(workspace="shop").items == ()
    assert memory.journal.verify().intact


@pytest.mark.parametrize("kind", ["rejection", "instruction"])
def test_refusals_and_orders_are_lines_of_the_block_too(memory: Memoranda, kind: str) -> None:
    task = begun(memory)
    for text in ("print it in red", "print it in blue"):
        memory.feedback.add(text, task=task, type=kind)
    lines = learned(memory, task).split("\n")
    assert [line.split(f"{kind}: ")[1] for line in lines] == ["print it in red", "print it in blue"]


def test_a_persons_rule_is_valid_at_once_with_its_reason(memory: Memoranda) -> None:
    story = memory.feedback.add(RULE, workspace="shop", about="The price is 40 euros.")
    stored = only(memory)
    assert (stored.status, stored.source) == (MemoryStatus.APPROVED, MemorySource.LEARNED)
    assert stored.category is Category.LEARNED_RULE
    assert stored.content == f'{RULE}\nSaid of: "The price is 40 euros."'
    assert [(one.touched, one.target) for one in story.effects] == [
        (EffectTarget.MEMORY, stored.id)
    ]
    memory.capture.drain()
    assert RULE in memory.context(workspace="shop", budget=2_000).text


@pytest.mark.parametrize("praise", ["Great, but ", "Not perfect: ", "LGTM except "])
def test_a_rule_behind_a_verdict_is_learnt_as_it_is_alone(memory: Memoranda, praise: str) -> None:
    rule = "never touch the tax table"
    story = memory.feedback.add(praise + rule, workspace="shop")
    assert story.feedback.state is FeedbackState.PROCESSED
    assert story.feedback.text == praise + rule
    stored = only(memory)
    assert (stored.content, stored.category) == (rule, Category.LEARNED_RULE)
    assert touched(memory.feedback.add(rule, workspace="shop")) == [EffectTarget.REINFORCED]


def test_praise_with_an_order_creates_no_proposal_and_no_count(
    memory: Memoranda,
) -> None:
    about = "Name helpers in camelCase"
    stored = memory.remember(about, workspace="shop")
    task = begun(memory)
    story = memory.feedback.add("Good, but use snake_case", task=task, about=about)
    assert touched(story) == [EffectTarget.BLOCK]
    assert memory.memories.evidence(stored.id).memory.uses == stored.uses


def test_a_refusal_with_an_instruction_is_a_correction(memory: Memoranda) -> None:
    task = begun(memory)
    story = memory.feedback.add(
        "No, use the test database", task=task, about="I'll run it on production"
    )
    feedback = story.feedback
    assert (feedback.type, feedback.state) == (FeedbackType.CORRECTION, FeedbackState.PROCESSED)
    line = "correction: No, use the test database (of: I'll run it on production)"
    assert learned(memory, task).endswith(line)


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("I prefer short answers", Category.USER_PREFERENCE),
        ("We only use tabs", Category.PROJECT_PATTERN),
        ("Never call a guest before ten", Category.LEARNED_RULE),
    ],
    ids=["preference", "project", "rule"],
)
def test_what_kind_of_knowledge_a_pattern_is_follows_from_its_cue(
    memory: Memoranda, text: str, category: Category
) -> None:
    story = memory.feedback.add(text, workspace="shop")
    assert story.feedback.type is FeedbackType.PATTERN
    assert only(memory).category is category


def test_the_same_rule_again_counts_for_the_one_that_is_there(memory: Memoranda) -> None:
    memory.feedback.add(RULE, workspace="shop")
    first = only(memory)
    again = memory.feedback.add(RULE.upper().rstrip("."), workspace="shop")
    stored = only(memory)
    assert touched(again) == [EffectTarget.REINFORCED]
    assert (stored.id, stored.uses) == (first.id, 1)
    assert stored.last_used is not None


def test_a_review_is_a_persons_word(memory: Memoranda) -> None:
    story = memory.feedback.add(RULE, workspace="shop", source="review")
    assert story.feedback.source is FeedbackSource.REVIEW
    assert only(memory).status is MemoryStatus.APPROVED


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("Great, that solution with the tide table works well", FeedbackType.APPROVAL),
        ("Actually the port is 9090", FeedbackType.CORRECTION),
    ],
)
def test_what_a_person_states_as_feedback_is_noted_in_its_task(
    engine: Settings, text: str, type: FeedbackType
) -> None:
    with Memoranda.open(settings=engine) as memory:  # with the model, which doubts both
        story = memory.feedback.add(text, task=begun(memory))
    assert (story.feedback.type, story.feedback.state) == (type, FeedbackState.PROCESSED)
    assert [text in effect.note for effect in story.effects if effect.touched == "block"] == [True]


def test_unclear_feedback_is_pending_and_has_no_effect(memory: Memoranda) -> None:
    task = begun(memory)
    story = memory.feedback.add("The well is deep.", task=task)
    assert story.feedback.state is FeedbackState.ASKING
    assert story.effects == ()
    assert memory.memories.list(workspace="shop").items == ()
    memory.feedback.process()
    assert memory.feedback.show(story.feedback.id) == story


def test_feedback_from_an_agent_is_pending(memory: Memoranda, bob: Memoranda) -> None:
    for kind in (None, "pattern"):
        story = bob.feedback.add(RULE, type=kind)
        assert (story.feedback.state, story.feedback.author) == (FeedbackState.ASKING, "bob")
        assert not story.feedback.confirmed
        assert story.feedback.confidence < 1
    memory.capture.drain()
    assert memory.memories.list(workspace="shop").items == ()
    assert memory.feedback.process(story.feedback.id) == 1
    assert only(memory).status is MemoryStatus.APPROVED
    assert memory.feedback.process(story.feedback.id) == 0
    assert len(memory.feedback.show(story.feedback.id).effects) == 1


def test_an_agent_sees_its_own_reports_and_what_concerns_anybody(
    memory: Memoranda, bob: Memoranda
) -> None:
    mine = bob.feedback.add("The well is deep.").feedback
    hers = acting(memory, "eve", "shop").feedback.add("The gate is green.").feedback
    ours = memory.feedback.add(RULE, workspace="shop").feedback
    assert [one.id for one in bob.feedback.list()] == [ours.id, mine.id]
    assert [one.id for one in memory.feedback.list()] == [ours.id, hers.id, mine.id]
    with pytest.raises(NotFound):
        bob.feedback.show(hers.id)
    stranger = Memoranda(memory._services, Scope("elsewhere"))
    assert stranger.feedback.list().items == ()
    with pytest.raises(NotFound):
        stranger.feedback.correct(ours.id, "rejection")


BAD: dict[str, tuple[Callable[[Memoranda], object], type[Exception]]] = {
    "a missing task": (lambda m: m.feedback.add(PORT, task="99"), NotFound),
    "no text": (lambda m: m.feedback.add(" \n", workspace="shop"), InvalidInput),
    "too long a text": (lambda m: m.feedback.add("x" * 4_001, workspace="shop"), InvalidInput),
    "too long an about": (lambda m: m.feedback.add("no", about="x" * 4_001), InvalidInput),
    "an unknown type": (lambda m: m.feedback.add(PORT, type="praise"), InvalidInput),
    "an unknown source": (lambda m: m.feedback.add(PORT, source="dream"), InvalidInput),
    "the chat": (lambda m: m.feedback.add(PORT, source="chat"), InvalidInput),
    "an unknown id": (lambda m: m.feedback.correct("ffff", "pattern"), NotFound),
    "an empty id": (lambda m: m.feedback.show(""), NotFound),
    "an unknown class": (lambda m: m.feedback.correct("ffff", "praise"), InvalidInput),
    "an unknown state": (lambda m: m.feedback.list(state="lost"), InvalidInput),
    "too long a page": (lambda m: m.feedback.list(limit=1_001), InvalidInput),
}


@each("name", BAD)
def test_bad_feedback_is_refused_and_changes_nothing(memory: Memoranda, name: str) -> None:
    call, error = BAD[name]
    before = [(one.operation, one.subject) for one in memory.journal.list(limit=100)]
    with pytest.raises(error):
        call(memory)
    assert [(one.operation, one.subject) for one in memory.journal.list(limit=100)] == before
    assert memory.feedback.list().items == ()
    assert [one.name for one in memory.workspaces.list()] == []


@pytest.mark.parametrize("act", ["correct", "process", "process all"])
def test_an_agent_may_not_classify_or_confirm_feedback(
    memory: Memoranda, bob: Memoranda, act: str
) -> None:
    story = bob.feedback.add(RULE)
    calls: dict[str, Callable[[], object]] = {
        "correct": lambda: bob.feedback.correct(story.feedback.id, "pattern"),
        "process": lambda: bob.feedback.process(story.feedback.id),
        "process all": lambda: bob.feedback.process(),
    }
    with pytest.raises(Forbidden):
        calls[act]()
    assert memory.feedback.show(story.feedback.id) == story


def test_unclassifiable_feedback_needs_a_type(memory: Memoranda) -> None:
    story = memory.feedback.add("The well is deep.", workspace="shop")
    assert story.feedback.type is None
    with pytest.raises(InvalidInput, match="feedback correct"):
        memory.feedback.process(story.feedback.id)
    feedback = memory.feedback.correct(story.feedback.id, "pattern")
    assert (feedback.feedback.state, feedback.feedback.confidence) == (FeedbackState.PROCESSED, 1.0)
    assert only(memory).content == "The well is deep."


def test_secrets_are_taken_out_of_feedback(memory: Memoranda) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    task = begun(memory)
    memory.feedback.add(f"use {key}", task=task, type="correction", about=f"as {key}")
    memory.feedback.add(f"always use {key}", workspace="shop", type="pattern")
    kept = (memory.feedback.list().items, learned(memory, task), memory.memories.list().items)
    assert key not in repr(kept)


# ---------------------------------------------------------------------- set right


def test_a_class_set_right_takes_the_line_back_and_does_what_follows_now(memory: Memoranda) -> None:
    task = begun(memory)
    memory.feedback.add("print it in blue", task=task, type="instruction")
    wrong = memory.feedback.add("ring before ten", task=task, type="instruction")
    right = memory.feedback.correct(wrong.feedback.id, "pattern")
    assert "ring before ten" not in learned(memory, task)
    assert learned(memory, task).endswith("print it in blue")
    block, memory_made = EffectTarget.BLOCK, EffectTarget.MEMORY
    assert touched(right) == [block, EffectTarget.NOTHING, memory_made, block]
    assert [one.revision for one in right.effects] == [1, 2, 2, 2]
    project = memory.blocks.show("project", task=task).value
    assert project.endswith("- Convention: ring before ten")
    assert right.feedback.text == "ring before ten"
    assert only(memory).content == "ring before ten"


def test_a_line_that_somebody_changed_stays(memory: Memoranda) -> None:
    task = begun(memory)
    story = memory.feedback.add("ring before ten", task=task, type="instruction")
    memory.blocks.replace("learned", "before ten", "before nine", task=task)
    right = memory.feedback.correct(story.feedback.id, "none")
    assert "before nine" in learned(memory, task)
    assert right.effects[-1].note == "kept: the block was changed since"


def test_what_is_no_feedback_is_dismissed_and_its_memory_put_away(memory: Memoranda) -> None:
    story = memory.feedback.add(RULE, workspace="shop")
    gone = memory.feedback.correct(story.feedback.id, "none")
    assert (gone.feedback.state, gone.feedback.type) == (FeedbackState.DISMISSED, None)
    assert only(memory).status is MemoryStatus.ARCHIVED
    again = memory.feedback.correct(story.feedback.id, "pattern")
    assert again.feedback.state is FeedbackState.PROCESSED
    (entry,) = memory.memories.list(workspace="shop", status=MemoryStatus.APPROVED).items
    assert entry.content == RULE


def test_a_memory_that_somebody_went_on_from_stays(memory: Memoranda) -> None:
    story = memory.feedback.add(RULE, workspace="shop")
    memory.memories.edit(only(memory).id, MemoryEdit(content="Quote prices with tax, always."))
    right = memory.feedback.correct(story.feedback.id, "none")
    assert only(memory).status is MemoryStatus.APPROVED
    assert right.effects[-1].note == "kept: the memory was changed since"


def test_a_proposal_is_withdrawn_unless_it_was_decided(memory: Memoranda) -> None:
    one, two = (
        memory.feedback.add(
            "Perfect", workspace="shop", type="approval", about=f"We tag {what} with the year"
        ).feedback.id
        for what in ("releases", "letters of guests")
    )
    (guests, _) = memory.proposals.list().items
    memory.proposals.approve(guests.id, guests.hash)
    memory.feedback.correct(one, "none")
    second = memory.feedback.correct(two, "none")
    (withdrawn,) = memory.proposals.list(status=ProposalStatus.REJECTED).items
    assert memory.memories.evidence(withdrawn.memory).memory.status is MemoryStatus.REJECTED
    assert memory.proposals.list().items == ()
    assert second.effects[-1].note == "kept: the proposal was decided"


def test_a_refusal_set_right_is_no_longer_counted(memory: Memoranda) -> None:
    stories = [refused(memory) for _ in range(2)]
    memory.feedback.correct(stories[0].feedback.id, "none")
    third = refused(memory)
    assert touched(third) == [EffectTarget.SUGGESTION]
    (standing,) = memory.feedback.suggestions(workspace="shop").items
    assert (standing.rejected, standing.rule) == (2, None)


# ---------------------------------------------------------------------- a full block


def test_a_full_block_is_reported_and_the_feedback_becomes_a_memory(memory: Memoranda) -> None:
    task = begun(memory)
    memory.blocks.rethink("learned", "x" * 9_990, task=task)
    story = memory.feedback.add(PORT, task=task)
    assert touched(story) == [EffectTarget.NOTHING, EffectTarget.MEMORY]
    assert "its limit is 10,000" in story.effects[0].note
    assert learned(memory, task) == "x" * 9_990
    assert only(memory).content == PORT
    assert story.feedback.state is FeedbackState.PROCESSED


def test_feedback_of_no_task_is_a_memory(memory: Memoranda) -> None:
    memory.feedback.add(PORT, workspace="shop")
    assert only(memory).category is Category.LEARNED_RULE


# ---------------------------------------------------------------------- approval


def test_approval_reinforces_the_memory_with_the_same_statement(memory: Memoranda) -> None:
    stated = memory.remember(NewMemory("Tag releases with the year"), workspace="shop")
    memory.remember("Lamps are tested on Mondays", workspace="shop")
    story = memory.feedback.add(
        "Exactly", workspace="shop", type="approval", about="Tag releases with the year"
    )
    assert [(one.touched, one.target) for one in story.effects] == [
        (EffectTarget.REINFORCED, stated.id)
    ]
    stored = memory.memories.evidence(stated.id).memory
    assert (stored.uses, stored.confidence) == (1, 1.0)
    assert memory.proposals.list().items == ()


def test_a_new_approval_is_proposed_as_a_pattern(memory: Memoranda) -> None:
    about = "Tag releases with the year"
    story = memory.feedback.add("Perfect", workspace="shop", type="approval", about=about)
    (waits,) = memory.proposals.list().items
    stored = memory.memories.evidence(waits.memory).memory
    assert (stored.status, stored.source) == (MemoryStatus.PENDING, MemorySource.INFERRED)
    assert stored.content == f'{about}\nApproved: "Perfect"'
    assert (waits.kind, waits.agent) == (ProposalKind.ADD, "memoranda")
    assert [(one.touched, one.target) for one in story.effects] == [
        (EffectTarget.PROPOSAL, waits.id)
    ]
    assert memory.proposals.count() == 1


def test_approvals_in_other_words_are_one_proposal(memory: Memoranda) -> None:
    for about in (
        "Tag releases with the year",
        "Put the year into the tags of releases",
        "Releases should be tagged with the year",
    ):
        memory.feedback.add("Perfect", workspace="shop", type="approval", about=about)
    (waits,) = memory.proposals.list().items
    assert memory.memories.evidence(waits.memory).memory.uses == 2
    other = "Tag releases with the month"
    memory.feedback.add("Good", workspace="shop", type="approval", about=other)
    assert len(memory.proposals.list().items) == 2


@pytest.mark.parametrize(
    "about", ["", "Done.", "Shall I tag the releases with the year?", "word " * 80],
    ids=["nothing", "general", "question", "long"],
)  # fmt: skip
def test_what_is_not_one_specific_thing_is_not_learned_from(memory: Memoranda, about: str) -> None:
    story = memory.feedback.add("Perfect", workspace="shop", type="approval", about=about)
    assert touched(story) == [EffectTarget.NOTHING]
    assert memory.memories.list().items == ()


# ---------------------------------------------------------------------- refusals


def test_the_third_refusal_is_a_rule_that_quotes_why(memory: Memoranda) -> None:
    reasons = ("too long", "no index likes them", "for the last time, no")
    stories = [refused(memory, text=reason) for reason in reasons]
    assert [touched(story) for story in stories] == [
        [EffectTarget.SUGGESTION],
        [EffectTarget.SUGGESTION],
        [EffectTarget.SUGGESTION, EffectTarget.RULE],
    ]
    rule = only(memory)
    assert (rule.status, rule.category) == (MemoryStatus.APPROVED, Category.LEARNED_RULE)
    assert rule.content.startswith(f'Don\'t suggest: "{UUIDS}".\nRefused 3 times: ')
    assert all(f'"{reason}"' in rule.content for reason in reasons)
    (standing,) = memory.feedback.suggestions(workspace="shop").items
    assert (standing.rejected, standing.rule, standing.text) == (3, rule.id, UUIDS)


def test_later_refusals_reinforce_the_rule(memory: Memoranda) -> None:
    for _ in range(5):
        last = refused(memory)
    rule = only(memory)
    assert rule.uses == 2
    assert touched(last) == [EffectTarget.SUGGESTION, EffectTarget.REINFORCED]


def test_acceptance_resets_the_count(memory: Memoranda) -> None:
    for _ in range(2):
        refused(memory)
    memory.feedback.add("Go ahead", workspace="shop", type="approval", about=UUIDS)
    for _ in range(2):
        refused(memory)
    assert memory.memories.list(workspace="shop", status=MemoryStatus.APPROVED).items == ()
    (standing,) = memory.feedback.suggestions(workspace="shop").items
    assert (standing.rejected, standing.accepted) == (2, 1)
    refused(memory)
    (rule,) = memory.memories.list(workspace="shop", status=MemoryStatus.APPROVED).items
    assert rule.title.startswith("Don't suggest")


def test_other_suggestions_and_other_places_are_counted_apart(memory: Memoranda) -> None:
    for about in (UUIDS, "Remove UUIDs from the primary keys", "Paint the fence in green"):
        refused(memory, about=about)
    memory.feedback.add("No.", workspace="yard", type="rejection", about=UUIDS)
    assert [one.rejected for one in memory.feedback.suggestions(workspace="shop")] == [1, 1, 1]
    assert len(memory.feedback.suggestions().items) == 4
    assert memory.memories.list().items == ()


def test_a_rule_that_a_person_did_away_with_stays_away(memory: Memoranda) -> None:
    for _ in range(3):
        refused(memory)
    memory.memories.archive(only(memory).id)
    refused(memory)
    assert [one.status for one in memory.memories.list()] == [MemoryStatus.ARCHIVED]


def test_a_rule_is_removed_with_its_last_refusal_and_can_return(memory: Memoranda) -> None:
    stories = [refused(memory) for _ in range(3)]
    memory.feedback.correct(stories[-1].feedback.id, "none")
    (standing,) = memory.feedback.suggestions(workspace="shop").items
    assert (standing.rejected, standing.rule) == (2, None)
    assert only(memory).status is MemoryStatus.ARCHIVED
    again = refused(memory)
    assert touched(again) == [EffectTarget.SUGGESTION, EffectTarget.RULE]
    (rule,) = memory.memories.list(workspace="shop", status=MemoryStatus.APPROVED).items
    (standing,) = memory.feedback.suggestions(workspace="shop").items
    assert (standing.rejected, standing.rule) == (3, rule.id)


def test_a_refusal_in_a_task_is_counted_and_noted(memory: Memoranda) -> None:
    task = begun(memory)
    stories = [
        memory.feedback.add("no", task=task, type="rejection", about=UUIDS) for _ in range(3)
    ]
    assert touched(stories[-1]) == [EffectTarget.SUGGESTION, EffectTarget.RULE, EffectTarget.BLOCK]
    assert learned(memory, task).count("rejection: no") == 3


def test_a_refusal_of_a_full_block_is_counted_and_needs_no_memory(memory: Memoranda) -> None:
    task = begun(memory)
    memory.blocks.rethink("learned", "x" * 9_990, task=task)
    story = memory.feedback.add("no", task=task, type="rejection", about=UUIDS)
    assert touched(story) == [EffectTarget.SUGGESTION, EffectTarget.NOTHING]
    assert memory.memories.list().items == ()


def test_a_refusal_of_nothing_known_is_a_memory_outside_of_a_task(memory: Memoranda) -> None:
    story = memory.feedback.add("no lamps", workspace="shop", type="rejection")
    assert touched(story) == [EffectTarget.MEMORY]
    assert memory.feedback.suggestions().items == ()


def test_a_block_that_was_put_away_is_not_brought_back(memory: Memoranda) -> None:
    task = begun(memory)
    memory.feedback.add("print it in blue", task=task, type="instruction")
    memory.blocks.delete("learned", task=task)
    story = memory.feedback.add(PORT, task=task)
    assert touched(story) == [EffectTarget.NOTHING, EffectTarget.MEMORY]
    assert "no block 'learned'" in story.effects[0].note
    assert only(memory).content == PORT


def test_people_write_into_a_block_that_agents_may_only_read(memory: Memoranda) -> None:
    task = begun(memory)
    memory.feedback.add("print it in blue", task=task, type="instruction")
    memory.blocks.configure("learned", task=task, read_only=True)
    story = memory.feedback.add(PORT, task=task)
    assert touched(story) == [EffectTarget.BLOCK]
    assert memory.blocks.show("learned", task=task).author.value == "human"


def test_an_agents_report_is_written_once_confirmed(memory: Memoranda) -> None:
    task = begun(memory)
    bob = acting(memory, "bob", "shop")
    heard = bob.feedback.add(PORT, task=task)
    assert learned(memory, task) == ""
    assert memory.feedback.process(heard.feedback.id) == 1
    story = memory.feedback.show(heard.feedback.id)
    assert (story.feedback.author, story.feedback.confirmed) == ("bob", True)
    assert PORT in learned(memory, task)


def test_lists_are_of_a_task_a_state_and_a_type(memory: Memoranda) -> None:
    one, two = begun(memory, "one"), begun(memory, "two")
    first = memory.feedback.add(PORT, task=one).feedback.id
    second = memory.feedback.add("The well is deep.", task=two).feedback.id
    third = memory.feedback.add(RULE, task=two).feedback.id

    def ids(**where: str) -> list[str]:
        return [each.id for each in memory.feedback.list(**where)]

    assert ids(task=one) == [first]
    assert ids(task=two) == [third, second]
    assert ids(state="asking") == [second]
    assert ids(type="pattern") == [third]
    assert ids(workspace="shop", task=two, state="processed") == [third]
    with pytest.raises(NotFound):
        ids(workspace="nonesuch")


def test_several_ids_that_begin_alike_need_more_of_the_id(memory: Memoranda) -> None:
    ids = [memory.feedback.add(f"{RULE} {n}", workspace="shop").feedback.id for n in range(2)]
    with pytest.raises(InvalidInput, match="use a longer prefix of the id"):
        memory.feedback.show(ids[0][:8])
    assert memory.feedback.show(ids[0]).feedback.id == ids[0]


def test_every_step_is_in_the_journal_without_a_word_of_it(memory: Memoranda) -> None:
    story = memory.feedback.add("Never name the heliotrope", workspace="shop")
    memory.feedback.correct(story.feedback.id, "none")
    entries = [one for one in memory.journal.list(limit=50) if one.subject == story.feedback.id]
    assert [one.operation for one in reversed(entries)] == [
        "feedback",
        "feedback processed",
        "feedback settled",
        "feedback processed",
    ]
    assert {one.actor for one in entries} == {"human"}
    assert "heliotrope" not in repr(entries)
    assert memory.journal.verify().intact


def test_feedback_survives_the_store_being_opened_again(engine: Settings) -> None:
    with opened(engine, FixedClock(step=1)) as memory:
        for _ in range(2):
            last = refused(memory)
    with opened(engine, FixedClock(step=1)) as memory:
        assert memory.feedback.show(last.feedback.id) == last
        assert touched(refused(memory)) == [EffectTarget.SUGGESTION, EffectTarget.RULE]


def test_pages_of_feedback_and_suggestions_neither_repeat_nor_skip(memory: Memoranda) -> None:
    abouts = [f"Paint the {what} in green" for what in ("fence", "gate", "boat", "hall", "shed")]
    for about in abouts:
        refused(memory, about=about)
    for listed in (memory.feedback.list, memory.feedback.suggestions):
        found, cursor = [], None
        while True:
            page = listed(limit=2, cursor=cursor)
            found += [getattr(one, "about", None) or getattr(one, "text", "") for one in page]
            cursor = page.cursor
            if cursor is None:
                break
        assert found == abouts[::-1]


# ---------------------------------------------------------------------- deletion


def test_forgetting_a_task_reaches_its_feedback_and_suggestions(memory: Memoranda) -> None:
    task = begun(memory)
    memory.feedback.add("No heliotrope.", task=task, type="rejection", about="Use heliotrope")
    memory.forget(RemovalSelection(task=task), confirm=True)
    for table in ("feedback", "feedback_effect", "suggestion", "suggestion_answer"):
        rows = memory._database.read(
            lambda tx, table=table: tx.fetch(f"select * from {table}", {})  # type: ignore[misc]
        )
        assert rows == [], table
