"""What the tokens of a model cost: as a setting says, as providers list, or nothing here."""

from __future__ import annotations

import ipaddress
import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from memoranda.costs.model import DOLLAR, LOGIN
from memoranda.prompt import TokenUsage

if TYPE_CHECKING:
    from memoranda.ports import Price


@dataclass(frozen=True, slots=True)
class TokenRates:
    """Dollars for a million tokens, whether they were read before or not."""

    source: str
    input: float = 0.0
    output: float = 0.0

    def cost(self, usage: TokenUsage) -> int:
        """Return millionths of a dollar, rounded up."""
        # A dollar for a million tokens is a millionth of one for a token.
        read = Decimal(str(self.input)) * usage.input_tokens
        return math.ceil(read + Decimal(str(self.output)) * usage.output_tokens)


@dataclass(frozen=True, slots=True)
class ListPrice:
    """What a provider charges by the list that its package brings, with steps and rebates."""

    model: str
    provider: str | None
    url: str | None
    source: str = "listed"

    def cost(self, usage: TokenUsage) -> int:
        """Return millionths of a dollar, rounded up.

        Raises:
            LookupError: the list does not have the model.
        """
        import genai_prices

        known = genai_prices.Usage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cache_read_tokens=usage.cached_tokens,
        )
        if self.url is None:
            found = genai_prices.calc_price(known, self.model, provider_id=self.provider)
        else:
            found = genai_prices.calc_price(known, self.model, provider_api_url=self.url)
        return math.ceil(found.total_price * DOLLAR)


FREE = TokenRates("free")
OLLAMA = "ollama"


@dataclass(frozen=True, slots=True)
class LoginPrice:
    """What a program reports, and until then the dearest that its calls may be."""

    dearest: TokenRates
    source: str = LOGIN

    def cost(self, usage: TokenUsage) -> int:
        """Return millionths of a dollar, rounded up."""
        return self.dearest.cost(usage) if usage.cost is None else usage.cost


LOGINS: Mapping[str, LoginPrice] = {
    "claude-cli": LoginPrice(TokenRates(LOGIN, 15.0, 75.0)),
    "codex-cli": LoginPrice(TokenRates(LOGIN)),
    "gemini-cli": LoginPrice(TokenRates(LOGIN)),
}
"""Claude Code reports dollars; the others report tokens alone."""


def price(
    provider: str, model: str, url: str, given: Mapping[str, tuple[float, float]]
) -> Price | None:
    """Return what a model costs, None if nobody says.

    What a setting gives goes first. A server on this machine, where Ollama usually is, costs
    nothing; a program costs what it reports. ``url`` is empty for
    the usual place of a provider.
    """
    if model in given:
        return TokenRates("given", *given[model])
    if provider in LOGINS:
        return LOGINS[provider]
    if _on_this_machine(url) if url else provider == OLLAMA:
        return FREE
    listed = ListPrice(model, None if url else provider, url or None)
    try:
        listed.cost(TokenUsage(1, 1))
    except (ImportError, LookupError):
        return None
    return listed


def _on_this_machine(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
