"""Haystack's document store on Memoranda, and a retriever by vector.

store = MemorandaDocumentStore() pipeline.add_component("retriever",
MemorandaEmbeddingRetriever(document_store=store))
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from memoranda.integrations.async_twins import awaited
from memoranda.integrations.version_check import supported

with supported("haystack-ai", "3.4", "4"):
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.document_stores.errors import DuplicateDocumentError
    from haystack.document_stores.types import DuplicatePolicy
    from haystack.utils.filters import document_matches_filter

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.documents.model import Document as Kept, NewDocument
from memoranda.exceptions import InvalidInput
from memoranda.integrations.document_space import DocumentSpace, fields_of
from memoranda.integrations.vectors import cosines
from memoranda.json_data import checked_json
from memoranda.memory import Memoranda

SPACE = "haystack"
TOP = 10


class MemorandaDocumentStore:
    """Haystack document store that keeps documents in Memoranda.

    It works locally or on a server and is thread-safe. Secrets are removed from texts and metadata
    before they are stored. A filter scans every document of the space.
    """

    def __init__(
        self,
        address: str | None = None,
        *,
        workspace: str | None = None,
        space: str = SPACE,
        memory: Memoranda | None = None,
    ) -> None:
        """Store documents in a space of a workspace or team.

        Creating the store opens nothing.

        Args:
            address: a data directory or a server, whose key is MEMORANDA_TOKEN; by default the
                address named in the settings.
            memory: an open `Memoranda` instead of an address; the store does not close it.
        """
        self._named = {"address": address, "workspace": workspace, "space": space}
        self._memory = memory
        self._place = space, workspace

    @cached_property
    def _shelf(self) -> DocumentSpace:
        return DocumentSpace(
            self._memory or Memoranda.open(self._named["address"]),
            *self._place,
            SecretPolicy.REDACT,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the data from which the store can be recreated.

        Raises:
            InvalidInput: the store was created with an open memory, which cannot be serialised.
        """
        if self._memory is not None:
            raise InvalidInput("only a store that was created with a URL can be serialised")
        result: dict[str, Any] = default_to_dict(self, **self._named)
        return result

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> MemorandaDocumentStore:
        """Return a store that `to_dict` serialised."""
        store: MemorandaDocumentStore = default_from_dict(cls, data)
        return store

    def count_documents(self) -> int:
        """Return the number of documents."""
        return sum(1 for _ in self._shelf.keys(""))

    def filter_documents(self, filters: dict[str, Any] | None = None) -> list[Document]:
        """Return the documents that match a filter, in order of first writing.

        Raises:
            ValueError: the filter has neither a field nor an operator and conditions.
        """
        return list(self._matching(filters))

    def write_documents(
        self, documents: list[Document], policy: DuplicatePolicy = DuplicatePolicy.NONE
    ) -> int:
        """Store documents; return the number stored.

        By default an existing document is an error.

        Raises:
            ValueError: the argument is not a list of documents.
            DuplicateDocumentError: a document exists already, and the policy is to fail.
            InvalidInput: an id is empty, or metadata is not JSON; nothing is stored.
        """
        if not isinstance(documents, list) or not all(isinstance(d, Document) for d in documents):
            raise ValueError("write_documents takes a list of documents")
        new = {
            item.id: NewDocument(item.id, {"place": at, "document": _written(item)})
            for at, item in enumerate(documents)
        }
        if policy is not DuplicatePolicy.OVERWRITE:
            there = {one.key for one in self._shelf.get(list(new))}
            if there and policy is not DuplicatePolicy.SKIP:
                raise DuplicateDocumentError(f"already stored: {', '.join(sorted(there)[:5])}")
            new = {id: document for id, document in new.items() if id not in there}
        self._shelf.put(list(new.values()))
        return len(new) if policy is DuplicatePolicy.SKIP else len(documents)

    def delete_documents(self, document_ids: list[str]) -> None:
        """Delete documents. Idempotent."""
        self._shelf.delete([id for id in document_ids if id])

    def delete_all_documents(self, recreate_index: bool = False) -> None:
        """Delete every document in the space; there is no index to recreate."""
        self._shelf.clear("")

    def delete_by_filter(self, filters: dict[str, Any]) -> int:
        """Delete the documents that match a filter; return their number."""
        found = [item.id for item in self._matching(filters)]
        self._shelf.delete(found)
        return len(found)

    def update_by_filter(self, filters: dict[str, Any], meta: dict[str, Any]) -> int:
        """Set metadata of the documents that match a filter; return their number."""
        found = [replace(item, meta={**item.meta, **meta}) for item in self._matching(filters)]
        return self.write_documents(found, DuplicatePolicy.OVERWRITE) if found else 0

    def embedding_retrieval(
        self,
        query_embedding: Sequence[float],
        filters: dict[str, Any] | None = None,
        top_k: int = TOP,
    ) -> list[Document]:
        """Return the documents nearest to a vector, best first.

        The score of a document is the cosine.
        """
        import numpy as np

        found = [item for item in self._matching(filters) if item.embedding is not None]
        vectors = [np.asarray(one.embedding, np.float32) for one in found]
        scored = zip(found, cosines(vectors, query_embedding), strict=True)
        best = sorted(scored, key=lambda one: -one[1])[:top_k]
        return [replace(one, score=score) for one, score in best]

    count_documents_async = awaited(count_documents)
    filter_documents_async = awaited(filter_documents)
    write_documents_async = awaited(write_documents)
    delete_documents_async = awaited(delete_documents)
    delete_all_documents_async = awaited(delete_all_documents)
    delete_by_filter_async = awaited(delete_by_filter)
    update_by_filter_async = awaited(update_by_filter)

    def _matching(self, filters: dict[str, Any] | None) -> Iterator[Document]:
        if filters and "operator" not in filters and "conditions" not in filters:
            raise ValueError("a filter must have a field, an operator and a value, or conditions")
        if filters:
            _require_known(filters)
        for stored in sorted(self._shelf.listed(""), key=_order):
            item = Document.from_dict(fields_of(stored, "document")["document"])
            if not filters or document_matches_filter(filters, item):
                yield item


