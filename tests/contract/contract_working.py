"""Contract of the store for working memory."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, strategies as st

from contract.clock import START
from contract.contract_listing import _few, new_team
from contract.records import Records
from memoranda.exceptions import StorageError
from memoranda.json_data import JsonValue, dump_json
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task
from memoranda.text import normalise
from memoranda.working import table as working
from memoranda.working.model import WorkingEntry, WorkingKey
from memoranda.working.table import END, EVER

texts = st.text(max_size=40).map(normalise)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
keys = st.text(min_size=1, max_size=200).map(normalise)
"""Any key, of any characters."""


def entry(task: Task, key: str, value: JsonValue = None, **times: int) -> WorkingEntry:
    """Make an entry of the start time that lives ten microseconds."""
    values = {"written_at": START, "expires_at": START + 10} | times
    return WorkingEntry(task.team, task.id, key, value, **values)


class WorkingContract:
    """An entry is returned unchanged until it expires."""

    @given(key=keys, value=json_values)
    @_few
    def test_any_json_comes_back_under_any_key(
        self, database: Database, key: str, value: JsonValue
    ) -> None:
        records = new_team()
        database = database.of(records.team)

        def fill(tx: Transaction) -> WorkingEntry:
            made = entry(records.plant_task(tx), key, value)
            working.put(tx, made)
            return made

        made = database.write(fill)
        look = partial(working.get, team=made.team, task=made.task, key=key, alive_at=START)
        found = database.read(look)
        assert found == made
        assert found is not None
        assert dump_json(found.value) == dump_json(value)  # 1 is not True, nor 1.0

    @given(names=st.lists(keys, max_size=12, unique=True), size=st.integers(1, 5))
    @_few
    def test_pages_give_every_key_once_in_the_order_of_its_code_points(
        self, database: Database, names: list[str], size: int
    ) -> None:
        records = new_team()
        database = database.of(records.team)

        def fill(tx: Transaction) -> Task:
            task = records.plant_task(tx)
            for name in names:
                working.put(tx, entry(task, name))
            return task

        task = database.write(fill)
        page = partial(working.listed, team=task.team, task=task.id, alive_at=START, limit=size)
        seen: list[str] = []
        while found := database.read(partial(page, after=seen[-1] if seen else "")):
            assert len(found) <= size
            seen += [one.key for one in found]
        assert seen == sorted(names)

    def test_what_is_written_again_replaces_value_and_times(self, database: Database) -> None:
        task = database.write(Records().plant_task)
        again = entry(task, "step", "second", written_at=START + 1, expires_at=START + 99)

        def work(tx: Transaction) -> None:
            working.put(tx, entry(task, "step", "first"))
            working.put(tx, again)
            assert working.get(tx, task.team, task.id, "step", START + 50) == again
            (listed,) = working.listed(tx, task.team, task.id, START, limit=9)
            assert listed == WorkingKey("step", START + 1, START + 99)

        database.write(work)

    def test_an_entry_ends_at_its_very_moment_though_it_is_still_there(
        self, database: Database
    ) -> None:
        task = database.write(Records().plant_task)
        made = entry(task, "step")
        database.write(lambda tx: working.put(tx, made))

        def look(tx: Transaction, at: int) -> tuple[bool, int]:
            found = working.get(tx, task.team, task.id, "step", at)
            return found == made, len(working.listed(tx, task.team, task.id, at, limit=9))

        assert database.read(partial(look, at=START + 9)) == (True, 1)
        assert database.read(partial(look, at=START + 10)) == (False, 0)
        assert database.read(partial(look, at=EVER)) == (True, 1)

    def test_only_what_has_expired_is_swept(self, database: Database) -> None:
        task = database.write(Records().plant_task)

        def work(tx: Transaction) -> None:
            for n in range(1, 5):
                working.put(tx, entry(task, f"key {n}", expires_at=START + n))
            assert working.sweep(tx, task.team, START) == 0
            assert working.sweep(tx, task.team, START + 2) == 2
            left = working.listed(tx, task.team, task.id, EVER, limit=9)
            assert [one.key for one in left] == ["key 3", "key 4"]

        database.write(work)

    def test_a_deletion_may_spare_what_was_written_later(self, database: Database) -> None:
        task = database.write(Records().plant_task)

        def work(tx: Transaction) -> None:
            working.put(tx, entry(task, "step"))
            assert not working.delete(tx, task.team, task.id, "step", START - 1)
            assert working.delete(tx, task.team, task.id, "step", START)
            assert not working.delete(tx, task.team, task.id, "step", END)

        database.write(work)

    def test_tasks_have_keys_of_their_own(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = records.plant_task(tx), records.plant_task(tx)
            working.put(tx, entry(one, "step", 1))
            working.put(tx, entry(two, "step", 2))
            working.put(tx, entry(two, "other", 3))
            assert working.clear(tx, records.team, [two.id, "nonesuch"]) == 2
            assert working.get(tx, records.team, two.id, "step", START) is None
            assert working.get(tx, records.team, one.id, "step", START) == entry(one, "step", 1)

        database.write(work)

    def test_a_task_that_goes_takes_its_entries_along(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            kept, gone = records.plant_task(tx), records.plant_task(tx)
            for task in (kept, gone):
                working.put(tx, entry(task, "step"))
            tasks.delete(tx, records.team, gone.id)
            assert working.get(tx, records.team, gone.id, "step", EVER) is None
            assert working.get(tx, records.team, kept.id, "step", EVER) is not None

        database.write(work)

    def test_an_entry_needs_its_task(self, database: Database) -> None:
        task = Records().task("nowhere")
        with pytest.raises(StorageError):
            database.write(lambda tx: working.put(tx, entry(task, "step")))
