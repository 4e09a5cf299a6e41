"""Catalogue of the tables, columns and keys; referenced tables first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoranda.json_data import dump_json
from memoranda.search import table as entries
from memoranda.store.database import Row, Transaction, VectorEntry


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a team's data, with a key that is unique in the team."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]

    def page(self, tx: Transaction, team: str, after: Row | None, limit: int) -> list[Row]:
        """Return rows in key order, starting after a key.

        None returns rows from the start.
        """
        names = ", ".join(self.key)
        bounds = ", ".join(f":after_{name}" for name in self.key)
        beyond = f"and ({names}) > ({bounds})" if after is not None else ""
        sql = (
            f"select {', '.join(self.columns)} from {self.name} "
            f"where team = :team {beyond} order by {names} limit :limit"
        )
        key_values = zip(self.key, after or (), strict=False)
        places = {f"after_{name}": value for name, value in key_values}
        return tx.fetch(sql, {"team": team, "limit": limit} | places)

    def pages(self, tx: Transaction, team: str, limit: int) -> Iterator[list[Row]]:
        """Return all rows of a team, page by page."""
        after = None
        while rows := self.page(tx, team, after, limit):
            yield rows
            after = self.key_of(rows[-1])

    def of_ids(self, tx: Transaction, team: str, ids: Sequence[str]) -> list[Row]:
        """Return the rows with these ids, unordered."""
        sql = (
            f"select {', '.join(self.columns)} from {self.name} where team = :team and id in :ids[]"
        )
        return tx.fetch(sql, {"team": team, "ids": dump_json(list(ids))})

    def insert(self, tx: Transaction, rows: list[Row]) -> None:
        """Insert rows that do not exist yet."""
        values = ", ".join(f":{name}" for name in self.columns)
        sql = f"insert into {self.name} ({', '.join(self.columns)}) values ({values})"
        tx.many(sql, [dict(zip(self.columns, row, strict=True)) for row in rows])

    def delete(self, tx: Transaction, team: str, key: Row) -> int:
        """Delete the row with a key; return the number of rows."""
        where, bindings = self._at(key)
        return tx.execute(f"delete from {self.name} where {where}", {"team": team} | bindings)

    def update(self, tx: Transaction, team: str, key: Row, values: dict[str, Any]) -> int:
        """Set columns of the row with a key; return the number of rows."""
        where, bindings = self._at(key)
        changes = ", ".join(f"{name} = :new_{name}" for name in values)
        bindings |= {f"new_{name}": value for name, value in values.items()}
        sql = f"update {self.name} set {changes} where {where}"
        return tx.execute(sql, {"team": team} | bindings)

    def _at(self, key: Row) -> tuple[str, dict[str, Any]]:
        """Return the condition that selects one row, and its bindings."""
        bindings = {f"key_{name}": value for name, value in zip(self.key, key, strict=True)}
        named = (f"{name} = :key_{name}" for name in self.key)
        return " and ".join(("team = :team", *named)), bindings

    def key_of(self, row: Row) -> Row:
        """Return the key of a row."""
        return tuple(row[self.columns.index(name)] for name in self.key)


class PassagesTable(Table):
    """Passages with their vectors, which each engine stores differently."""

    __slots__ = ()

    def page(self, tx: Transaction, team: str, after: Row | None, limit: int) -> list[Row]:
        """Return passages in key order.

        Vectors are float16, little-endian bytes.
        """
        passages = tx.vectors().page(team, (after[0], after[1]) if after else None, limit)
        return [
            (team, *(getattr(passage, name) for name in self.columns[1:])) for passage in passages
        ]

    def insert(self, tx: Transaction, rows: list[Row]) -> None:
        """Insert passages and store their vectors, if present."""
        bindings = [dict(zip(self.columns, row, strict=True)) for row in rows]
        tx.many(entries.SQL["insert_passage"], bindings)
        for model in sorted({row["model"] for row in bindings if row["vector"] is not None}):
            made = [row for row in bindings if row["model"] == model]
            tx.vectors().put(rows[0][0], model, [_vector_entry(row) for row in made])


def _vector_entry(row: dict[str, Any]) -> VectorEntry:
    import numpy as np  # imported here because most users of the catalogue do not need it

    vector = np.frombuffer(row["vector"], "<f2").astype(np.float32)
    return VectorEntry(row["source"], row["place"], vector)


_SCHEMA = Path(__file__).parent / "sqlite" / "schema.sql"
_UPGRADES = Path(__file__).parent / "upgrades"
_TABLE = re.compile(r"^create table (\w+) \(\n(.*?)^\)", re.MULTILINE | re.DOTALL)
_COLUMN = re.compile(r"^  (?!primary |unique |foreign |check )(\w+) ", re.MULTILINE)
_KEY = re.compile(r"^  (?:primary key|unique) \(team(?:, )?(.*?)\)", re.MULTILINE)
_CHANGE = re.compile(r"^alter table (\w+) (add|drop) column (\w+)", re.MULTILINE)
_LEFT_OUT = frozenset({"migration", "vector_block", "vector_centre", "task_total", "content_total"})
"""Tables that an engine maintains itself, and totals that triggers maintain."""


def _schema_tables() -> tuple[Table, ...]:
    """Return the tables in creation order, referenced tables first.

    The key is the first primary or unique key; ``docid`` numbers the rows for SQLite's own indexes.
    """
    tables = _TABLE.findall(_SCHEMA.read_text("utf-8"))
    columns = {name: dict.fromkeys(_COLUMN.findall(body)) for name, body in tables}
    for file in sorted(_UPGRADES.glob("*.sql")):
        for name, change, column in _CHANGE.findall(file.read_text("utf-8")):
            if change == "add":
                columns[name][column] = None
            else:
                del columns[name][column]
    return tuple(
        Table(name, tuple(one for one in columns[name] if one != "docid"), _key(body))
        for name, body in tables
        if name not in _LEFT_OUT
    )


def _key(body: str) -> tuple[str, ...]:
    found = _KEY.search(body)
    return tuple(found[1].split(", ")) if found and found[1] else ("team",)


PASSAGE = PassagesTable(
    "passage",
    ("team", "source", "place", "workspace", "task", "text_hash", "model", "vector"),
    ("source", "place"),
)
TABLES = tuple(PASSAGE if table.name == PASSAGE.name else table for table in _schema_tables())
OBSERVATION, BLOB, MEMORY = (
    next(table for table in TABLES if table.name == name)
    for name in ("observation", "blob", "memory")
)
