"""Ranges of arguments for the OpenAPI document, as operations check them.

An argument name has the same range in every operation; exceptions are listed with the operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memoranda.blocks.model import MAX_LIMIT as LONGEST_BLOCK
from memoranda.calls.schema import Schema
from memoranda.checkpoints.model import MAXIMUM as LARGEST_EFFORT
from memoranda.costs.model import LARGEST_BUDGET, MIN_ALERT_SHARE
from memoranda.identity.issuer import MAX_HOURS
from memoranda.observations.stated_details import LARGEST as LARGEST_FIGURE
from memoranda.page import MAX_LIMIT
from memoranda.profile.model import LIMIT as PROFILE_LIMIT
from memoranda.working.model import MAX_SECONDS

_MAX_TOKENS = 1_000_000
_MAX_DAYS = 3_650
_LARGEST = 2**63 - 1

_NUMBERS: Mapping[str, tuple[float, float]] = {
    "limit": (1, MAX_LIMIT),
    "blocks.configure.limit": (1, LONGEST_BLOCK),
    "before": (0, MAX_LIMIT - 1),
    "after": (0, MAX_LIMIT - 1),
    "budget": (1, _MAX_TOKENS),
    "in_view": (0, MAX_LIMIT),
    "max_tokens": (1, _LARGEST),
    "tokens": (1, _MAX_TOKENS),
    "compression.compress.tokens": (1, _LARGEST),
    "ttl": (1, MAX_SECONDS),
    "days": (1, _MAX_DAYS),
    "target": (1, PROFILE_LIMIT),
    "ratio": (1, 1_000),
    "hours": (0.01, MAX_HOURS),
    "tokens_used": (0, LARGEST_FIGURE),
    "duration_ms": (0, LARGEST_FIGURE),
    "severity": (0, 1),
    "min_score": (0, 1),
    "confidence": (0, 1),
    "least_confidence": (0, 1),
    "dollars": (0, LARGEST_BUDGET),
    "alert_share": (MIN_ALERT_SHARE, 1),
}
_RECORDS: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "SearchFilter": {"least_confidence": (0, 1)},
    "NewMemory": {"confidence": (0, 1)},
    "MemoryEdit": {"confidence": (0, 1)},
    "Effort": dict.fromkeys(("tokens", "cost", "duration_ms"), (0, LARGEST_EFFORT)),
}
"""Ranges of the numbers in records that are arguments, by record."""
_FILLED = frozenset(
    [
        *("content", "statement", "text", "description", "recovery", "old", "patch"),
        *("label", "key", "name", "space"),
    ]
)
"""String arguments that must not be empty if they are required."""
_EMPTY_TOO = frozenset({"capture.privacy-test.text", "blocks.insert.text"})


def bounded(schema: Schema, operation: str, name: str, *, required: bool) -> Schema:
    """Return the schema of an argument with the range of its valid values."""
    numbers = _NUMBERS.get(f"{operation}.{name}") or _NUMBERS.get(name)
    if numbers:
        return _within(schema, *numbers)
    filled = name in _FILLED and f"{operation}.{name}" not in _EMPTY_TOO
    if required and filled and schema.get("type") == "string":
        return {**schema, "minLength": 1}
    return schema


def bounded_records(records: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas of argument records, with the ranges of valid values."""
    changed = {}
    for record, ranges in _RECORDS.items():
        properties = records[record]["properties"]
        inner = {name: _within(properties[name], *limits) for name, limits in ranges.items()}
        changed[record] = {**records[record], "properties": {**properties, **inner}}
    return {**records, **changed}


def _within(schema: Schema, lowest: float, highest: float) -> Schema:
    if schema.get("type") in ("integer", "number"):
        return {**schema, "minimum": lowest, "maximum": highest}
    choices: Any = schema.get("anyOf")
    if not choices:
        return schema
    return {**schema, "anyOf": [_within(choice, lowest, highest) for choice in choices]}
