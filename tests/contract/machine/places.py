"""Rules about workspaces and tasks."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule

from contract.machine.beginning import beginning
from contract.machine.rules import StoreRules
from contract.machine.stores import call
from contract.machine.texts import (
    agents,
    maybe,
    moments,
    task_ids,
    teams,
    texts,
    workspace_ids,
)
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus, Workspace
from memoranda.tasks.table import NEWEST
from memoranda.workspaces import table as workspaces

LABELS = ("shop", "shop-2", "shop (acme)", "Shop", "", "it's 100%", "店")
labels = st.sampled_from(("shop", *LABELS))
IDENTITIES = ("path:/srv/shop", "remote:x/shop", "", "%", "'", "🚀", "店")
identities = st.sampled_from(IDENTITIES)
owners = st.lists(st.sampled_from(("acme", "host/acme", "")), max_size=2)
hosts = st.sampled_from(("generic", "claude-code"))
sessions = st.sampled_from(("s1", "s2", "", "it's", "🚀"))
statuses = st.sampled_from(TaskStatus)
places = st.builds(Workspace, st.just(""), workspace_ids, labels, maybe(texts), moments)
pieces_of_work = st.builds(
    Task, st.just(""), task_ids, st.integers(0, 9), workspace_ids, agents, texts, statuses, hosts,
    sessions, moments, moments, st.none() | moments, st.integers(0, 2**40),
)  # fmt: skip


class PlaceRules(StoreRules):
    """Workspaces with colliding labels and aliases; tasks that change."""

    @initialize()
    def begin(self) -> None:
        """Store the initial records of both teams."""
        for name in self.teams.values():
            begun = self.stores.write(name, *beginning(name))
            assert isinstance(begun, list), f"the beginning was refused: {begun}"

    @rule(team=teams, place=places, aliases=st.lists(identities, max_size=3), owners=owners)
    def add_workspace(
        self, team: str, place: Workspace, aliases: list[str], owners: list[str]
    ) -> None:
        """Add a workspace; its label or aliases may be taken."""
        made = replace(place, team=self.teams[team])
        self.change(team, call(workspaces.insert, made, aliases, owners))

    @rule(team=teams, place=workspace_ids, aliases=st.lists(identities, max_size=3))
    def add_aliases(self, team: str, place: str, aliases: list[str]) -> None:
        """Add aliases to a workspace that may be missing."""
        self.change(team, self.of(team, workspaces.add_aliases, place, aliases))

    @rule(team=teams, work=pieces_of_work)
    def add_task(self, team: str, work: Task) -> None:
        """Add a task; its id or session may be taken, its workspace missing."""
        self.change(team, call(tasks.insert, replace(work, team=self.teams[team])))

    @rule(team=teams, work=pieces_of_work)
    def update_task(self, team: str, work: Task) -> None:
        """Change a task that may be missing."""
        self.change(team, call(tasks.update, replace(work, team=self.teams[team])))

    @rule(team=teams, task=task_ids, ends=st.booleans())
    def clean_up_task(self, team: str, task: str, ends: bool) -> None:
        """Recompute a task's goal, then delete it, which observations forbid."""
        self.change(team, self.of(team, tasks.restate, task))
        if ends:
            self.change(team, self.of(team, tasks.delete, task))

    @rule(
        team=teams,
        place=maybe(workspace_ids),
        status=st.none() | statuses,
        size=st.integers(1, 2),
    )
    def page_through_tasks(
        self, team: str, place: str | None, status: TaskStatus | None, size: int
    ) -> None:
        """Read a listing page by page, to its end."""
        before: tuple[int, str] | None = NEWEST
        while before:
            page = self.of(
                team, tasks.listed, workspace=place, status=status, before=before, limit=size
            )
            answer = self.ask(team, page, self.of(team, tasks.count, place))
            found = answer[0] if isinstance(answer, list) else []
            before = (found[-1].last_event_at, found[-1].id) if found else None
