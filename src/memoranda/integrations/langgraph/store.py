"""LangGraph's store on documents.

Items are stored under namespaces and found by name, filter and meaning.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from anyio.to_thread import run_sync
from langgraph.store.base import (
    BaseStore,
    GetOp,
    IndexConfig,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.clock import MICROSECONDS
from memoranda.documents.model import Document, NewDocument
from memoranda.exceptions import InvalidInput
from memoranda.integrations.document_keys import below, item_key, item_of
from memoranda.integrations.document_space import DocumentSpace, fields_of
from memoranda.integrations.langgraph.filters import matches, passes_filter, require_known
from memoranda.integrations.langgraph.vector_index import Index
from memoranda.json_data import JsonValue
from memoranda.memory import Memoranda

ITEMS = "i/"
"""Prefix of the keys."""


@dataclass(frozen=True, slots=True)
class FoundItem:
    """Item that was found, with its similarity to the query, if there is one."""

    document: Document
    score: float | None = None

    def rank(self) -> tuple[float, int, str]:
        """Return the sort key of an item: nearest first, then newest."""
        near = math.inf if self.score is None else -self.score
        return near, -self.document.updated_at, self.document.key

    @property
    def item(self) -> SearchItem:
        """The item as LangGraph's type."""
        return SearchItem(**_parts(self.document), score=self.score)


def item_from(document: Document) -> Item:
    """Return the item stored in a document."""
    return Item(**_parts(document))


def _parts(document: Document) -> dict[str, Any]:
    namespace, key = item_of(document.key.removeprefix(ITEMS))
    return {
        "namespace": namespace,
        "key": key,
        "value": fields_of(document, "value")["value"],
        "created_at": _moment(document.created_at),
        "updated_at": _moment(document.updated_at),
    }


def _moment(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / MICROSECONDS, UTC)


SPACE = "langgraph.store"


