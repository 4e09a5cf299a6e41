"""Search with cached results, valid until the team's data changes.

Every change of a team adds an entry to its journal, so the newest entry, read in the snapshot that
is searched, identifies the version of everything that a search can find. While vectors are being
computed, which no entry records, nothing is cached.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

from memoranda.json_data import as_json, dump_json
from memoranda.ports import Cache
from memoranda.search.model import (
    Contradiction,
    Excerpt,
    Hit,
    HitKind,
    SearchMode,
    SearchResult,
    Validation,
)
from memoranda.search.query_executor import SearchQuery
from memoranda.search.search_service import Search
from memoranda.time_zone_names import reader_zone

TTL_SECONDS = 300
"""Maximum age of a cached result in seconds."""


class CachedSearch:
    """Cache for `Search`: same query on the same data."""

    def __init__(self, search: Search, cache: Cache) -> None:
        self._search = search
        self._cache = cache

    def search(self, query: SearchQuery) -> SearchResult:
        """Return the hits, best first.

        The result is empty for an empty query or an unknown scope.

        Raises:
            InvalidInput: the limit is out of range, or the cursor is not one of a search.
        """
        team = query.scope.team
        question = f"{reader_zone()} {dump_json(as_json(asdict(query)))}"  # dates depend on it
        known: list[SearchResult] = []

        def cached(version: str) -> SearchResult | None:
            data = self._cache.get(team, _key(version, question))
            search_result = _decoded(data) if data else None
            if search_result is not None:
                known.append(search_result)
            return search_result

        result, version = self._search.versioned(query, cached)
        if version and not known and not result.degraded:
            self._cache.put(team, _key(version, question), _encoded(result), TTL_SECONDS)
        return result


def _key(version: str, query: str) -> str:
    return hashlib.sha256(f"{version} {query}".encode("utf-8", "surrogatepass")).hexdigest()


def _encoded(result: SearchResult) -> bytes:
    return json.dumps(result, default=_fields).encode()


def _fields(value: Any) -> dict[str, Any]:
    """Return a frozen dataclass's fields without deep copies."""
    return {name: getattr(value, name) for name in value.__slots__}


def _decoded(data: bytes) -> SearchResult | None:
    """Parse a result; None if it has another version's format."""
    try:
        fields = json.loads(data)
        fields_read = {name: tuple(map(_hit, fields[name])) for name in ("hits", "nearest")}
        validation = _validation(fields["validation"])
        mode = {"mode": SearchMode(fields["mode"])}
        return SearchResult(**fields | fields_read | mode | {"validation": validation})
    except (TypeError, ValueError, KeyError):
        return None


def _validation(fields: dict[str, Any]) -> Validation:
    contradictions = tuple(
        Contradiction(**contradiction) for contradiction in fields["contradictions"]
    )
    left_out = tuple(fields["left_out"])
    return Validation(**fields | {"contradictions": contradictions, "left_out": left_out})


def _hit(fields: dict[str, Any]) -> Hit:
    excerpt = Excerpt(**fields["excerpt"]) if fields["excerpt"] else None
    kind, tags = HitKind(fields["kind"]), tuple(fields["tags"])
    return Hit(**fields | {"kind": kind, "tags": tags, "excerpt": excerpt})
