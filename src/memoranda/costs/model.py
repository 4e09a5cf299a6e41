"""What calls to language models cost, and what they may cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from memoranda.prompt import TokenUsage

DAY = 86_400_000_000
"""Microseconds."""
DOLLAR = 1_000_000
"""Costs are whole millionths of a dollar, rounded up."""


LOGIN = "login"
"""The source of the price where a program is called with its user's login: nobody lists it."""


class CallState(StrEnum):
    """How far a call has come. What is not released counts as spent."""

    RESERVED = "reserved"
    """Under way, or nobody is left to tell how it ended: it counts with the most it may cost."""
    SETTLED = "settled"
    RELEASED = "released"
    """The provider charges nothing for it."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """Whom a call is for."""

    team: str
    agent: str | None = None
    task: str | None = None


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One request to a provider."""

    team: str
    id: str
    operation: str
    provider: str
    model: str
    agent: str | None
    task: str | None
    usage: TokenUsage
    """As the provider told; until then, or when it does not tell, the most that was possible."""
    measured: bool
    """The provider told the usage."""
    cost: int
    price: str
    """Where its price is from: ``given`` by a setting, ``listed``, ``free``, or a ``login`` with
    which a program is called."""
    state: CallState
    month: str
    """Such as ``2026-11``: that of its reservation, in UTC."""
    created_at: int


@dataclass(frozen=True, slots=True)
class DailyLimits:
    """What programs that are called with a login may do in a day for a team."""

    calls: int
    tokens: int
    """Read and written together."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What the calls of a team may cost in a month, where it differs from the settings."""

    limit: int | None = None
    """Millionths of a dollar."""
    alert_share: float | None = None
    alerted_month: str | None = None
    """The last month in which the share was passed and told."""


@dataclass(frozen=True, slots=True)
class BudgetStatus:
    """How a team stands in a month."""

    month: str
    limit: int
    spent: int
    """With what is reserved for calls under way."""
    alert_share: float
    alerted: bool

    @property
    def left(self) -> int:
        """What may still be spent."""
        return max(0, self.limit - self.spent)


@dataclass(frozen=True, slots=True)
class CostTotal:
    """What calls that have something in common came to."""

    name: str
    """What they have in common; empty for calls without it."""
    calls: int
    """Those that were not released."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost: int
    open: int
    """Calls among them that nobody has settled."""


def month_of(microseconds: int) -> str:
    """Return the month of a time, in UTC, such as ``2026-11``."""
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC).strftime("%Y-%m")


def day_start(microseconds: int) -> int:
    """Return the time at which the day of a time began, in UTC."""
    return microseconds - microseconds % DAY


def day_of(number: int) -> str:
    """Return the date of a day by its number since the epoch."""
    return datetime.fromtimestamp(number * 86_400, UTC).strftime("%Y-%m-%d")


def dollars(cost: int) -> str:
    """Write a cost as a person reads it, to the cent or, where there is more, exactly."""
    exact = f"{cost / DOLLAR:,.6f}".rstrip("0")
    whole, _, rest = exact.partition(".")
    return f"${whole}.{rest:0<2}"
