"""LangGraph store items as documents.

An item is ``{"value": ..., "ttl": seconds or null}`` under ``i/...``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from langgraph.store.base import Item, SearchItem

from memoranda.clock import MICROSECONDS
from memoranda.documents.model import Document
from memoranda.exceptions import CorruptData
from memoranda.integrations.document_keys import item_of

ITEMS = "i/"
"""Prefix of the keys."""


@dataclass(frozen=True, slots=True)
class FoundItem:
    """Item found, with its similarity to the query; None without a query."""

    document: Document
    score: float | None = None

    def rank(self) -> tuple[float, int, str]:
        """Return the sort key of an item: the nearest first, then the newest."""
        near = math.inf if self.score is None else -self.score
        return near, -self.document.updated_at, self.document.key

    @property
    def item(self) -> SearchItem:
        """The item in LangGraph's type."""
        return SearchItem(**_parts(self.document), score=self.score)


def item_from(document: Document) -> Item:
    """Return the item stored in a document."""
    return Item(**_parts(document))


def kept(document: Document) -> Mapping[str, Any]:
    """Return the content of a document.

    Raises:
        CorruptData: it is not an item.
    """
    if not isinstance(document.value, dict) or "value" not in document.value:
        raise CorruptData(f"{document.key!r} was written by another program; choose another space")
    return document.value


def _parts(document: Document) -> dict[str, Any]:
    namespace, key = item_of(document.key.removeprefix(ITEMS))
    return {
        "namespace": namespace,
        "key": key,
        "value": kept(document)["value"],
        "created_at": _moment(document.created_at),
        "updated_at": _moment(document.updated_at),
    }


def _moment(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / MICROSECONDS, UTC)
