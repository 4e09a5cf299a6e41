"""Checks a database on a server, with the rights of a team's role."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.store.contents import damaged_records
from memoranda.store.database import Database, Transaction, load_statements

SQL = load_statements(__file__)

_COUNTED = (
    "rows_without_words",
    "memories_without_words",
    "missing_contents",
    "gaps",
    "miscounted",
)


@dataclass(frozen=True, slots=True)
class ServerInspection:
    """Result of a check; all counts are zero in a healthy store."""

    server_version: str
    schema_version: int
    extensions: tuple[str, ...]
    size_bytes: int
    role: str
    sees_every_team: bool
    """Whether this program's role is exempt from row-level security."""
    unprotected: tuple[str, ...]
    """Tables without row-level security."""
    unindexed: int
    missing_contents: int
    damaged_contents: int
    """Number of contents that differ from their hash."""
    misnumbered: int
    miscounted: int
    """Number of tasks whose totals differ from their observations."""


def inspect(database: Database, team: str) -> ServerInspection:
    """Check the rows of a team, and the separation of teams."""

    def work(tx: Transaction) -> ServerInspection:
        counts = {name: _number(tx, name, team) for name in _COUNTED}
        version, size, exempt, role = tx.fetch(SQL["server"], {})[0]
        return ServerInspection(
            server_version=version,
            schema_version=_number(tx, "schema", team),
            extensions=tuple(" ".join(row) for row in tx.fetch(SQL["extensions"], {})),
            size_bytes=size,
            role=role,
            sees_every_team=exempt,
            unprotected=tuple(row[0] for row in tx.fetch(SQL["unprotected"], {})),
            unindexed=counts["rows_without_words"] + counts["memories_without_words"],
            missing_contents=counts["missing_contents"],
            damaged_contents=damaged_records(tx)[0],
            misnumbered=counts["gaps"],
            miscounted=counts["miscounted"],
        )

    return database.read(work)


def at_a_glance(tx: Transaction) -> tuple[str, int]:
    """Return the version of the server and the size of the database in bytes."""
    version, size, *_ = tx.fetch(SQL["server"], {})[0]
    return version, int(size)


def size_bytes(database: Database) -> int:
    """Return the size of the whole database in bytes."""
    row = database.read(lambda tx: tx.first(SQL["server"], {}))
    return int(row[1]) if row else 0


def _number(tx: Transaction, name: str, team: str) -> int:
    row = tx.first(SQL[name], {"team": team})
    return int(row[0]) if row else 0
