"""Rows of the store, converted to the form of an archive."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from memoranda.archive.kinds import (
    AGENTS,
    CHECKPOINTS,
    FLAGS,
    LISTS,
    MEMORIES,
    OBSERVATIONS,
    TASKS,
    WORKSPACES,
    RowKind,
)
from memoranda.archive.selection import SelectedRows
from memoranda.exceptions import CorruptData
from memoranda.json_data import dump_json
from memoranda.observations import blob_table as blobs
from memoranda.store.database import Row as StoredRow, Transaction, load_statements

SQL = load_statements(__file__)

Row: TypeAlias = dict[str, Any]
"""Row by column name; contents are referred to by their hashes."""

PAGE = 200
CONTENT_BYTES = 4 << 20
"""Maximum number of bytes of contents in memory, unless a single content is longer."""


def selected(tx: Transaction, kind: RowKind, chosen: SelectedRows) -> Iterator[Row]:
    """Yield the selected rows of a kind in key order, with their contents."""
    after: StoredRow | None = None
    while True:
        found = _page(tx, kind, chosen, after)
        complete(tx, kind, chosen, found)
        yield from _with_contents(tx, kind, chosen.team, found)
        if len(found) < PAGE:
            return
        after = tuple(found[-1][name] for name in kind.key)


def by_key(tx: Transaction, kind: RowKind, team: str, keys: Sequence[str]) -> dict[StoredRow, Row]:
    """Return rows by the values of their first key column, in any selection."""
    names = kind.table.columns
    first = kind.key[0]
    sql = (
        f"select {', '.join(names)} from {kind.table.name} where team = :team and {first} in :ids[]"
    )
    found = tx.fetch(sql, {"team": team, "ids": dump_json([*sorted(set(keys))])})
    rows = [_row(kind, row) for row in found]
    return {tuple(row[name] for name in kind.key): row for row in rows}


def complete(tx: Transaction, kind: RowKind, chosen: SelectedRows, found: Sequence[Row]) -> None:
    """Add values from other tables to rows."""
    if not found or kind is AGENTS:
        return
    ids = [row[kind.key[0]] for row in found]
    bindings = {**chosen.bindings, "ids": dump_json(ids)}
    if kind is WORKSPACES:
        _listed(found, "aliases", tx.fetch(SQL["aliases"], bindings))
    elif kind is TASKS:
        counts: dict[str, dict[str, int]] = {id: {} for id in ids}
        for task, rule, count in tx.fetch(SQL["redactions"], bindings):
            counts[task][rule] = count
        for row in found:
            row["redactions"] = counts[row["id"]]
    elif kind is MEMORIES:
        _listed(found, "evidence", tx.fetch(SQL["evidence"], bindings))
    elif kind is OBSERVATIONS:
        bindings["tasks"] = dump_json(sorted({row["task"] for row in found}))
        _listed(found, "open", tx.fetch(SQL["open"], bindings))
    elif kind is CHECKPOINTS:
        entries = tx.fetch(SQL["checkpoint_blocks"], bindings)
        names = ("block", "version", "size_limit")
        parts = [(row[0], dict(zip(names, row[1:], strict=True))) for row in entries]
        _listed(found, "blocks", parts)


def _listed(found: Sequence[Row], name: str, parts: Sequence[tuple[Any, ...]]) -> None:
    listed: dict[str, list[Any]] = {row["id"]: [] for row in found}
    for id, part in parts:
        listed[id].append(part)
    for row in found:
        row[name] = listed[row["id"]]


def _page(
    tx: Transaction, kind: RowKind, chosen: SelectedRows, after: StoredRow | None
) -> list[Row]:
    names = ", ".join(kind.key)
    bounds = {f"after_{name}": value for name, value in zip(kind.key, after or (), strict=False)}
    beyond = f"and ({names}) > ({', '.join(f':{name}' for name in bounds)})" if after else ""
    sql = (
        f"select {', '.join(kind.table.columns)} from {kind.table.name} "
        f"where team = :team and {SQL[kind.name]} {beyond} order by {names} limit :limit"
    )
    rows = tx.fetch(sql, {**chosen.bindings, "limit": PAGE, **bounds})
    return [_row(kind, row) for row in rows]


def _row(kind: RowKind, row: StoredRow) -> Row:
    named = dict(zip(kind.table.columns, row, strict=True))
    for name in LISTS & named.keys():
        named[name] = json.loads(named[name])
    for name in FLAGS & named.keys():
        named[name] = bool(named[name])
    return named


def _with_contents(
    tx: Transaction, kind: RowKind, team: str, found: Sequence[Row]
) -> Iterator[dict[str, Any]]:
    """Yield rows with the fields of an archive; load contents in parts."""
    if kind.content is None:
        yield from ({name: row[name] for name in kind.fields} for row in found)
        return
    field, column = kind.content
    for part in _parts(tx, team, found, column):
        texts = _contents(tx, team, [row[column] for row in part])
        for row in part:
            row[field] = texts[row[column]]
            yield {name: row[name] for name in kind.fields}


def _parts(
    tx: Transaction, team: str, found: Sequence[Row], column: str
) -> Iterator[Sequence[Row]]:
    """Split rows into groups whose contents fit into memory together."""
    bindings = {"team": team, "hashes": dump_json([row[column] for row in found])}
    sizes: Mapping[str, int] = dict(tx.fetch(SQL["sizes"], bindings))
    part: list[Row] = []
    total = 0
    for row in found:
        size = sizes.get(row[column], 0)
        if part and total + size > CONTENT_BYTES:
            yield part
            part, total = [], 0
        part.append(row)
        total += size
    if part:
        yield part


def _contents(tx: Transaction, team: str, hashes: Sequence[str]) -> dict[str, str]:
    bindings = {"team": team, "hashes": dump_json([*sorted(set(hashes))])}
    result = {row[0]: blobs.checked(*row) for row in tx.fetch(SQL["contents"], bindings)}
    for digest in hashes:
        if digest not in result:
            raise CorruptData(f"content {digest[:12]} is missing; restore a backup")
    return result
