"""Signatures of operations, for interfaces that use JSON."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from memoranda.calls.argument_check import with_present_names
from memoranda.calls.conversion import read, refuse_strangers
from memoranda.calls.type_hints import descriptions, hints
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue
from memoranda.text import text_lines

_NEEDED = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter of an operation."""

    name: str
    type: Any
    default: Any = _NEEDED
    about: str = ""
    """Description in the method's docstring, if there is one."""

    @property
    def required(self) -> bool:
        """Whether the parameter has no default."""
        return self.default is _NEEDED


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters that JSON can represent, in order, and the result type."""

    arguments: tuple[Argument, ...]
    result: Any
    method: Callable[..., Any] = field(compare=False)

    def bound(self, values: Mapping[str, JsonValue]) -> dict[str, Any]:
        """Convert arguments to the types of the method.

        Raises:
            InvalidInput: an argument is missing, unknown, or not of its type.
        """
        by_name = {argument.name: argument for argument in self.arguments}
        values = with_present_names(values, self.method)
        _refuse_misplaced(values, self.arguments)
        refuse_strangers(values, by_name, "the call")
        if missing := [
            item.name for item in self.arguments if item.required and item.name not in values
        ]:
            raise InvalidInput(f"missing argument: {', '.join(missing)}")
        return {name: read(by_name[name].type, value, name) for name, value in values.items()}


def _refuse_misplaced(values: Collection[str], arguments: Sequence[Argument]) -> None:
    """Refuse arguments that belong inside another argument, an object.

    Raises:
        InvalidInput: there are such arguments; the message states where they belong.
    """
    known = {item.name for item in arguments}
    for argument in arguments:
        for kind in filter(
            dataclasses.is_dataclass, (argument.type, *typing.get_args(argument.type))
        ):
            names = [field.name for field in dataclasses.fields(kind)]
            if inside := [name for name in names if name in values and name not in known]:
                example = ", ".join(f'"{name}": ...' for name in inside)
                raise InvalidInput(
                    f"unknown argument {', '.join(inside)}; pass {argument.name} as an object with "
                    f'it: {{"{argument.name}": {{{example}}}}}; its fields: {", ".join(names)}'
                )


@cache
def signature(facade: type, method: str) -> Signature:
    """Return the signature of a method; callable parameters are omitted."""
    described = getattr(facade, method)
    named = hints(inspect.unwrap(described))
    texts = {
        **descriptions(inspect.unwrap(described)),
        **_docstring_arguments(inspect.getdoc(described) or ""),
    }
    arguments = tuple(
        Argument(item.name, named[item.name], item.default, texts.get(item.name, ""))
        for item in list(inspect.signature(described).parameters.values())[1:]
        if not _is_code(named[item.name])
    )
    return Signature(arguments, named["return"], described)


def summary(facade: type, method: str) -> str:
    """Return the first line of a method's docstring."""
    return (inspect.getdoc(getattr(facade, method)) or "").partition("\n")[0]


def _is_code(hint: Any) -> bool:
    return Callable in (typing.get_origin(part) for part in (hint, *typing.get_args(hint)))


def _docstring_arguments(docstring: str) -> dict[str, str]:
    """Return the argument descriptions in a docstring."""
    result: dict[str, str] = {}
    lines = text_lines(docstring.partition("Args:\n")[2])
    name = ""
    for line in lines:
        if not line.startswith("    "):
            break
        if line.startswith("     ") and name:
            result[name] += " " + line.strip()
        else:
            name, _, text = line.strip().partition(": ")
            result[name] = text
    return result
