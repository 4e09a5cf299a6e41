"""Functions that move rows of a workspace, called for a team without any."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memoranda.store.database import Transaction
from memoranda.workspaces import (
    content_table as workspace_contents,
    row_transfer_table as relocation,
    table as workspaces,
)
from memoranda.workspaces.row_transfer_table import Relocation, RowWorkspace

Call = Callable[[Transaction, str, Any], Any]


def _route(team: str, holding: Any) -> Relocation:
    place = holding.workspace
    return Relocation(
        team, RowWorkspace(place.id, place.name), RowWorkspace("elsewhere", "elsewhere")
    )


READS: Mapping[str, Call] = {
    "relocation.memories_of": lambda tx, team, h: relocation.memories_of(tx, _route(team, h)),
    "relocation.memories_of_tasks": lambda tx, team, h: relocation.memories_of_tasks(
        tx, _route(team, h), [h.task.id]
    ),
    "relocation.numbers": lambda tx, team, h: relocation.numbers(tx, _route(team, h)),
    "relocation.observations_of": lambda tx, team, h: relocation.observations_of(
        tx, _route(team, h), h.task.id
    ),
    "relocation.not_private": lambda tx, team, h: relocation.not_private(tx, team, [h.memory.id]),
    "workspace_contents.counts": lambda tx, team, h: workspace_contents.counts(
        tx, team, h.workspace.id
    ),
    "workspace_contents.memories": lambda tx, team, h: workspace_contents.memories(
        tx, team, h.workspace.id
    ),
    "workspace_contents.tasks": lambda tx, team, h: workspace_contents.tasks(
        tx, team, h.workspace.id
    ),
    "workspaces.by_label": lambda tx, team, h: workspaces.by_label(tx, team, "shop"),
    "workspaces.joined": lambda tx, team, h: workspaces.joined(tx, team),
}

WRITES: Mapping[str, Call] = {
    "relocation.drop": lambda tx, team, h: relocation.drop(tx, _route(team, h)),
    "relocation.free_labels": lambda tx, team, h: relocation.free_labels(tx, _route(team, h), 1),
    "relocation.move_aliases": lambda tx, team, h: relocation.move_aliases(
        tx, _route(team, h), ["path:/srv/shop"]
    ),
    "relocation.refresh": lambda tx, team, h: relocation.refresh(tx, team),
    "relocation.relocate_all": lambda tx, team, h: relocation.relocate_all(tx, _route(team, h)),
    "relocation.relocate_some": lambda tx, team, h: relocation.relocate_some(
        tx, _route(team, h), [h.task.id], [h.memory.id]
    ),
    "relocation.rename_everywhere": lambda tx, team, h: relocation.rename_everywhere(
        tx, _route(team, h)
    ),
    "workspace_contents.delete": lambda tx, team, h: workspace_contents.delete(
        tx, team, h.workspace.id
    ),
    "workspaces.rename": lambda tx, team, h: workspaces.rename(tx, _of(team, h)),
}

ELSEWHERE = frozenset({"relocation.shared_documents", "workspaces.take_alias"})


def _of(team: str, holding: Any) -> Any:
    return type(holding.workspace)(team, holding.workspace.id, "other", None, 1)
