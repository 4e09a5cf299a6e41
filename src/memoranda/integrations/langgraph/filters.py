"""Filters and namespace conditions of searches in LangGraph's store."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from langgraph.store.base import MatchCondition

from memoranda.exceptions import InvalidInput

_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}
_KNOWN = ("$eq", "$ne", *_ORDERS)
_LOGIC = ("$and", "$or", "$not", "$nor")


def require_known(wanted: Mapping[str, Any] | None) -> None:
    """Refuse a filter with unknown operators, even if there are no items.

    Raises:
        InvalidInput: an operator is not one of $eq, $ne, $gt, $gte, $lt and $lte.
    """
    for name, condition in (wanted or {}).items():
        if name in _LOGIC:
            raise InvalidInput(f"unknown operator {name!r}; use one of {', '.join(_KNOWN)}")
        if isinstance(condition, Mapping):
            operators = [one for one in map(str, condition) if one.startswith("$")]
            for item in [one for one in operators if one not in _KNOWN]:
                raise InvalidInput(f"unknown operator {item!r}; use one of {', '.join(_KNOWN)}")
            require_known({} if operators else condition)


def passes_filter(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Return whether an item's value satisfies every condition of a filter."""
    return all(_is(field_at(value, name), condition) for name, condition in (wanted or {}).items())


def field_at(value: Any, name: str) -> Any:
    """Return a field of a value.

    A name that is not a field is treated as a path: ``user.city``.
    """
    if not isinstance(value, Mapping) or name in value or "." not in name:
        return value.get(name) if isinstance(value, Mapping) else None
    first, _, rest = name.partition(".")
    return field_at(value.get(first), rest)


def matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    """Return whether a namespace has the prefix or suffix of a condition.

    ``*`` matches any label.

    Raises:
        InvalidInput: the condition is of another kind.
    """
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise InvalidInput(f"unknown condition {condition.match_type!r}; use prefix or suffix")
    if len(namespace) < len(path):
        return False
    start = 0 if condition.match_type == "prefix" else len(namespace) - len(path)
    part = namespace[start : start + len(path)]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


def _is(value: Any, condition: Any) -> bool:
    if isinstance(condition, Mapping):
        if any(str(name).startswith("$") for name in condition):
            return all(_satisfies(value, name, other) for name, other in condition.items())
        return isinstance(value, Mapping) and all(
            _is(value.get(name), other) for name, other in condition.items()
        )
    if isinstance(condition, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(condition)
            and all(map(_is, value, condition))
        )
    return bool(value == condition)


def _satisfies(value: Any, name: str, other: Any) -> bool:
    if name in ("$eq", "$ne"):
        return bool(value == other) is (name == "$eq")
    first, second = _number(value), _number(other)
    if first is not None and second is not None:
        return _ORDERS[name](first, second)
    both_texts = isinstance(value, str) and isinstance(other, str)
    return both_texts and _ORDERS[name](value, other)


def _number(value: Any) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None
