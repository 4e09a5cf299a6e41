"""Storage for CrewAI's memory: `Memory(storage=MemorandaStorage(memory))`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from memoranda.integrations.async_twins import awaited
from memoranda.integrations.version_check import supported

with supported("crewai", "1.15", "2"):
    from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
    from crewai.memory.types import MemoryRecord, ScopeInfo

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.documents.model import Document, NewDocument
from memoranda.integrations.document_space import DocumentSpace, foreign
from memoranda.integrations.vectors import cosines, packed, unpacked
from memoranda.memory import Memoranda


class MemorandaStorage:
    """Store for CrewAI's records in Memoranda, local or on a server.

    Thread-safe. Secrets are redacted from records before they are stored. Calls that select records
    by criteria other than an id read every record of the space.
    """

    def __init__(
        self, memory: Memoranda, workspace: str | None = None, space: str = "crewai"
    ) -> None:
        """Store records in a space of a workspace or team.

        This object does not close the memory.
        """
        self._shelf = DocumentSpace(memory, space, workspace, SecretPolicy.REDACT)

    def save(self, records: list[MemoryRecord]) -> None:
        """Store records, replacing those with the same ids."""
        here = map(_record, filter(None, [self._shelf.first("")]))
        lengths = [len(one.embedding) for one in [*here, *records] if one.embedding]
        for length in {*lengths} - {*lengths[:1]}:
            raise EmbeddingDimensionMismatchError(lengths[0], length)
        serialised = [
            (record.model_dump(mode="json"), packed(record.embedding or ())) for record in records
        ]
        new = [
            NewDocument(item["id"], {"record": item, "vector": vector})
            for item, vector in serialised
        ]
        self._shelf.put(new)

    def search(
        self,
        query_embedding: list[float],
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        metadata_filter: dict[str, Any] | None = None,
        limit: int = 10,
        min_score: float = 0.0,
    ) -> list[tuple[MemoryRecord, float]]:
        """Return the records nearest to a vector with their cosines, best first.

        Negative cosines are returned as 0.
        """
        wanted = self._found(scope_prefix, categories, metadata_filter=metadata_filter)
        found = [one for one in wanted if one.embedding]
        vectors = [one.embedding or [] for one in found]
        if vectors and len(vectors[0]) != len(query_embedding):
            raise EmbeddingDimensionMismatchError(len(vectors[0]), len(query_embedding))
        scores = (max(0.0, item) for item in cosines(vectors, query_embedding))
        best = [one for one in zip(found, scores, strict=True) if one[1] >= min_score]
        return sorted(best, key=lambda one: -one[1])[:limit]

    def delete(self, *filters: Any, **named: Any) -> int:
        """Delete the records that match all arguments; return their number.

        The arguments are the same as for `_found`.
        """
        gone = [item.id for item in self._found(*filters, **named)]
        self._shelf.delete(gone)
        return len(gone)

    def update(self, record: MemoryRecord) -> None:
        """Replace the record with the same id."""
        self.save([record])

    def get_record(self, record_id: str) -> MemoryRecord | None:
        """Return a record, or None."""
        return next(map(_record, self._shelf.get([record_id])), None)

    def list_records(
        self, scope_prefix: str | None = None, limit: int | None = 200, offset: int = 0
    ) -> list[MemoryRecord]:
        """Return the records of a scope and its descendants, newest first."""
        found = sorted(self._found(scope_prefix), key=lambda one: _moment(one.created_at))
        return found[::-1][offset:][:limit]

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return information about a scope and its descendants."""
        times = [item.created_at for item in self.list_records(scope, None)]
        return ScopeInfo(
            path=_path(scope) or "/",
            record_count=len(times),
            categories=sorted(self.list_categories(scope)),
            oldest_record=times[-1] if times else None,
            newest_record=times[0] if times else None,
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes directly below a scope."""
        above = _path(parent)
        below = {_path(one.scope)[len(above) :] for one in self._found(parent)} - {""}
        return sorted({f"{above}/{item.split('/')[1]}" for item in below})

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Return the number of records in each category."""
        return dict(Counter(name for item in self._found(scope_prefix) for name in item.categories))

    def count(self, scope_prefix: str | None = None) -> int:
        """Return the number of records in a scope and its descendants."""
        return sum(1 for _ in self._found(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        """Delete all records of a scope and its descendants, or of the space."""
        self.delete(scope_prefix)

    asave, asearch, adelete = awaited(save), awaited(search), awaited(delete)

    def _found(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> Iterator[MemoryRecord]:
        return (
            item
            for item in map(_record, self._shelf.listed(""))
            if f"{_path(item.scope)}/".startswith(f"{_path(scope_prefix or '')}/")
            and (not categories or not set(categories).isdisjoint(item.categories))
            and (record_ids is None or item.id in record_ids)
            and (older_than is None or _moment(item.created_at) < _moment(older_than))
            and (metadata_filter or {}).items() <= item.metadata.items()
        )


def _path(scope: str) -> str:
    """Return a scope without a trailing slash; empty for the root."""
    return f"/{scope.strip('/')}".rstrip("/")


def _moment(time: datetime) -> datetime:
    """Return a time with a time zone; CrewAI's naive times are in UTC."""
    return time if time.tzinfo else time.replace(tzinfo=UTC)


def _record(document: Document) -> MemoryRecord:
    match document.value:
        case {"record": dict() as fields, "vector": vector}:
            return MemoryRecord(**fields, embedding=unpacked(vector).tolist() or None)
    raise foreign(document)
