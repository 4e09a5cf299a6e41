"""Methods that list banks and their entries."""

from __future__ import annotations

from memoranda.banks.model import GLOBAL, Bank, BankDetail
from memoranda.exceptions import InvalidInput
from memoranda.memories.model import Category, Memory
from memoranda.operation_declaration import read
from memoranda.page import Page
from memoranda.resource import ALL, Resource
from memoranda.tasks.model import Workspace
from memoranda.text import normalise


class BanksResource(Resource):
    """``memory.banks``: overviews of memories by workspace.

    A workspace is named by its name or id; ``global`` is what applies to the whole team.
    """

    @read("banks.list", alias=("list",))
    def list(self, *, cursor: str | None = None, limit: int = 50) -> Page[Bank]:
        """Count memories: of the whole team first, then of each workspace."""
        return self._services.banks.list(self._scope, cursor=cursor, limit=limit)

    @read("banks.show", alias=("project.show",))
    def show(self, name: str = GLOBAL) -> BankDetail:
        """Show the newest memories and tasks of a workspace or the team.

        Raises:
            NotFound: there is no such workspace.
        """
        return self._services.banks.sheet(self._scope, self._bank_named(name))

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
        chosen = self._bank_named(name)
        return self._services.banks.entries(
            self._scope, chosen, category, cursor=cursor, limit=limit
        )

    def _bank_named(self, name: str) -> Workspace | None:
        if normalise(name) == ALL:
            raise InvalidInput(f"{ALL!r} is not a bank; `memoranda list` lists them")
        return None if normalise(name) == GLOBAL else self._named(name)
