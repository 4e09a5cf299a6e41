"""Contract of the store for lists: exact filters, complete pagination."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from typing import TypeAlias

from hypothesis import HealthCheck, given, settings, strategies as st

from contract.clock import START
from contract.records import Records
from memoranda.memories import tombstone_table as tombstones
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, ObservationType
from memoranda.observations.table import ObservationFilter
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus
from memoranda.tasks.table import NEWEST

TAGS = ("test", "git", "it's", "名")

Page: TypeAlias = Callable[[Observation | None], Sequence[Observation]]
"""Returns the page after an observation, or the first page."""

_few = settings(
    max_examples=20,
    deadline=None,
    # Each example has a team of its own, so that many can share a database.
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.differing_executors,
        HealthCheck.too_slow,
    ],
)
_tag_sets = st.lists(st.lists(st.sampled_from(TAGS), unique=True), min_size=1, max_size=8)


_TEAMS = count(1)


def new_team() -> Records:
    """Return the records of a new, empty team."""
    return Records(f"team-{next(_TEAMS)}")


class ListingContract:
    """A list returns every match of its filter, once."""

    @given(rows=_tag_sets, wanted=st.lists(st.sampled_from(TAGS)), any_tag=st.booleans())
    @_few
    def test_a_tag_filter_is_exact(
        self, database: Database, rows: list[list[str]], wanted: list[str], any_tag: bool
    ) -> None:
        records = new_team()
        database = database.of(records.team)

        def fill(tx: Transaction) -> tuple[Task, list[Observation]]:
            task = records.plant_task(tx)
            made = [
                records.plant(tx, task, n, f"row {n}", tags=tuple(tags))
                for n, tags in enumerate(rows, 1)
            ]
            return task, made

        task, made = database.write(fill)
        where = ObservationFilter(tags=wanted, any_tag=any_tag)

        def fits(one: Observation) -> bool:
            hits = [tag in one.tags for tag in wanted]
            return not wanted or (any(hits) if any_tag else all(hits))

        expected = [one.id for one in made if fits(one)]
        assert self._ids(database, task, where) == (expected, expected[::-1])

    def test_filters_by_file_type_agent_and_time_are_exact(self, database: Database) -> None:
        records = Records()

        def fill(tx: Transaction) -> tuple[Task, list[str]]:
            task = records.plant_task(tx)
            error = ObservationType.ERROR
            one = records.plant(tx, task, 1, "1", files=("a.py", "b.py"), tags=("x",))
            two = records.plant(tx, task, 2, "2", files=("b.py",), type=error, tags=("y",))
            three = records.plant(tx, task, 3, "3", agent="helper", tags=("b.py",))
            four = records.plant(tx, task, 4, "4", repeats=one.id)
            return task, [one.id, two.id, three.id, four.id]

        task, (one, two, three, four) = database.write(fill)
        cases: list[tuple[ObservationFilter, list[str]]] = [
            (ObservationFilter(), [one, two, three]),
            (ObservationFilter(with_repeats=True), [one, two, three, four]),
            (ObservationFilter(files=["b.py"]), [one, two]),
            (ObservationFilter(files=["a.py", "b.py"]), [one, two]),
            (ObservationFilter(files=["c.py"]), []),
            (ObservationFilter(files=["b.py"], tags=["y"]), [two]),
            (ObservationFilter(files=["b.py"], tags=["x", "y"]), []),
            (ObservationFilter(files=["b.py"], tags=["x", "y"], any_tag=True), [one, two]),
            (ObservationFilter(tags=["b.py"]), [three]),
            (ObservationFilter(tags=["x", "x"]), [one]),
            (ObservationFilter(type=ObservationType.ERROR), [two]),
            (ObservationFilter(agent="helper"), [three]),
            (ObservationFilter(since=START + 2), [two, three]),
            (ObservationFilter(until=START + 2), [one]),
            (ObservationFilter(since=START + 2, until=START + 2), []),
        ]
        for where, expected in cases:
            assert self._ids(database, task, where) == (expected, expected[::-1]), where

    @given(data=st.data())
    @_few
    def test_pages_neither_repeat_nor_skip_while_rows_are_added(
        self, database: Database, data: st.DataObject
    ) -> None:
        records = new_team()
        database = database.of(records.team)
        task = database.write(records.plant_task)
        count = 0

        def add(most: int) -> list[str]:
            nonlocal count
            number = data.draw(st.integers(0, most))

            def work(tx: Transaction) -> list[str]:
                return [records.plant(tx, task, count + n, "row").id for n in range(1, number + 1)]

            ids = database.write(work)
            count += number
            return ids

        first = add(12)
        size = data.draw(st.integers(1, 5))
        forward = self._walk(self._in_task(database, task, size), lambda: add(2))
        backward = self._walk(self._recent(database, task, size), lambda: add(2))
        assert forward[: len(first)] == first
        assert len(set(forward)) == len(forward)
        assert [id for id in backward if id in first] == first[::-1]
        assert len(set(backward)) == len(backward)

    @given(times=st.lists(st.integers(0, 3), max_size=10), size=st.integers(1, 4))
    @_few
    def test_pages_of_tasks_of_the_same_moment_are_whole(
        self, database: Database, times: list[int], size: int
    ) -> None:
        records = new_team()
        database = database.of(records.team)

        def fill(tx: Transaction) -> list[Task]:
            place = records.plant_task(tx).workspace
            made = [records.task(place, last_event_at=START + at) for at in times]
            return [tasks.insert(tx, task) for task in made]

        made = database.write(fill)
        seen: list[Task] = []
        before = NEWEST
        listed = partial(tasks.listed, team=records.team, limit=size)
        while found := database.read(partial(listed, before=before)):
            seen += found
            before = (found[-1].last_event_at, found[-1].id)
        assert len(seen) == len(made) + 1
        assert {task.id for task in made} < {task.id for task in seen}
        assert [task.last_event_at for task in seen] == sorted(
            (task.last_event_at for task in seen), reverse=True
        )

    def test_no_task_gets_the_number_of_a_removed_one(self, database: Database) -> None:
        records = Records()

        def replaced(tx: Transaction) -> tuple[int, int]:
            gone = records.plant_task(tx)
            keys = [tombstones.task_key(gone.number), "f" * 32, "tasks", "task!"]
            tombstones.add_tombstones(tx, records.team, keys, START)
            tasks.delete(tx, records.team, gone.id)
            return gone.number, tasks.insert(tx, records.task(gone.workspace)).number

        gone, new = database.write(replaced)
        assert new == gone + 1

    def test_tasks_are_filtered_by_workspace_and_status(self, database: Database) -> None:
        records = Records()

        def fill(tx: Transaction) -> None:
            one, two = records.plant_task(tx, "one"), records.plant_task(tx, "two")
            done = records.task(one.workspace, status=TaskStatus.COMPLETED)
            done = tasks.insert(tx, done)
            team = records.team
            assert {t.id for t in tasks.listed(tx, team, workspace=one.workspace)} == {
                one.id,
                done.id,
            }
            assert tasks.listed(tx, team, status=TaskStatus.COMPLETED) == [done]
            assert tasks.listed(tx, team, workspace=two.workspace) == [two]
            assert [tasks.count(tx, team, None), tasks.count(tx, team, one.workspace)] == [3, 2]
            assert [one.number, two.number, done.number] == [1, 2, 3]

        database.write(fill)

    def _ids(
        self, database: Database, task: Task, where: ObservationFilter
    ) -> tuple[list[str], list[str]]:
        """Return the ids that both lists return for a filter."""

        def look(tx: Transaction) -> tuple[list[str], list[str]]:
            one = observations.in_task(tx, task.team, task.id, where=where, limit=100)
            many = observations.recent(tx, task.team, task.workspace, where=where, limit=100)
            return [o.id for o in one], [o.id for o in many]

        return database.read(look)

    def _walk(self, page: Page, between: Callable[[], object]) -> list[str]:
        """Read at most thirty pages; act between the first ones."""
        seen: list[str] = []
        last: Observation | None = None
        for turn in range(30):
            found = page(last)
            if not found:
                break
            seen += [one.id for one in found]
            last = found[-1]
            if turn < 4:
                between()
        return seen

    def _in_task(self, database: Database, task: Task, size: int) -> Page:
        def page(last: Observation | None) -> Sequence[Observation]:
            span = (last.sequence if last else 0, observations.END)
            return database.read(
                lambda tx: observations.in_task(tx, task.team, task.id, span=span, limit=size)
            )

        return page

    def _recent(self, database: Database, task: Task, size: int) -> Page:
        def page(last: Observation | None) -> Sequence[Observation]:
            before = last.id if last else "~"
            return database.read(
                lambda tx: observations.recent(tx, task.team, None, before=before, limit=size)
            )

        return page
