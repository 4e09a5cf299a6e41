"""An archive restores any content of a store."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from archives import members, plain, renamed, undeclared
from hypothesis import given, settings as profile, strategies as st

from contract.clock import START
from contract.records import Records
from memoranda import Memoranda
from memoranda.blocks import table as blocks
from memoranda.blocks.model import (
    Author,
    Block,
    BlockChangeKind,
    BlockHolder,
    BlockPlace,
    BlockVersion,
)
from memoranda.checkpoints import table as checkpoints
from memoranda.checkpoints.model import (
    Checkpoint,
    CheckpointBlock,
    Effort,
    Snapshot,
    TaskPhase,
    TaskState,
)
from memoranda.config import load_settings
from memoranda.memories.model import Category, MemoryStatus, Visibility
from memoranda.observations import table as observations
from memoranda.observations.model import ObservationType, Origin, Salience
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.text import normalise
from memoranda.workspaces import table as workspaces

pytestmark = pytest.mark.integration

WORDS = st.text(st.characters(exclude_characters="<\0", exclude_categories=["Cs"]), max_size=40)
TEXTS = WORDS.map(normalise)
LABELS = st.lists(st.text("abc/ü\n", min_size=1, max_size=5), max_size=3, unique=True).map(tuple)

OBSERVATIONS = st.fixed_dictionaries(
    {
        "text": TEXTS,
        "type": st.sampled_from(ObservationType),
        "origin": st.sampled_from(Origin),
        "salience": st.sampled_from([Salience.CRITICAL, Salience.NORMAL, Salience.LOW]),
        "tags": LABELS,
        "files": LABELS,
        "agent": st.sampled_from(["main", "ada", "bob"]),
        "duration_ms": st.none() | st.integers(0, 1 << 40),
        "branch": st.sampled_from(["main", "rewound"]),
    }
)
MEMORIES = st.fixed_dictionaries(
    {
        "content": TEXTS.map(lambda text: f"x{text}"),
        "agent": st.none() | st.sampled_from(["ada", "bob"]),
        "status": st.sampled_from(MemoryStatus),
        "category": st.sampled_from(Category),
        "confidence": st.floats(0, 1),
        "critical": st.booleans(),
        "tags": LABELS,
    }
)
TASKS = st.tuples(
    st.lists(OBSERVATIONS, max_size=5), st.lists(TEXTS, max_size=3), st.lists(TEXTS, max_size=3)
)
STORES = st.lists(
    st.tuples(st.lists(TASKS, max_size=3), st.lists(MEMORIES, max_size=3)), max_size=3
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty store to copy."""
    folder = tmp_path_factory.mktemp("empty")
    Memoranda.open(settings=plain(load_settings({"data_dir": folder}, {}))).close()
    return folder


@profile(max_examples=10)
@given(made=STORES)
def test_any_store_comes_back(empty: Path, made: Any) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        with _opened(empty, folder / "one") as one:
            one._database.write(lambda tx: _fill(tx, made))
            one.archive.export(folder / "one.zip")
        first = members(folder / "one.zip")
        for ids in ("keep", "renew"):
            with _opened(empty, folder / ids) as other:
                report = other.archive.import_archive(folder / "one.zip", ids=ids)
                assert report.refusals == []
                again = other.archive.import_archive(folder / "one.zip", ids=ids)
                assert (sum(again.added.values()), again.refusals) == (0, [])
                other.archive.export(folder / f"{ids}.zip")
        assert undeclared(members(folder / "keep.zip")) == undeclared(first)
        assert renamed(members(folder / "renew.zip")) == renamed(first)


def _opened(empty: Path, folder: Path) -> Memoranda:
    shutil.copytree(empty, folder)
    return Memoranda.open(settings=plain(load_settings({"data_dir": folder}, {})))


def _fill(tx: Transaction, made: Any) -> None:
    records = Records()
    for number, (worked, stated) in enumerate(made):
        place = records.workspace(f"place {number}")
        workspaces.insert(tx, place, [f"path:{place.root}"])
        seen: tuple[str, ...] = ()
        for happened, values, states in worked:
            task = records.task(place.id, observations=len(happened))
            task = tasks.insert(tx, task)
            for sequence, one in enumerate(happened, 1):
                changes = {key: value for key, value in one.items() if key != "text"}
                planted = records.plant(tx, task, sequence, one["text"], **changes)
                if planted.type is ObservationType.ERROR:
                    observations.open_error(tx, "local", task.id, f"test {sequence}", planted.id)
                seen = (*seen[-2:], planted.id)
            _hold(tx, records, task.id, values, states)
        for one in stated:
            mine = {"visibility": Visibility.AGENT} if one["agent"] else {}
            records.plant_memory(tx, records.memory(place.id, **one, **mine), seen)


def _hold(
    tx: Transaction, records: Records, task: str, values: list[str], states: list[str]
) -> None:
    items: tuple[CheckpointBlock, ...] = ()
    for number, value in enumerate(values, 1):
        id = records.ids.new()
        block = Block("local", id, "label", BlockPlace(task=task), "", value, 99, False, 1, 3,
                      Author.AGENT, START, START, START)  # fmt: skip
        block = replace(block, label=f"label {number}", place=BlockPlace(task=task, shared=True))
        version = BlockVersion(
            id, 1, value, 3, BlockChangeKind.CREATE, Author.AGENT, "ada", "", START
        )
        blocks.insert(tx, block, version)
        newer = replace(version, version=2, value=value * 2, change=BlockChangeKind.RETHINK)
        blocks.write(tx, replace(block, version=2, value=newer.value), newer)
        blocks.attach(tx, "local", id, BlockHolder("ada", "role", START))
        items = (*items, CheckpointBlock(id, number % 2 + 1, 99))
    parent = None
    for state in states:
        made = Checkpoint("local", records.ids.new(), task, 0, parent, TaskPhase.CODING, state, 0,
                          Effort(1, 2, 3), "ada", START)  # fmt: skip
        parent = checkpoints.insert(tx, Snapshot(made, {state: [state, 1.5, None]}, items)).id
        checkpoints.put_state(tx, "local", task, TaskState(parent, {"now": state}, START))
