"""Rows of data extracted from memories: names, facts, keywords.

The rows are derived data that can be recomputed from the contents.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from memoranda.json_data import dump_json
from memoranda.memories.extraction_model import ActionOutcome, Encoding, Entity, EntityType
from memoranda.store.database import Row, Transaction, load_statements

SQL = load_statements(__file__)

WORDS = "words"
"""Value for a memory that was compared without a vector."""


@dataclass(frozen=True, slots=True)
class StoredEncoding:
    """Stored analysis of a memory, with its sources."""

    memory: str
    version: int
    """Version of the analysis."""
    encoding: Encoding
    compared: str = ""
    """How the memory was compared with other memories.

    Empty, `WORDS`, or the name of the model whose vectors were used.
    """


def put(tx: Transaction, team: str, stored: StoredEncoding) -> bool:
    """Store the analysis of a memory, replacing the previous one.

    Return False if there is no such memory.
    """
    encoding = stored.encoding
    row = {
        "team": team,
        "memory": stored.memory,
        "version": stored.version,
        "entities": dump_json([[entity.name, entity.type] for entity in encoding.entities]),
        "facts": dump_json([*encoding.facts]),
        "keywords": dump_json([*encoding.keywords]),
        "constraints": dump_json([*encoding.constraints]),
        "outcomes": dump_json(
            [[outcome.action, outcome.result, outcome.worked] for outcome in encoding.outcomes]
        ),
        "compared": stored.compared,
    }
    return tx.execute(SQL["put"], row) > 0


def by_memory(tx: Transaction, team: str, memory: str) -> StoredEncoding | None:
    """Return the analysis of a memory's current content, or None."""
    row = tx.first(SQL["by_memory"], {"team": team, "memory": memory})
    return _stored(row) if row else None


def waiting(tx: Transaction, team: str, version: int, limit: int) -> list[str]:
    """Return memories whose analysis is missing or outdated.

    The analysis is outdated if the content or the version of the analysis has changed.
    """
    bindings = {"team": team, "version": version, "limit": limit}
    return [row[0] for row in tx.fetch(SQL["waiting"], bindings)]


def uncompared(tx: Transaction, team: str, model: str, limit: int) -> list[str]:
    """Return memories in use that were not compared yet, oldest first.

    Memories that were never compared come first, then memories that were compared by words and now
    have a vector of the model.
    """
    bindings = {"team": team, "model": model, "limit": limit}
    return [row[0] for row in tx.fetch(SQL["uncompared"], bindings)]


def mark(tx: Transaction, team: str, memory: str, compared: str) -> bool:
    """Record how a memory was compared; return False without an analysis."""
    bindings = {"team": team, "memory": memory, "compared": compared}
    return tx.execute(SQL["mark"], bindings) > 0


def delete(tx: Transaction, team: str, memory: str) -> bool:
    """Delete the analysis of a memory."""
    return tx.execute(SQL["delete"], {"team": team, "memory": memory}) > 0


def clear(tx: Transaction, team: str) -> int:
    """Delete all analyses for a rebuild; return their number."""
    tx.execute(SQL["unread"], {"team": team})
    return tx.execute(SQL["clear"], {"team": team})


def _stored(row: Row) -> StoredEncoding:
    memory, version, entities, facts, keywords, constraints, outcomes, compared = row
    encoding = Encoding(
        entities=tuple(Entity(name, EntityType(type)) for name, type in json.loads(entities)),
        facts=tuple(json.loads(facts)),
        keywords=tuple(json.loads(keywords)),
        constraints=tuple(json.loads(constraints)),
        outcomes=tuple(ActionOutcome(*item) for item in json.loads(outcomes)),
    )
    return StoredEncoding(memory, int(version), encoding, compared)
