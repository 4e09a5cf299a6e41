"""Rows of notifications about proposals, and which channels received them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from memoranda.proposals.model import Notification, NotificationKind
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


def put(tx: Transaction, notification: Notification) -> None:
    """Add a notification for every channel."""
    tx.execute(SQL["put"], asdict(notification))


def undelivered(tx: Transaction, team: str, channel: str, *, limit: int) -> list[Notification]:
    """Return the undelivered notifications of a channel, oldest first."""
    bindings = {"team": team, "channel": channel, "limit": limit}
    return [
        Notification(team, id, NotificationKind(notice), proposal, created_at)
        for team, id, notice, proposal, created_at in tx.fetch(SQL["undelivered"], bindings)
    ]


def deliver(
    tx: Transaction, team: str, channel: str, notifications: Sequence[Notification], now: int
) -> None:
    """Record that a channel was notified; a repetition changes nothing."""
    rows = [
        {"team": team, "channel": channel, "notification": one.id, "delivered_at": now}
        for one in notifications
    ]
    tx.many(SQL["deliver"], rows)
