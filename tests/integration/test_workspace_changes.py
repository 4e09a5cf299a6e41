"""Merged, split and renamed workspaces: every table, on either engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import copytree
from types import SimpleNamespace
from typing import Any, cast

import pytest
from archives import as_agent, contents_of, fill, plain

from contract.clock import START, FixedClock
from contract.scope_calls import NORTH, everything, hold
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.blocks.block_writer import NewBlock
from memoranda.config import load_settings
from memoranda.documents.model import NewDocument
from memoranda.exceptions import Conflict, Forbidden, InvalidInput, NotFound
from memoranda.ids import IdSource
from memoranda.memories.model import MemoryStatus
from memoranda.scope import Scope
from memoranda.store.database import Database, TextQuery, Transaction, VectorQuery
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.tasks.model import Workspace
from memoranda.workspaces import table as workspaces
from memoranda.workspaces.changes import WorkspaceChanges, WorkspacePart
from postgres_stores import EmptyStores

pytestmark = pytest.mark.integration

TEAM = "local"
HISTORY = ("journal", "journal_head", "kept_answer")
"""Historical tables, which contain the change itself."""


@pytest.fixture(params=["sqlite", "postgres"])
def database(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_stores: EmptyStores
) -> Iterator[Database]:
    if request.param == "postgres":
        with postgres_stores.opened() as made:
            yield made
        return
    made = SqliteDatabase(tmp_path / "one.db")
    yield made
    made.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a full store that is closed, to copy."""
    folder = tmp_path_factory.mktemp("filled")
    with Memoranda.open(settings=plain(load_settings({"data_dir": folder}))) as opened:
        fill(opened)
        opened.capture.drain(wait=True)
    return folder


@pytest.fixture
def memory(filled: Path, tmp_path: Path) -> Iterator[Memoranda]:
    folder = copytree(filled, tmp_path / "data")
    with Memoranda.open(settings=plain(load_settings({"data_dir": folder}))) as opened:
        opened._services.background.stop()  # nothing changes by itself while rows are compared
        yield opened


def changes(database: Database, *, dry_run: bool = False) -> WorkspaceChanges:
    clock = FixedClock()
    services = SimpleNamespace(database=database, clock=clock, ids=IdSource(clock))
    services.prepare_contexts = lambda: None  # tested through the hook
    return WorkspaceChanges(cast("Services", services), Scope(TEAM), dry_run=dry_run)


def other(database: Database) -> Workspace:
    place = Workspace(TEAM, "elsewhere", "barn", None, START)
    return database.write(lambda tx: workspaces.insert(tx, place, []))


def naming(rows: dict[str, list[Any]], word: str) -> list[str]:
    """Return the tables with a word in some row."""
    return [name for name, found in rows.items() if word in repr(found) and name not in HISTORY]


def found(database: Database, place: Workspace) -> list[str]:
    """Return the results of full text and vectors in a workspace."""

    def work(tx: Transaction) -> list[str]:
        words = tx.text("observation").search(TextQuery(TEAM, ["zebra"], workspace=place.id))
        known = tx.text("memory").search(TextQuery(TEAM, ["zebra"], workspace=place.id))
        near = tx.vectors().nearest(VectorQuery(TEAM, "m", NORTH, workspace=place.id, limit=5))
        return [hit.id for hit in (*words, *known)] + [hit.source for hit in near]

    return database.read(work)


def test_a_merge_reaches_every_table(database: Database) -> None:
    source = database.write(partial(hold, team=TEAM)).workspace
    target, before = other(database), found(database, source)
    assert len(before) == 3
    assert len(naming(database.read(partial(everything, team=TEAM)), source.id)) > 12
    change = changes(database).merge(source, target)
    rows = database.read(partial(everything, team=TEAM))
    assert naming(rows, source.id) == []
    assert found(database, target) == before
    assert change.rows["observation"] == len(rows["observation"])
    assert change.rows["task"] == len(rows["task"]) == len(change.tasks)
    assert [row for row in rows["workspace"] if source.id in row] == []


def test_another_team_is_left_alone(database: Database) -> None:
    source = database.write(partial(hold, team=TEAM)).workspace
    database.of("barn").write(partial(hold, team="barn"))
    look = partial(everything, team="barn")
    before = database.of("barn").read(look)
    changes(database).merge(source, other(database))
    assert database.of("barn").read(look) == before


def test_a_dry_run_reports_the_same_and_changes_nothing(database: Database) -> None:
    source = database.write(partial(hold, team=TEAM)).workspace
    target, look = other(database), partial(everything, team=TEAM)
    before = database.read(look)
    tried = changes(database, dry_run=True).merge(source, target)
    assert database.read(look) == before
    made = changes(database).merge(source, target)
    assert (tried.rows, tried.tasks, tried.aliases) == (made.rows, made.tasks, made.aliases)
    assert (tried.dry_run, made.dry_run) == (True, False)


def test_a_split_takes_a_merge_back(database: Database) -> None:
    holding = database.write(partial(hold, team=TEAM))
    source, target = holding.workspace, other(database)
    before = found(database, source)
    merged = changes(database).merge(source, target)
    part = WorkspacePart(
        (replace(holding.task, workspace=target.id),), merged.memories, merged.aliases
    )
    split = changes(database).split(target, source.name, part)
    assert found(database, split.workspace) == before
    assert found(database, target) == []
    leading = database.read(lambda tx: workspaces.aliases(tx, TEAM, split.workspace.id))
    assert set(merged.aliases) <= set(leading)


