"""mem0's filters for memories; unknown fields and operators are refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, parse_iso_time

OWNERS: Mapping[str, str] = {
    "user_id": "user",
    "agent_id": "agent",
    "app_id": "app",
    "run_id": "run",
}
"""Fields that name the owner of a memory, each with the prefix of its tag."""
FIELDS = frozenset({*OWNERS, "created_at", "updated_at", "categories", "metadata", "keywords"})
_ORDERS = ("gt", "gte", "lt", "lte")
ANYTHING = "*"
DEPTH = 10

Test = Callable[[Mapping[str, Any]], bool]
Value = Callable[[Mapping[str, Any]], Any]


def predicate(filters: JsonValue, depth: int = 0) -> Test:
    """Return a predicate for memories in response form, built from filters.

    Raises:
        InvalidInput: a field or operator is not known, or the filter is too deep.
    """
    if filters is None:
        return lambda _: True
    if not isinstance(filters, dict) or depth > DEPTH:
        raise InvalidInput(f"filters must be an object, at most {DEPTH} deep")
    tests = [_test(name, condition, depth) for name, condition in filters.items()]
    return lambda item: all(test(item) for test in tests)


def owners_in(filters: JsonValue) -> dict[str, str]:
    """Return the owners that a filter requires in every case.

    These are owners with an exact name, at the top level or within AND.
    """
    result: dict[str, str] = {}
    if isinstance(filters, dict):
        for name, condition in filters.items():
            if name in OWNERS and isinstance(condition, str) and condition != ANYTHING:
                result[name] = condition
            elif name == "AND":
                for item in condition if isinstance(condition, list) else [condition]:
                    result |= owners_in(item)
    return result


def _test(name: str, condition: JsonValue, depth: int) -> Test:
    if name in ("AND", "OR", "NOT"):
        listed = condition if isinstance(condition, list) else [condition]
        tests = [predicate(one, depth + 1) for one in listed]
        if name == "AND":
            return lambda item: all(test(item) for test in tests)
        if name == "OR":
            return lambda item: any(test(item) for test in tests)
        return lambda item: not any(test(item) for test in tests)
    if name == "metadata" and isinstance(condition, dict):
        inner = [_compare(_inside(key), one) for key, one in condition.items()]
        return lambda item: all(test(item) for test in inner)
    if name not in FIELDS:
        raise InvalidInput(f"no filter {name!r}; known: AND, OR, NOT, {', '.join(sorted(FIELDS))}")
    return _compare(_operand if name == "keywords" else lambda item: item.get(name), condition)


def _inside(key: str) -> Value:
    return lambda item: (item.get("metadata") or {}).get(key)


def _operand(item: Mapping[str, Any]) -> Any:
    return item.get("memory")


def _compare(value: Value, operand: JsonValue) -> Test:
    if operand == ANYTHING:
        return lambda item: value(item) not in (None, "", [])
    if not isinstance(operand, dict):
        return lambda item: _equal(value(item), operand)
    tests = [_operator(name, one) for name, one in operand.items()]
    return lambda item: all(test(value(item)) for test in tests)


def _operator(name: str, operand: JsonValue) -> Callable[[Any], bool]:
    listed = operand if isinstance(operand, list) else [operand]
    operators: dict[str, Callable[[Any], bool]] = {
        "eq": lambda value: _equal(value, operand),
        "ne": lambda value: not _equal(value, operand),
        "in": lambda value: any(_equal(value, item) for item in listed),
        "gt": lambda value: _above(value, operand) > 0,
        "gte": lambda value: _above(value, operand) >= 0,
        "lt": lambda value: _above(value, operand) in (-1,),
        "lte": lambda value: _above(value, operand) in (-1, 0),
        "contains": lambda value: _contains(value, operand, str),
        "icontains": lambda value: _contains(value, operand, str.lower),
    }
    if name in _ORDERS and not isinstance(operand, str | int | float):
        raise InvalidInput(f"{name} compares with a number, a time or a text, not {operand!r:.40}")
    if name not in operators:
        raise InvalidInput(
            f"unknown operator {name!r} in a filter; use one of {', '.join(operators)}"
        )
    return operators[name]


def _equal(value: Any, operand: JsonValue) -> bool:
    if isinstance(value, list | tuple):
        return value == operand or any(_equal(item, operand) for item in value)
    numbers = _number(value), _number(operand)
    if None not in numbers:
        return numbers[0] == numbers[1]
    return value == operand or (value is not None and _plain(value) == _plain(operand))


def _plain(value: Any) -> Any:
    """Return a value as text, formatted as in tags of earlier versions."""
    return str(value) if isinstance(value, str | int | float) else value


def _number(value: Any) -> float | None:
    """Return a number, or the number in a string; None otherwise."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    return found if isfinite(found) else None


def _contains(value: Any, operand: JsonValue, form: Callable[[str], str]) -> bool:
    texts = value if isinstance(value, list | tuple) else [value]
    return any(form(str(operand)) in form(text) for text in texts if isinstance(text, str))


def _above(value: Any, operand: Any) -> float:
    """Return -1, 0 or 1 if a value is below, equal to or above another.

    Return NaN if the values have no order. Numbers, and texts that are numbers, compare as numbers;
    times compare as times; other texts compare as texts.
    """
    forms: tuple[Callable[[Any], Any], ...] = (_number, _time, lambda one: one)
    for form in forms:
        mine, theirs = form(value), form(operand)
        same = type(mine) is type(theirs)
        if mine is not None and same and isinstance(mine, str | int | float):
            return float((mine > theirs) - (mine < theirs))
    return float("nan")


def _time(value: Any) -> int | None:
    return parse_iso_time(value) if isinstance(value, str) else None
