"""Reads the profile of a scope."""

from __future__ import annotations

from memoranda.memories.model import Memory
from memoranda.page import Page, checked_limit, number_of
from memoranda.profile import table as profiles
from memoranda.profile.agent_file import agent_file
from memoranda.profile.limit import used_by
from memoranda.profile.model import CATEGORIES, LIMIT, Profile, ranked
from memoranda.profile.table import ProfileShare
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction


class Profiles:
    """Reader of profiles."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def show(self, scope: Scope, *, cursor: str | None = None, limit: int = 50) -> Profile:
        """Return the profile of a scope, highest weight first.

        Without a workspace, this is the profile of the whole team.
        """
        checked_limit(limit)
        start = number_of(cursor, first=0)
        memories, shares = self._database.read(lambda tx: (_members(tx, scope), _shares(tx, scope)))
        page = tuple(ranked(memories)[start : start + limit])
        after = start + limit
        return Profile(
            workspace=scope.workspace,
            used=used_by(shares, scope.workspace, scope.agent),
            limit=LIMIT,
            entries=sum(share.entries for share in shares),
            categories={
                category.value: sum(share.tokens for share in shares if share.category == category)
                for category in CATEGORIES
            },
            memories=Page(page, str(after) if after < len(memories) else None),
        )

    def agent_file(self, scope: Scope) -> str:
        """Return the profile as Markdown by category, highest weight first."""
        return agent_file(ranked(self._database.read(lambda tx: _members(tx, scope))))


def _members(tx: Transaction, scope: Scope) -> list[Memory]:
    return profiles.members(tx, scope.team, scope.workspace, scope.agent)


def _shares(tx: Transaction, scope: Scope) -> list[ProfileShare]:
    return [
        share
        for share in profiles.shares(tx, scope.team, scope.workspace)
        if share.workspace in (None, scope.workspace) and share.agent in (None, scope.agent)
    ]
