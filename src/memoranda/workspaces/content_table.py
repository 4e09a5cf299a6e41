"""The complete contents of a workspace, in every table."""

from __future__ import annotations

from collections import Counter

from memoranda.observations import blob_table as blobs
from memoranda.store.database import Transaction, load_statements
from memoranda.store.table_catalogue import TABLES

SQL = load_statements(__file__)

KEPT = ("credential", "workspace_alias")
"""Tables about the workspace itself: how the workspace is recognised, and who may access it."""
WITH_SOURCE = ("entry", "passage", "memory", "observation", "task", "error_note")
"""Tables whose rows are removed record by record, with their index entries."""
COUNTED = (
    "proposal",
    "profile_change",
    "feedback",
    "suggestion",
    "intervention",
    "working",
    "document",
    "block",
    "checkpoint",
    "stage",
    "approval_rule",
)
"""Kinds of records in a receipt, in addition to observations, memories, tasks and errors."""


def memories(tx: Transaction, team: str, workspace: str) -> list[str]:
    """Return the ids of a workspace's memories, including private ones."""
    rows = tx.fetch(SQL["memories"], {"team": team, "workspace": workspace})
    return [row[0] for row in rows]


def tasks(tx: Transaction, team: str, workspace: str) -> list[str]:
    """Return the ids of the tasks of a workspace."""
    return [row[0] for row in tx.fetch(SQL["tasks"], {"team": team, "workspace": workspace})]


def counts(tx: Transaction, team: str, workspace: str) -> Counter[str]:
    """Return the number of a workspace's records by kind, as in a receipt."""
    found: Counter[str] = Counter()
    for name in COUNTED:
        (table,) = (one for one in TABLES if one.name == name)
        where = "workspace = :workspace"
        if "workspace" not in table.columns:
            where = "task in (select id from task where team = :team and workspace = :workspace)"
        sql = f"select count(*) from {name} where team = :team and {where}"
        row = tx.first(sql, {"team": team, "workspace": workspace})
        found[name] = int(row[0]) if row else 0
    return +found


def delete(tx: Transaction, team: str, workspace: str) -> int:
    """Delete the records that belong only to the workspace.

    Return the number of deleted contents, to which no other records referred.
    """
    bindings = {"team": team, "workspace": workspace}
    hashes = [row[0] for row in tx.fetch(SQL["contents"], bindings)]
    for table in reversed(TABLES):
        if "workspace" in table.columns and table.name not in (*KEPT, *WITH_SOURCE):
            where = "team = :team and workspace = :workspace"
            tx.execute(f"delete from {table.name} where {where}", bindings)
    tx.execute(SQL["drop_jobs"], bindings)
    return blobs.delete_unused(tx, team, hashes)
