"""Selection of the rows that belong to a workspace or an agent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memoranda.archive.format import ArchiveSelection
from memoranda.exceptions import NotFound
from memoranda.json_data import JsonValue, dump_json
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """Selected rows, as parameters of SQL statements."""

    team: str
    bindings: Mapping[str, object]


def everything(team: str) -> SelectedRows:
    """Return the selection of all rows of a team."""
    return _chosen(team, ArchiveSelection())


def chosen(tx: Transaction, team: str, selection: ArchiveSelection) -> SelectedRows:
    """Return the rows of a selection.

    Raises:
        NotFound: there are no records of the named agent.
    """
    if selection.workspace:
        return _of_workspace(tx, team, selection)
    if selection.agent:
        return _of_agent(tx, team, selection)
    return everything(team)


def _of_workspace(tx: Transaction, team: str, selection: ArchiveSelection) -> SelectedRows:
    bindings: dict[str, object] = {"team": team, "workspace": selection.workspace}
    tasks = _ids(tx, "tasks_of_workspace", bindings)
    bindings["tasks"] = dump_json(tasks)
    blocks = _ids(tx, "blocks_of_workspace", bindings)
    agents = _ids(tx, "agents_of_workspace", bindings | {"blocks": dump_json(blocks)})
    return _chosen(team, selection, tasks, blocks, [selection.workspace], agents)


def _of_agent(tx: Transaction, team: str, selection: ArchiveSelection) -> SelectedRows:
    bindings: dict[str, object] = {"team": team, "agent": selection.agent}
    tasks = _ids(tx, "tasks_of_agent", bindings)
    bindings["tasks"] = dump_json(tasks)
    blocks = _ids(tx, "blocks_of_agent", bindings)
    if not tasks and not blocks and not tx.first(SQL["known"], bindings):
        raise NotFound(
            f"there is no data of an"
            f" agent {selection.agent!r}; to list agents, run `memoranda"
            f" agent list`"
        )
    workspaces = _ids(tx, "workspaces_of_agent", bindings | {"blocks": dump_json(blocks)})
    return _chosen(team, selection, tasks, blocks, workspaces, [selection.agent])


def _ids(tx: Transaction, name: str, bindings: Mapping[str, object]) -> list[JsonValue]:
    return [row[0] for row in tx.fetch(SQL[name], bindings)]


def _chosen(team: str, selection: ArchiveSelection, *lists: list[JsonValue]) -> SelectedRows:
    names = ("tasks", "blocks", "workspaces", "agents")
    listed = dict(zip(names, lists or ([], [], [], []), strict=True))
    narrow = selection.workspace is not None or selection.agent is not None
    bindings: dict[str, object] = {
        "team": team,
        "workspace": selection.workspace,
        "agent": selection.agent,
        "narrow": int(narrow),
    }
    return SelectedRows(team, bindings | {name: dump_json(ids) for name, ids in listed.items()})
