"""What a language model is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memoranda.json_data import VERBATIM, JsonValue


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What is to be done with a text. The text is data, whatever it says."""

    operation: str
    """What the answer is for, such as ``compress``; calls are accounted by it."""
    system: str
    """What to do, in words of this program alone."""
    text: str
    schema: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    """The JSON schema of the answer, an object."""
    max_tokens: int
    """Of the answer; what is longer is no answer."""


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one call."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    """Those of the input that the provider had read before."""
    cost: int | None = None
    """Millionths of a dollar, where the provider itself reports them."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A whole answer that fits the schema of its question."""

    data: Mapping[str, JsonValue] = field(metadata=VERBATIM)
    model: str
    """What gave it, as the provider says."""
    usage: TokenUsage | None
    """None: the provider does not tell."""
    cost: int = 0
    """Millionths of a dollar, as accounted."""
    remembered: bool = False
    """The same question was answered before, and nobody was asked again."""
    alert: bool = False
    """With this call the month passed the share of its budget that is to be told."""
