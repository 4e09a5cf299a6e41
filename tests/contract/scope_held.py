"""Blocks and checkpoints of a team, their functions called for another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from contract.clock import START
from contract.contract_blocks import block, newest, plant_block
from contract.contract_checkpoints import checkpoint
from contract.records import Records
from memoranda.agents import table as agents
from memoranda.blocks import table as blocks
from memoranda.blocks.model import Block, BlockHolder, BlockPlace
from memoranda.blocks.table import BlockFilter
from memoranda.checkpoints import table as checkpoints
from memoranda.checkpoints.model import Checkpoint, CheckpointBlock, Snapshot, TaskState
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task

READS: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "agents.by_id": lambda tx, team, h: agents.by_id(tx, team, "critic"),
    "agents.attached_blocks": lambda tx, team, h: [
        (one, team) for one in agents.attached_blocks(tx, team, "critic")
    ],
    "agents.of_tasks": lambda tx, team, h: [
        (one, team) for one in agents.of_tasks(tx, team, {("any", "critic")})
    ],
    "agents.listed": lambda tx, team, h: agents.listed(tx, team, limit=9),
    "blocks.by_ids": lambda tx, team, h: blocks.by_ids(tx, team, [h.block.id]),
    "blocks.history": lambda tx, team, h: blocks.history(tx, team, h.block.id, limit=9),
    "blocks.holders": lambda tx, team, h: blocks.holders(tx, team, h.block.id),
    "blocks.at_place": lambda tx, team, h: blocks.at_place(tx, team, h.block.place, h.block.label),
    "blocks.visible": lambda tx, team, h: blocks.visible(
        tx, team, BlockFilter(h.task.workspace, h.task.id, "critic"), limit=9
    ),
    "blocks.visible_among": lambda tx, team, h: blocks.visible_among(
        tx, team, BlockFilter(), [h.block.id]
    ),
    "blocks.version": lambda tx, team, h: blocks.version(tx, team, h.block.id, 1),
    "checkpoints.by_id": lambda tx, team, h: checkpoints.by_id(tx, team, h.checkpoint.id),
    "checkpoints.by_prefix": lambda tx, team, h: checkpoints.by_prefix(
        tx, team, h.task.id, h.checkpoint.id[:9]
    ),
    "checkpoints.by_sequence": lambda tx, team, h: checkpoints.by_sequence(tx, team, h.task.id, 1),
    "checkpoints.listed": lambda tx, team, h: checkpoints.listed(tx, team, h.task.id, limit=9),
    "checkpoints.parents": lambda tx, team, h: checkpoints.parents(tx, team, h.task.id),
    "checkpoints.snapshot": lambda tx, team, h: checkpoints.snapshot(tx, team, h.checkpoint.id),
    "checkpoints.spent": lambda tx, team, h: checkpoints.spent(
        tx, team, "task", workspace=h.task.workspace, task=None
    ),
    "tasks.contents": lambda tx, team, h: tasks.contents(tx, team, h.task.id),
}

WRITES: Mapping[str, Callable[[Transaction, str, Any], Any]] = {
    "blocks.detach": lambda tx, team, h: blocks.detach(tx, team, h.block.id, "critic"),
    "blocks.touch": lambda tx, team, h: blocks.touch(tx, team, [h.block.id], START + 99),
    "blocks.update": lambda tx, team, h: blocks.update(
        tx, replace(h.block, team=team, label="other")
    ),
}

ADDS = frozenset(
    {
        "agents.record_seen",
        "blocks.attach",
        "blocks.insert",
        "blocks.write",
        "checkpoints.insert",
        "checkpoints.put_state",
    }
)
ELSEWHERE = frozenset({"checkpoints.state"})


def hold_blocks(tx: Transaction, records: Records, task: Task) -> tuple[Block, Checkpoint]:
    """Store an agent with a shared block of a task, and a checkpoint of it."""
    team = records.team
    agents.record_seen(tx, team, "critic", START, f"critic of {team}")
    made = plant_block(tx, block(records, place=BlockPlace(task.workspace, task.id, shared=True)))
    blocks.attach(tx, team, made.id, BlockHolder("critic", f"in {team}", START))
    again = replace(made, value=f"again of {team}", version=2)
    blocks.write(tx, again, newest(again))
    stored = (CheckpointBlock(again.id, 2, again.limit),)
    taken = checkpoints.insert(tx, Snapshot(checkpoint(records, task), {"of": team}, stored))
    checkpoints.put_state(tx, team, task.id, TaskState(taken.id, {"of": team}, START))
    return again, taken
