"""Methods that list, show and rate observations, and list dependents."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from contextlib import suppress

from memoranda.capture import live_output_table as live_outputs
from memoranda.exceptions import StorageError
from memoranda.instrumentation import measured
from memoranda.observations.backlink_model import Backlinks
from memoranda.observations.backlinks import backlinks_of, checked
from memoranda.observations.model import FullObservation, IndexEntry, Observation
from memoranda.observations.table import ANY, ObservationFilter
from memoranda.operation_declaration import read, write
from memoranda.page import Page
from memoranda.ports import Figures
from memoranda.resource import Resource
from memoranda.search.model import Ratings, RelevantObservations
from memoranda.tasks.reference import TaskReference
from memoranda.text import normalise


def _picked(result: RelevantObservations) -> Figures:
    return {"records": len(result.summaries)}


class ObservationsResource(Resource):
    """``memory.observations``: captured data in three layers of detail."""

    @read("observations.index", alias=("observation.index",))
    def index(
        self,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        where: ObservationFilter = ANY,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[IndexEntry]:
        """List observations, one per line, with their token counts.

        This is the first layer of disclosure.
        """
        scope = self._within(workspace, task)
        return self._services.disclosure.index(scope, where, cursor=cursor, limit=limit)

    @read("observations.list", alias=("observation.list",))
    def list(
        self,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        where: ObservationFilter = ANY,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Observation]:
        """List observations with summaries, tags and files.

        This is the second layer of disclosure. Observations of a task are in order, others are
        newest first.
        """
        scope = self._within(workspace, task)
        return self._services.disclosure.summaries(scope, where, cursor=cursor, limit=limit)

    @read("observations.show", alias=("observation.show",))
    def show(self, id: str, *, full: bool = False) -> FullObservation:
        """Show an observation in full.

        This is the third layer of disclosure. An observation can be specified by its short name
        (3#42), or by the name that live mode displays.

        Args:
            full: whether an agent requests the full text after receiving its short form; such
                requests are counted.

        Raises:
            NotFound: there is no such observation in the scope.
        """
        observation = self._services.disclosure.full(self._scope, id)
        if full:
            seen = observation.observation
            with suppress(StorageError):  # callers without write access may also read the full text
                self._database.write(lambda tx: live_outputs.expand(tx, seen.team, seen.id))
        return observation

    @read("observations.timeline", alias=("timeline",))
    def timeline(self, id: str, *, before: int = 5, after: int = 5) -> builtins.list[IndexEntry]:
        """Show the events around an observation.

        The observation itself is included.
        """
        return self._services.disclosure.timeline(self._scope, id, before=before, after=after)

    @read("observations.relevant", alias=("relevant",), searches=True)
    @measured("relevant", _picked)
    def relevant(
        self,
        query: str,
        *,
        max_tokens: int = 4_000,
        workspace: str | None = None,
        task: TaskReference | None = None,
    ) -> RelevantObservations:
        """Select summaries for a query within a token budget.

        The most relevant observations are included in full.
        """
        scope = self._within(workspace, task)
        self._services.catch_up_with_meanings()
        return self._services.disclosure.relevant(query, scope, max_tokens)

    @read("observations.backlinks", alias=("observation.ties",))
    def backlinks(self, ids: Sequence[str]) -> tuple[Backlinks, ...]:
        """List the records that depend on the given observations.

        These are memories that are based on the observations, and the fixes of errors.

        Args:
            ids: ids or short names; unknown full ids are omitted.

        Raises:
            InvalidInput: there are more than 200 ids.
        """
        checked(ids)
        chosen = self._record_ids(map(normalise, ids))
        return self._database.read(lambda tx: backlinks_of(tx, self._scope, chosen))

    @write("observations.rate", alias=("rate",))
    def rate(self, id: str, *, useful: bool, task: TaskReference | None = None) -> Ratings:
        """Rate whether a result was useful; later searches use the rating.

        Args:
            id: id or short name of an observation, or id of a memory.
            task: task in which the result was used; a memory that helped in several successful
                tasks becomes critical.

        Raises:
            NotFound: nothing with this id is visible in the scope.
        """
        scope = self._scope if task is None else self._within(None, task)
        [whole] = self._record_ids([id])
        rated = self._services.rating.rate(scope, whole, self._actor, useful=useful)
        if scope.task:
            self._services.enqueue_distilling(scope.task)
        return rated
