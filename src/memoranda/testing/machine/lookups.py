"""Rules that look for observations: every filter, every count, every name."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import rule

from memoranda.store.tables import observations
from memoranda.store.tables.blobs import Blob
from memoranda.store.tables.observations import END, ObservationFilter
from memoranda.testing.clock import START
from memoranda.testing.machine.drafts import CONTENTS, FILES, TAGS, files, tags
from memoranda.testing.machine.rules import StoreRules
from memoranda.testing.machine.texts import (
    agents,
    limits,
    maybe,
    moments,
    prefixes,
    task_ids,
    teams,
    workspace_ids,
)
from memoranda.values.observation import ObservationType

FACETS = (
    [ObservationFilter(type=type) for type in ObservationType],
    [ObservationFilter(agent=agent) for agent in ("main", "helper", "")],
    [ObservationFilter(since=START + after) for after in range(6)],
    [ObservationFilter(until=START + after) for after in range(6)],
    [ObservationFilter(tags=[tag]) for tag in TAGS],
    [ObservationFilter(files=[file]) for file in FILES],
)
"""Filters by one thing, with every value it may have."""
filters = st.builds(
    ObservationFilter,
    type=st.none() | st.sampled_from(ObservationType),
    agent=maybe(agents),
    since=st.none() | moments,
    tags=tags,
    any_tag=st.booleans(),
    files=files,
    with_repeats=st.booleans(),
)


class LookupRules(StoreRules):
    """What was observed is found by everything that it can be asked for."""

    @rule(team=teams, task=task_ids, facet=st.sampled_from(FACETS), repeats=st.booleans())
    def list_by_one_thing(
        self, team: str, task: str, facet: list[ObservationFilter], repeats: bool
    ) -> None:
        """List a task, and what happened last, by every value that something may have."""
        wheres = [replace(where, with_repeats=repeats) for where in facet]
        self.ask(
            team,
            *(self.of(team, observations.in_task, task, where=each, limit=99) for each in wheres),
            *(self.of(team, observations.recent, None, where=each, limit=99) for each in wheres),
        )

    @rule(team=teams, task=task_ids, place=maybe(workspace_ids), where=filters, limit=limits)
    def list_by_many_things(
        self, team: str, task: str, place: str | None, where: ObservationFilter, limit: int
    ) -> None:
        """List through a filter, with the tags alone as well."""
        by_tag = ObservationFilter(tags=where.tags, any_tag=where.any_tag, with_repeats=True)
        self.ask(
            team,
            *(
                ask
                for each in (where, by_tag)
                for ask in (
                    self.of(team, observations.in_task, task, where=each, limit=limit),
                    self.of(team, observations.recent, place, where=each, limit=limit),
                )
            ),
        )

    @rule(team=teams, task=task_ids, place=maybe(workspace_ids), size=st.integers(1, 3))
    def page_through(self, team: str, task: str, place: str | None, size: int) -> None:
        """Go through listings page by page, to their ends."""
        after, before, more = 0, "~", True
        while more:
            answer = self.ask(
                team,
                self.of(team, observations.in_task, task, span=(after, END), limit=size),
                self.of(team, observations.recent, place, before=before, limit=size),
            )
            newer, older = answer if isinstance(answer, list) else ([], [])
            after = newer[-1].sequence if newer else END
            before = older[-1].id if older else ""
            more = bool(newer or older)

    @rule(team=teams, task=task_ids, first=st.integers(0, 3), last=st.integers(2, 6))
    def list_span(self, team: str, task: str, first: int, last: int) -> None:
        """List what lies strictly between two places of a task."""
        self.ask(team, self.of(team, observations.in_task, task, span=(first, last), limit=99))

    @rule(
        team=teams,
        place=maybe(workspace_ids),
        task=maybe(task_ids),
        span=st.tuples(st.none() | moments, st.none() | moments),
        routine_only=st.booleans(),
        limit=limits,
    )
    def match(
        self,
        team: str,
        place: str | None,
        task: str | None,
        span: tuple[int | None, int | None],
        routine_only: bool,
        limit: int,
    ) -> None:
        """List the ids of a scope and a span of time, from the start and from within."""
        where = {"workspace": place, "task": task, "since": span[0], "until": span[1],
                 "routine_only": routine_only, "limit": limit}  # fmt: skip
        self.ask(
            team,
            *(
                self.of(team, observations.matching, after=after, **where)
                for after in ("", "01A002")
            ),
        )

    @rule(team=teams, place=maybe(workspace_ids), task=maybe(task_ids))
    def measure(self, team: str, place: str | None, task: str | None) -> None:
        """Count what there is in a scope."""
        listed = self.of(team, observations.summaries, place, task)
        self.ask(
            team,
            self.of(team, observations.measures, place, task),
            self.of(team, observations.by_type, place, task),
            self.of(team, observations.redactions, place, task),
            replace(listed, unordered=True),
        )

    @rule(team=teams, task=task_ids, limit=limits)
    def look_into_task(self, team: str, task: str, limit: int) -> None:
        """Ask what stands in a task."""
        hashes = [Blob.of(content).hash for content in (*CONTENTS, CONTENTS[0])]
        self.ask(
            team,
            self.of(team, observations.critical, task),
            self.of(team, observations.open_errors, task, limit),
            self.of(team, observations.standing_errors, task),
            self.of(team, observations.remain, task),
            self.of(team, observations.same_content, task, hashes),
        )

    @rule(team=teams, numbers=st.lists(st.integers(1, 12), max_size=5), prefix=prefixes)
    def look_up(self, team: str, numbers: list[int], prefix: str) -> None:
        """Ask for observations by all their names."""
        ids = [f"01A{number:03}" for number in numbers]
        keys = [f"key-{id}" for id in ids]
        names = (prefix, *(f"1#{number}" for number in numbers))
        self.ask(
            team,
            self.of(team, observations.by_ids, ids),
            self.of(team, observations.known_keys, keys),
            *(self.of(team, observations.by_event, key) for key in keys),
            *(self.of(team, observations.content_format, id) for id in ids),
            *(self.of(team, observations.matching_name, name) for name in names),
        )