@component
class MemorandaEmbeddingRetriever:
    """Retriever of the documents nearest to a vector."""

    def __init__(
        self,
        document_store: MemorandaDocumentStore,
        filters: dict[str, Any] | None = None,
        top_k: int = TOP,
    ) -> None:
        """Search a store for the nearest documents that match a filter.

        A call may override the filter and ``top_k``.
        """
        self.document_store = document_store
        self.filters = filters
        self.top_k = top_k

    @component.output_types(documents=list[Document])
    def run(
        self,
        query_embedding: list[float],
        filters: dict[str, Any] | None = None,
        top_k: int | None = None,
    ) -> dict[str, list[Document]]:
        """Return the nearest documents, best first."""
        found = self.document_store.embedding_retrieval(
            query_embedding, filters or self.filters, top_k or self.top_k
        )
        return {"documents": found}


def _require_known(filter_condition: dict[str, Any]) -> None:
    """Raise an error for a filter with an invalid part.

    The check does not depend on the stored documents.
    """
    inner = (
        {}
        if "field" in filter_condition
        else {"conditions": filter_condition.get("conditions", ())}
    )
    for item in inner.get("conditions", ()):
        _require_known(item)
    alone = {name: [] if name in inner else value for name, value in filter_condition.items()}
    document_matches_filter(alone, Document(content=""))


def _written(document: Document) -> Any:
    return checked_json(document.to_dict(flatten=False))


def _order(stored: Kept) -> tuple[int, int]:
    """Return the sort key: time of writing, then position within the call."""
    return stored.created_at, fields_of(stored, "document")["place"]
