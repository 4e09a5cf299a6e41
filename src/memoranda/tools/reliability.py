"""Tool reliability in a scope, computed from the record on request."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.lessons.tool_record import tool_records
from memoranda.scope import Scope
from memoranda.store.database import Database
from memoranda.tools import call_table as calls
from memoranda.tools.model import ToolRecord

LOOKED = 10_000
"""Number of newest steps that are examined."""


class ToolReliability:
    """Counts calls and failures of tools."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, scope: Scope) -> Sequence[ToolRecord]:
        """Return the record of every tool, the worst first.

        Over the newest 10,000 steps.
        """
        team, place = scope.team, scope.workspace
        found = self._database.read(lambda tx: calls.newest(tx, team, place, limit=LOOKED))
        return tool_records(found)
