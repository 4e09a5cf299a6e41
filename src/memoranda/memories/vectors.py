"""Vectors of memories: stored by search, or computed if missing."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoranda.exceptions import EmbedderUnavailable
from memoranda.memories.model import Memory
from memoranda.ports import Embedder
from memoranda.search import table as entries
from memoranda.store.database import Database, Transaction

if TYPE_CHECKING:
    from memoranda.ports import Vectors

logger = logging.getLogger(__name__)


class MemoryVectors:
    """Vectors of memories whose cosine measures similarity in meaning."""

    def __init__(self, database: Database, embedder: Embedder | None) -> None:
        self._database = database
        self._embedder = embedder

    def of(self, team: str, memories: Sequence[Memory]) -> dict[str, Vectors]:
        """Return the vectors of all the memories, by id.

        The result is empty if there is no embedding model.
        """
        embedder = self._embedder
        if embedder is None or not memories:
            return {}
        ids, name = [memory.id for memory in memories], embedder.name
        found = self._database.read(lambda tx: _stored(tx, team, name, ids))
        missing = [memory for memory in memories if memory.id not in found]
        try:
            made = embedder.embed([memory.content for memory in missing]) if missing else ()
        except EmbedderUnavailable as error:
            logger.warning("memories are compared by text", extra={"error": error.code})
            return {}
        return found | {memory.id: item for memory, item in zip(missing, made, strict=True)}


def _stored(tx: Transaction, team: str, model: str, ids: Sequence[str]) -> dict[str, Vectors]:
    """Return the stored vectors of memories that consist of one passage."""
    hashes = entries.text_hashes(tx, team, ids)
    single = {id: found[0] for id, found in hashes.items() if len(found) == 1}
    stored = tx.vectors().known(team, model, list(single.values())) if single else {}
    return {id: stored[digest] for id, digest in single.items() if digest in stored}
