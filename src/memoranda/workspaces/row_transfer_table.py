"""Moves the rows of a workspace to another one, in every table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.json_data import dump_json
from memoranda.observations import total_table as observation_totals
from memoranda.store.database import Transaction, load_statements
from memoranda.store.table_catalogue import TABLES, Table

SQL = load_statements(__file__)

_NAMED = ("credential",)
"""Tables with a column for the name of a workspace instead of its id."""
_BY_HAND = ("workspace_alias", "document")
"""Tables that are moved with separate statements."""
_STATES = (
    ("memory_version", "state"),
    ("proposal", "before"),
    ("proposal", "after"),
    ("profile_step", "after"),
)
"""Columns that contain the JSON state of a memory, which includes the workspace."""


@dataclass(frozen=True, slots=True)
class RowWorkspace:
    """A workspace in the forms in which rows refer to it."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Relocation:
    """Source and target of the rows to be moved."""

    team: str
    source: RowWorkspace
    target: RowWorkspace

    @property
    def bindings(self) -> dict[str, str]:
        """Return the parameters of the SQL statements."""
        return {"team": self.team, "source": self.source.id, "target": self.target.id}


def relocate_all(tx: Transaction, route: Relocation) -> Counter[str]:
    """Move all rows of a workspace to another; return the counts by table.

    If both workspaces have a row with the same key, such as the name of a speaker, the target's row
    is kept. Neither the full-text index nor the vectors are changed.
    """
    moved: Counter[str] = Counter()
    moved["workspace_alias"] = tx.execute(SQL["aliases"], route.bindings)
    moved["document"] = tx.execute(SQL["documents"], route.bindings)
    for table in TABLES:
        if "workspace" in table.columns and table.name not in (*_BY_HAND, *_NAMED):
            keyed = "workspace" in table.key
            moved[table.name] = (_copy if keyed else _update)(tx, route, table)
    for table in reversed(TABLES):
        if "workspace" in table.key and table.name not in _BY_HAND:
            sql = f"delete from {table.name} where team = :team and workspace = :source"
            tx.execute(sql, route.bindings)
    rename_everywhere(tx, route)
    _restate(tx, route, None)
    return +moved


def rename_everywhere(tx: Transaction, route: Relocation) -> None:
    """Update the tables that refer to a workspace by its name."""
    names = {"team": route.team, "source": route.source.name, "target": route.target.name}
    for name in _NAMED:
        tx.execute(
            f"update {name} set workspace = :target where team = :team and workspace = :source",
            names,
        )


def relocate_some(
    tx: Transaction, route: Relocation, tasks: Sequence[str], memories: Sequence[str]
) -> Counter[str]:
    """Move tasks with their records, and memories, to another workspace."""
    moved: Counter[str] = Counter()
    task_ids = route.bindings | {"ids": dump_json(list(tasks))}
    memory_ids = route.bindings | {"ids": dump_json(list(memories))}
    for table in TABLES:
        if "workspace" not in table.columns or "workspace" in table.key:
            continue
        if column := {"task": "id"}.get(table.name) or ("task" if "task" in table.columns else ""):
            moved[table.name] += _update(tx, route, table, column, task_ids)
        named = {"memory": "id", "entry": "source", "passage": "source", "proposal": "memory"}
        if column := named.get(table.name, ""):
            moved[table.name] += _update(tx, route, table, column, memory_ids)
    _restate(tx, route, memories)
    return +moved


def numbers(tx: Transaction, route: Relocation) -> list[int]:
    """Return the numbers of the tasks in the source workspace."""
    return [row[0] for row in tx.fetch(SQL["numbers"], route.bindings)]


def observations_of(tx: Transaction, route: Relocation, task: str | None) -> list[str]:
    """Return the observations of the source, or of one of its tasks."""
    name = "observations_of_task" if task else "observations"
    bindings = route.bindings | ({"task": task} if task else {})
    return [row[0] for row in tx.fetch(SQL[name], bindings)]


