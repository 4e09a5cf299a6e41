"""Contract of the store for task archives, lessons, rules, and totals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_transactions import together
from contract.records import Records
from memoranda.lessons import table as lessons
from memoranda.lessons.model import KnownLesson, TaskArchive
from memoranda.memories import count_table as memory_totals, table as memories
from memoranda.memories.count_table import MemoryCount
from memoranda.memories.model import Category, MemoryKind, MemorySource, MemoryStatus, Visibility
from memoranda.observations.model import Origin
from memoranda.proposals import approval_table as approval_rules
from memoranda.proposals.approval_rule import ApprovalRule
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus

TEAM = Records().team
KEY = "0f" * 16


def archive(task: Task, memory: str, **changes: Any) -> TaskArchive:
    """Make the archive of a task."""
    made = TaskArchive(task.team, task.id, memory, 3, TaskStatus.COMPLETED, START)
    return replace(made, **changes)


def known(task: Task, memory: str, **changes: Any) -> KnownLesson:
    """Make a lesson learned in a task's workspace."""
    made = KnownLesson(task.team, task.workspace, KEY, memory, 1, START)
    return replace(made, **changes)


def rule(records: Records, **changes: Any) -> ApprovalRule:
    """Make a rule."""
    made = ApprovalRule(
        team=records.team,
        id=records.ids.new(),
        source=MemorySource.EXECUTION,
        category=None,
        confidence=0.25,
        origin=Origin.GENERATED,
        agents=False,
        workspace=None,
        enabled=True,
        created_by="human",
        created_at=START,
    )
    return replace(made, **changes)


