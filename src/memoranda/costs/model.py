"""Costs of language model calls, and the budget of a team."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from memoranda.model_request import TokenUsage

DAY = 86_400_000_000
"""Microseconds per day."""
DOLLAR = 1_000_000
"""Cost units per dollar; costs are integer millionths, rounded up."""
LARGEST_BUDGET = 1_000_000_000
"""Maximum dollars per month."""
MIN_ALERT_SHARE = 0.01


LOGIN = "login"
"""Price source of a program that uses the user's login; price lists do not contain it."""


class CallState(StrEnum):
    """State of a call. All calls except released ones count as spent."""

    RESERVED = "reserved"
    """In progress, or with unknown end; counted with its maximum cost."""
    SETTLED = "settled"
    RELEASED = "released"
    """The provider does not charge for it."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """Purpose of a call."""

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
    """Usage reported by the provider; until it is reported, the maximum usage."""
    measured: bool
    """Whether the provider reported the usage."""
    cost: int
    price: str
    """Source of the price of the call.

    The source is ``given`` for a setting, ``listed`` for a price list, ``free``, or ``login`` for a
    program that is called with the user's login.
    """
    state: CallState
    month: str
    """UTC month of the reservation, such as ``2026-11``."""
    created_at: int


@dataclass(frozen=True, slots=True)
class DailyLimits:
    """Daily limits of a team for programs called with the user's login."""

    calls: int
    tokens: int
    """Maximum total number of input and output tokens."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Monthly budget of a team, as far as it differs from the settings."""

    limit: int | None = None
    """Limit in millionths of a dollar."""
    alert_share: float | None = None
    alerted_month: str | None = None
    """Last month in which the alert share was exceeded and reported."""
    refused_month: str | None = None
    """Last month in which a call was refused."""
    refused: int = 0
    refused_cost: int = 0


@dataclass(frozen=True, slots=True)
class BudgetStatus:
    """Budget status of a team in a month."""

    month: str
    limit: int
    spent: int
    """Amount spent, including reservations for calls in progress."""
    alert_share: float
    alerted: bool
    own_limit: bool = False
    """Whether the team set the limit itself instead of using the setting."""
    own_alert_share: bool = False
    """Whether the team set the alert share itself instead of using the setting."""
    refused: int = 0
    """Number of calls that were refused because their maximum cost exceeded the budget."""
    refused_cost: int = 0
    """Highest maximum cost of a refused call."""

    @property
    def left(self) -> int:
        """Return the amount that may still be spent."""
        return max(0, self.limit - self.spent)


@dataclass(frozen=True, slots=True)
class CostTotal:
    """Total of calls with the same value of a property."""

    name: str
    """Value of the property; empty for calls without it."""
    calls: int
    """Number of calls, excluding released reservations."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost: int
    open: int
    """Number of calls that are not settled."""


def amount(text: str) -> str:
    """Return a dollar amount without currency sign and separators."""
    return text.strip().lstrip("$").replace(",", "")


def refusals(refused: int, cost: int, left: int) -> str:
    """Describe the calls refused by a month's budget; empty if there are none."""
    if not refused:
        return ""
    calls, each = ("1 call", "it") if refused == 1 else (f"{refused:,} calls", "each")
    up_to = f"{each} could cost up to {dollars(cost)}"
    rest = f"{dollars(left)} left" if cost > left else "which the budget now covers"
    return f"{calls} not made this month: {up_to}, {rest}"


def month_of(microseconds: int) -> str:
    """Return the UTC month of a time, such as ``2026-11``."""
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC).strftime("%Y-%m")


def day_start(microseconds: int) -> int:
    """Return the start of the UTC day of a time."""
    return microseconds - microseconds % DAY


def day_of(number: int) -> str:
    """Return the date of a day given as a number since the epoch."""
    return datetime.fromtimestamp(number * 86_400, UTC).strftime("%Y-%m-%d")


def dollars(cost: int) -> str:
    """Format a cost for people: to the cent or, if smaller, exactly."""
    exact = f"{cost / DOLLAR:,.6f}".rstrip("0")
    whole, _, rest = exact.partition(".")
    return f"${whole}.{rest:0<2}"
