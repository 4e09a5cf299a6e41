"""Contract of the store for feedback, its effects, and suggestions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_transactions import together
from contract.records import Records
from memoranda.feedback import suggestion_table as suggestions, table as feedback
from memoranda.feedback.model import (
    EffectTarget,
    Feedback,
    FeedbackEffect,
    FeedbackSource,
    FeedbackState,
    FeedbackType,
    SuggestionStatus,
)
from memoranda.feedback.suggestion_table import SuggestionAnswer
from memoranda.feedback.table import FeedbackFilter
from memoranda.memories import table as memories
from memoranda.observations import table as observations
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.workspaces import table as workspaces

TEAM = Records().team


def feedback_of(records: Records, **changes: Any) -> Feedback:
    """Make pending feedback of a person without a task."""
    made = Feedback(
        team=records.team,
        id=records.ids.new(),
        workspace=None,
        task=None,
        agent=None,
        type=FeedbackType.REJECTION,
        confidence=0.75,
        reason="not wanted",
        source=FeedbackSource.API,
        text="I don't want »UUIDs« \u2603",
        about="Use UUIDs",
        observation=None,
        author="human",
        state=FeedbackState.WAITING,
        confirmed=True,
        revision=1,
        processed_at=None,
        created_at=START,
    )
    return replace(made, **changes)


def answer(suggestion: str, message: Feedback, *, accepted: bool = False) -> SuggestionAnswer:
    """Make an answer to a suggestion."""
    return SuggestionAnswer(
        suggestion, message.id, accepted, message.about, message.text, "m", b"\x00\x3c\xff"
    )


def planted(tx: Transaction, records: Records, **changes: Any) -> Feedback:
    """Store feedback."""
    made = feedback_of(records, **changes)
    assert feedback.put(tx, made)
    return made


class FeedbackContract:
    """Feedback is kept as stated, settled once, and deleted with its message."""

    def test_feedback_round_trips(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            seen = records.plant(tx, task, 1)
            every = planted(
                tx,
                records,
                workspace=task.workspace,
                task=task.id,
                agent="bob",
                observation=seen.id,
                state=FeedbackState.ASKING,
                confirmed=False,
                processed_at=START + 1,
            )
            none = planted(tx, records, type=None)
            assert feedback.by_id(tx, TEAM, every.id) == every
            assert feedback.by_id(tx, TEAM, none.id) == none
            assert feedback.by_id(tx, TEAM, every.id, "bob") == every
            assert feedback.by_id(tx, TEAM, every.id, "eve") is None
            assert feedback.by_id(tx, TEAM, none.id, "eve") == none
            assert feedback.by_prefix(tx, TEAM, none.id[:35]) == [none.id]
            assert [
                feedback.pending_count(tx, TEAM, None, who) for who in (None, "bob", "eve")
            ] == [
                1,
                1,
                0,
            ]
            assert feedback.pending_count(tx, "another team", None, None) == 0
            both = every.id[:8]
            assert feedback.by_prefix(tx, TEAM, both, "bob") == [every.id, none.id]
            assert feedback.by_prefix(tx, TEAM, both, "eve") == [none.id]

        database.write(work)

    def test_a_message_gives_feedback_once(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            seen = records.plant(tx, task, 1)
            first = planted(tx, records, observation=seen.id)
            assert not feedback.put(tx, feedback_of(records, observation=seen.id))
            assert [one.id for one in feedback.listed(tx, TEAM, FeedbackFilter(), limit=9)] == [
                first.id
            ]
            assert feedback.put(tx, feedback_of(records))
            assert feedback.put(tx, feedback_of(records)), "without a message there is no limit"

        database.write(work)

    def test_feedback_is_settled_as_it_was_read_or_not_at_all(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            read = planted(tx, records)
            done = replace(read, state=FeedbackState.PROCESSED, processed_at=START + 5)
            assert feedback.settle(tx, read, done)
            assert not feedback.settle(tx, read, done)
            anew = replace(
                done,
                type=FeedbackType.CORRECTION,
                state=FeedbackState.WAITING,
                revision=2,
                reason="told",
                confidence=1.0,
            )
            assert feedback.settle(tx, done, anew)
            assert not feedback.settle(tx, replace(anew, revision=1), done)
            assert feedback.by_id(tx, TEAM, read.id) == anew

        database.write(work)

    def test_of_several_who_settle_one_does(self, database: Database) -> None:
        records = Records()
        read = database.write(lambda tx: planted(tx, records))
        done = replace(read, state=FeedbackState.PROCESSED)
        found: list[bool] = []
        together(
            lambda _: found.append(database.write(lambda tx: feedback.settle(tx, read, done))), 8
        )
        assert sorted(found) == [False] * 7 + [True]

    def test_effects_are_returned_in_order_and_deleted_with_their_feedback(
        self, database: Database
    ) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            corpus = planted(tx, records)
            assert feedback.effects(tx, TEAM, corpus.id) == ()
            first = [
                FeedbackEffect(1, EffectTarget.BLOCK, "b", "- line"),
                FeedbackEffect(1, EffectTarget.RULE, "m", ""),
            ]
            second = [FeedbackEffect(2, EffectTarget.NOTHING, "", "taken back")]
            feedback.add_effects(tx, TEAM, corpus.id, first)
            feedback.add_effects(tx, TEAM, corpus.id, second)
            assert feedback.effects(tx, TEAM, corpus.id) == (*first, *second)

        database.write(work)

    def test_feedback_is_listed_by_place_agent_state_and_type(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            shop = {"workspace": task.workspace, "task": task.id}
            one = planted(tx, records, **shop)
            two = planted(tx, records, agent="bob", state=FeedbackState.ASKING)
            yard = records.workspace("yard")
            workspaces.insert(tx, yard, [])
            three = planted(tx, records, workspace=yard.id, type=FeedbackType.PATTERN)

            def ids(where: FeedbackFilter, **page: Any) -> list[str]:
                return [
                    each.id for each in feedback.listed(tx, TEAM, where, **{"limit": 9, **page})
                ]

            assert ids(FeedbackFilter()) == [three.id, two.id, one.id]
            assert ids(FeedbackFilter(), before=three.id, limit=1) == [two.id]
            assert ids(FeedbackFilter(workspace=task.workspace)) == [two.id, one.id]
            assert ids(FeedbackFilter(task=task.id)) == [one.id]
            assert ids(FeedbackFilter(agent="eve")) == [three.id, one.id]
            assert ids(FeedbackFilter(state=FeedbackState.ASKING)) == [two.id]
            assert ids(FeedbackFilter(type=FeedbackType.PATTERN)) == [three.id]
            assert feedback.waiting(tx, TEAM, limit=9) == [one.id, three.id]
            assert feedback.waiting(tx, TEAM, after=one.id, limit=1) == [three.id]

        database.write(work)

    def test_feedback_goes_with_its_message_and_its_task(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            seen = records.plant(tx, task, 1)
            of_message = planted(tx, records, observation=seen.id)
            of_task = planted(tx, records, workspace=task.workspace, task=task.id)
            feedback.set_scanned(tx, TEAM, task.id, 1)
            observations.delete(tx, TEAM, [seen.id], START)
            assert feedback.by_id(tx, TEAM, of_message.id) is None
            assert feedback.by_id(tx, TEAM, of_task.id) == of_task
            tasks.delete(tx, TEAM, task.id)
            assert feedback.by_id(tx, TEAM, of_task.id) is None
            assert feedback.scanned_until(tx, TEAM, task.id) == 0

        database.write(work)

    def test_how_far_was_listened_never_goes_back(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            assert feedback.scanned_until(tx, TEAM, task.id) == 0
            for position, then in ((4, 4), (9, 9), (6, 9)):
                feedback.set_scanned(tx, TEAM, task.id, position)
                assert feedback.scanned_until(tx, TEAM, task.id) == then

        database.write(work)

    def test_answers_are_returned_newest_first_by_place(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            here, everywhere = records.ids.new(), records.ids.new()
            suggestions.put(tx, TEAM, here, task.workspace, START)
            suggestions.put(tx, TEAM, everywhere, None, START)
            first, second, third = (planted(tx, records, about=f"Use {n}") for n in "abc")
            assert suggestions.answer(tx, TEAM, answer(here, first), START + 1)
            assert not suggestions.answer(tx, TEAM, answer(here, first), START + 2)
            assert suggestions.answer(tx, TEAM, answer(here, second, accepted=True), START + 2)
            bare = replace(answer(everywhere, third), model=None, vector=None)
            assert suggestions.answer(tx, TEAM, bare, START + 3)
            found = suggestions.answers(tx, TEAM, task.workspace, limit=9)
            assert found == [answer(here, second, accepted=True), answer(here, first)]
            assert suggestions.answers(tx, TEAM, None, limit=9) == [bare]
            assert suggestions.answers(tx, TEAM, task.workspace, limit=1) == found[:1]
            assert suggestions.of_suggestion(tx, TEAM, here, limit=9) == found
            assert suggestions.of_suggestion(tx, TEAM, here, limit=1) == found[:1]

        database.write(work)

    def test_refusals_are_counted_from_the_last_acceptance(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            id = records.ids.new()
            suggestions.put(tx, TEAM, id, None, START)
            for at, accepted in enumerate((False, False, True, False), 1):
                corpus = planted(tx, records, about=f"Use {at}")
                suggestions.answer(tx, TEAM, answer(id, corpus, accepted=accepted), START + at)
            suggestions.set_rule(tx, TEAM, id, "a memory")
            assert suggestions.rule(tx, TEAM, id) == "a memory"
            (standing,) = suggestions.listed(tx, TEAM, None, limit=9)
            assert standing == SuggestionStatus(id, "Use 1", 1, 1, "a memory", START + 4)
            assert suggestions.listed(tx, TEAM, None, before=id, limit=9) == []

        database.write(work)

    def test_a_suggestion_without_references_is_dropped(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            kept, gone = records.ids.new(), records.ids.new()
            corpus = planted(tx, records), planted(tx, records)
            for id, one in zip((kept, gone), corpus, strict=True):
                suggestions.put(tx, TEAM, id, None, START)
                suggestions.answer(tx, TEAM, answer(id, one), START)
            assert suggestions.drop_unanswered(tx, TEAM) == 0
            assert suggestions.retract(tx, TEAM, corpus[1].id) == 1
            assert suggestions.drop_unanswered(tx, TEAM) == 1
            assert [one.id for one in suggestions.listed(tx, TEAM, None, limit=9)] == [kept]

        database.write(work)

    def test_reinforcing_counts_a_use_and_trusts_more_up_to_all(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            made = records.plant_memory(tx, records.memory(None, confidence=0.75))
            other = records.plant_memory(tx, records.memory(None, "prices are gross"))
            seen = []
            for at in range(1, 5):
                assert memories.reinforce(tx, TEAM, made.id, START + at)
                memory = memories.by_ids(tx, TEAM, [made.id], None)[made.id]
                seen.append((memory.uses, round(memory.confidence, 6), memory.last_used))
            assert seen == [
                (1, 0.85, START + 1),
                (2, 0.95, START + 2),
                (3, 1.0, START + 3),
                (4, 1.0, START + 4),
            ]
            assert memories.by_ids(tx, TEAM, [other.id], None)[other.id] == other
            assert not memories.reinforce(tx, TEAM, records.ids.new(), START)

        database.write(work)
