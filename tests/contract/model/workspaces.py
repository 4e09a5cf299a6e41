"""Workspaces in the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from contract.model.content import Model, demand
from memoranda.tasks.model import Workspace


def by_id(model: Model, team: str, id: str) -> Workspace | None:
    """Return one workspace."""
    return model.of(team).workspaces.get(id)


def by_name(model: Model, team: str, name: str) -> Workspace | None:
    """Return one workspace by its label."""
    return next((one for one in model.of(team).workspaces.values() if one.name == name), None)


def by_alias(model: Model, team: str, aliases: Sequence[str]) -> Workspace | None:
    """Return the oldest workspace with any of the aliases."""
    content = model.of(team)
    owners = {content.aliases[alias] for alias in aliases if alias in content.aliases}
    found = [content.workspaces[id] for id in owners]
    return min(found, key=lambda one: (one.created_at, one.id), default=None)


def listed(model: Model, team: str, after: str, limit: int) -> list[Workspace]:
    """Return workspaces by name."""
    found = [one for one in model.of(team).workspaces.values() if one.name > after]
    return sorted(found, key=lambda one: one.name)[:limit]


def insert(
    model: Model, workspace: Workspace, aliases: Sequence[str], owners: Sequence[str] = ()
) -> Workspace:
    """Add a workspace; a taken label gets an owner suffix, or a number.

    Numbers start at 2.
    """
    content = model.of(workspace.team)
    demand(workspace.id not in content.workspaces, "ids are unique")
    taken = {one.name for one in content.workspaces.values()}
    numbered = (f"{workspace.name}-{number}" for number in range(2, len(taken) + 3))
    owned = (f"{workspace.name} ({owner})" for owner in owners)
    label = next(name for name in (workspace.name, *owned, *numbered) if name not in taken)
    added = replace(workspace, name=label)
    content.workspaces[workspace.id] = added
    add_aliases(model, workspace.team, workspace.id, aliases)
    return added


def add_aliases(model: Model, team: str, workspace: str, aliases: Sequence[str]) -> None:
    """Add aliases; one that another workspace owns stays with it."""
    content = model.of(team)
    for alias in aliases:
        if alias not in content.aliases:
            demand(workspace in content.workspaces, "an alias belongs to a workspace")
            content.aliases[alias] = workspace


def aliases(model: Model, team: str, workspace: str) -> list[str]:
    """Return the aliases of a workspace."""
    return sorted(a for a, owner in model.of(team).aliases.items() if owner == workspace)


def ids(model: Model, team: str) -> list[str]:
    """Return the ids of every workspace."""
    return sorted(model.of(team).workspaces)
