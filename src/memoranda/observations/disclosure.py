"""Progressive disclosure: index, summaries, full content.

Each layer is a separate call, so that an agent uses tokens only for what it opens: about 20 tokens
for a row of the index, 100 for a summary; the exact cost of the full content is stated in advance.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.ids import ambiguous
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.observations.content import readable
from memoranda.observations.model import FullObservation, IndexEntry, Observation, Salience, title
from memoranda.observations.table import ANY, END, ObservationFilter
from memoranda.page import Page, checked_limit, number_of, page_of, place_of
from memoranda.ports import TokenCounter
from memoranda.scope import Scope
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind, RelevantObservations
from memoranda.search.query_executor import SearchQuery
from memoranda.search.search_service import Search
from memoranda.store.database import Database, Transaction
from memoranda.text import normalise, one_line

EXPANDED_SHARE = 0.5
"""Maximum share of a token budget for full contents; the rest is for summaries."""
EXPANDED = 5
"""Maximum number of full contents that are returned."""
MINIMUM, NEAR = 0.1, 0.5
"""Minimum score of a result that is expanded: absolute, and relative to the best score."""

KEY_DIGITS = 12
"""Number of leading digits of an event's key that identify an observation.

The hook reports these digits, because the hook runs before the observation is stored.
"""
HEXADECIMAL = frozenset("0123456789abcdef")


class Disclosure:
    """Reader of observations in three layers, within a scope."""

    def __init__(self, database: Database, counter: TokenCounter, search: Search) -> None:
        self._database = database
        self._counter = counter
        self._search = search

    def index(
        self,
        scope: Scope,
        where: ObservationFilter = ANY,
        *,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[IndexEntry]:
        """Return the first layer, in task order if in a task, else newest first."""
        page = self.summaries(scope, where, cursor=cursor, limit=limit)
        return Page(tuple(map(_entry, page)), page.cursor)

    def summaries(
        self,
        scope: Scope,
        where: ObservationFilter = ANY,
        *,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Observation]:
        """Return the second layer: summaries with tags and files.

        The summaries are in the order of the index.
        """
        checked_limit(limit)
        found = self._database.read(lambda tx: _listed(tx, scope, where, cursor, limit + 1))
        return page_of(
            found, limit, lambda observation: observation.sequence if scope.task else observation.id
        )

    def by_ids(self, scope: Scope, ids: Sequence[str]) -> list[Observation]:
        """Return the second layer for the given ids, in the order of the ids.

        Ids outside the scope are left out.
        """
        found = self._database.read(lambda tx: observations.by_ids(tx, scope.team, ids))
        return [found[id] for id in ids if id in found and _inside(scope, found[id])]

    def full(self, scope: Scope, id: str) -> FullObservation:
        """Return the third layer: the full content in readable form.

        Raises:
            NotFound: no observation in scope has this id or this prefix of one.
        """

        def work(tx: Transaction) -> FullObservation:
            observation = _one(tx, scope, id)
            content = blobs.content(tx, scope.team, observation.content_hash)
            form = observations.content_format(tx, scope.team, observation.id)
            return FullObservation(observation, readable(content, form))

        return self._database.read(work)

    def timeline(
        self, scope: Scope, id: str, *, before: int = 5, after: int = 5
    ) -> list[IndexEntry]:
        """Return the observations around one in its task, oldest first.

        The observation itself is included.

        Raises:
            NotFound: no observation in scope has this id.
        """
        if min(before, after) < 0:
            raise InvalidInput(
                "`before` and `after` are numbers of observations and cannot be negative"
            )
        checked_limit(before + after + 1)

        def work(tx: Transaction) -> list[Observation]:
            centre = _one(tx, scope, id)
            span = (centre.sequence - before - 1, centre.sequence + after + 1)
            everything = ObservationFilter(with_repeats=True)
            return observations.in_task(
                tx, scope.team, centre.task, where=everything, span=span, limit=before + after + 1
            )

        return [_entry(observation) for observation in self._database.read(work)]

    def relevant(self, query: str, scope: Scope, max_tokens: int = 4_000) -> RelevantObservations:
        """Select summaries for a query and expand only the most relevant.

        The result fits into a token budget, counted with the configured tokenizer.
        """
        if max_tokens < 1:
            raise InvalidInput("max_tokens must be at least 1")
        where = SearchFilter(kinds=(HitKind.OBSERVATION,))
        hits = self._search.search(SearchQuery(query, scope, where, limit=200)).hits
        ranked = self.by_ids(scope, [hit.id for hit in hits])
        costs = self._counter.count_many([observation.summary for observation in ranked])
        room = max_tokens - int(max_tokens * EXPANDED_SHARE)
        first = _within_budget(costs, range(len(costs)), room)
        used = sum(costs[place] for place in first)
        least = max([MINIMUM, *(NEAR * hit.score for hit in hits[:1])])
        likely = {hit.id for hit in hits if hit.score >= least}
        best = [ranked[place] for place in sorted(first) if ranked[place].id in likely]
        expanded, used = self._expand(scope, best, used, max_tokens)
        others = [place for place in range(len(costs)) if place not in first]
        more = _within_budget(costs, others, max_tokens - used)
        used += sum(costs[place] for place in more)
        chosen = tuple(ranked[place] for place in sorted(first | more))
        return RelevantObservations(
            chosen, tuple(expanded), used, max_tokens, len(ranked) - len(chosen)
        )

    def _expand(
        self, scope: Scope, chosen: list[Observation], used: int, budget: int
    ) -> tuple[list[FullObservation], int]:
        """Expand the best results that fit into the share for full contents.

        Content that the summary already contains completely is not repeated.
        """
        expanded: list[FullObservation] = []
        allowance = int(budget * EXPANDED_SHARE)
        for observation in chosen[:EXPANDED]:
            if observation.tokens > min(allowance, budget - used):
                continue
            full = self.full(scope, observation.id)
            if one_line(full.content) == one_line(observation.summary):
                continue
            cost = self._counter.count(full.content)
            if cost <= min(allowance, budget - used):
                expanded.append(full)
                used += cost
                allowance -= cost
        return expanded, used


def _within_budget(costs: Sequence[int], places: Iterable[int], room: int) -> set[int]:
    """Select items in order; skip those that exceed the remaining budget."""
    chosen: set[int] = set()
    for place in places:
        if costs[place] <= room:
            chosen.add(place)
            room -= costs[place]
    return chosen


def _listed(
    tx: Transaction, scope: Scope, where: ObservationFilter, cursor: str | None, limit: int
) -> list[Observation]:
    if scope.task:
        span = (number_of(cursor, first=0), END)
        return observations.in_task(tx, scope.team, scope.task, where=where, span=span, limit=limit)
    before = place_of(cursor, first="~")
    return observations.recent(
        tx, scope.team, scope.workspace, where=where, before=before, limit=limit
    )


def _one(tx: Transaction, scope: Scope, id: str) -> Observation:
    id = normalise(id)
    ids = [id] if len(id) == 36 or not id else _named(tx, scope.team, id)
    if len(ids) > 1:
        raise InvalidInput(ambiguous("observation", id, ids))
    found = observations.by_ids(tx, scope.team, ids)
    if not found or not _inside(scope, observation := found[ids[0]]):
        raise NotFound(
            f"no observation {id!r} in this scope; list the observations with"
            f" `memoranda observation list`"
        )
    return observation


def _named(tx: Transaction, team: str, name: str) -> list[str]:
    """Return at most two ids for a name.

    A name is a short name, a prefix of an id, or a prefix of an event's key.
    """
    result = observations.matching_name(tx, team, name)
    if result or len(name) < KEY_DIGITS or not frozenset(name) <= HEXADECIMAL:
        return result
    return observations.by_event_prefix(tx, team, name)


def _inside(scope: Scope, observation: Observation) -> bool:
    return scope.workspace in (None, observation.workspace) and scope.task in (
        None,
        observation.task,
    )


def _entry(observation: Observation) -> IndexEntry:
    return IndexEntry(
        observation.id,
        observation.ref,
        observation.sequence,
        observation.type,
        observation.agent,
        title(observation.summary),
        observation.created_at,
        observation.tokens,
        observation.salience is Salience.QUARANTINED,
    )
