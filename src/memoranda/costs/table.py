"""Rows of language model calls, their costs and monthly budgets.

A call is inserted with its highest possible cost before it is made, and is settled or released
once.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from memoranda.costs.model import Budget, CallState, CostTotal, ModelCall, day_of
from memoranda.model_request import TokenUsage
from memoranda.store.database import Transaction, load_statements, row_of

SQL = load_statements(__file__)

Heading: TypeAlias = Literal["operation", "agent", "task", "model", "day"]


def insert(tx: Transaction, call: ModelCall) -> None:
    """Insert a call."""
    row = row_of(call)
    tx.execute(SQL["insert"], row | _tokens(call.usage, call.measured))


def settle(
    tx: Transaction, team: str, id: str, usage: TokenUsage, cost: int, *, measured: bool = True
) -> bool:
    """Settle a charged call; return False if it has already ended."""
    row = {"team": team, "id": id, "cost": cost, "state": CallState.SETTLED}
    return tx.execute(SQL["end"], row | _tokens(usage, measured)) > 0


def release(tx: Transaction, team: str, id: str) -> bool:
    """End a call that was not charged; return False if it has already ended."""
    row = {"team": team, "id": id, "cost": 0, "state": CallState.RELEASED}
    return tx.execute(SQL["end"], row | _tokens(TokenUsage(0, 0), False)) > 0


def settled(tx: Transaction, team: str, month: str) -> int:
    """Return the cost of a month's settled calls in millionths of a dollar."""
    row = tx.first(SQL["settled"], {"team": team, "month": month})
    return int(row[0]) if row else 0


def total(tx: Transaction, team: str, month: str) -> int:
    """Return the cost of a month's calls, in millionths of a dollar.

    Calls in progress count with their maximum cost.
    """
    row = tx.first(SQL["total"], {"team": team, "month": month})
    return int(row[0]) if row else 0


def day_total(tx: Transaction, team: str, price: str, since: int) -> tuple[int, int]:
    """Return the calls of a price source since a time, and their tokens."""
    row = tx.first(SQL["day_total"], {"team": team, "price": price, "since": since})
    return (int(row[0]), int(row[1])) if row else (0, 0)


def spent(tx: Transaction, team: str, by: Heading, month: str | None = None) -> list[CostTotal]:
    """Return the totals of calls by a property, sorted by the property."""
    return [
        CostTotal(day_of(name) if by == "day" else name, *map(int, sums))
        for name, *sums in tx.fetch(SQL[f"by_{by}"], {"team": team, "month": month})
    ]


def budget(tx: Transaction, team: str) -> Budget:
    """Return a team's own budget."""
    row = tx.first(SQL["budget"], {"team": team})
    return Budget(*row) if row else Budget()


def set_budget(tx: Transaction, team: str, limit: int | None, alert_share: float | None) -> None:
    """Set a team's own limit and share; None selects the settings' value."""
    row = {"team": team, "cost_limit": limit, "alert_share": alert_share}
    tx.execute(SQL["set_budget"], row)


def alert(tx: Transaction, team: str, month: str) -> bool:
    """Record that the month's cost exceeded the alert share; False if known."""
    return tx.execute(SQL["alert"], {"team": team, "month": month}) > 0


def refuse(tx: Transaction, team: str, month: str, refused: int, cost: int) -> None:
    """Set the number of calls refused in a month, and the highest cost of one."""
    tx.execute(SQL["refuse"], {"team": team, "month": month, "refused": refused, "cost": cost})


def _tokens(usage: TokenUsage, measured: bool) -> dict[str, int]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cached_tokens,
        "measured": int(measured),
    }
