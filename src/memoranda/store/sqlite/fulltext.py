"""Full-text search with FTS5: stems for prose, trigrams for names and CJK.

The tables are contentless: text is stored once, in its blob, and a row of the index is identified
by the ``docid`` of the row that it indexes. Query text is always quoted token by token, since in
FTS5's query syntax ordinary terms such as ``foo-bar`` are errors.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import apsw

from memoranda.json_data import dump_json
from memoranda.language.lexemes import indexed, phrase
from memoranda.store.database import Frequencies, TextEntry, TextHit, TextQuery

SEARCHABLE = frozenset({"observation", "memory"})
MAX_WORDS = 8
"""Maximum number of words of a query.

FTS5 scans the full posting list of every word; more words than this cost more than they help
(measured on a million rows).
"""
MAX_SHARE = 0.3
"""Fraction of all rows above which a scope is checked row by row.

The index would otherwise scan every row of the scope for each query.
"""
WALKED = 4_000
"""Maximum number of matching memories that are each checked, whatever the scope.

At 100,000 memories this takes 3 ms instead of 6 ms for a team, and 5 ms instead of 23 ms for a
workspace, since the index contains only the team of a memory, not who may see it.
"""
ENOUGH = 2
"""Factor by which more matches are examined if most are in other workspaces."""
COMMON = 3_000
"""Maximum number of rows containing a name up to which the rows are ranked.

