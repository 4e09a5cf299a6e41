"""Errors of a workspace's other tasks that concern a task's query or goal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from memoranda.context.candidates import CandidateSources
from memoranda.context.failures import EXAMINED, OPEN_ERRORS, stated_error
from memoranda.context.record_lines import brief_of, item_of
from memoranda.context.untrusted_text import safe_summary
from memoranda.observations import table as observations
from memoranda.observations.model import ObservationType
from memoranda.scope import Scope
from memoranda.search.filters import SearchFilter
from memoranda.search.model import ContextItem, HitKind, SearchMode
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks

COMPARED = 20
"""Maximum number of the workspace's errors that the search returns."""
LIKELY = 0.04
"""Minimum score of an error of another task."""
UNRESOLVED = "Failed, no fix recorded"
"""Introduction of an error whose action was possibly never repeated."""
ERRORS = SearchFilter(kinds=(HitKind.OBSERVATION,), types=(ObservationType.ERROR,))


def errors_elsewhere(
    sources: CandidateSources, scope: Scope, task: str, query: str | None
) -> tuple[str, ...]:
    """Return the ids of the workspace's errors about a query, best first.

    Without a query, the goal of the task is used and compared by words alone, so that such a
    context does not wait for an embedder.
    """
    from memoranda.search.query_executor import SearchQuery

    mode = SearchMode.HYBRID if query else SearchMode.WORDS
    wanted = sources.database.read(lambda tx: _wanted(tx, scope, task, query))
    if not wanted:
        return ()
    place = Scope(scope.team, scope.workspace, scope.agent, person=scope.person)
    found = sources.search().search(
        SearchQuery(wanted, place, ERRORS, mode, COMPARED, min_score=None)
    )
    return tuple(hit.id for hit in found.hits if hit.score >= LIKELY)


def _wanted(tx: Transaction, scope: Scope, task: str, query: str | None) -> str:
    """Return the text to search for; empty if no other task has an unresolved error."""
    place = scope.workspace
    if place is None or not observations.has_open_errors_elsewhere(tx, scope.team, place, task):
        return ""
    if query:
        return query
    current = tasks.by_id(tx, scope.team, task)
    return current.goal if current else ""


def related_items(tx: Transaction, scope: Scope, ids: Sequence[str]) -> list[ContextItem]:
    """Return the given errors that are open in other tasks, in the same order."""
    found = observations.by_ids(tx, scope.team, ids)
    elsewhere = dict.fromkeys(error.task for error in found.values() if error.task != scope.task)
    still_open = {
        error.id
        for task in elsewhere
        for error in observations.open_errors(tx, scope.team, task, EXAMINED)
    }
    shown = ((found[id], safe_summary(found[id])) for id in ids if id in still_open)
    items = (
        item_of(error, stated_error(tx, error, brief_of(text), UNRESOLVED))
        for error, text in shown
        if text
    )
    return list(islice(items, OPEN_ERRORS))
