"""Methods for the profile: memories, token limit, and optimisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput, NotFound
from memoranda.instrumentation import count_one, measured
from memoranda.memories.model import Category, Memory, Visibility
from memoranda.observations.model import Origin
from memoranda.operation_declaration import MEMBERS, REVIEWERS, read, write
from memoranda.profile import table
from memoranda.profile.model import (
    CATEGORIES,
    TARGET,
    Profile,
    ProfileChange,
    ProfileNews,
    in_profile,
)
from memoranda.proposals.model import ChangeResult, MemoryEdit
from memoranda.resource import Resource, member
from memoranda.store.database import Transaction
from memoranda.text import normalise
from memoranda.workspaces import table as workspaces

if TYPE_CHECKING:
    from memoranda.page import Page
    from memoranda.ports import Figures


def _touched(change: ProfileChange) -> Figures:
    return {"records": sum(len(suggestion.steps) for suggestion in change.suggestions)}


class ProfileResource(Resource):
    """``memory.profile``: the memories that are always in a context."""

    @read("profile.show")
    def show(
        self, *, workspace: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Profile:
        """Show the memories of the profile by importance, and how full it is.

        These are the approved, valid memories of five categories; without a workspace, those of the
        whole team.
        """
        scope = self._within(workspace, None)
        return self._services.profiles.show(scope, cursor=cursor, limit=limit)

    @write("profile.add")
    @measured("profile_add", count_one)
    def add(
        self,
        content: str,
        category: Category | str = Category.USER_PREFERENCE,
        *,
        workspace: str | None = None,
        protected: bool = False,
    ) -> Memory:
        """Add a memory to the profile.

        An agent's memory is pending until it is approved. A person's memory is in the profile
        immediately.

        Raises:
            InvalidInput: the category is not one of the profile's categories.
            ProfileFull: the memory does not fit into the profile.
        """
        from memoranda.memories.memory_service import NewMemory

        chosen = _of_profile(category)
        scope = self._within(workspace, None, new=True)
        visibility = Visibility.WORKSPACE if scope.workspace else Visibility.TEAM
        statement = NewMemory(content, category=chosen, visibility=visibility, protected=protected)
        origin = Origin.AGENT if self._scope.agent else Origin.HUMAN
        memory = self._services.memories.remember(statement, scope, origin, self._actor)
        self._render_again(memory.workspace)
        return memory

    @write("profile.edit")
    @measured("profile_edit", count_one)
    def edit(self, id: str, edit: MemoryEdit, *, reason: str = "") -> ChangeResult:
        """Change a memory in the profile.

        A change by an agent is a proposal.

        Raises:
            NotFound: there is no such memory in the profile.
            ProfileFull: the changed memory does not fit into it.
        """
        chosen = self._in_profile(id)
        changed = self._services.memory_edits.edit(self._scope, chosen.id, edit, reason)
        self._render_again(changed.memory.workspace)
        return changed

    @write("profile.remove")
    @measured("profile_remove", count_one)
    def remove(self, id: str, *, reason: str = "") -> ChangeResult:
        """Archive a memory in the profile; the memory can be restored.

        Raises:
            InvalidInput: the memory is protected.
            NotFound: there is no such memory in the profile.
        """
        chosen = self._in_profile(id)
        changed = self._services.memory_edits.archive(self._scope, chosen.id, reason)
        self._render_again(changed.memory.workspace)
        return changed

    @write("profile.merge", roles=REVIEWERS)
    @measured("profile_merge", _touched)
    def merge(self, ids: Sequence[str]) -> ProfileChange:
        """Merge memories in the profile into one; archive the others.

        Raises:
            Forbidden: the caller is an agent.
            Conflict: a memory that would change is protected or critical, or two memories
                contradict each other.
            InvalidInput: there are fewer than two memories, or they differ in category, scope or
                origin.
        """
        chosen = list(dict.fromkeys(self._in_profile(id).id for id in ids))
        change = self._services.optimiser.merge(self._scope, chosen)
        self._render_again(change.workspace)
        return change

    @read("profile.agent-file")
    def agent_file(self, *, workspace: str | None = None) -> str:
        """Show the profile as the Markdown text that agents read.

        This is the content of ``agent.md``.
        """
        return self._services.profiles.agent_file(self._within(workspace, None))

    @read("profile.history")
    def history(
        self, *, workspace: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[ProfileChange]:
        """List the changes that made profiles smaller, newest first."""
        scope = self._within(workspace, None)
        return self._services.optimiser.history(scope, cursor=cursor, limit=limit)

    @write("profile.news", roles=MEMBERS)
    def news(self, channel: str) -> list[ProfileNews]:
        """List profiles that are nearly full, and how much could be freed.

        Every channel is notified once for each 5 % of the limit by which a profile grows.
        """
        team, channel = self._scope.team, normalise(channel)
        if not self._database.read(lambda tx: table.unnotified(tx, team, channel)):
            return []

        def work(tx: Transaction) -> list[ProfileNews]:
            found = table.unnotified(tx, team, channel)
            for news, notified in found:
                table.mark_notified(tx, team, news.change, (*notified, channel))
            return [_named(tx, team, news) for news, _ in found]

        return self._database.write(work)

    @write("profile.optimize", alias=("optimize.preview",))
    @measured("optimize", _touched)
    def optimize(self, *, target: int = TARGET, workspace: str | None = None) -> ProfileChange:
        """Show suggestions that make the profile smaller.

        Each suggestion includes a reason and the number of tokens that it frees. Nothing is changed
        until a person applies the suggestions.
        """
        return self._services.optimiser.preview(self._within(workspace, None), target)

    @write("profile.apply", roles=REVIEWERS, alias=("optimize.apply",))
    @measured("optimize_apply", _touched)
    def apply(
        self, shown: str, suggestions: Sequence[int] | None = None, *, workspace: str | None = None
    ) -> ProfileChange:
        """Apply suggestions that make the profile smaller.

        They are the suggestions of the preview with the hash ``shown``; either all are applied or
        none.

        Raises:
            Forbidden: the caller is an agent.
            Conflict: the preview is not the latest one, or the profile has changed since.
            InvalidInput: there is no suggestion with such a number.
        """
        scope = self._within(workspace, None)
        change = self._services.optimiser.apply(scope, normalise(shown), suggestions)
        self._render_again(change.workspace)
        return change

    @write("profile.undo", roles=REVIEWERS, alias=("optimize.undo",))
    @measured("optimize_undo", _touched)
    def undo(self, id: str) -> ProfileChange:
        """Restore every memory to its state before a change to the profile.

        Raises:
            Forbidden: the caller is an agent.
            Conflict: the change was already undone, or a memory has changed since.
            ProfileFull: the restored memories do not fit into the profile.
            NotFound: there is no such change.
        """
        change = self._services.optimiser.undo(self._scope, normalise(id))
        self._render_again(change.workspace)
        return change

    def _in_profile(self, id: str) -> Memory:
        memory = self._services.memories.why(self._scope, normalise(id)).memory
        if not in_profile(memory):
            raise NotFound(f"memory {memory.id} is not in the profile; see `memoranda why`")
        return memory

    def _render_again(self, workspace: str | None) -> None:
        self._services.enqueue_rendering(workspace)
        self._services.background.wake()


def _of_profile(category: Category | str) -> Category:
    chosen: Category = member(Category, category)
    if chosen not in CATEGORIES:
        raise InvalidInput(
            f"{chosen} is not a category of the profile; use {', '.join(CATEGORIES)}"
        )
    return chosen


def _named(tx: Transaction, team: str, news: ProfileNews) -> ProfileNews:
    """Return a notice with the workspace's name instead of its id."""
    workspace = workspaces.by_id(tx, team, news.workspace) if news.workspace else None
    return replace(news, workspace=workspace.name) if workspace else news
