"""Methods that list, rename, merge and split workspaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput
from memoranda.operation_declaration import REVIEWERS, read, write
from memoranda.page import checked_limit, page_of, place_of
from memoranda.resource import Resource, one_place
from memoranda.store.database import Transaction
from memoranda.tasks.model import Workspace
from memoranda.text import normalise
from memoranda.workspaces import table as workspaces
from memoranda.workspaces.change_results import WorkspaceChange, WorkspaceDetail

if TYPE_CHECKING:
    from memoranda.page import Page
    from memoranda.tasks.reference import TaskReference
    from memoranda.workspaces.changes import WorkspaceChanges


class WorkspacesResource(Resource):
    """``memory.workspaces``: manual changes of workspaces.

    The workspace of a folder is determined automatically; these methods change it manually. Each
    change is one transaction, is recorded in the journal, and can be tried as a dry run.
    """

    @read("workspaces.list", alias=("workspace.list",))
    def list(self, *, cursor: str | None = None, limit: int = 100) -> Page[Workspace]:
        """List workspaces by name."""
        checked_limit(limit)
        team, after = self._scope.team, place_of(cursor, first="")
        found = self._database.read(lambda tx: workspaces.listed(tx, team, after, limit + 1))
        return page_of(found, limit, lambda workspace: workspace.name)

    @read("workspaces.show", alias=("workspace.show",))
    def show(self, workspace: str) -> WorkspaceDetail:
        """Show the repositories, remotes and folders of a workspace.

        Raises:
            NotFound: there is no such workspace.
        """
        found, team = self._named(workspace), self._scope.team

        def work(tx: Transaction) -> WorkspaceDetail:
            return WorkspaceDetail(found, tuple(workspaces.aliases(tx, team, found.id)))

        return self._database.read(work)

    @write("workspaces.rename", roles=REVIEWERS, alias=("workspace.rename",))
    def rename(self, workspace: str, name: str, *, dry_run: bool = False) -> WorkspaceChange:
        """Rename a workspace; its former name still resolves to it.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such workspace.
            Conflict: another workspace has the name.
            InvalidInput: the name is empty, is ``all``, or looks like a secret.
        """
        return self._changes(dry_run).rename(self._named(workspace), self._new_name(name))

    @write("workspaces.merge", roles=REVIEWERS, alias=("workspace.merge",))
    def merge(self, workspace: str, into: str, *, dry_run: bool = False) -> WorkspaceChange:
        """Merge a workspace and its folders into another.

        Documents keep their keys. A block whose label also exists in the other workspace gets a
        number appended to its label; if the block is empty, it is deleted and can be restored.
        `split` with the tasks, memories and aliases of the result reverts the merge of these;
        blocks and documents remain in the other workspace (``not_undone`` in the result counts
        them).

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such workspace.
            Conflict: both workspaces have a document under the same key.
        """
        return self._changes(dry_run).merge(self._named(workspace), self._named(into))

    @write("workspaces.split", roles=REVIEWERS, alias=("workspace.split",))
    def split(
        self,
        workspace: str,
        to: str,
        *,
        tasks: Sequence[TaskReference] = (),
        memories: Sequence[str] = (),
        aliases: Sequence[str] = (),
        dry_run: bool = False,
    ) -> WorkspaceChange:
        """Move tasks, memories or aliases of a workspace to another one.

        Args:
            to: the name of the other workspace.
            tasks: names, numbers or ids; memories that are based on these tasks alone are moved
                with them.
            memories: ids of further memories.
            aliases: aliases to move to the other workspace, as `show` returns them.

        Raises:
            Forbidden: the caller is an agent.
            NotFound: there is no such workspace, or it has no such task, memory or alias.
            InvalidInput: nothing to move is specified, or both workspaces are the same.
        """
        if not (tasks or memories or aliases):
            raise InvalidInput("specify what to move: tasks, memories or aliases")
        name = self._new_name(to)
        chosen = [self._task(id) for id in dict.fromkeys(tasks)]
        from memoranda.workspaces.changes import WorkspacePart

        part = WorkspacePart(chosen, list(map(normalise, memories)), list(map(normalise, aliases)))
        return self._changes(dry_run).split(self._named(workspace), name, part)

    def _changes(self, dry_run: bool) -> WorkspaceChanges:
        from memoranda.workspaces.changes import WorkspaceChanges

        return WorkspaceChanges(self._services, self._scope, dry_run=dry_run)

    def _new_name(self, name: str) -> str:
        name = one_place(normalise(name).strip())
        if not name or len(name) > 200:
            raise InvalidInput("the name of a workspace must have 1 to 200 characters")
        self._services.sanitiser.checked_label("the name of a workspace", name)
        return name
