"""Catalogue of all tables: columns and keys, referenced tables first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memoranda.checkpoints.table import CHECKPOINT
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

        None is the start.
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


def _table(name: str, columns: str, key: str) -> Table:
    return Table(name, ("team", *columns.split()), tuple(key.split()))


OBSERVATION = _table(
    "observation",
    "id ref workspace task sequence type origin agent tool summary tags files constraints salience"
    " tokens tokens_used duration_ms stage branch resolves repeats content_hash redactions"
    " created_at recorded_at format source event_key target",
    "id",
)
BLOB = _table("blob", "hash codec size data", "hash")
MEMORY = _table(
    "memory",
    "id workspace agent visibility title content kind category tags origin confidence critical"
    " critical_reason protected status tokens created_at updated_at source approved_by valid_from"
    " valid_until superseded_by uses last_used content_hash",
    "id",
)
PASSAGE = PassagesTable(
    "passage",
    ("team", "source", "place", "workspace", "task", "text_hash", "model", "vector"),
    ("source", "place"),
)

TABLES: tuple[Table, ...] = (
    _table("workspace", "id name root created_at", "id"),
    _table("workspace_alias", "alias workspace", "alias"),
    _table(
        "task",
        "id number workspace agent goal status host session started_at last_event_at ended_at"
        " observations tokens",
        "id",
    ),
    BLOB,
    OBSERVATION,
    _table("observation_ref", "kind value observation", "observation kind value"),
    _table(
        "live_output",
        "observation whole_bytes shown_bytes whole_tokens shown_tokens expansions",
        "observation",
    ),
    _table(
        "quarantine",
        "observation reason salience created_at held decided_by decided_at",
        "observation",
    ),
    _table("open_error", "task target observation", "task target"),
    _table("redaction", "task rule count", "task rule"),
    _table("tombstone", "event_key forgotten_at", "event_key"),
    MEMORY,
    _table("memory_evidence", "memory observation", "memory observation"),
    _table(
        "memory_encoding",
        "memory content_hash version type summary entities facts keywords constraints outcomes"
        " compared",
        "memory",
    ),
    _table("memory_unread", "memory", "memory"),
    _table("memory_link", "memory kind other reason actor created_at", "memory kind other"),
    _table("memory_reference", "memory kind value", "memory kind value"),
    _table("memory_version", "memory version state actor reason created_at", "memory version"),
    _table(
        "proposal",
        "id kind memory workspace agent task reason before after status created_at decided_at"
        " decided_by note number",
        "id",
    ),
    _table("notification", "id notice proposal created_at", "id"),
    _table("delivery", "channel notification delivered_at", "channel notification"),
    _table(
        "profile_change",
        "id workspace hash status size_limit target used short news told created_at applied_at"
        " applied_by undone_at undone_by",
        "id",
    ),
    _table(
        "profile_step",
        "change number memory place kind reason freed source after version",
        "change number memory",
    ),
    _table(
        "feedback",
        "id workspace task agent type confidence reason source text about observation author state"
        " confirmed revision processed_at created_at",
        "id",
    ),
    _table("feedback_effect", "feedback number revision touched target note", "feedback number"),
    _table("suggestion", "id workspace rule created_at", "id"),
    _table(
        "suggestion_answer",
        "suggestion feedback accepted model vector answered_at",
        "suggestion feedback",
    ),
    _table("hearing", "task position", "task"),
    _table(
        "error_note",
        "id workspace task stage agent type description context recovery severity observation"
        " position resolved_by resolved_at created_at",
        "id",
    ),
    _table("task_watch", "task position state", "task"),
    _table(
        "intervention",
        "id workspace task signal cause reason metrics raised_at position state outcome"
        " effectiveness note decided_by decided_at",
        "id",
    ),
    _table("intervention_memory", "intervention memory", "intervention memory"),
    _table("intervention_told", "channel intervention told_at", "channel intervention"),
    _table(
        "entry",
        "source kind workspace task position place at standing version features labels",
        "source",
    ),
    PASSAGE,
    _table("rating", "source useful useless rated_at", "source"),
    _table("retrieval_count", "source accesses accessed_at", "source"),
    _table("speaker", "workspace name", "workspace name"),
    _table("working", "task key value written_at expires_at", "task key"),
    _table(
        "document",
        "workspace space key value_hash size version created_at updated_at expires_at",
        "workspace space key",
    ),
    _table("agent", "id name created_at last_seen_at", "id"),
    _table(
        "block",
        "id label workspace task agent shared description size_limit read_only version created_at"
        " updated_at accessed_at deleted_at",
        "id",
    ),
    _table(
        "block_version",
        "block version value_hash size tokens kind source agent reason created_at",
        "block version",
    ),
    _table("block_holder", "block agent role attached_at", "block agent"),
    Table("checkpoint", CHECKPOINT.columns, ("id",)),
    _table("checkpoint_block", "checkpoint block version size_limit", "checkpoint block"),
    _table("task_state", "task head state_hash updated_at", "task"),
    _table(
        "compaction",
        "task agent until_sequence summary_hash tokens source_tokens mode created_at",
        "task agent until_sequence",
    ),
    _table(
        "stage",
        "task number name began ended source confidence reason started_at ended_at",
        "task number",
    ),
    _table("stage_tracking", "task position state", "task"),
    _table(
        "compression",
        "task stage until_sequence lines_hash tokens source_tokens target facts kept contradictions"
        " method cost declined tries created_at",
        "task stage",
    ),
    _table(
        "model_call",
        "id operation provider model agent task input_tokens output_tokens cached_tokens measured"
        " cost price state month created_at",
        "id",
    ),
    _table(
        "model_budget",
        "cost_limit alert_share alerted_month refused_month refused refused_cost",
        "team",
    ),
    _table("model_answer", "task hash data created_at", "task hash"),
    _table("journal", "sequence at actor operation subject detail previous hash", "sequence"),
    _table("journal_head", "sequence hash", "team"),
    _table(
        "job",
        "id kind subject state attempts run_at lease_until lease_owner error created_at ended_at",
        "id",
    ),
    _table("task_archive", "task memory position status written_at", "task"),
    _table("lesson", "workspace key memory seen updated_at", "workspace key"),
    _table("lesson_task", "workspace key task", "workspace key task"),
    _table(
        "approval_rule",
        "id source category confidence origin agents workspace enabled created_by created_at",
        "id",
    ),
    _table("mirror", "folder mark created_at synced_at notes", "team"),
    _table(
        "mirror_file", "path kind subject hash entries next_hash next_entries written_at", "path"
    ),
    _table(
        "credential",
        "id kind digest subject role agent workspace created_by created_at expires_at revoked_at"
        " revoked_by last_used parent",
        "id",
    ),
    _table("token_revocation", "id expires_at revoked_at revoked_by", "id"),
    _table("kept_answer", "caller key request_hash status body created_at", "caller key"),
    _table("transcript", "path head_hash read_offset read_at", "path"),
)
