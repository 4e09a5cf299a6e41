"""Former names of a method's arguments, accepted beside the current ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

from memoranda.exceptions import InvalidInput

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

FORMER = "former_arguments"
"""Attribute of a method that maps former names to current names."""


def accepting_former_names(method: F, former: Mapping[str, str]) -> F:
    """Return the method so that it also accepts former names of its arguments."""

    @wraps(method)
    def accepting(*args: Any, **named: Any) -> Any:
        return method(*args, **with_present_names(named, accepting))

    setattr(accepting, FORMER, former)
    return accepting  # type: ignore[return-value]


def with_present_names(values: Mapping[str, T], method: Callable[..., Any]) -> Mapping[str, T]:
    """Return the arguments of a method with former names replaced.

    Raises:
        InvalidInput: one is passed under both names.
    """
    former: Mapping[str, str] = getattr(method, FORMER, {})
    if former.keys().isdisjoint(values):
        return values
    for name, present in former.items():
        if name in values and present in values:
            raise InvalidInput(f"{name} is the former name of {present}; pass one of them")
    return {former.get(name, name): value for name, value in values.items()}
