"""Type hints of functions and dataclasses.

Imports under ``TYPE_CHECKING``, which are skipped at start-up, are executed to resolve the hints.
"""

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

_FIELD = re.compile(r'''^    (\w+): [^\n]*\n    """(.*?)"""''', re.MULTILINE | re.DOTALL)
"""A field of a dataclass and the docstring below it."""


@cache
def hints(described: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the type hints of parameters and result, or of fields."""
    module = sys.modules[described.__module__]
    return typing.get_type_hints(described, vars(module) | guarded_imports(module))


@cache
def annotated_hints(described: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the type hints of a function, including ``Annotated`` metadata."""
    module = sys.modules[described.__module__]
    return typing.get_type_hints(
        described, vars(module) | guarded_imports(module), include_extras=True
    )


@cache
def descriptions(described: Callable[..., Any]) -> Mapping[str, str]:
    """Return the descriptions in the annotations of parameters, by name."""
    texts = {name: _description(kind) for name, kind in annotated_hints(described).items()}
    return {name: item for name, item in texts.items() if item}


def _description(hint: Any) -> str:
    """Return the text of an ``Annotated`` type, also within a union, or ""."""
    if typing.get_origin(hint) is typing.Annotated:
        return next((item for item in hint.__metadata__ if isinstance(item, str)), "")
    return next(filter(None, map(_description, typing.get_args(hint))), "")


def fields(kind: type, arguments: tuple[Any, ...] = ()) -> Mapping[str, Any]:
    """Return the types of a dataclass's fields.

    ``arguments`` replace the type variables of the dataclass.
    """
    named = hints(kind)
    standing = dict(zip(getattr(kind, "__parameters__", ()), arguments, strict=False))
    return {
        field.name: _filled(named[field.name], standing)
        for field in dataclasses.fields(kind)
        if field.init
    }


def _filled(hint: Any, bindings: Mapping[Any, Any]) -> Any:
    """Return a type with its type variables replaced."""
    free = getattr(hint, "__parameters__", ())
    if hint in bindings:
        return bindings[hint]
    return hint[tuple(bindings[item] for item in free)] if free and bindings else hint


@cache
def field_descriptions(kind: type) -> Mapping[str, str]:
    """Return the first sentence below each field of a dataclass, by field name."""
    result: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if dataclasses.is_dataclass(base):
            for name, text in _FIELD.findall(inspect.getsource(base)):
                result[name] = " ".join(text.partition("\n\n")[0].split())
    return result


def is_any(hint: Any) -> bool:
    """Return whether a type accepts any JSON.

    The alias `JsonValue` may be resolved to different depths, so its parts are compared.
    """
    kinds = {typing.get_origin(item) or item for item in typing.get_args(hint)}
    return hint in (Any, object) or {str, bool, list, dict} <= kinds


@cache
def guarded_imports(module: ModuleType) -> dict[str, Any]:
    """Import what a module imports only for type checkers.

    The source is not parsed to a syntax tree: before Python 3.13, threads that build syntax trees
    at the same time corrupt each other's recursion depth, and other libraries may build a syntax
    tree at any time.
    """
    result: dict[str, Any] = {}
    for block in _GUARDED.findall(inspect.getsource(module)):
        exec(dedent(block), result)
    result.pop("__builtins__", None)
    return result
