"""Methods that list banks and their entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from memoranda.banks import table as banks
from memoranda.banks.model import GLOBAL, Bank, BankDetail
from memoranda.banks.table import EVERYWHERE
from memoranda.exceptions import InvalidInput
from memoranda.memories import table as memories
from memoranda.memories.model import Category, Memory, MemoryStatus
from memoranda.operation_declaration import read
from memoranda.page import Page, checked_limit, cursor_after, page_of, place_of
from memoranda.resource import ALL, Resource
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Workspace
from memoranda.text import normalise
from memoranda.workspaces import table as workspaces

FEW = 5
"""Number of memories per category, and number of tasks, in the details of a bank."""


class BanksResource(Resource):
    """``memory.banks``: overviews of memories by workspace.

    A workspace is specified by its name or id; ``global`` selects what applies to the whole team.
    """

    @read("banks.list", alias=("list",))
    def list(self, *, cursor: str | None = None, limit: int = 50) -> Page[Bank]:
        """Count memories: first those of the whole team, then by workspace."""
        checked_limit(limit)
        scope, after = self._scope, place_of(cursor, first="")

        def work(tx: Transaction) -> Page[Bank]:
            first = cursor is None
            wanted = limit - first
            found = workspaces.listed(tx, scope.team, after, wanted + 1)
            places = [None] * first + found[:wanted]
            more = len(found) > wanted
            last = found[wanted - 1].name if more and wanted else ""
            return Page(tuple(_counted(tx, scope, places)), cursor_after(last) if more else None)

        return self._database.read(work)

    @read("banks.show", alias=("project.show",))
    def show(self, name: str = GLOBAL) -> BankDetail:
        """Show the newest memories and tasks of a workspace or the team.

        Raises:
            NotFound: there is no such workspace.
        """
        scope, workspace = self._scope, self._bank_named(name)
        place = workspace.id if workspace else EVERYWHERE

        def work(tx: Transaction) -> BankDetail:
            (bank,) = _counted(tx, scope, [workspace])
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

    @read("banks.entries", alias=("project.export",))
    def entries(
        self,
        name: str = GLOBAL,
        *,
        category: Category | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Memory]:
        """List the approved memories of one workspace, newest first.

        Raises:
            NotFound: there is no such workspace.
        """
        scope, workspace = self._scope, self._bank_named(name)
        checked_limit(limit)
        place = workspace.id if workspace else EVERYWHERE
        before = place_of(cursor, first=memories.NEWEST)
        found = self._database.read(
            lambda tx: banks.entries(
                tx, scope.team, place, scope.agent, category, before=before, limit=limit + 1
            )
        )
        return page_of(found, limit, lambda memory: memory.id)

    def _bank_named(self, name: str) -> Workspace | None:
        if normalise(name) == ALL:
            raise InvalidInput(f"{ALL!r} is not a bank; `memoranda list` shows the banks")
        return None if normalise(name) == GLOBAL else self._named(name)


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
