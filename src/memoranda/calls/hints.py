"""The types that a function or a dataclass names, with the imports that start-up is spared."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
import typing
from collections.abc import Callable, Mapping
from functools import cache
from textwrap import dedent
from types import ModuleType
from typing import Any

_GUARDED = re.compile(r"^if TYPE_CHECKING:\n((?:[ ]+.*\n|\n)+)", re.MULTILINE)


@cache
def hints(described: Callable[..., Any]) -> Mapping[str, Any]:
    """Return what each parameter and the result, or each field, is said to be."""
    module = sys.modules[described.__module__]
    return typing.get_type_hints(described, vars(module) | _spared(module))


def fields(kind: type, arguments: tuple[Any, ...] = ()) -> Mapping[str, Any]:
    """Return the types of a dataclass's fields; ``arguments`` stand in for its type variables."""
    named = hints(kind)
    standing = dict(zip(getattr(kind, "__parameters__", ()), arguments, strict=False))
    return {
        field.name: _filled(named[field.name], standing)
        for field in dataclasses.fields(kind)
        if field.init
    }


def _filled(said: Any, standing: Mapping[Any, Any]) -> Any:
    """Return a type with what stands in for its type variables."""
    free = getattr(said, "__parameters__", ())
    if said in standing:
        return standing[said]
    return said[tuple(standing[one] for one in free)] if free and standing else said


def is_any(said: Any) -> bool:
    """Say whether a type lets any JSON through; the alias unfolds to different depths."""
    kinds = {typing.get_origin(one) or one for one in typing.get_args(said)}
    return said in (Any, object) or {str, bool, list, dict} <= kinds


@cache
def _spared(module: ModuleType) -> dict[str, Any]:
    """Import what a module imports for type checkers alone.

    Without a syntax tree: Python before 3.13 confuses the depths of two trees that threads make at
    once, and other libraries make theirs whenever they like.
    """
    found: dict[str, Any] = {}
    for block in _GUARDED.findall(inspect.getsource(module)):
        exec(dedent(block), found)
    found.pop("__builtins__", None)
    return found
