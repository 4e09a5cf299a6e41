"""Full text in the model: plain words, and parts of identifiers."""

from __future__ import annotations

import re

from contract.model.content import Model
from memoranda.store.database import TextEntry, TextQuery

_WORD = re.compile(r"[^\W_]+")


def found(model: Model, table: str, query: TextQuery) -> set[str]:
    """Return the ids of the rows in scope with one of the words or parts."""
    texts = model.of(query.team).texts
    return {
        id
        for (where, id), entry in texts.items()
        if where == table and _in_scope(table, entry, query) and _holds(entry, query)
    }


def purge(model: Model, table: str) -> None:
    """Do nothing: removed text leaves nothing behind."""


def _in_scope(table: str, entry: TextEntry, query: TextQuery) -> bool:
    if table == "memory":
        return query.workspace is None or entry.workspace in (None, query.workspace)
    return query.workspace in (None, entry.workspace) and query.task in (None, entry.task)


def _holds(entry: TextEntry, query: TextQuery) -> bool:
    words = set(_WORD.findall(entry.text.lower()))
    parts = [part.lower() for part in query.identifiers if len(part) >= 3]
    names = [name.lower() for name in entry.identifiers]
    return any(word.lower() in words for word in query.words) or any(
        part in name for part in parts for name in names
    )