class MemorandaStore(BaseStore):
    """LangGraph store that keeps items in Memoranda.

    It works locally or on a server and is thread-safe. Expired items are not visible. A value is
    restored exactly as it was. A value that contains a credential is refused, unless ``secrets``
    specifies otherwise.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: Memoranda,
        *,
        workspace: str | None = None,
        space: str = SPACE,
        index: IndexConfig | None = None,
        ttl: TTLConfig | None = None,
        secrets: SecretPolicy | str = SecretPolicy.REFUSE,
    ) -> None:
        """Store items in a space of a workspace or team.

        Args:
            memory: an open `Memoranda`; the store does not close it.
            index: the embedding model and the fields it applies to; without it, items are not found
                by meaning. `offline_index` returns one that needs no network.
            ttl: lifetime of items in minutes, and whether reading extends it.
            secrets: handling of a value in which a credential is found: ``refuse`` raises an error,
                ``encrypt`` accepts the value if the store is encrypted, ``redact`` removes the
                credential.
        """
        self._shelf = DocumentSpace(memory, space, workspace, secrets)
        self._index = Index(self._shelf, index)
        self.index_config, self.embeddings = index, self._index.embeddings
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Run operations: all reads first, then all writes.

        Reads see the state before any of the operations; if a key is written several times, the
        last write counts.
        """
        operations = _checked(ops)
        return self._carry_out(operations, self._index.vectors(*_texts(operations, self._index)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Async variant of `batch`."""
        operations = _checked(ops)
        vectors = await self._index.avectors(*_texts(operations, self._index))
        return await run_sync(self._carry_out, operations, vectors)

    def _carry_out(self, ops: Sequence[Op], vectors: Mapping[str, Sequence[float]]) -> list[Result]:
        results: list[Result] = []
        puts: dict[str, PutOp] = {}
        for op in ops:
            match op:
                case GetOp():
                    results.append(self._get(op))
                case SearchOp():
                    results.append(self._search(op, vectors))
                case ListNamespacesOp():
                    results.append(self._namespaces(op))
                case PutOp():
                    puts[item_key(op.namespace, op.key)] = op
                    results.append(None)
                case _:
                    raise ValueError(f"unknown operation {type(op).__name__}")
        self._put(puts, vectors)
        return results

    def _get(self, op: GetOp) -> Item | None:
        documents = self._shelf.get([ITEMS + item_key(op.namespace, op.key)])
        self._renew(documents if op.refresh_ttl else [])
        return item_from(documents[0]) if documents else None

    def _search(self, op: SearchOp, vectors: Mapping[str, Sequence[float]]) -> list[SearchItem]:
        require_known(op.filter)
        _require_page(op)
        beginning = below(op.namespace_prefix)
        vector = vectors.get(op.query) if op.query else None
        if vector is None and not op.filter:
            chosen = self._newest(beginning, op)
        else:
            scores = self._index.scores(beginning, vector) if vector is not None else {}
            chosen = [
                FoundItem(document, scores.get(document.key.removeprefix(ITEMS)))
                for document in self._shelf.listed(ITEMS + beginning)
                if passes_filter(fields_of(document, "value")["value"], op.filter)
            ]
            chosen.sort(key=FoundItem.rank)
            chosen = chosen[op.offset : op.offset + op.limit]
        self._renew([found_item.document for found_item in chosen] if op.refresh_ttl else [])
        return [item.item for item in chosen]

    def _newest(self, beginning: str, op: SearchOp) -> list[FoundItem]:
        """Return a page of all items, newest first, reading only its values."""
        there = [
            FoundItem(document) for document in self._shelf.listed(ITEMS + beginning, values=False)
        ]
        there.sort(key=FoundItem.rank)
        keys = [item.document.key for item in there[op.offset : op.offset + op.limit]]
        return [FoundItem(one) for one in self._shelf.get(keys)]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        _require_page(op)
        found = {
            namespace[: op.max_depth] if op.max_depth is not None else namespace
            for namespace in self._shelf_namespaces()
            if all(matches(item, namespace) for item in op.match_conditions or ())
        }
        return sorted(found)[op.offset : op.offset + op.limit]

    def _shelf_namespaces(self) -> Iterable[tuple[str, ...]]:
        """Yield every namespace with an item, without scanning all items."""
        beyond = ""
        while document := next(self._shelf.listed(ITEMS, values=False, beyond=beyond), None):
            namespace, _ = item_of(document.key.removeprefix(ITEMS))
            yield namespace
            beyond = f"{ITEMS}{below(namespace)}:\U0010ffff"

    def _put(self, puts: Mapping[str, PutOp], vectors: Mapping[str, Sequence[float]]) -> None:
        new: list[NewDocument] = []
        for key, op in puts.items():
            if op.value is None:
                self._shelf.delete([ITEMS + key])
                self._index.drop(key)
                continue
            seconds = math.ceil(op.ttl * 60) if op.ttl else None
            value: JsonValue = {"value": dict(op.value), "ttl": seconds}
            found_by = self._index.documents(key, op, vectors, seconds)
            self._index.drop(key, found_by)
            new += [*found_by, NewDocument(ITEMS + key, value, seconds)]
        self._shelf.put(new)

    def _renew(self, found: Sequence[Document]) -> None:
        """Extend the lifetime of items that expire."""
        again: list[NewDocument] = []
        for document in found:
            if document.expires_at is not None and (seconds := fields_of(document, "value")["ttl"]):
                beside = self._index.of(document.key.removeprefix(ITEMS))
                again += [replace(other, ttl=seconds) for other in beside]
                again.append(NewDocument(document.key, document.value, seconds, document.version))
        self._shelf.renew(again)


def _checked(ops: Iterable[Op]) -> list[Op]:
    """Return validated operations.

    Refuse a batch if LangGraph's ``put`` or ``get`` would refuse one part.

    Raises:
        InvalidNamespaceError: a label is empty, is not a string, or contains a period or NUL.
    """
    checked = list(ops)
    for op in checked:
        validate_op_namespace(op)
    return checked


def _texts(ops: Sequence[Op], index: Index) -> tuple[list[str], list[str]]:
    """Return the distinct texts to be stored, and the distinct queries."""
    last = {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}
    put = dict.fromkeys(text for op in last.values() for _, text in index.texts(op))
    queries = dict.fromkeys(op.query for op in ops if isinstance(op, SearchOp) and op.query)
    return list(put), list(queries)


def _require_page(op: SearchOp | ListNamespacesOp) -> None:
    """Refuse a negative limit or offset, which Python counts from the end."""
    if op.limit < 0 or op.offset < 0:
        raise InvalidInput(f"limit and offset must be at least 0, not {op.limit} and {op.offset}")
