"""Rules that look up observations by filters, counts and names."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from contract.machine.drafts import files, tags
from contract.machine.rules import StoreRules
from contract.machine.texts import (
    agents,
    limits,
    maybe,
    moments,
    task_ids,
    teams,
    workspace_ids,
)
from memoranda.observations import table as observations
from memoranda.observations.model import ObservationType
from memoranda.observations.table import END, ObservationFilter, ObservationSpan

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
    """Observations are found by every supported filter."""

    @rule(team=teams, task=task_ids, place=maybe(workspace_ids), where=filters, limit=limits)
    def list_by_many_things(
        self, team: str, task: str, place: str | None, where: ObservationFilter, limit: int
    ) -> None:
        """List with a filter, and with the tags alone."""
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
        """Read listings page by page, to their ends."""
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
        """List ids of a scope and time range, from the start and from within."""
        chosen = ObservationSpan(place, task, *span, routine_only)
        self.ask(
            team,
            *(
                self.of(team, observations.matching, chosen, after=after, limit=limit)
                for after in ("", "01A002")
            ),
        )
