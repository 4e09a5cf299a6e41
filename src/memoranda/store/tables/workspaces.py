"""Workspaces and what they are recognised by."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.store.database import Transaction, load_statements
from memoranda.values.json import dump_json
from memoranda.values.task import Workspace

SQL = load_statements(__file__)


def by_id(tx: Transaction, team: str, id: str) -> Workspace | None:
    """Return one workspace."""
    row = tx.first(SQL["by_id"], {"team": team, "id": id})
    return Workspace(*row) if row else None


def by_name(tx: Transaction, team: str, name: str) -> Workspace | None:
    """Return one workspace by its label."""
    row = tx.first(SQL["by_name"], {"team": team, "name": name})
    return Workspace(*row) if row else None


def by_alias(tx: Transaction, team: str, aliases: Sequence[str]) -> Workspace | None:
    """Return the oldest workspace that any of the identities belongs to."""
    row = tx.first(SQL["by_alias"], {"team": team, "aliases": dump_json(list(aliases))})
    return Workspace(*row) if row else None


def listed(tx: Transaction, team: str, after: str, limit: int) -> list[Workspace]:
    """Return workspaces by name, those after ``after`` in the alphabet first."""
    rows = tx.fetch(SQL["list"], {"team": team, "after": after, "limit": limit})
    return [Workspace(*row) for row in rows]


def insert(tx: Transaction, workspace: Workspace, aliases: Sequence[str]) -> None:
    """Add a workspace. A label that is taken gets a number behind it."""
    label, number = workspace.name, 1
    while by_name(tx, workspace.team, label):
        number += 1
        label = f"{workspace.name}-{number}"
    tx.execute(
        SQL["insert"],
        {
            "team": workspace.team,
            "id": workspace.id,
            "name": label,
            "root": workspace.root,
            "created_at": workspace.created_at,
        },
    )
    add_aliases(tx, workspace.team, workspace.id, aliases)


def add_aliases(tx: Transaction, team: str, workspace: str, aliases: Sequence[str]) -> None:
    """Remember identities of a workspace; one that another workspace owns stays with it."""
    tx.many(
        SQL["alias"],
        [{"team": team, "alias": alias, "workspace": workspace} for alias in aliases],
    )


def aliases(tx: Transaction, team: str, workspace: str) -> list[str]:
    """Return what a workspace is recognised by."""
    rows = tx.fetch(SQL["aliases"], {"team": team, "workspace": workspace})
    return [row[0] for row in rows]


def ids(tx: Transaction, team: str) -> list[str]:
    """Return the ids of every workspace of a team."""
    return [row[0] for row in tx.fetch(SQL["ids"], {"team": team})]
