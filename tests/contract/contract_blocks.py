"""Contract of the store for blocks, their versions and owners."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given, strategies as st

from contract.clock import START
from contract.contract_listing import _few, new_team
from contract.records import Records
from memoranda.agents import table as agents
from memoranda.agents.model import AttachedBlock
from memoranda.blocks import table as blocks
from memoranda.blocks.model import (
    Author,
    Block,
    BlockChangeKind,
    BlockHolder,
    BlockPlace,
    BlockVersion,
)
from memoranda.blocks.table import BlockFilter
from memoranda.exceptions import CorruptData, StorageError
from memoranda.observations import blob_table as blobs
from memoranda.observations.blob_table import Blob
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.text import normalise

texts = st.text(max_size=300).map(normalise)
labels = st.text(min_size=1, max_size=20).map(normalise)
TEAM = Records().team
NOWHERE = BlockPlace()


def block(
    records: Records, label: str = "plan", place: BlockPlace = NOWHERE, **changes: Any
) -> Block:
    """Make a new block."""
    made = Block(
        team=records.team,
        id=records.ids.new(),
        label=label,
        place=place,
        description="what to do",
        value=f"{label} of {records.team}",
        limit=5_000,
        read_only=False,
        version=1,
        tokens=3,
        author=Author.HUMAN,
        created_at=START,
        updated_at=START,
        accessed_at=START,
    )
    return replace(made, **changes)


def newest(
    block: Block, change: BlockChangeKind = BlockChangeKind.REPLACE, **changes: Any
) -> BlockVersion:
    """Make the version of a block's current value."""
    made = BlockVersion(
        block=block.id,
        version=block.version,
        value=block.value,
        tokens=block.tokens,
        change=change,
        author=block.author,
        agent=None,
        reason="",
        created_at=block.updated_at,
    )
    return replace(made, **changes)


def plant_block(tx: Transaction, made: Block) -> Block:
    """Store a block with its first version."""
    blocks.insert(tx, made, newest(made, BlockChangeKind.CREATE))
    return made


def changed(tx: Transaction, old: Block, value: str, **changes: Any) -> Block:
    """Store another value of a block."""
    new = replace(old, value=value, version=old.version + 1, updated_at=old.updated_at + 1)
    new = replace(new, **changes)
    blocks.write(tx, new, newest(new))
    return new


