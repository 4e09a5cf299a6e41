"""Removes everything that a workspace contains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memoranda.journal import table as journal
from memoranda.memories.removal import MemoryRemover, RemovalReceipt, RemovalSelection
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task
from memoranda.workspaces import content_table as contents

ITSELF = "the workspace's own name and folders: memoranda workspace show"
"""The part of the workspace that is kept, so that a program that has the workspace open can
continue.
"""


def is_entire(scope: Scope, chosen: RemovalSelection) -> bool:
    """Return whether a selection is an entire workspace without restrictions."""
    part = RemovalSelection(ids=chosen.ids, workspace=True)
    return scope.workspace is not None and chosen == part


class WorkspaceRemover:
    """Permanently removes all records of a workspace, but keeps the workspace."""

    def __init__(self, database: Database, remover: MemoryRemover) -> None:
        """Create the remover; ``remover`` removes single records."""
        self._database = database
        self._remover = remover

    def forget(
        self, scope: Scope, chosen: RemovalSelection, actor: str, *, dry_run: bool
    ) -> RemovalReceipt:
        """Remove all records of the scope's workspace; a dry run only counts.

        Raises:
            Conflict: the workspace contains a protected memory.
        """
        workspace = scope.workspace
        assert workspace is not None
        ids, within, counts = self._database.read(
            lambda tx: (
                contents.memories(tx, scope.team, workspace),
                _tasks(tx, scope.team, workspace),
                contents.counts(tx, scope.team, workspace),
            )
        )
        selection = replace(chosen, ids=list(dict.fromkeys((*chosen.ids, *ids))))
        # Refuses a protected memory before anything is removed.
        receipt = self._remover.forget(scope, selection, actor, dry_run=True, private=True)
        if not dry_run:
            unused = self._database.write(
                lambda tx: self._delete(tx, scope.team, workspace, actor, counts)
            )
            receipt = self._remover.forget(
                scope, selection, actor, dry_run=False, private=True, within=within
            )
            receipt.contents += unused
            receipt.not_reached.append(ITSELF)
        else:
            receipt.tasks = len(within)
        receipt.removed = dict(counts)
        return receipt

    def _delete(
        self, tx: Transaction, team: str, workspace: str, actor: str, counts: Mapping[str, int]
    ) -> int:
        unused = contents.delete(tx, team, workspace)
        if counts:
            now = self._remover.now()
            note = journal.NewJournalEntry(now, actor, "forget", workspace, dict(counts))
            journal.append(tx, team, note)
        return unused


def _tasks(tx: Transaction, team: str, workspace: str) -> Sequence[Task]:
    found = (tasks.by_id(tx, team, id) for id in contents.tasks(tx, team, workspace))
    return [task for task in found if task]
