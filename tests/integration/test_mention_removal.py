"""Records that mention a name are removed everywhere, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_forgetting import CANARY, filled, traces

from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.proposals.model import MemoryEdit

pytestmark = pytest.mark.integration

NAME = RemovalSelection(mentions=CANARY.split()[0].lower())


def _everywhere(memory: Memoranda) -> None:
    """Write the name into records of every noun that a caller can write."""
    memory.tasks.create("calls", f"help {CANARY}")
    memory.blocks.create(NewBlock("contact", f"ask {CANARY}\nopen until six"), task="calls")
    memory.checkpoints.create("calls", "coding", f"before {CANARY}", state={"who": [CANARY, "Bob"]})
    memory.blocks.replace("contact", f"ask {CANARY}", "ask nobody", task="calls")
    memory.observe("an ordinary step", task="calls")
    memory.tasks.note("calls", {"now": CANARY, "next": "lunch"})
    memory.conversations.add(f"I am {CANARY}", task="calls")
    memory.feedback.add(f"never write to {CANARY} again", task="calls")
    memory.working.put("calls", "who", {"name": CANARY})
    memory.errors.record(f"no letter for {CANARY}", type="tool", task="calls")
    edited = memory.remember(f"{CANARY} likes tea")
    memory.memories.edit(edited.id, MemoryEdit(title="Tea", content="The customer likes tea"))
    memory.remember(NewMemory(f"beware of {CANARY}", title=CANARY, tags=["x"]))


def test_a_name_leaves_no_trace_in_any_file(
    memory: Memoranda, data_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "project").mkdir()
    filled(memory, str(tmp_path / "project"))
    _everywhere(memory)
    found = memory.forget(NAME, dry_run=True)
    assert {"block", "checkpoint", "error_note", "memory", "observation", "task"} <= set(
        found.mention_counts
    )
    assert all(CANARY.split()[0] in one.line for one in found.mentions if one.kind == "block")
    receipt = memory.forget(NAME, confirm=True)
    assert [one for one in receipt.not_reached if "still mentions" in one] == []
    assert memory.forget(NAME, dry_run=True).mention_counts == {}
    # Lines are erased with the name in them; other names stay.
    assert not any("quetzalcoatlus" in place for place in traces(data_dir))
    assert memory.journal.verify().intact


def test_what_is_beside_the_name_stays(memory: Memoranda) -> None:
    _everywhere(memory)
    memory.forget(NAME, confirm=True)
    task = next(one for one in memory.tasks.list().items if one.session == "calls")
    assert CANARY not in task.goal
    assert memory.blocks.show("contact", task="calls").value == "ask nobody\nopen until six"
    assert memory.tasks.state("calls").state == {"now": "[erased]", "next": "lunch"}
    [made] = memory.checkpoints.list("calls").items
    shown = memory.checkpoints.show("calls", made.checkpoint.id)
    assert shown.checkpoint.description == "[erased]"
    assert shown.state == {"who": ["[erased]", "Bob"]}
    assert [one.title for one in memory.memories.list()] == ["Tea"]
    memory.checkpoints.rollback("calls", made.checkpoint.id)
    assert memory.blocks.show("contact", task="calls").value == "[erased]\nopen until six"


def test_a_protected_memory_stops_it_before_anything_is_removed(memory: Memoranda) -> None:
    memory.remember(NewMemory(f"{CANARY} has a contract", protected=True))
    memory.observe(f"{CANARY} called")
    with pytest.raises(Conflict, match="protected"):
        memory.forget(NAME, confirm=True)
    assert memory.forget(NAME, dry_run=True).mention_counts["observation"] == 1


def test_a_private_memory_of_an_agent_goes_too(memory: Memoranda, data_dir: Path) -> None:
    with Memoranda.open(data_dir=data_dir, agent="scribe") as scribe:
        scribe.remember(NewMemory(f"{CANARY} likes tea", visibility=Visibility.AGENT))
    [found] = memory.forget(NAME, dry_run=True).mentions
    assert (found.kind, found.line) == ("memory", "(private to an agent)")
    memory.forget(NAME, confirm=True)
    assert memory.forget(NAME, dry_run=True).mention_counts == {}


def test_a_workspace_does_not_narrow_it(memory: Memoranda) -> None:
    memory.observe(f"{CANARY} called", workspace="shop")
    with pytest.raises(InvalidInput, match="all workspaces"):
        memory.forget(NAME, workspace="shop", confirm=True)
    with pytest.raises(InvalidInput, match="all workspaces"):
        memory.forget(RemovalSelection(mentions="Anna", since=1), confirm=True)
    assert memory.forget(NAME, workspace="all", dry_run=True).observations == 1
    with pytest.raises(InvalidInput, match=r"mentions the name \(observation 1\)"):
        memory.forget(NAME)
