"""Delivers each notification about proposals to each channel once."""

from __future__ import annotations

from memoranda.clock import Clock
from memoranda.proposals import notification_table as notifications, table as proposals
from memoranda.proposals.model import Notification
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

AT_ONCE = 1_000
"""Maximum number of notifications that one call delivers."""


class Notifications:
    """Delivery of notifications, across restarts and processes."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def waiting(self, scope: Scope) -> int:
        """Return the number of pending proposals."""
        return self._database.read(lambda tx: proposals.count(tx, scope.team, scope.workspace))

    def deliver(self, scope: Scope, channel: str) -> list[Notification]:
        """Return the undelivered notifications of a channel, oldest first.

        They are not delivered again.
        """
        team, now = scope.team, self._clock.now()
        looked = self._database.read(
            lambda tx: notifications.undelivered(tx, team, channel, limit=1)
        )
        if not looked:
            return []

        def work(tx: Transaction) -> list[Notification]:
            found = notifications.undelivered(tx, team, channel, limit=AT_ONCE)
            notifications.deliver(tx, team, channel, found, now)
            return found

        return self._database.write(work)