def test_a_former_name_and_folder_lead_to_the_workspace_after_a_merge(memory: Memoranda) -> None:
    tasks = {task.id for task in memory.tasks.list(workspace="barn")}
    memory.workspaces.merge("barn", "shop")
    assert tasks <= {task.id for task in memory.tasks.list(workspace="barn")}
    memory.observe("a new door", task="door-2", workspace="barn")
    assert [place.name for place in memory.workspaces.list()] == ["shop"]


def test_private_memories_stay_private(memory: Memoranda) -> None:
    ada, bob = as_agent(memory, "ada"), as_agent(memory, "bob")

    def private(one: Memoranda, place: str) -> list[str]:
        return [
            each.id
            for status in (MemoryStatus.APPROVED, MemoryStatus.PENDING)
            for each in one.memories.list(workspace=place, status=status)
            if "whispers" in each.content
        ]

    before = [private(one, "shop") for one in (ada, bob, memory)]
    assert list(map(len, before)) == [1, 1, 0]
    change = memory.workspaces.merge("shop", "barn")
    assert [private(one, "barn") for one in (ada, bob, memory)] == before
    assert not {id for one in before for id in one} & set(change.memories)


def test_documents_of_one_key_are_not_lost(memory: Memoranda) -> None:
    for place in ("shop", "barn"):
        memory.documents.put("state", [NewDocument("one", {"of": place})], workspace=place)
    before = contents_of(memory)
    with pytest.raises(Conflict, match="state/one"):
        memory.workspaces.merge("barn", "shop")
    assert contents_of(memory) == before
    memory.documents.delete("state", ["one"], workspace="barn")
    memory.workspaces.merge("barn", "shop")
    (kept,) = memory.documents.get("state", ["one"], workspace="shop")
    assert kept.value == {"of": "shop"}


def test_a_merge_reports_what_its_split_does_not_undo(memory: Memoranda) -> None:
    before = memory.workspaces.merge("barn", "shop", dry_run=True).not_undone.get("block", 0)
    memory.blocks.create(NewBlock("plans", "about the barn"), workspace="barn")
    memory.documents.put("state", [NewDocument("one", 1), NewDocument("two", 2)], workspace="barn")
    change = memory.workspaces.merge("barn", "shop")
    assert change.not_undone == {"block": before + 1, "document": 2}
    parts = {"tasks": list(map(str, change.tasks)), "memories": change.memories}
    memory.workspaces.split("shop", "barn", **parts, aliases=change.aliases)
    assert "plans" in {one.label for one in memory.blocks.list(workspace="shop")}
    assert len(memory.documents.list("state", workspace="shop").items) == 2
    assert memory.documents.list("state", workspace="barn").items == ()


def test_blocks_of_one_label_both_stay(memory: Memoranda) -> None:
    for place in ("shop", "barn"):
        memory.blocks.create(NewBlock("plans", f"about the {place}"), workspace=place)
        memory.blocks.create(NewBlock("ideas", "" if place == "barn" else "many"), workspace=place)
    memory.workspaces.merge("barn", "shop")
    values = {block.label: block.value for block in memory.blocks.list(workspace="shop")}
    assert values["plans"] == "about the shop"
    assert values["plans-2"] == "about the barn"
    assert values["ideas"] == "many"
    assert "ideas-2" not in values


def test_an_agent_changes_no_workspace(memory: Memoranda) -> None:
    ada, before = as_agent(memory, "ada"), contents_of(memory)
    with pytest.raises(Forbidden):
        ada.workspaces.merge("barn", "shop")
    with pytest.raises(Forbidden):
        ada.workspaces.rename("barn", "stable")
    with pytest.raises(Forbidden):
        ada.workspaces.split("barn", "stable", tasks=["1"])
    assert contents_of(memory) == before


def test_an_impossible_change_is_reported_and_changes_nothing(memory: Memoranda) -> None:
    before = contents_of(memory)
    shop = next(iter(memory.tasks.list(workspace="shop")))
    for call in (
        lambda: memory.workspaces.merge("barn", "nowhere"),
        lambda: memory.workspaces.split("barn", "stable", tasks=[shop.id]),
        lambda: memory.workspaces.split("barn", "stable", memories=["nothing"]),
        lambda: memory.workspaces.split("barn", "stable", aliases=["git:/elsewhere/.git"]),
    ):
        with pytest.raises(NotFound):
            call()
    for call in (
        lambda: memory.workspaces.merge("barn", "barn"),
        lambda: memory.workspaces.split("barn", "barn", tasks=[]),
        lambda: memory.workspaces.split("barn", "stable"),
        lambda: memory.workspaces.rename("barn", "all"),
        lambda: memory.workspaces.rename("barn", "  "),
    ):
        with pytest.raises(InvalidInput):
            call()
    with pytest.raises(Conflict):
        memory.workspaces.rename("barn", "shop")
    assert contents_of(memory) == before


def test_a_version_of_a_memory_can_be_restored_after_a_merge(memory: Memoranda) -> None:
    hit = next(one for one in memory.memories.list(workspace="shop") if "net" in one.content)
    memory.workspaces.merge("shop", "barn")
    kept = memory.memories.restore(hit.id, 1)
    (barn,) = memory.workspaces.list()
    assert kept.workspace in (barn.id, None)
