"""Requests to a language model, and its replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.json_data import VERBATIM, JsonValue


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Task for a model on a text, which is always treated as data."""

    operation: str
    """Purpose of the answer, such as ``compress``; calls are accounted by it."""
    system: str
    """Instructions, written only by this program."""
    text: str
    schema: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    """JSON schema of the answer, an object."""
    max_tokens: int
    """Maximum length of the answer; a longer one is invalid."""


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    """Tokens of the input that the provider had cached."""
    cost: int | None = None
    """Millionths of a dollar, where the provider itself reports them."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """Complete answer that fits the schema of its question."""

    data: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    model: str
    """Name of the model, as reported by the provider."""
    usage: TokenUsage | None
    """None if the provider does not report it."""
    cost: int = 0
    """Millionths of a dollar, as accounted."""
    remembered: bool = False
    """Whether it comes from the cache of earlier answers."""
    alert: bool = False
    """Whether this call passed the alert share of the monthly budget."""