class LessonContract:
    """A task is archived once, a lesson learned once, a rule never changes."""

    def test_a_task_is_archived_as_one_memory(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            assert lessons.archive(tx, TEAM, task.id) is None
            lessons.put_archive(tx, archive(task, "first"))
            again = archive(task, "second", position=9, status=TaskStatus.FAILED, written_at=5)
            lessons.put_archive(tx, again)
            assert lessons.archive(tx, TEAM, task.id) == again
            assert lessons.archives(tx, TEAM, [task.id, "nonesuch"]) == ["second"]
            assert lessons.drop_archives(tx, TEAM, [task.id]) == 1
            assert lessons.drop_archives(tx, TEAM, [task.id]) == 0

        database.write(work)

    def test_what_a_task_left_behind_goes_with_it(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            lessons.put_archive(tx, archive(task, "first"))
            lessons.put(tx, known(task, "memory"))
            assert lessons.add_task(tx, TEAM, task.workspace, KEY, task.id)
            tasks.delete(tx, TEAM, task.id)
            assert lessons.archive(tx, TEAM, task.id) is None
            assert lessons.taught(tx, TEAM, task.id) == set()
            assert lessons.known_lesson(tx, TEAM, task.workspace, KEY) == known(task, "memory")

        database.write(work)

    def test_a_task_teaches_a_lesson_once(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task, other = records.plant_task(tx), records.plant_task(tx)
            assert lessons.known_lesson(tx, TEAM, task.workspace, KEY) is None
            lessons.put(tx, known(task, "memory"))
            seen = [lessons.add_task(tx, TEAM, task.workspace, KEY, one.id) for one in (task, task)]
            assert seen == [True, False]
            assert lessons.add_task(tx, TEAM, task.workspace, KEY, other.id)
            assert lessons.taught(tx, TEAM, other.id) == {KEY}
            lessons.put(tx, known(task, "memory", seen=2, updated_at=7))
            found = lessons.known_lesson(tx, TEAM, task.workspace, KEY)
            assert found == known(task, "memory", seen=2, updated_at=7)
            assert lessons.taught(tx, TEAM, task.id) == {KEY}
            assert lessons.drop(tx, TEAM, ["memory"]) == 1
            assert lessons.taught(tx, TEAM, task.id) == set()

        database.write(work)

    def test_a_memory_becomes_surer_on_more_evidence(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            made = replace(records.memory(None), confidence=0.5)
            memory = records.plant_memory(tx, made, ("a",))
            lessons.reinforce(tx, TEAM, memory.id, 0.75, ["a", "b"], START + 9)
            (found,) = memories.of_any_agent(tx, TEAM, [memory.id]).values()
            assert found == replace(memory, confidence=0.75, updated_at=START + 9)
            assert memories.evidence(tx, TEAM, memory.id) == ("a", "b")
            lessons.reinforce(tx, TEAM, "nonesuch", 1.0, ["c"], START)
            assert memories.evidence(tx, TEAM, "nonesuch") == ()

        database.write(work)

    def test_unapproved_lessons_are_found_by_their_evidence(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            made = {}
            for status in MemoryStatus:
                memory = records.memory(None, f"it is {status}", status=status)
                made[status] = records.plant_memory(tx, memory, ("seen", f"of {status}")).id
                lessons.put(tx, known(task, made[status], key=status.value))
            stated = records.memory(None, "no lesson", status=MemoryStatus.PENDING)
            records.plant_memory(tx, stated, ("seen",))
            undecided = sorted(id for s, id in made.items() if s is not MemoryStatus.APPROVED)
            assert lessons.undecided(tx, TEAM, ["seen"]) == undecided
            assert lessons.undecided(tx, TEAM, ["of pending"]) == [made[MemoryStatus.PENDING]]
            assert lessons.undecided(tx, TEAM, ["nonesuch"]) == []

        database.write(work)

    def test_of_processes_that_learn_the_same_one_is_first(self, database: Database) -> None:
        records = Records()
        task = database.write(records.plant_task)
        database.write(lambda tx: lessons.put(tx, known(task, "memory")))
        found: list[bool] = []

        def see(_: int) -> None:
            place, id = task.workspace, task.id
            found.append(database.write(lambda tx: lessons.add_task(tx, TEAM, place, KEY, id)))

        together(see, 8)
        assert sorted(found) == [False] * 7 + [True]


class ApprovalRuleContract:
    """Rules are stored unchanged, and listed by scope."""

    def test_a_rule_is_read_as_it_was_written(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            place = records.plant_task(tx).workspace
            made = [
                rule(records),
                rule(records, source=None, category=Category.DECISION, agents=True),
                rule(records, workspace=place, confidence=1.0, origin=Origin.HUMAN),
            ]
            for one in made:
                approval_rules.put(tx, one)
            assert approval_rules.listed(tx, TEAM, limit=9) == made
            assert approval_rules.listed(tx, TEAM, place, limit=9) == made
            assert approval_rules.listed(tx, TEAM, "elsewhere", limit=9) == made[:2]
            assert approval_rules.listed(tx, TEAM, after=made[0].id, limit=1) == made[1:2]
            off = replace(made[0], enabled=False)
            approval_rules.put(tx, replace(off, confidence=0.0, agents=True))
            assert approval_rules.listed(tx, TEAM, limit=1) == [off]  # nothing else changes

        database.write(work)

    def test_a_rule_is_removed_once(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            made = rule(records)
            approval_rules.put(tx, made)
            assert approval_rules.by_prefix(tx, TEAM, made.id[:9]) == [made.id]
            assert approval_rules.delete(tx, TEAM, made.id)
            assert not approval_rules.delete(tx, TEAM, made.id)
            assert approval_rules.by_prefix(tx, TEAM, made.id) == []

        database.write(work)


class MemoryTotalContract:
    """Memories are counted by workspace, category and status."""

    def test_memories_are_counted_by_where_and_what_they_are(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            place = records.plant_task(tx, "shop").workspace
            yard = records.plant_task(tx, "yard").workspace
            records.plant_memory(tx, records.memory(None, uses=2))
            records.plant_memory(tx, records.memory(place, critical=True, critical_reason="law"))
            records.plant_memory(tx, records.memory(place, "gross", tokens=4))
            pending = MemoryStatus.PENDING
            records.plant_memory(tx, records.memory(yard, "later", status=pending))
            own = {"agent": "bob", "visibility": Visibility.AGENT}
            records.plant_memory(tx, records.memory(yard, "mine", **own))
            what = Category.DOMAIN_KNOWLEDGE.value
            team = MemoryCount(None, what, "approved", 1, 0, 2, 3)
            shop = MemoryCount("shop", what, "approved", 2, 1, 0, 7)
            his = MemoryCount("yard", what, "approved", 1, 0, 0, 3)
            waits = MemoryCount("yard", what, "pending", 1, 0, 0, 3)
            assert memory_totals.totals(tx, TEAM, None, None) == [team, shop, waits]
            assert memory_totals.totals(tx, TEAM, None, "bob") == [team, shop, his, waits]
            assert memory_totals.totals(tx, TEAM, None, "eve") == [team, shop, waits]
            assert memory_totals.totals(tx, TEAM, place, None) == [team, shop]

        database.write(work)

    def test_memories_of_single_tasks_can_be_excluded(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            memory = records.plant_memory(tx, records.memory(None, kind=MemoryKind.EPISODIC))
            kept = records.plant_memory(tx, records.memory(None, "gross"))
            every, lasting = memories.MemoryFilter(), memories.MemoryFilter(episodic=0)
            assert memories.listed(tx, TEAM, every, limit=9) == [kept, memory]
            assert memories.listed(tx, TEAM, lasting, limit=9) == [kept]

        database.write(work)
