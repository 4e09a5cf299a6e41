"""Vector index of LangGraph store items.

Vectors are stored as documents next to the item, one for each text, under ``e/<item>/<field>``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from langgraph.store.base import (
    IndexConfig,
    PutOp,
    ensure_embeddings,
    get_text_at_path,
    tokenize_path,
)

from memoranda.documents.model import NewDocument
from memoranda.exceptions import InvalidInput
from memoranda.integrations.document_space import DocumentSpace
from memoranda.integrations.vectors import (
    cosines,
    inner_products,
    negative_distances,
    packed,
    unpacked,
)

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

VECTORS = "e/"
"""Prefix of the keys."""
Vector = Sequence[float]
MEASURES: Mapping[str, Callable[[Sequence[Any], Vector], list[float]]] = {
    "cosine": cosines,
    "inner_product": inner_products,
    "l2": negative_distances,
}
"""Similarity measures by their names in LangGraph's PostgresStore."""


class Index:
    """Index of items by embedding; finds nothing if none is configured."""

    def __init__(self, shelf: DocumentSpace, config: IndexConfig | None) -> None:
        self._shelf = shelf
        self.embeddings: Embeddings | None = None
        self._fields: list[str] = []
        if config is not None:
            self.embeddings = ensure_embeddings(config.get("embed"))
            # LangGraph's SqliteStore reads the fields from ``text_fields``
            options: Mapping[str, Any] = config
            self._fields = list(options.get("fields") or options.get("text_fields") or ["$"])
            self._dimensions = config.get("dims")
            measure = str(options.get("distance_type") or "cosine")
            if measure not in MEASURES:
                raise InvalidInput(
                    f"unknown distance {measure!r}; use one of {', '.join(MEASURES)}"
                )
            self._measure = MEASURES[measure]

    def texts(self, op: PutOp) -> Iterator[tuple[str, str]]:
        """Yield the texts of an item to be indexed, each with its path."""
        if self.embeddings is None or op.value is None or op.index is False:
            return
        for path in self._fields if op.index is None else op.index:
            found = get_text_at_path(op.value, path if path == "$" else tokenize_path(path))
            for at, text in enumerate(found):
                yield (f"{path}.{at}" if len(found) > 1 else path), text

    def vectors(self, put: Sequence[str], texts: Sequence[str]) -> dict[str, Vector]:
        """Return the embeddings of texts to be stored and of queries."""
        if self.embeddings is None:
            return {}
        made = self.embeddings.embed_documents(list(put)) if put else []
        found = [self.embeddings.embed_query(text) for text in texts]
        return self._checked(put, made) | self._checked(texts, found)

    async def avectors(self, put: Sequence[str], texts: Sequence[str]) -> dict[str, Vector]:
        """Async variant of `vectors`."""
        if self.embeddings is None:
            return {}
        made = await self.embeddings.aembed_documents(list(put)) if put else []
        found = await asyncio.gather(*map(self.embeddings.aembed_query, texts))
        return self._checked(put, made) | self._checked(texts, found)

    def documents(
        self, key: str, op: PutOp, vectors: Mapping[str, Vector], seconds: int | None
    ) -> list[NewDocument]:
        """Return the index entries of an item."""
        return [
            NewDocument(f"{VECTORS}{key}/{_escaped(place)}", packed(vectors[text]), seconds)
            for place, text in self.texts(op)
        ]

    def drop(self, key: str, but: Sequence[NewDocument] = ()) -> None:
        """Delete the index entries of an item, except the current ones."""
        if self.embeddings is not None:
            now = {document.key for document in but}
            there = list(self._shelf.keys(f"{VECTORS}{key}/"))
            self._shelf.delete([item for item in there if item not in now])

    def of(self, key: str) -> list[NewDocument]:
        """Return the current index entries of an item, to store them again."""
        if self.embeddings is None:
            return []
        documents = self._shelf.listed(f"{VECTORS}{key}/")
        return [
            NewDocument(document.key, document.value, version=document.version)
            for document in documents
        ]

    def scores(self, beginning: str, vector: Vector) -> dict[str, float]:
        """Return the cosine with a vector for each item below a namespace.

        For an item with several texts, the nearest one counts.
        """
        documents = list(self._shelf.listed(f"{VECTORS}{beginning}"))
        best: dict[str, float] = {}
        scores = self._measure([unpacked(item.value) for item in documents], vector)
        for document, score in zip(documents, scores, strict=True):
            key = document.key.removeprefix(VECTORS).rpartition("/")[0]
            best[key] = max(score, best.get(key, score))
        return best

    def _checked(self, texts: Sequence[str], made: Sequence[Vector]) -> dict[str, Vector]:
        if len(made) != len(texts):
            raise InvalidInput(
                f"the embeddings returned {len(made)} vectors for {len(texts)} texts"
            )
        if wrong := {len(item) for item in made} - {
            self._dimensions or len(made[0] if made else ())
        }:
            raise InvalidInput(
                f"the index has {self._dimensions} dimensions, the embeddings have {wrong.pop()}"
            )
        return dict(zip(texts, made, strict=True))


def _escaped(place: str) -> str:
    return place.replace("%", "%25").replace("/", "%2F")