class BlockContract:
    """A block keeps every value, and is visible in its scope only."""

    @given(value=texts, description=texts, label=labels)
    @_few
    def test_a_block_comes_back_as_it_was_made(
        self, database: Database, value: str, description: str, label: str
    ) -> None:
        records = new_team()
        made = block(records, label, value=value, description=description, read_only=True)
        made = replace(made, limit=9, author=Author.AGENT, accessed_at=START + 7)

        def work(tx: Transaction) -> None:
            plant_block(tx, made)
            assert blocks.by_ids(tx, made.team, [made.id, "none"]) == {made.id: made}
            assert blocks.visible(tx, made.team, BlockFilter(label=label), limit=9) == [made]
            assert blocks.at_place(tx, made.team, NOWHERE, label) == made

        database.of(records.team).write(work)

    def test_every_value_stays_and_the_newest_is_the_block(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            made = [plant_block(tx, block(records, value="one"))]
            for value in ("two", "", "two"):
                made.append(changed(tx, made[-1], value, author=Author.AGENT, tokens=len(value)))
            id = made[0].id
            assert blocks.by_ids(tx, TEAM, [id]) == {id: made[-1]}
            listed = blocks.history(tx, TEAM, id, limit=9)
            assert [one.version for one in listed] == [4, 3, 2, 1]
            assert [one.value for one in listed] == ["two", "", "two", "one"]
            assert blocks.history(tx, TEAM, id, before=4, limit=2) == listed[1:3]
            assert [blocks.version(tx, TEAM, id, n) for n in (4, 3, 2, 1)] == listed
            assert blocks.version(tx, TEAM, id, 0) is None
            assert blocks.version(tx, TEAM, id, 5) is None

        database.write(work)

    def test_a_version_has_author_reason_and_time(self, database: Database) -> None:
        records = Records()
        made = block(records)
        result = newest(
            made, BlockChangeKind.PATCH, agent="critic", reason="it was wrong", author=Author.AGENT
        )

        def work(tx: Transaction) -> None:
            blocks.insert(tx, made, result)
            assert blocks.version(tx, TEAM, made.id, 1) == result

        database.write(work)

    def test_a_version_number_is_used_once(self, database: Database) -> None:
        made = block(Records())
        database.write(partial(plant_block, made=made))
        with pytest.raises(StorageError):
            database.write(lambda tx: blocks.write(tx, made, newest(made)))
        assert len(database.read(lambda tx: blocks.history(tx, TEAM, made.id, limit=9))) == 1

    def test_block_attributes_can_change_without_a_new_value(self, database: Database) -> None:
        made = block(Records())

        def work(tx: Transaction) -> None:
            plant_block(tx, made)
            new = replace(made, label="goal", description="why", limit=7, read_only=True,
                          updated_at=START + 1)  # fmt: skip
            blocks.update(tx, new)
            assert blocks.by_ids(tx, TEAM, [made.id]) == {made.id: new}
            assert len(blocks.history(tx, TEAM, made.id, limit=9)) == 1

        database.write(work)

    def test_reading_is_noted_and_never_earlier_than_it_was(self, database: Database) -> None:
        made = block(Records())

        def work(tx: Transaction) -> None:
            plant_block(tx, made)
            for now in (START + 5, START + 3):
                blocks.touch(tx, TEAM, [made.id], now)
            assert blocks.by_ids(tx, TEAM, [made.id])[made.id].accessed_at == START + 5

        database.write(work)

    def test_a_label_is_free_in_every_other_place(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            places = (
                BlockPlace(),
                BlockPlace(task.workspace),
                BlockPlace(task.workspace, task.id),
                BlockPlace(task.workspace, task.id, "critic"),
                BlockPlace(task.workspace, task.id, shared=True),
                BlockPlace(agent="critic"),
                BlockPlace(shared=True),
            )
            made = [plant_block(tx, block(records, place=place)) for place in places]
            found = [blocks.at_place(tx, TEAM, place, "plan") for place in places]
            assert found == made
            assert blocks.at_place(tx, TEAM, BlockPlace(agent="scribe"), "plan") is None
            assert blocks.at_place(tx, TEAM, BlockPlace(), "goal") is None

        database.write(work)

    @pytest.mark.parametrize(
        "place", [BlockPlace(), BlockPlace(agent="critic"), BlockPlace(shared=True)]
    )
    def test_a_label_is_there_once_in_a_place(self, database: Database, place: BlockPlace) -> None:
        records = Records()
        database.write(lambda tx: plant_block(tx, block(records, place=place)))
        with pytest.raises(StorageError):
            database.write(lambda tx: plant_block(tx, block(records, place=place)))

    def test_a_block_that_was_put_away_leaves_its_label_free(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            old, older = (
                replace(plant_block(tx, made), updated_at=START + at, deleted_at=START + at)
                for made, at in ((block(records, "plan"), 2), (block(records, "goal"), 1))
            )
            blocks.update(tx, older)
            blocks.update(tx, replace(older, label="plan"))
            older = replace(older, label="plan")
            blocks.update(tx, old)
            new = plant_block(tx, block(records))
            assert blocks.at_place(tx, TEAM, NOWHERE, "plan") == new
            assert blocks.at_place(tx, TEAM, NOWHERE, "plan", deleted=True) == old
            look = partial(blocks.visible, tx, TEAM, limit=9)
            assert look(BlockFilter()) == [new]
            assert {one.id for one in look(BlockFilter(deleted=True))} == {old.id, older.id}
            assert len(look(BlockFilter(label="plan", deleted=None))) == 3

        database.write(work)

    def test_a_caller_sees_the_places_around_it(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two = records.plant_task(tx), records.plant_task(tx)
            other = records.plant_task(tx, "barn")
            for value, place in {
                "team": BlockPlace(),
                "shop": BlockPlace(one.workspace),
                "barn": BlockPlace(other.workspace),
                "one": BlockPlace(one.workspace, one.id),
                "two": BlockPlace(two.workspace, two.id),
                "critic's": BlockPlace(agent="critic"),
                "critic's of one": BlockPlace(one.workspace, one.id, "critic"),
            }.items():
                plant_block(tx, block(records, place=place, value=value))

            def sees(
                workspace: str | None = None, task: str | None = None, agent: str | None = None
            ) -> set[str]:
                where = BlockFilter(workspace, task, agent)
                return {one.value for one in blocks.visible(tx, TEAM, where, limit=99)}

            everything = {"team", "shop", "barn", "one", "two", "critic's", "critic's of one"}
            assert sees() == everything
            assert sees(one.workspace) == everything - {"barn"}
            assert sees(one.workspace, one.id) == everything - {"barn", "two"}
            assert sees(other.workspace, other.id) == {"team", "barn", "critic's"}
            assert sees(one.workspace, one.id, "scribe") == {"team", "shop", "one"}
            assert sees(one.workspace, two.id, "critic") == {"team", "shop", "two", "critic's"}
            assert sees(None, None, "critic") == {"team", "shop", "barn", "critic's"}

        database.write(work)

    def test_a_shared_block_is_seen_by_its_holders_and_by_people(self, database: Database) -> None:
        records = Records()
        made = block(records, place=BlockPlace(shared=True))

        def sees(tx: Transaction, agent: str | None) -> bool:
            where = BlockFilter(agent=agent)
            found = blocks.visible_among(tx, TEAM, where, [made.id, "none"])
            assert list(found.values()) == blocks.visible(tx, TEAM, where, limit=9)
            return found == {made.id: made}

        def work(tx: Transaction) -> None:
            plant_block(tx, made)
            assert [sees(tx, agent) for agent in (None, "critic", "")] == [True, False, False]
            blocks.attach(tx, TEAM, made.id, BlockHolder("critic", "reads", START))
            assert [sees(tx, agent) for agent in ("critic", "scribe")] == [True, False]
            assert blocks.detach(tx, TEAM, made.id, "critic")
            assert not blocks.detach(tx, TEAM, made.id, "critic")
            assert not sees(tx, "critic")

        database.write(work)

    def test_to_attach_again_changes_the_role_and_not_the_time(self, database: Database) -> None:
        records = Records()
        made = block(records, place=BlockPlace(shared=True))

        def work(tx: Transaction) -> None:
            plant_block(tx, made)
            for agent, role, at in (("zoe", "a", 1), ("abe", "b", 2), ("zoe", "c", 3)):
                blocks.attach(tx, TEAM, made.id, BlockHolder(agent, role, at))
            assert blocks.holders(tx, TEAM, made.id) == [
                BlockHolder("abe", "b", 2),
                BlockHolder("zoe", "c", 1),
            ]
            assert agents.attached_blocks(tx, TEAM, "zoe") == [AttachedBlock(made.id, "plan", "c")]
            blocks.update(tx, replace(made, deleted_at=START))
            assert agents.attached_blocks(tx, TEAM, "zoe") == []

        database.write(work)

    @given(names=st.lists(labels, max_size=9), size=st.integers(1, 4))
    @_few
    def test_pages_give_every_block_once_by_label(
        self, database: Database, names: list[str], size: int
    ) -> None:
        records = new_team()
        places = [BlockPlace(agent=str(number)) for number in range(len(names))]

        def fill(tx: Transaction) -> None:
            for name, place in zip(names, places, strict=True):
                plant_block(tx, block(records, name, place))

        database = database.of(records.team)
        database.write(fill)
        page = partial(blocks.visible, team=records.team, where=BlockFilter(), limit=size)
        seen: list[Block] = []
        after = blocks.START
        while found := database.read(partial(page, after=after)):
            assert len(found) <= size
            seen += found
            after = (found[-1].label, found[-1].id)
        assert [one.label for one in seen] == sorted(names)
        assert len({one.id for one in seen}) == len(names)

    def test_values_are_kept_once_and_as_long_as_a_version_has_them(
        self, database: Database
    ) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            made = plant_block(tx, block(records, value="same"))
            plant_block(tx, block(records, "goal", value="same"))
            changed(tx, changed(tx, made, "other"), "same")
            assert blobs.totals(tx, TEAM)[0] == 2
            hashes = [Blob.of(value).hash for value in ("same", "other")]
            assert blobs.delete_unused(tx, TEAM, hashes) == 0

        database.write(work)

    def test_a_value_that_was_damaged_is_not_believed(self, database: Database) -> None:
        made = block(Records(), value="as it was")
        database.write(partial(plant_block, made=made))
        damage = "update blob set data = :data where team = :team"
        database.write(lambda tx: tx.execute(damage, {"data": b"otherwise", "team": TEAM}))
        with pytest.raises(CorruptData):
            database.read(lambda tx: blocks.by_ids(tx, TEAM, [made.id]))

    def test_a_task_that_goes_takes_its_blocks_along(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            own = plant_block(
                tx, block(records, place=BlockPlace(task.workspace, task.id, shared=True))
            )
            blocks.attach(tx, TEAM, own.id, BlockHolder("critic", "", START))
            wide = plant_block(tx, block(records, place=BlockPlace(task.workspace), value="stays"))
            tasks.delete(tx, TEAM, task.id)
            assert blocks.by_ids(tx, TEAM, [own.id, wide.id]) == {wide.id: wide}
            assert blocks.history(tx, TEAM, own.id, limit=9) == []
            assert blocks.holders(tx, TEAM, own.id) == []

        database.write(work)

    @pytest.mark.parametrize("place", [BlockPlace("nowhere"), BlockPlace(task="none")])
    def test_a_place_must_be_there(self, database: Database, place: BlockPlace) -> None:
        with pytest.raises(StorageError):
            database.write(lambda tx: plant_block(tx, block(Records(), place=place)))