Ranking such rows takes five times as long as finding them (28 ms for 5,700 rows), and their ranks
are nearly the same.
"""
FURTHER = 10
"""Maximum multiple of the limit that is examined first, and factor by which the number is increased
for another search.
"""
CONTAINING = 10_000
"""Maximum number of rows containing all words that are read, newest first; reading them takes 5 ms.
"""


@dataclass(frozen=True, slots=True)
class _Statements:
    docids: str
    add_words: str
    add_terms: str
    remove_words: str
    remove_terms: str
    search_words: str
    containing: str
    search_terms: str
    newest_terms: str
    count_terms: str
    frequencies: str


def _statements(table: str) -> _Statements:
    def add(index: str, columns: str, values: str) -> str:
        return f"insert into {table}_{index} (rowid, {columns}) values (:docid, {values})"

    def remove(index: str) -> str:
        return (
            f"delete from {table}_{index} where rowid in (select docid from {table} "
            "where team = :team and id in (select value from json_each(:ids)))"
        )

    def search(index: str, rank: str = "rank", order: str = "rank") -> str:
        task = "and (:task is null or row.task = :task) " if table == "observation" else ""
        return (
            f"with hit as (select rowid, {rank} as rank from {table}_{index} "
            f"where {table}_{index} match :match order by {order} limit :reach) "
            "select case when row.team = :team "
            "and (:workspace is null or row.workspace is null or row.workspace = :workspace) "
            f"{task}then row.id end, -hit.rank "
            f"from hit left join {table} as row on row.docid = hit.rowid order by hit.{order}"
        )

    docids = (
        f"select team, id, docid from {table} "
        "where team = :team and id in (select value from json_each(:ids))"
    )
    return _Statements(
        docids=docids,
        add_words=add("words", "scope, body", ":scope, :text"),
        add_terms=add("terms", "body", ":identifiers"),
        remove_words=remove("words"),
        remove_terms=remove("terms"),
        search_words=search("words"),
        containing=f"select rowid from {table}_words where {table}_words match :match "
        "order by rowid desc limit :most",
        search_terms=search("terms"),
        newest_terms=search("terms", rank="-1.0", order="rowid desc"),
        count_terms="select (select count(*) from (select 1 from "
        f"{table}_terms where {table}_terms match wanted.value limit :most)) "
        "from json_each(:matches) as wanted order by wanted.key",
        frequencies=f"select found.term, found.doc from json_each(:stems) as wanted "
        f"cross join {table}_vocabulary as found on found.term = wanted.value "
        f"union all select null, coalesce(max(docid), 0) from {table}",
    )


_BY_TABLE = {table: _statements(table) for table in SEARCHABLE}


class SqliteFullText:
    """The full-text index of one table in one transaction."""

    def __init__(self, connection: apsw.Connection, table: str) -> None:
        self._connection = connection
        self._table = table
        self._sql = _BY_TABLE[table]
        self._counts: dict[str | None, int] = {}
        """Stem frequencies read in this transaction; the total is under the key None."""

    def add(self, entries: Iterable[TextEntry]) -> None:
        """Index rows that were inserted in this transaction."""
        text_entries = list(entries)
        self._counts.clear()
        docids = self._docids([(entry.team, entry.id) for entry in text_entries])
        rows = [
            {
                "docid": docids[entry.team, entry.id],
                "scope": " ".join(_scope_tokens(entry.team, entry.workspace, entry.task)),
                "text": indexed(entry.text),
                "identifiers": "\n".join(entry.identifiers),
            }
            for entry in text_entries
        ]
        self._connection.executemany(self._sql.add_words, rows)
        self._connection.executemany(
            self._sql.add_terms, [row for row in rows if row["identifiers"]]
        )

    def _docids(self, records: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """Look up rows by team and id, in advance.

        They are looked up first because an insert from a select makes FTS5 flush after each row.
        """
        result: dict[tuple[str, str], int] = {}
        for team in {team for team, _ in records}:
            ids = dump_json([id for of_team, id in records if of_team == team])
            bindings = {"team": team, "ids": ids}
            rows = self._connection.execute(self._sql.docids, bindings).fetchall()
            result |= {(str(row[0]), str(row[1])): cast("int", row[2]) for row in rows}
        return result

    def remove(self, team: str, ids: Sequence[str]) -> None:
        """Remove rows from the index before the rows themselves are deleted."""
        self._counts.clear()
        bindings = {"team": team, "ids": dump_json(list(ids))}
        self._connection.execute(self._sql.remove_words, bindings)
        self._connection.execute(self._sql.remove_terms, bindings)

    def search(self, query: TextQuery) -> list[TextHit]:
        """Return hits by stems and by trigrams together, best first."""
        scores: dict[str, float] = {}
        words = [
            phrase_text
            for word in dict.fromkeys(query.words)
            if (phrase_text := phrase(word).strip())
        ]
        words = words[:MAX_WORDS]
        if words:
            scores |= self._by_words(words, query)
        terms = [term for term in query.identifiers if len(term) >= 3][:MAX_WORDS]
        if terms:
            found = self._by_names(terms, query)
            for id, score in found.items():
                scores[id] = scores.get(id, 0.0) + score
        ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        return [TextHit(id, score) for id, score in ranked[: query.limit]]

    def _by_words(self, words: Sequence[str], query: TextQuery) -> dict[str, float]:
        match = f"body : ({_any_of(words)})"
        share, reach = query.share, _examined(query)
        if self._table == "memory":
            share, reach = self._seen(words, query)
        if share < MAX_SHARE:
            # Only the narrowest level of the scope is used, since checking the other levels in the
            # row is cheaper.
            match = f"scope : {_quoted(self._scope(query)[-1])} AND {match}"
        return self._hits(self._sql.search_words, match, query, reach)

    def _by_names(self, names: Sequence[str], query: TextQuery) -> dict[str, float]:
        """Return the best hits for names.

        Names that occur in very many rows are not ranked, because ranking is slow and not
        informative: their newest hits follow the hits of rarer names.
        """
        rare = self._rare(names)
        reach, result = _further(query), dict[str, float]()
        if rare:
            result = self._hits(self._sql.search_terms, _any_of(rare), query, reach)
        if len(rare) < len(names) and len(result) < query.limit:
            common = _any_of([name for name in names if name not in rare])
            newest = self._hits(self._sql.newest_terms, common, query, reach)
            least = min(result.values(), default=1.0) / 2
            others = [id for id in newest if id not in result]
            result |= dict.fromkeys(others[: query.limit - len(result)], least)
        return result

    def _rare(self, names: Sequence[str]) -> list[str]:
        bindings = {"matches": dump_json([_quoted(name) for name in names]), "most": COMMON + 1}
        counts = self._connection.execute(self._sql.count_terms, bindings).fetchall()
        return [
            name
            for name, (count,) in zip(names, counts, strict=True)
            if cast("int", count) <= COMMON
        ]

    def _seen(self, words: Sequence[str], query: TextQuery) -> tuple[float, int]:
        """Return the team's share of all memories, and the initial match limit.

        The limit is how many matches are examined first. The index contains only the team of a
        memory, not who may see it: for a workspace, enough matches are examined to include
        sufficiently many that are visible in the workspace, and all matches if there are few.
        """
        matches = sum(self.frequencies(query.team, words).of.values())
        if matches <= WALKED:
            return 1.0, max(query.limit, matches if query.workspace else 0)
        levels = _scope_tokens(query.team, query.workspace, None)
        frequencies = self.frequencies(query.team, levels)
        frequency = max(1, frequencies.of[levels[0]])
        further = (
            1
            if query.workspace is None
            else ENOUGH * frequency // max(1, frequencies.of[levels[-1]])
        )
        return frequency / max(1, frequencies.total), query.limit * max(1, further)

    def containing(self, team: str, ids: Sequence[str], words: Sequence[str]) -> set[str]:
        """Return which records contain every word, or another form of the word."""
        phrases = [text for word in words if (text := phrase(word).strip())]
        if not ids or not phrases:
            return set()
        every = " AND ".join(_quoted(text) for text in phrases)
        bindings = {"match": f"body : ({every})", "most": CONTAINING}
        rows = self._connection.execute(self._sql.containing, bindings).fetchall()
        found = {cast("int", docid) for (docid,) in rows}
        docids = self._docids([(team, id) for id in ids]) if found else {}
        return {id for (_, id), docid in docids.items() if docid in found}

    def frequencies(self, team: str, words: Sequence[str]) -> Frequencies:
        """Count over the entire file, whose index does not separate teams."""
        stems = {word: _stem(self._connection, phrase(word)) for word in words}
        unknown = [stem for stem in stems.values() if stem not in self._counts]
        if unknown or None not in self._counts:
            bindings = {"stems": dump_json([*unknown])}
            rows = self._connection.execute(self._sql.frequencies, bindings).fetchall()
            self._counts |= dict.fromkeys(unknown, 0)
            self._counts |= dict(cast("list[tuple[str | None, int]]", rows))
        found = {word: self._counts[stem] for word, stem in stems.items()}
        return Frequencies(self._counts[None], found)

    def purge(self) -> None:
        """Merge the index into one segment, which drops data of removed rows."""
        for index in ("words", "terms"):
            name = f"{self._table}_{index}"
            self._connection.execute(f"insert into {name} ({name}) values ('optimize')")

    def _scope(self, query: TextQuery) -> Sequence[str]:
        if self._table == "memory":  # a memory without a workspace is visible from every workspace
            return _scope_tokens(query.team, None, None)
        return _scope_tokens(query.team, query.workspace, query.task)

    def _hits(self, sql: str, match: str, query: TextQuery, examined: int) -> dict[str, float]:
        """Return the best hits in scope.

        More matches are examined if too many of the best are out of scope.
        """
        while True:
            bindings = {
                "match": match,
                "team": query.team,
                "workspace": query.workspace,
                "task": query.task,
                "reach": examined,
            }
            rows = cast(
                "list[tuple[str | None, float]]", self._connection.execute(sql, bindings).fetchall()
            )
            found = [(id, score) for id, score in rows if id is not None]
            if len(found) >= query.limit or len(rows) < examined:
                return dict(found[: query.limit])
            examined *= FURTHER


def _examined(query: TextQuery) -> int:
    """Return how many of the best matches to check first."""
    return query.limit if query.share < MAX_SHARE else 2 * query.limit


def _further(query: TextQuery) -> int:
    """Return how many matches to check first in an index without scopes.

    The number should include enough matches in scope. A second search costs as much as examining
    ten times as many matches at once.
    """
    seldom = query.share < 1 / FURTHER
    return query.limit * (FURTHER if seldom else math.ceil(ENOUGH / query.share))


def _stem(connection: apsw.Connection, word: str) -> str:
    """Return the first token that the index creates for a word."""
    tokenize = connection.fts5_tokenizer("porter", ["unicode61"])
    reason = apsw.FTS5_TOKENIZE_QUERY
    found = tokenize(word.encode(), reason, None, include_offsets=False, include_colocated=False)
    return str(next(iter(found), ""))


@lru_cache(maxsize=64)
def _scope_tokens(team: str, workspace: str | None, task: str | None) -> tuple[str, ...]:
    """Return one token per level of the scope.

    The format of the tokens cannot occur in a text.
    """
    levels = [f"team\0{team}"]
    if workspace:
        levels.append(f"workspace\0{team}\0{workspace}")
    if task:
        levels.append(f"task\0{team}\0{task}")
    hashes = (hashlib.blake2b(level.encode(), digest_size=8) for level in levels)
    return tuple(f"x{found.hexdigest()}" for found in hashes)


def _quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def _any_of(tokens: Sequence[str]) -> str:
    return " OR ".join(map(_quoted, tokens))
