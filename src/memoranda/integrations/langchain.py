"""LangChain on Memoranda: vector store, key-value store and retriever.

    store = MemorandaVectorStore(memory)
    knows = MemorandaRetriever(memory=memory, workspace="shop")

Texts and vectors are documents (`Memoranda.document_put`); the retriever searches observations and
memories.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from memoranda.integrations.version_check import supported

with supported("langchain-core", "1.4", "2", "memoranda[langchain]"):
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.stores import BaseStore
    from langchain_core.vectorstores import VectorStore
    from langchain_core.vectorstores.utils import maximal_marginal_relevance

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.documents.model import NewDocument
from memoranda.exceptions import InvalidInput
from memoranda.integrations.document_space import DocumentSpace, fields_of
from memoranda.integrations.embeddings import OfflineEmbeddings
from memoranda.integrations.vectors import cosines, packed, unpacked
from memoranda.json_data import checked_json
from memoranda.memory import Memoranda
from memoranda.search.filters import SearchFilter
from memoranda.search.model import RECORDS, HitKind

if TYPE_CHECKING:
    from memoranda.documents.model import Document as Kept

SPACE, VALUES = "langchain", "langchain.values"
FIELDS = ("text", "metadata", "vector")
"""Fields of a stored document."""
Filter = Mapping[str, Any] | Callable[[Document], bool]
"""Metadata that a document must have, or a predicate of a document."""


class MemorandaVectorStore(VectorStore):
    """LangChain vector store that keeps texts with vectors in Memoranda.

    It works locally or on a server and is thread-safe. A search scans every vector of the space:
    this suits thousands of vectors, but not a hundred thousand. Secrets are removed from texts and
    metadata before they are stored.
    """

    def __init__(
        self,
        memory: Memoranda,
        embedding: Embeddings | None = None,
        *,
        workspace: str | None = None,
        space: str = SPACE,
    ) -> None:
        """Store texts in a space of a workspace or team.

        Args:
            memory: an open `Memoranda`; the store does not close it.
            embedding: the embedding model; by default the one bundled with Memoranda.
        """
        self._shelf = DocumentSpace(memory, space, workspace, SecretPolicy.REDACT)
        self._embedding = embedding or OfflineEmbeddings()

    @property
    def embeddings(self) -> Embeddings:
        """The embedding model."""
        return self._embedding

    def add_documents(
        self, documents: list[Document], ids: list[str] | None = None, **kwargs: Any
    ) -> list[str]:
        """Store documents; return their ids.

        A document with an existing id is replaced.

        Raises:
            InvalidInput: the number of ids differs from the number of documents, an id is empty, or
                metadata is not JSON.
        """
        if ids is not None and len(ids) != len(documents):
            raise InvalidInput(f"{len(ids)} ids for {len(documents)} documents")
        named = ids or [one.id or str(uuid4()) for one in documents]
        vectors = self._embedding.embed_documents([document.page_content for document in documents])
        new = {
            id: NewDocument(
                id,
                {
                    "text": item.page_content,
                    "metadata": checked_json(item.metadata),
                    "vector": packed(vector),
                },
            )
            for id, item, vector in zip(named, documents, vectors, strict=True)
        }
        self._shelf.put(list(new.values()))
        return named

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool:
        """Delete documents, or all documents if no ids are passed. Idempotent."""
        if ids is None:
            self._shelf.clear("")
        else:
            self._shelf.delete([id for id in ids if id])
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """Return the existing documents, in the order of the ids."""
        return [_document(document) for document in self._shelf.get([id for id in ids if id])]

    def similarity_search(
        self,
        query: str,
        k: int = 4,
        filter: Filter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Return the documents nearest in meaning, best first."""
        return [item for item, _ in self.similarity_search_with_score(query, k, filter)]

    def similarity_search_with_score(
        self,
        query: str,
        k: int = 4,
        filter: Filter | None = None,
        **kwargs: Any,
    ) -> list[tuple[Document, float]]:
        """Return the nearest documents with their cosines, best first.

        The cosine is from -1 to 1; higher is nearer.
        """
        vector = self._embedding.embed_query(query)
        return [(item, score) for item, score, _ in self._nearest(vector, k, filter)]

    def similarity_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        filter: Filter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Return the documents nearest to a vector, best first."""
        return [item for item, _, _ in self._nearest(embedding, k, filter)]

    def max_marginal_relevance_search(
        self,
        query: str,
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        filter: Filter | None = None,
        **kwargs: Any,
    ) -> list[Document]:
        """Return documents that are near the query but differ from each other."""
        import numpy as np

        vector = self._embedding.embed_query(query)
        found = self._nearest(vector, fetch_k, filter)
        vectors = [item for _, _, item in found]
        chosen = maximal_marginal_relevance(np.asarray(vector), vectors, lambda_mult, k)
        return [found[at][0] for at in chosen]

    @classmethod
    def from_texts(
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        **kwargs: Any,
    ) -> MemorandaVectorStore:
        """Create a store that contains the given texts.

        ``memory`` is also required; ``workspace`` and ``space`` are optional.
        """
        store = cls(embedding=embedding, **kwargs)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return lambda cosine: (cosine + 1) / 2

    def _nearest(
        self, vector: Sequence[float], k: int, wanted: Filter | None
    ) -> list[tuple[Document, float, Any]]:
        fits = _test(wanted)
        there = [(_document(document), document) for document in self._shelf.listed("")]
        there = [pair for pair in there if fits(pair[0])]
        vectors = [unpacked(fields_of(item, *FIELDS)["vector"]) for _, item in there]
        scores = cosines(vectors, vector)
        order = sorted(range(len(there)), key=lambda at: -scores[at])[:k]
        return [(there[at][0], scores[at], vectors[at]) for at in order]


class MemorandaStore(BaseStore[str, Any]):
    """Store of JSON values by key in Memoranda, local or on a server.

    Thread-safe.
    """

    def __init__(
        self, memory: Memoranda, *, workspace: str | None = None, space: str = VALUES
    ) -> None:
        """Store values in a space of a workspace or team."""
        self._shelf = DocumentSpace(memory, space, workspace)

    def mget(self, keys: Sequence[str]) -> list[Any]:
        """Return the value for each key, or None if it is missing."""
        found = {
            document.key: document.value for document in self._shelf.get(list(dict.fromkeys(keys)))
        }
        return [_plain(found.get(key)) for key in keys]

    def mset(self, key_value_pairs: Sequence[tuple[str, Any]]) -> None:
        """Store values; the last one counts for a repeated key. Bytes are kept.

        Raises:
            InvalidInput: a value is neither JSON nor bytes.
        """
        last = {key: _jsonable(value) for key, value in key_value_pairs}
        self._shelf.put([NewDocument(key, value) for key, value in last.items()])

    def mdelete(self, keys: Sequence[str]) -> None:
        """Delete the values of the given keys. Idempotent."""
        self._shelf.delete(list(dict.fromkeys(keys)))

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        """Yield the keys with the given prefix, in code point order."""
        yield from self._shelf.keys(prefix or "")


class MemorandaRetriever(BaseRetriever):
    """Retriever of observations and memories that match a query."""

    memory: Any
    """An open `Memoranda`, which this object does not close."""
    workspace: str | None = None
    k: int = 10

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None
    ) -> list[Document]:
        memory = cast(Memoranda, self.memory)
        hits = memory.search(
            query, workspace=self.workspace, limit=k or self.k, where=SearchFilter(kinds=RECORDS)
        ).hits
        return [
            Document(
                id=hit.id,
                page_content=(
                    memory.memories.show(hit.id).memory.content
                    if hit.kind is HitKind.MEMORY
                    else memory.observations.show(hit.id).content
                ),
                metadata={
                    "kind": str(hit.kind),
                    "type": hit.type,
                    "ref": hit.ref,
                    "title": hit.title,
                    "task": hit.task,
                    "created_at": hit.created_at,
                    "score": hit.score,
                },
            )
            for hit in hits
        ]


def _document(stored: Kept) -> Document:
    fields = fields_of(stored, *FIELDS)
    return Document(id=stored.key, page_content=fields["text"], metadata=fields["metadata"])


def _test(wanted: Filter | None) -> Callable[[Document], bool]:
    if callable(wanted):
        return wanted
    filters = dict(wanted or {})
    for name in (item for key, value in filters.items() for item in (key, *_names(value))):
        if name.startswith("$"):
            raise InvalidInput(
                f"unknown operator {name!r}: use metadata values, or pass a function"
            )
    return lambda one: all(one.metadata.get(key) == value for key, value in filters.items())


def _names(value: Any) -> Sequence[str]:
    return [str(name) for name in value] if isinstance(value, Mapping) else ()


def _jsonable(value: Any) -> Any:
    from base64 import b64encode

    if isinstance(value, bytes):
        return {"$bytes": b64encode(value).decode("ascii")}
    return {"value": checked_json(value)}


def _plain(value: Any) -> Any:
    from base64 import b64decode

    if value is None:
        return None
    if "$bytes" in value:
        return b64decode(value["$bytes"])
    return value["value"]
