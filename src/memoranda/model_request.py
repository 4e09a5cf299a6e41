"""Requests to a language model, and its replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.json_data import VERBATIM, JsonValue


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Task for a model about a text, which is always treated as data."""

    operation: str
    """Purpose of the answer, such as ``compress``; calls are accounted by purpose."""
    system: str
    """Instructions, written only by this program."""
    text: str
    schema: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    """JSON schema of the answer; the answer is an object."""
    max_tokens: int
    """Maximum number of tokens of the answer; a longer answer is invalid."""


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Number of tokens in one call."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    """Number of input tokens that the provider had cached."""
    cost: int | None = None
    """Cost in millionths of a dollar, if the provider reports it."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """Complete answer that matches the schema of the request."""

    data: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    model: str
    """Name of the model, as reported by the provider."""
    usage: TokenUsage | None
    """None if the provider does not report the usage."""
    cost: int = 0
    """Accounted cost in millionths of a dollar."""
    remembered: bool = False
    """Whether the answer comes from the cache of earlier answers."""
    alert: bool = False
    """Whether this call raised the monthly spending above the alert share."""
