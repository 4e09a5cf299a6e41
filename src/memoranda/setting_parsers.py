"""Parsers of setting values from text or TOML; they raise ValueError."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from memoranda.search.model import FACTORS

_WEB_ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?")
_MODEL = re.compile(r"\w[\w./:@+~-]*")
_VISIBLE = re.compile(r"[!-~]+")
REDIS = ("redis://", "rediss://", "unix://")
LANGUAGE_PROGRAMS = {"claude-cli": "claude", "codex-cli": "codex", "gemini-cli": "gemini"}
"""Programs by provider, for coding agents that use their user's login."""
LANGUAGE_PROVIDERS = ("openai", "anthropic", "compatible", "ollama", *LANGUAGE_PROGRAMS)
_N = TypeVar("_N", int, float)
TELEMETRY = ("none", "prometheus", "opentelemetry")


def with_home(path: str | Path) -> str:
    """Return a path with "~" replaced by that user's home.

    As in the hook, a "~" of an unknown user is left unchanged instead of raising an error.
    """
    return os.path.expanduser(path)  # noqa: PTH111


def text(raw: Any) -> str:
    """Parse a non-empty text."""
    if not isinstance(raw, str) or not raw:
        raise ValueError("must be a text")
    return raw


def short(limit: int) -> Callable[[Any], str]:
    """Return a parser for a non-empty text of limited length."""

    def read(raw: Any) -> str:
        if not text(raw).strip() or len(raw) > limit:
            raise ValueError(f"must have 1 to {limit} characters")
        return str(raw)

    return read


def lines(raw: Any) -> tuple[str, ...]:
    """Parse a list; if it is a text, each line is an item."""
    lines = raw.split("\n") if isinstance(raw, str) else map(str, raw)
    return tuple(line for line in lines if line)  # an empty pattern would match everything


def integer(lowest: int, highest: int, unit: str = "") -> Callable[[Any], int]:
    """Return a parser for an integer in a range."""

    def read(raw: Any) -> int:
        number = _number(int, raw, "an integer")
        if isinstance(raw, float) and number != raw:
            raise ValueError("must be an integer")
        if isinstance(raw, bool) or not lowest <= number <= highest:
            raise ValueError(f"must be between {lowest:,} and {highest:,}{unit}")
        return number

    return read


def _number(kind: Callable[[Any], _N], raw: Any, what: str) -> _N:
    try:
        return kind(raw)
    except ValueError:
        raise ValueError(f"must be {what}, not {str(raw)!r}") from None


def share(lowest: float, highest: float) -> Callable[[Any], float]:
    """Return a parser for a fraction in a range."""
    return amount(lowest, highest, ", such as 0.3 for 30 %")


def amount(lowest: float, highest: float, unit: str) -> Callable[[Any], float]:
    """Return a parser for a number in a range."""

    def read(raw: Any) -> float:
        number = _number(float, raw, "a number")
        if isinstance(raw, bool) or not lowest <= number <= highest:
            raise ValueError(f"must be between {lowest:g} and {highest:,g}{unit}")
        return number

    return read


def ratio(raw: Any) -> float:
    """Parse a compression ratio; 0 means adaptive."""
    ratio = float(raw)
    if isinstance(raw, bool) or not (ratio == 0 or 2 <= ratio <= 20):
        raise ValueError("must be between 2 and 20 source tokens per summary token, or 0")
    return ratio


def switch(raw: Any) -> bool:
    """Parse true or false."""
    lowered = str(raw).lower()
    if lowered not in ("true", "1", "false", "0", ""):
        raise ValueError("must be true or false")
    return lowered in ("true", "1")


def absolute(raw: Any) -> str:
    """Parse an absolute path."""
    path = with_home(raw)
    if not Path(path).is_absolute():
        raise ValueError("must be an absolute path, so that it is the same for every program")
    return path


