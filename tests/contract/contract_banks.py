"""Contract of the store for banks: counts of memories and tasks by place."""

from __future__ import annotations

from collections import Counter
from functools import partial

from hypothesis import given, strategies as st

from contract.clock import START
from contract.contract_listing import _few, new_team
from contract.records import Records
from memoranda.banks import table as banks
from memoranda.banks.table import EVERYWHERE
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility
from memoranda.store.database import Database, Transaction
from memoranda.workspaces import table as workspaces

placed = st.tuples(
    st.integers(0, 2),
    st.sampled_from(tuple(Category)[:3]),
    st.sampled_from(MemoryStatus),
    st.sampled_from((None, "anna", "bob")),
)
"""A memory's place (0: the team), category, status, and private agent."""


def _made(records: Records, places: list[str], values: tuple[int, str, str, str | None]) -> Memory:
    place, category, status, agent = values
    visibility = Visibility.AGENT if agent else Visibility.WORKSPACE
    return records.memory(
        places[place] or None,
        category=Category(category),
        status=MemoryStatus(status),
        agent=agent,
        visibility=visibility if place or agent else Visibility.TEAM,
    )


class BankContract:
    """Records are counted once, in their place, for callers who see them."""

    @given(made=st.lists(placed, max_size=12), asking=st.sampled_from((None, "anna")))
    @_few
    def test_memories_are_counted_where_they_are_by_those_who_see_them(
        self,
        database: Database,
        made: list[tuple[int, Category, MemoryStatus, str | None]],
        asking: str | None,
    ) -> None:
        records = new_team()
        database = database.of(records.team)

        def fill(tx: Transaction) -> tuple[list[str], list[Memory]]:
            places = [EVERYWHERE]
            for name in ("one", "two"):
                workspace = records.workspace(name=name)
                workspaces.insert(tx, workspace, [])
                places.append(workspace.id)
            stored = [_made(records, places, one) for one in made]
            return places, [records.plant_memory(tx, one) for one in stored]

        places, stored = database.write(fill)
        seen = [one for one in stored if one.visibility != "agent" or one.agent == asking]
        for chosen in (places, places[1:], [EVERYWHERE]):
            rows = database.read(partial(_counted, team=records.team, places=chosen, agent=asking))
            inside = [one for one in seen if (one.workspace or EVERYWHERE) in chosen]
            wanted = Counter((one.workspace or "", one.category, one.status) for one in inside)
            assert {(place, kind, status): n for place, kind, status, n, _ in rows} == wanted
            assert all(changed == START for *_, changed in rows)
        for place in places:
            listed = partial(banks.entries, team=records.team, place=place, agent=asking, limit=99)
            found = database.read(listed)
            approved = [one for one in seen if one.status == "approved"]
            own = [one for one in approved if (one.workspace or EVERYWHERE) == place]
            assert found == sorted(own, key=lambda one: one.id, reverse=True)

    def test_entries_come_page_by_page_by_category(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            entries = [
                records.memory(None, f"rule {n}", category=Category.PATTERN) for n in range(5)
            ]
            entries += [records.memory(None, "chosen", category=Category.DECISION)]
            for one in entries:
                records.plant_memory(tx, one)
            listing = partial(banks.entries, tx, records.team, EVERYWHERE, None, Category.PATTERN)
            first = listing(limit=3)
            second = listing(before=first[-1].id, limit=3)
            assert [one.content for one in first + second] == [f"rule {n}" for n in (4, 3, 2, 1, 0)]

        database.write(work)

    def test_tasks_are_counted_with_their_newest_event(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            found = banks.worked(tx, records.team, [task.workspace, "nowhere"])
            assert found == {task.workspace: (1, task.last_event_at)}
            assert banks.worked(tx, records.team, ["nowhere"]) == {}

        database.write(work)


def _counted(
    tx: Transaction, team: str, places: list[str], agent: str | None
) -> list[tuple[str, str, str, int, int]]:
    return [
        (place, kind, status, int(count), int(changed))
        for place, kind, status, count, changed in banks.counted(tx, team, places, agent)
    ]
