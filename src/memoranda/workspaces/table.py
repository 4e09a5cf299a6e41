"""Rows of workspaces and of the aliases that identify them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, count

from memoranda.json_data import dump_json
from memoranda.store.database import Transaction, load_statements
from memoranda.tasks.model import Workspace

SQL = load_statements(__file__)


def by_id(tx: Transaction, team: str, id: str) -> Workspace | None:
    """Return one workspace."""
    row = tx.first(SQL["by_id"], {"team": team, "id": id})
    return Workspace(*row) if row else None


def by_name(tx: Transaction, team: str, name: str) -> Workspace | None:
    """Return one workspace by its label."""
    row = tx.first(SQL["by_name"], {"team": team, "name": name})
    return Workspace(*row) if row else None


def by_label(tx: Transaction, team: str, name: str) -> Workspace | None:
    """Return the workspace that has or had a name."""
    return by_name(tx, team, name) or by_alias(tx, team, [f"name:{name}"])


def by_alias(tx: Transaction, team: str, aliases: Sequence[str]) -> Workspace | None:
    """Return the oldest workspace that has any of the aliases."""
    row = tx.first(SQL["by_alias"], {"team": team, "aliases": dump_json(list(aliases))})
    return Workspace(*row) if row else None


def listed(tx: Transaction, team: str, after: str, limit: int) -> list[Workspace]:
    """Return workspaces with a name above ``after``, sorted by name."""
    rows = tx.fetch(SQL["list"], {"team": team, "after": after, "limit": limit})
    return [Workspace(*row) for row in rows]


def insert(
    tx: Transaction, workspace: Workspace, aliases: Sequence[str], owners: Sequence[str] = ()
) -> Workspace:
    """Insert a workspace and return it as stored.

    If the name is already in use, the first owner that makes it unique is appended, as in ``shop
    (github.com/acme)``; if there is none, a number is appended.
    """
    added = replace(workspace, name=_free_name(tx, workspace, owners))
    tx.execute(
        SQL["insert"],
        {
            "team": added.team,
            "id": added.id,
            "name": added.name,
            "root": added.root,
            "created_at": added.created_at,
        },
    )
    add_aliases(tx, added.team, added.id, aliases)
    return added


def _free_name(tx: Transaction, workspace: Workspace, owners: Sequence[str]) -> str:
    name = workspace.name
    clear = [name, *(f"{name} ({owner})" for owner in owners)]
    numbered = (f"{name}-{number}" for number in count(2))
    free = (item for item in chain(clear, numbered) if not by_name(tx, workspace.team, item))
    return next(free)


def add_aliases(tx: Transaction, team: str, workspace: str, aliases: Sequence[str]) -> None:
    """Add aliases to a workspace; skip those that other workspaces have."""
    tx.many(
        SQL["alias"], [{"team": team, "alias": alias, "workspace": workspace} for alias in aliases]
    )


def take_alias(tx: Transaction, team: str, workspace: str, alias: str) -> None:
    """Move an alias to a workspace from any other workspace."""
    tx.execute(SQL["take_alias"], {"team": team, "alias": alias, "workspace": workspace})


def rename(tx: Transaction, workspace: Workspace) -> None:
    """Store a new name for a workspace."""
    names = {"team": workspace.team, "id": workspace.id, "name": workspace.name}
    tx.execute(SQL["rename"], names)


def joined(tx: Transaction, team: str) -> dict[str, list[str]]:
    """Return the aliases of each workspace, by workspace id."""
    result: dict[str, list[str]] = {}
    for workspace, alias in tx.fetch(SQL["all_aliases"], {"team": team}):
        result.setdefault(workspace, []).append(alias)
    return result


def aliases(tx: Transaction, team: str, workspace: str) -> list[str]:
    """Return the aliases of a workspace."""
    rows = tx.fetch(SQL["aliases"], {"team": team, "workspace": workspace})
    return [row[0] for row in rows]


def ids(tx: Transaction, team: str) -> list[str]:
    """Return the ids of every workspace of a team."""
    return [row[0] for row in tx.fetch(SQL["ids"], {"team": team})]
