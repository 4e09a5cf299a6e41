"""Full-text search with tsvector and trigrams, in tables next to the rows.

Text is split into terms here. PostgreSQL's parser treats a path or an address as one term, so that
a search would miss the parts that the embedded engine finds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from memoranda.json_data import dump_json
from memoranda.language.lexemes import MAX_LENGTH, WORD, indexed, is_plain, phrase
from memoranda.store.database import (
    Frequencies,
    Parameters,
    Row,
    TextEntry,
    TextHit,
    TextQuery,
    load_statements,
)
from memoranda.store.postgres.counts import CachedCounts

SQL = load_statements(__file__)

SEARCHABLE = frozenset({"observation", "memory"})
MAX_WORDS = 8
COMMON = 20_000
"""Number of records at which counting stops."""
_WILD = re.compile(r"([\\%_])")


class FullTextStatements(Protocol):
    """The part of a transaction that the full-text index needs."""

    def execute(self, sql: str, parameters: Parameters) -> int:
        """Run one statement."""
        ...

    def many(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Run one statement for every row."""
        ...

    def fetch(self, sql: str, parameters: Parameters) -> list[Row]:
        """Run one query."""
        ...


class PostgresFullText:
    """The full-text index of one table in one transaction."""

    def __init__(self, transaction: FullTextStatements, table: str, counts: CachedCounts) -> None:
        if table not in SEARCHABLE:
            raise KeyError(table)
        self._transaction = transaction
        self._table = table
        self._counts = counts

    def add(self, entries: Iterable[TextEntry]) -> None:
        """Index rows that were inserted in this transaction."""
        rows = (
            {
                "team": entry.team,
                "id": entry.id,
                "workspace": entry.workspace,
                "task": entry.task,
                "words": _plain(entry.text, indexed),
                "identifiers": "\n".join(entry.identifiers).lower(),
            }
            for entry in entries
        )
        self._transaction.many(SQL[f"add_{self._table}"], rows)

    def remove(self, team: str, ids: Sequence[str]) -> None:
        """Remove rows from the index."""
        bindings = {"team": team, "ids": dump_json(list(ids))}
        self._transaction.execute(SQL[f"remove_{self._table}"], bindings)

    def search(self, query: TextQuery) -> list[TextHit]:
        """Return hits by stems and by identifier parts together, best first."""
        phrases = [_plain(word, phrase) for word in dict.fromkeys(query.words)]
        phrases = [phrase for phrase in phrases if phrase][:MAX_WORDS]
        parts = [_pattern(term) for term in query.identifiers if len(term) >= 3][:MAX_WORDS]
        bindings = {
            "team": query.team,
            "workspace": query.workspace,
            "task": query.task,
            "words": dump_json(list(phrases)),
            "parts": dump_json(list(parts)),
            "limit": query.limit,
        }
        rows = self._transaction.fetch(SQL[f"search_{self._table}"], bindings)
        return [TextHit(id, score) for id, score in rows]

    def containing(self, team: str, ids: Sequence[str], words: Sequence[str]) -> set[str]:
        """Return which records contain every word, or another form of the word."""
        phrases = [text for word in words if (text := _plain(word, phrase))]
        if not ids or not phrases:
            return set()
        bindings = {"team": team, "ids": dump_json(list(ids)), "words": dump_json([*phrases])}
        return {id for (id,) in self._transaction.fetch(SQL[f"containing_{self._table}"], bindings)}

    def frequencies(self, team: str, words: Sequence[str]) -> Frequencies:
        """Count the records in the team, in total and by word.

        A word that occurs in very many records is counted as `COMMON`, and a high count may be some
        minutes old.
        """
        total = self._total(team)
        counts = {word: self._counts.known(team, self._table, word) for word in words}
        unknown = [word for word, count in counts.items() if count is None] if total else []
        if unknown:
            named = {_plain(word, phrase): word for word in unknown}
            bindings = {"team": team, "words": dump_json([*named]), "most": COMMON}
            for found, count in self._transaction.fetch(SQL[f"count_{self._table}"], bindings):
                counts[named[found]] = int(count)
                self._counts.keep(int(count), team, self._table, named[found])
        return Frequencies(total, {word: counts[word] or 0 for word in words})

    def _total(self, team: str) -> int:
        count = self._counts.known(team, self._table)
        if count is None:
            rows = self._transaction.fetch(SQL[f"total_{self._table}"], {"team": team})
            count = int(rows[0][0])
            self._counts.keep(count, team, self._table)
        return count

    def purge(self) -> None:
        """Do nothing; PostgreSQL's vacuum removes deleted rows from its indexes."""


def _plain(text: str, analysed: Callable[[str], str]) -> str:
    """Split plain text into words as FTS5 does.

    Words consist of letters and digits, in lower case.
    """
    result = analysed(text)
    if not is_plain(text):
        return result
    return " ".join(word for word in WORD.findall(result.lower()) if len(word) <= MAX_LENGTH)


def _pattern(part: str) -> str:
    escaped = _WILD.sub(r"\\\1", part.lower())
    return f"%{escaped}%"
