"""Delivers each open intervention to each channel once."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.clock import Clock
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.supervision import table as interventions
from memoranda.supervision.model import Intervention

AT_ONCE = 1_000
"""Maximum number of interventions that a channel receives at once."""


class InterventionNotifications:
    """Delivery of open interventions, across restarts and processes."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def deliver(self, scope: Scope, channel: str) -> Sequence[Intervention]:
        """Return open interventions not yet sent to a channel, oldest first.

        They will not be returned again for that channel.
        """
        team, now = scope.team, self._clock.now()
        looked = self._database.read(
            lambda tx: interventions.unnotified(tx, team, channel, limit=1)
        )
        if not looked:
            return []

        def work(tx: Transaction) -> Sequence[Intervention]:
            found = interventions.unnotified(tx, team, channel, limit=AT_ONCE)
            interventions.mark_notified(tx, team, channel, found, now)
            return found

        return self._database.write(work)
