"""Calls of every read function for a team, at the end of an example."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from contract.machine import searches
from contract.machine.drafts import CONTENTS, FILES, TAGS
from contract.machine.knowledge import EVERY, TABLES
from contract.machine.notes import HEADS, KEYS, OPERATIONS, PATHS, SUBJECTS
from contract.machine.outbox import KINDS
from contract.machine.places import IDENTITIES, LABELS
from contract.machine.stores import Call, call
from contract.machine.texts import MOMENTS, PARTS, PREFIXES, TASKS, WORDS, WORKSPACES
from contract.model.content import Content
from memoranda.capture import transcript_table as transcripts
from memoranda.jobs import table as jobs
from memoranda.journal import table as journal
from memoranda.memories import table as memories
from memoranda.memories.model import Category, MemoryStatus
from memoranda.memories.table import MemoryFilter
from memoranda.observations import (
    blob_table as blobs,
    table as observations,
    total_table as observation_totals,
)
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import ObservationType
from memoranda.observations.table import ObservationFilter, ObservationSpan
from memoranda.store.database import TextQuery
from memoranda.tasks import table as tasks
from memoranda.tasks.model import TaskStatus
from memoranda.working import table as working
from memoranda.working.table import EVER
from memoranda.workspaces import table as workspaces

Of: TypeAlias = Callable[..., Call]
"""Makes the call of a function for the team."""

SCOPES = (*((place, None) for place in (None, *WORKSPACES)), *((None, task) for task in TASKS))
FILTERS = (
    ObservationFilter(),
    *(ObservationFilter(type=type) for type in ObservationType),
    *(ObservationFilter(agent=agent) for agent in ("main", "helper", "")),
    *(ObservationFilter(since=moment) for moment in MOMENTS),
    *(ObservationFilter(until=moment, with_repeats=True) for moment in MOMENTS),
    *(ObservationFilter(tags=[tag]) for tag in TAGS),
    *(ObservationFilter(tags=["test", "git"], any_tag=some) for some in (False, True)),
    *(ObservationFilter(files=[file, "nowhere"]) for file in FILES),
)
AGENTS = (None, "main", "")


def questions(team: str, content: Content) -> list[Call]:
    """Return calls to every read function, with all meaningful arguments."""
    of = partial(call_of, team)
    return [
        *_of_workspaces(of),
        *_of_tasks(of, content),
        *_of_observations(of, content),
        *_of_scopes(of),
        *_of_memories(of, content),
        *_of_jobs(of),
        *_of_notes(of),
        *_of_words(team),
    ]


def call_of(
    team: str, function: Callable[..., object], *arguments: object, **options: object
) -> Call:
    """Make the call of a function whose first argument is the team."""
    return call(function, team, *arguments, **options)


def _of_workspaces(of: Of) -> Iterator[Call]:
    yield of(workspaces.ids)
    yield of(workspaces.by_alias, IDENTITIES)
    for id in WORKSPACES:
        yield of(workspaces.by_id, id)
        yield of(workspaces.aliases, id)
    for label in LABELS:
        yield of(workspaces.by_name, label)
        yield of(workspaces.listed, label, 2)
    for alias in IDENTITIES:
        yield of(workspaces.by_alias, [alias])


def _of_tasks(of: Of, content: Content) -> Iterator[Call]:
    for place in (None, *WORKSPACES):
        yield of(tasks.count, place)
        yield of(tasks.listed, workspace=place)
    for status in TaskStatus:
        yield of(tasks.listed, status=status, limit=2)
    for number, id in enumerate(TASKS):
        yield of(tasks.by_id, id)
        yield of(tasks.by_number, number)
    for prefix in PREFIXES:
        yield of(tasks.by_prefix, prefix)
    for task in content.tasks.values():
        yield of(tasks.by_session, task.host, task.session)


def _of_observations(of: Of, content: Content) -> Iterator[Call]:
    hashes = [Blob.of(text).hash for text in (*CONTENTS, CONTENTS[0])]
    for where in FILTERS:
        yield of(observations.recent, None, where=where, limit=99)
        yield of(observations.in_task, "01A1", where=where, limit=99)
    for task in TASKS:
        for function in (
            observations.critical,
            observations.standing_errors,
            observations.has_observations,
        ):
            yield of(function, task)
        yield of(observations.open_errors, task, 2)
        yield of(observations.same_content, task, hashes)
        yield of(observations.in_task, task, span=(1, 4), limit=99)
    ids = [*content.observations][:4]
    keys = [*content.tombstones, *(f"key-{id}" for id in ids)]
    yield of(observations.known_keys, keys)
    yield of(observations.by_ids, ids)
    for id in ids:
        yield of(observations.by_event, f"key-{id}")
        yield of(observations.content_format, id)
    for name in (*PREFIXES, "1#1", "2#3", "9#9"):
        yield of(observations.matching_name, name)
    for digest in [*content.blobs][:2]:
        yield of(blobs.content, digest)
    yield of(blobs.totals)


def _of_scopes(of: Of) -> Iterator[Call]:
    for scope in SCOPES:
        for function in (
            observation_totals.measures,
            observation_totals.by_type,
            observation_totals.redactions,
        ):
            yield of(function, *scope)
        yield replace(of(observations.summaries, *scope), unordered=True)
        place, task = scope
        for routine in (False, True):
            span = ObservationSpan(place, task, routine_only=routine)
            yield of(observations.matching, span, limit=99)
    for place in (None, *WORKSPACES):
        for moment in MOMENTS:
            yield of(observation_totals.captured, place, moment)
    for moment in MOMENTS:
        yield of(observations.matching, ObservationSpan(since=moment), limit=99)
        yield of(observations.matching, ObservationSpan(until=moment), limit=2)


def _of_memories(of: Of, content: Content) -> Iterator[Call]:
    for agent in AGENTS:
        yield of(memories.by_ids, EVERY, agent)
        for prefix in PREFIXES:
            yield of(memories.by_prefix, prefix, agent)
        for place in (None, *WORKSPACES):
            yield of(memories.critical, place, agent)
            yield of(memories.listed, MemoryFilter(place, agent), limit=99)
            yield of(memories.counts, place, agent)
            yield of(memories.counts, place, agent, 10)
    for status in MemoryStatus:
        yield of(memories.listed, MemoryFilter(status=status), limit=99)
    for category in Category:
        yield of(memories.listed, MemoryFilter(category=category), before="m05", limit=2)
    for memory in content.memories.values():
        yield call(memories.same_content, memory)
        yield of(memories.evidence, memory.id)


def _of_jobs(of: Of) -> Iterator[Call]:
    yield of(jobs.counts)
    yield of(jobs.failed)
    yield of(jobs.failed, 1)
    for kind in KINDS:
        yield of(jobs.waiting, kind)


def _of_notes(of: Of) -> Iterator[Call]:
    yield of(journal.verify)
    yield of(journal.version)
    yield of(journal.listed)
    yield of(journal.listed, before=2, limit=1)
    for operation in OPERATIONS:
        yield of(journal.listed, operation=operation)
    for subject in SUBJECTS:
        yield of(journal.listed, subject=subject, limit=2)
    for path in PATHS:
        for head in HEADS:
            yield of(transcripts.position, path, head)
    for task in TASKS:
        yield of(working.listed, task, EVER, limit=99)
        yield of(working.listed, task, EVER, after="it's", limit=2)
    for key in KEYS:
        yield of(working.get, "01A1", key, EVER)
    for moment in MOMENTS:
        yield of(working.get, "01A1", "step", moment)
        yield of(working.listed, "01A1", moment, limit=99)


def _of_words(team: str) -> Iterator[Call]:
    for table in TABLES:
        for word in WORDS:
            yield call(searches.found, table, TextQuery(team, [word], limit=searches.ALL))
        for part in PARTS:
            yield call(searches.found, table, TextQuery(team, [], [part], limit=searches.ALL))
        for place, task in SCOPES:
            query = TextQuery(team, WORDS[:2], [], place, task, limit=searches.ALL)
            yield call(searches.found, table, query)
