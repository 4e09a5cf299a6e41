"""The journal: listed and verified."""

from __future__ import annotations

from memoranda.journal import table as journal
from memoranda.journal.model import JournalCheck, JournalEntry
from memoranda.page import Page, checked_limit, page_of
from memoranda.resource import Resource
from memoranda.scoped_store import number
from memoranda.use_case import (
    ADMINS,
    REVIEWERS,
    read,
)


class JournalResource(Resource):
    """``memory.journal``: every change, in a chain that shows tampering."""

    @read("journal.list", roles=REVIEWERS)
    def list(
        self,
        *,
        operation: str | None = None,
        subject: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[JournalEntry]:
        """Return journal entries, newest first."""
        checked_limit(limit)
        before = number(cursor) if cursor else journal.NEWEST
        found = self._database.read(
            lambda tx: journal.listed(
                tx,
                self._scope.team,
                operation=operation,
                subject=subject,
                before=before,
                limit=limit + 1,
            )
        )
        return page_of(found, limit, lambda one: str(one.sequence))

    @read("journal.verify", roles=ADMINS)
    def verify(self) -> JournalCheck:
        """Verify the whole journal chain; return where it is not intact."""
        return self._database.read(lambda tx: journal.verify(tx, self._scope.team))