def redis_address(raw: Any) -> str:
    """Parse the address of a Redis server."""
    if not text(raw).startswith(REDIS):
        raise ValueError(f"must begin with one of {', '.join(REDIS)}")
    return str(raw)


def web_address(raw: Any) -> str:
    """Parse the address of a web service."""
    if not _WEB_ADDRESS.fullmatch(text(raw)):
        raise ValueError("must look like https://models.example/v1")
    return str(raw)


def server_address(raw: Any) -> str:
    """Parse the address of a Memoranda server."""
    if not (_WEB_ADDRESS.fullmatch(text(raw)) or str(raw).startswith("unix:/")):
        raise ValueError("must look like https://memory.example or unix:/run/memoranda.sock")
    return str(raw)


def one_of(names: tuple[str, ...]) -> Callable[[Any], str]:
    """Return a parser for a choice of several names."""

    def read(raw: Any) -> str:
        if raw not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return str(raw)

    return read


def weights(raw: Any) -> dict[str, float]:
    """Parse "recency=0.3, stage=0", or a table."""
    pairs = raw.items() if isinstance(raw, Mapping) else map(_pair, text(raw).split(","))
    parsed = {str(name): float(weight) for name, weight in pairs}
    if unknown := parsed.keys() - FACTORS.keys():
        raise ValueError(f"unknown factor {', '.join(sorted(unknown))}; use {', '.join(FACTORS)}")
    weights = {**FACTORS, **parsed}
    if not all(0 <= weight <= 1 for weight in weights.values()) or not weights["similarity"]:
        raise ValueError("must be between 0 and 1, and similarity must be above 0")
    return weights


def _pair(text: str) -> tuple[str, str]:
    name, equals, weight = text.partition("=")
    if not equals:
        raise ValueError("must look like recency=0.3, stage=0.1")
    return name.strip(), weight


def language_model(raw: Any) -> str:
    """Parse a provider and its model."""
    provider, _, model = text(raw).partition(":")
    named = _VISIBLE.fullmatch(model) or raw in LANGUAGE_PROGRAMS
    if provider not in LANGUAGE_PROVIDERS or not named:
        names, alone = ", ".join(LANGUAGE_PROVIDERS), ", ".join(LANGUAGE_PROGRAMS)
        raise ValueError(
            f"must look like openai:gpt-5-mini, with one of {names} before the colon; "
            f"{alone} need no model"
        )
    return str(raw)


def model(raw: Any) -> str:
    """Parse the name of a model."""
    if not _MODEL.fullmatch(text(raw)):
        raise ValueError("must be the name of a model, such as gpt-5-nano")
    return str(raw)


def prices(raw: Any) -> dict[str, tuple[float, float]]:
    """Parse "small=0.15/0.6, large=2/8", or a table."""
    if not isinstance(raw, Mapping):
        raw = dict(part.rpartition("=")[::2] for part in text(raw).split(","))
    return {str(model).strip(): _price(str(price_text)) for model, price_text in raw.items()}


def _price(text: str) -> tuple[float, float]:
    taken, slash, parts = text.partition("/")
    price = (float(taken), float(parts)) if slash else (-1.0, -1.0)
    if not all(0 <= dollars <= 1_000_000 for dollars in price):
        raise ValueError("must look like small=0.15/0.6: dollars per million input/output tokens")
    return price


def telemetry(raw: Any) -> str:
    """Parse the targets of telemetry."""
    names = list(dict.fromkeys(name.strip() for name in text(raw).split(",")))
    if not set(names) <= set(TELEMETRY) or ("none" in names and len(names) > 1):
        raise ValueError("must be none, prometheus, opentelemetry, or both with a comma")
    return ",".join(names)


def secret(raw: Any) -> str:
    """Parse a key or token."""
    if not _VISIBLE.fullmatch(text(raw)):
        raise ValueError("must consist of visible ASCII characters")
    return str(raw)


def or_empty(form: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a parser that also accepts an empty text, which means "not set"."""
    return lambda raw: raw if raw == "" else form(raw)
