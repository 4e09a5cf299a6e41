"""Forgetting a whole workspace removes every kind of record in it, and nothing beside it."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_forgetting import CANARY, traces

from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.config import Settings
from memoranda.documents.model import NewDocument
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Visibility
from memoranda.memories.removal import RemovalSelection

pytestmark = pytest.mark.integration

ZED = "user:zed"
ALL = RemovalSelection(workspace=True)


@pytest.fixture
def either(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as opened:
        yield opened


def _filled(memory: Memoranda) -> None:
    """Write the canary into records of every kind that a workspace has."""
    memory.remember(f"{CANARY} likes jazz.", workspace=ZED)
    memory.remember(NewMemory(f"Never call {CANARY}."), workspace=ZED)
    memory.profile.add(f"{CANARY} is the owner", workspace=ZED)
    with Memoranda.open(settings=memory.settings, agent="bert") as bert:
        bert.remember(f"{CANARY} may like opera", workspace=ZED)
        private = NewMemory(f"{CANARY} is tall", visibility=Visibility.AGENT)
        bert.remember(private, workspace=ZED)
    memory.blocks.create(NewBlock("notes", f"ask {CANARY}"), workspace=ZED)
    memory.documents.put("graph", [NewDocument("state", {"who": CANARY})], workspace=ZED)
    memory.feedback.add(f"Never write to {CANARY} again", workspace=ZED)
    memory.observe(f"{CANARY} called", workspace=ZED, task="calls")
    memory.working.put("calls", "who", {"name": CANARY})
    memory.checkpoints.create("calls", "coding", f"before {CANARY}", state={"who": CANARY})
    memory.conversations.add(f"I am {CANARY}", task="calls")
    memory.errors.record(f"no letter for {CANARY}", type="tool", task="calls")
    memory.tasks.create("empty", f"greet {CANARY}", workspace=ZED)
    memory.remember("prices are net", workspace="shop")
    memory.observe("an ordinary step", workspace="shop", task="other")


def test_everything_in_the_workspace_is_removed(
    either: Memoranda, data_dir: Path, tmp_path: Path
) -> None:
    _filled(either)
    found = either.forget(ALL, workspace=ZED, dry_run=True)
    receipt = either.forget(ALL, workspace=ZED, confirm=True)
    assert receipt.memories >= 5
    assert (receipt.memories, receipt.observations, receipt.errors, receipt.removed) == (
        (found.memories, found.observations, found.errors, found.removed)
    )
    assert receipt.tasks == 2
    kinds = {"block", "document", "feedback", "proposal", "checkpoint"}
    assert kinds <= set(receipt.removed)
    assert either.memories.list(workspace=ZED, ever=True).items == ()
    assert either.proposals.list(workspace=ZED).items == ()
    assert either.blocks.list(workspace=ZED).items == ()
    assert either.blocks.list(workspace=ZED, deleted=True).items == ()
    assert either.documents.list("graph", workspace=ZED).items == ()
    assert either.feedback.list(workspace=ZED).items == ()
    assert either.search(CANARY).hits == ()
    assert CANARY not in either.context(workspace=ZED).text
    assert [one.name for one in either.tasks.list()] == ["other"]
    assert [one.content for one in either.memories.list()] == ["prices are net"]
    assert either.journal.verify().intact
    either.archive.export(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        for name in archive.namelist():
            assert CANARY.split()[0].encode() not in archive.read(name), name
    if either.settings.database_url is None:
        assert traces(data_dir) == []
    again = either.remember("Zed is back", workspace=ZED)
    assert either.memories.list(workspace=ZED).items[0].id == again.id


def test_a_protected_memory_stops_it_before_anything_is_removed(either: Memoranda) -> None:
    _filled(either)
    either.remember(NewMemory("The contract ends in May", protected=True), workspace=ZED)
    with pytest.raises(Conflict, match="protected"):
        either.forget(ALL, workspace=ZED, confirm=True)
    assert either.blocks.show("notes", workspace=ZED).value == f"ask {CANARY}"
    assert either.documents.get("graph", ["state"], workspace=ZED)


def test_a_time_range_removes_only_what_was_captured_in_it(either: Memoranda) -> None:
    _filled(either)
    chosen = RemovalSelection(workspace=True, since=1)
    receipt = either.forget(chosen, workspace=ZED, confirm=True)
    assert (receipt.memories, receipt.removed) == (0, {})
    assert receipt.observations
    assert either.blocks.show("notes", workspace=ZED).value == f"ask {CANARY}"


def test_without_confirmation_it_names_what_would_be_removed(either: Memoranda) -> None:
    _filled(either)
    with pytest.raises(InvalidInput, match=r"memories.*1 document.*5 blocks"):
        either.forget(ALL, workspace=ZED)