def memories_of(tx: Transaction, route: Relocation) -> list[str]:
    """Return the memories of the source, including private ones."""
    return [row[0] for row in tx.fetch(SQL["memories"], route.bindings)]


def not_private(tx: Transaction, team: str, memories: Sequence[str]) -> tuple[str, ...]:
    """Return the given memories that are not private to an agent."""
    bindings = {"team": team, "ids": dump_json(list(memories))}
    return tuple(row[0] for row in tx.fetch(SQL["shown"], bindings))


def memories_of_tasks(tx: Transaction, route: Relocation, tasks: Sequence[str]) -> list[str]:
    """Return the source's memories with evidence only in the given tasks."""
    bindings = route.bindings | {"ids": dump_json(list(tasks))}
    return [row[0] for row in tx.fetch(SQL["memories_of_tasks"], bindings)]


def move_aliases(tx: Transaction, route: Relocation, aliases: Sequence[str]) -> int:
    """Move some aliases from the source to the target."""
    return tx.execute(SQL["some_aliases"], route.bindings | {"ids": dump_json(list(aliases))})


def shared_documents(tx: Transaction, route: Relocation) -> list[str]:
    """Return the first names of documents that exist in both workspaces."""
    rows = tx.fetch(SQL["shared_documents"], route.bindings)
    return [f"{space}/{key}" for space, key in rows]


def free_labels(tx: Transaction, route: Relocation, now: int) -> None:
    """Resolve label conflicts for the blocks of the source.

    If the target also has the label, an empty block is deleted, as if a person had deleted it, and
    any other block gets a number appended to its label.
    """
    for id, label, task, agent, shared, size in tx.fetch(SQL["shared_labels"], route.bindings):
        if not size:
            tx.execute(SQL["delete_block"], {"team": route.team, "id": id, "now": now})
            continue
        number = 2
        bindings = route.bindings | {"task": task, "agent": agent, "shared": shared}
        while tx.first(SQL["label_taken"], bindings | {"label": f"{label}-{number}"}):
            number += 1
        new = {"team": route.team, "id": id, "label": f"{label}-{number}"}
        tx.execute(SQL["relabel"], new)


def refresh(tx: Transaction, team: str) -> None:
    """Recompute a team's totals, and rebuild the index of its vectors."""
    observation_totals.recount(tx, team)
    tx.vectors().rebuild(team)


def drop(tx: Transaction, route: Relocation) -> None:
    """Delete the empty source, and its pending derived work."""
    tx.execute(SQL["drop_jobs"], route.bindings)
    tx.execute(SQL["drop"], route.bindings)


def _update(
    tx: Transaction,
    route: Relocation,
    table: Table,
    column: str = "",
    bindings: dict[str, str] | None = None,
) -> int:
    chosen = f" and {column} in :ids[]" if column else ""
    return tx.execute(
        f"update {table.name} set workspace = :target "
        f"where team = :team and workspace = :source{chosen}",
        bindings or route.bindings,
    )


def _copy(tx: Transaction, route: Relocation, table: Table) -> int:
    names = ", ".join(table.columns)
    values = ", ".join(":target" if name == "workspace" else name for name in table.columns)
    return tx.execute(
        f"insert into {table.name} ({names}) select {values} from {table.name} "
        "where team = :team and workspace = :source on conflict do nothing",
        route.bindings,
    )


def _restate(tx: Transaction, route: Relocation, memories: Sequence[str] | None) -> None:
    """Replace the source workspace by the target in the states of memories."""
    bindings = {
        "team": route.team,
        "old": f'"workspace":{dump_json(route.source.id)}',
        "new": f'"workspace":{dump_json(route.target.id)}',
        "like": f'%"workspace":{dump_json(route.source.id)}%',
    }
    chosen = ""
    if memories is not None:
        chosen, bindings["ids"] = " and memory in :ids[]", dump_json(list(memories))
    for table, column in _STATES:
        tx.execute(
            f"update {table} set {column} = replace({column}, :old, :new) "
            f"where team = :team and {column} like :like{chosen}",
            bindings,
        )
