"""Delivers each notification about a crowded profile to each channel once."""

from __future__ import annotations

from dataclasses import replace

from memoranda.profile import table as profiles
from memoranda.profile.model import ProfileNews
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.workspaces import table as workspaces


class ProfileNotifications:
    """Delivery of notifications about profiles, across restarts and processes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def deliver(self, scope: Scope, channel: str) -> list[ProfileNews]:
        """Return the crowded profiles that a channel was not notified of."""
        looked = self._database.read(lambda tx: profiles.unnotified(tx, scope.team, channel))
        if not looked:
            return []

        def work(tx: Transaction) -> list[ProfileNews]:
            found = profiles.unnotified(tx, scope.team, channel)
            for news, notified in found:
                profiles.mark_notified(tx, scope.team, news.change, (*notified, channel))
            return [_named(tx, scope.team, news) for news, _ in found]

        return self._database.write(work)


def _named(tx: Transaction, team: str, news: ProfileNews) -> ProfileNews:
    """Return news with the name of the workspace in place of its id."""
    place = workspaces.by_id(tx, team, news.workspace) if news.workspace else None
    return replace(news, workspace=place.name) if place else news
