"""Requests to a language model, and its replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.json_data import VERBATIM, JsonValue


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Task for a model on a text, which is always treated as data."""

    operation: str
    """Purpose of the answer, such as ``compress``, by which calls are accounted."""
    system: str
    """Instructions, written only by this program."""
    text: str
    schema: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    """JSON schema of the answer, an object."""
    max_tokens: int
    """Maximum tokens of the answer; a longer one is invalid."""


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Number of tokens in one call."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    """Input tokens that the provider had cached."""
    cost: int | None = None
    """Cost in millionths of a dollar, if the provider reports it."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """Complete answer that matches the schema of its question."""

    data: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    model: str
    """Name of the model, as reported by the provider."""
    usage: TokenUsage | None
    """None if the provider does not report it."""
    cost: int = 0
    """Accounted cost in millionths of a dollar."""
    remembered: bool = False
    """Whether it comes from the cache of earlier answers."""
    alert: bool = False
    """Whether this call raised the monthly spending above the alert share."""
