"""Ratings of search hits, and their effect on later searches."""

from __future__ import annotations

from memoranda.clock import Clock
from memoranda.exceptions import NotFound
from memoranda.journal import table as journal
from memoranda.memories import link_table as memory_links, table as memories
from memoranda.memories.link_model import Reference, ReferenceKind
from memoranda.observations import table as observations
from memoranda.scope import Scope
from memoranda.search import rating_table as ratings
from memoranda.search.model import Ratings
from memoranda.store.database import Database, Transaction


class RatingRecorder:
    """Counts ratings of observations and memories."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def rate(self, scope: Scope, id: str, actor: str, *, useful: bool) -> Ratings:
        """Add one rating of a record; return all its ratings.

        A useful rating of a memory also counts as a use, and as a use in the scope's task if the
        scope has one.

        Raises:
            NotFound: there is no record with this id in the scope.
        """

        def work(tx: Transaction) -> Ratings:
            seen = observations.by_ids(tx, scope.team, [id])
            stated = memories.by_ids(tx, scope.team, [id], scope.agent)
            if not (seen or stated):
                raise NotFound(f"no observation or memory {id!r} in this scope")
            now = self._clock.now()
            if stated and useful:
                memories.reinforce(tx, scope.team, id, now, 0.0)
                _note_task(tx, scope, id)
            ratings.rate(tx, scope.team, id, useful=useful, now=now)
            note = journal.NewJournalEntry(now, actor, "rate", id, {"useful": useful})
            journal.append(tx, scope.team, note)
            return ratings.of_sources(tx, scope.team, [id])[id]

        return self._database.write(work)


def _note_task(tx: Transaction, scope: Scope, memory: str) -> None:
    """Record the task in which a memory was useful."""
    if scope.task:
        served = Reference(ReferenceKind.EXECUTION, scope.task)
        memory_links.put_references(tx, scope.team, memory, [served])
