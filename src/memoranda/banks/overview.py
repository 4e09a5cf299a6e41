"""Overview of the banks: each workspace, and the whole team."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memoranda.banks import table as banks
from memoranda.banks.model import GLOBAL, Bank, BankDetail
from memoranda.banks.table import EVERYWHERE
from memoranda.memories import table as memories
from memoranda.memories.model import Category, Memory, MemoryStatus
from memoranda.page import Page, checked_limit, cursor_after, page_of, place_of
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Workspace
from memoranda.workspaces import table as workspaces

FEW = 5
"""Number of memories per category, and of tasks, in a bank's details."""


class Banks:
    """The banks of a team."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, scope: Scope, *, cursor: str | None = None, limit: int = 50) -> Page[Bank]:
        """Return the team's bank, then the workspaces' banks by name."""
        checked_limit(limit)
        after = place_of(cursor, first="")

        def work(tx: Transaction) -> Page[Bank]:
            first = cursor is None
            wanted = limit - first
            found = workspaces.listed(tx, scope.team, after, wanted + 1)
            places = [None] * first + found[:wanted]
            more = len(found) > wanted
            last = found[wanted - 1].name if more and wanted else ""
            return Page(tuple(_counted(tx, scope, places)), cursor_after(last) if more else None)

        return self._database.read(work)

    def sheet(self, scope: Scope, workspace: Workspace | None) -> BankDetail:
        """Return one bank with its newest memories and tasks.

        Without a workspace, it is the team's bank.
        """

        def work(tx: Transaction) -> BankDetail:
            (bank,) = _counted(tx, scope, [workspace])
            place = workspace.id if workspace else EVERYWHERE
            by_category = {
                category: tuple(
                    banks.entries(tx, scope.team, place, scope.agent, category, limit=FEW)
                )
                for category in bank.memories
            }
            newest = (
                tasks.listed(tx, scope.team, workspace=workspace.id, limit=FEW) if workspace else ()
            )
            return BankDetail(bank, by_category, tuple(newest))

        return self._database.read(work)

    def entries(
        self,
        scope: Scope,
        workspace: Workspace | None,
        category: Category | None = None,
        *,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Memory]:
        """Return approved memories of one workspace or the team, newest first.

        Only memories that apply to exactly this place are returned.
        """
        checked_limit(limit)
        place = workspace.id if workspace else EVERYWHERE
        before = place_of(cursor, first=memories.NEWEST)
        found = self._database.read(
            lambda tx: banks.entries(
                tx, scope.team, place, scope.agent, category, before=before, limit=limit + 1
            )
        )
        return page_of(found, limit, lambda memory: memory.id)


def _counted(tx: Transaction, scope: Scope, places: Sequence[Workspace | None]) -> list[Bank]:
    ids = [place.id if place else EVERYWHERE for place in places]
    worked = banks.worked(tx, scope.team, ids)
    approved = {id: Counter[Category]() for id in ids}
    pending, last = Counter[str](), {id: worked.get(id, (0, 0))[1] for id in ids}
    for id, category, status, count, changed in banks.counted(tx, scope.team, ids, scope.agent):
        last[id] = max(last[id], changed)
        if status == MemoryStatus.APPROVED:
            approved[id][Category(category)] += count
        elif status == MemoryStatus.PENDING:
            pending[id] += count
    return [
        Bank(
            workspace=workspace.id if workspace else None,
            name=workspace.name if workspace else GLOBAL,
            memories=dict(approved[id].most_common()),
            pending=pending[id],
            tasks=worked.get(id, (0, 0))[0],
            last_at=last[id] or None,
        )
        for id, workspace in zip(ids, places, strict=True)
    ]
