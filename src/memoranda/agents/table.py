"""Rows of agents, and the shared blocks attached to an agent."""

from __future__ import annotations

from collections.abc import Collection

from memoranda.agents.model import Agent, AttachedBlock
from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def record_seen(tx: Transaction, team: str, id: str, now: int, name: str = "") -> None:
    """Record that an agent was seen; add it if it is new."""
    tx.execute(SQL["see"], {"team": team, "id": id, "name": name, "now": now})


def by_id(tx: Transaction, team: str, id: str) -> Agent | None:
    """Return an agent, or None."""
    row = tx.first(SQL["by_id"], {"team": team, "id": id})
    return Agent(*row) if row else None


def listed(tx: Transaction, team: str, *, after: str = "", limit: int) -> list[Agent]:
    """Return agents sorted by id, starting after an id."""
    rows = tx.fetch(SQL["list"], {"team": team, "after": after, "limit": limit})
    return [Agent(*row) for row in rows]


def of_tasks(
    tx: Transaction, team: str, names: Collection[tuple[str, str]]
) -> set[tuple[str, str]]:
    """Return which names are agents; each is paired with a task that used it.

    A name is recognised as an agent by the agent's id, or because the agent wrote in the task.
    """
    tasks = dump_json([*{task for task, _ in names}])
    texts = dump_json([*{name for _, name in names}])
    known = {row[0] for row in tx.fetch(SQL["known"], {"team": team, "names": texts})}
    wrote = tx.fetch(SQL["writing"], {"team": team, "tasks": tasks, "names": texts})
    return {pair for pair in names if pair[1] in known} | {(row[0], row[1]) for row in wrote}


def attached_blocks(tx: Transaction, team: str, agent: str) -> list[AttachedBlock]:
    """Return the shared blocks that are attached to an agent."""
    return [
        AttachedBlock(*row) for row in tx.fetch(SQL["attached"], {"team": team, "agent": agent})
    ]
