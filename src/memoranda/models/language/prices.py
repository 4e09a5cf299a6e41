"""Prices of a model's tokens: from a setting, a provider's list, or none.

A server on this machine is free; for a coding agent's program, its reported cost is used.
"""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from memoranda.costs.model import DOLLAR, LOGIN
from memoranda.model_request import TokenUsage

if TYPE_CHECKING:
    from memoranda.ports import Price


@dataclass(frozen=True, slots=True)
class TokenRates:
    """Dollars per million tokens, without a discount for cached tokens."""

    source: str
    input: float = 0.0
    output: float = 0.0

    def cost(self, usage: TokenUsage) -> int:
        """Return the cost in millionths of a dollar, rounded up."""
        # A dollar per million tokens is a millionth of a dollar per token.
        read = Decimal(str(self.input)) * usage.input_tokens
        return math.ceil(read + Decimal(str(self.output)) * usage.output_tokens)


@dataclass(frozen=True, slots=True)
class ListPrice:
    """Prices from the list in a provider's package, with tiers and discounts."""

    model: str
    provider: str | None
    url: str | None
    source: str = "listed"

    def cost(self, usage: TokenUsage) -> int:
        """Return the cost in millionths of a dollar, rounded up.

        Raises:
            LookupError: the model is not in the list.
        """
        import genai_prices

        priced_usage = genai_prices.Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cached_tokens,
        )
        if self.url is None:
            found = genai_prices.calc_price(priced_usage, self.model, provider_id=self.provider)
        else:
            found = genai_prices.calc_price(priced_usage, self.model, provider_api_url=self.url)
        return math.ceil(found.total_price * DOLLAR)


FREE = TokenRates("free")
OLLAMA = "ollama"


@dataclass(frozen=True, slots=True)
class LoginPrice:
    """Price that a program reports, or its maximum price before the report."""

    dearest: TokenRates
    source: str = LOGIN

    def cost(self, usage: TokenUsage) -> int:
        """Return the cost in millionths of a dollar, rounded up."""
        return self.dearest.cost(usage) if usage.cost is None else usage.cost


LOGINS: Mapping[str, LoginPrice] = {
    "claude-cli": LoginPrice(TokenRates(LOGIN, 15.0, 75.0)),
    "codex-cli": LoginPrice(TokenRates(LOGIN)),
    "gemini-cli": LoginPrice(TokenRates(LOGIN)),
}
"""Prices by program: Claude Code reports dollars, others only tokens."""


def price(
    provider: str, model: str, url: str, prices: Mapping[str, tuple[float, float]]
) -> Price | None:
    """Return the price of a model; None if it is unknown.

    A setting takes precedence. A server on this machine, where Ollama usually is, costs nothing; a
    program costs what it reports. ``url`` is empty for the default address of a provider.
    """
    if model in prices:
        return TokenRates("given", *prices[model])
    if provider in LOGINS:
        return LOGINS[provider]
    if _on_this_machine(url) if url else provider == OLLAMA:
        return FREE
    list_price = ListPrice(model, None if url else provider, url or None)
    try:
        list_price.cost(TokenUsage(1, 1))
    except (ImportError, LookupError):
        return None
    return list_price


def _on_this_machine(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
