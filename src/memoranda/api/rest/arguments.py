"""Arguments of an operation, parsed from a request's path, query and body.

The arguments are the same as in every other interface.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from memoranda.api.rest.routes import RestRoute
from memoranda.calls.signature import Argument
from memoranda.calls.type_hints import fields, is_any
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue, parse_exact_json, parse_json
from memoranda.memory import Memoranda

_LISTS = (list, Sequence, frozenset, set, tuple)
_DIGITS = 20
NOTHING = "null"
"""Query value that represents None, where omission has another meaning."""


@dataclass(frozen=True, slots=True)
class RequestParameter:
    """Parameter of a path or a query."""

    name: str
    argument: str
    field: str | None
    """Field of the argument that the parameter sets; None for the whole argument."""
    type: Any
    """Type of the parameter without None."""
    many: bool
    nullable: bool
    required: bool
    default: Any
    about: str = ""


def request_arguments(
    route: RestRoute, path: Mapping[str, str], query: Sequence[tuple[str, str]], body: bytes
) -> dict[str, JsonValue]:
    """Return the arguments of a request as JSON; types are checked later.

    The operation's signature checks the types.

    Raises:
        InvalidInput: a name is unknown or occurs twice, or the body is not a JSON object.
    """
    named = _from_texts(route, query) if route.in_query else {}
    if query and not route.in_query:
        raise InvalidInput("send the arguments in the body, not in the query")
    if not route.in_query:
        named = _object(body)
    elif body:
        raise InvalidInput(f"{route.method} expects its arguments in the query, not in a body")
    if doubled := sorted(path.keys() & named.keys()):
        raise InvalidInput(f"{', '.join(doubled)} is already in the path")
    of_path = {
        parameter.name: parameter
        for parameter in parameters(route)
        if parameter.name in route.in_path
    }
    return {name: _value(of_path[name], text) for name, text in path.items()} | named


def _object(body: bytes) -> dict[str, JsonValue]:
    parsed = parse_exact_json(body) if body.strip() else {}
    if not isinstance(parsed, dict):
        raise InvalidInput("the body must be a JSON object with the arguments")
    return parsed


def _from_texts(route: RestRoute, query: Sequence[tuple[str, str]]) -> dict[str, JsonValue]:
    known = {
        parameter.name: parameter
        for parameter in parameters(route)
        if parameter.name not in route.in_path
    }
    texts: dict[str, list[str]] = {}
    for name, text in query:
        texts.setdefault(name, []).append(text)
    if strange := sorted(name[:60] for name in texts if name not in known):
        names = ", ".join(known) or "none"
        raise InvalidInput(f"unknown query parameter {', '.join(strange[:5])}; known: {names}")
    result: dict[str, JsonValue] = {}
    for name, values in texts.items():
        value = _values(known[name], values)
        if known[name].field is None:
            result[name] = value
        else:
            whole = result.setdefault(known[name].argument, {})
            assert isinstance(whole, dict)
            whole[str(known[name].field)] = value
    return result


def _values(parameter: RequestParameter, texts: list[str]) -> JsonValue:
    if parameter.many:
        return [_value(parameter, text) for text in texts]
    if len(texts) > 1:
        raise InvalidInput(f"{parameter.name} is given {len(texts)} times; pass it once")
    if texts[0] == NOTHING and parameter.nullable and parameter.default is not None:
        return None
    return _value(parameter, texts[0])


def _value(parameter: RequestParameter, text: str) -> JsonValue:
    """Convert a string to JSON.

    A string that does not look like the type is returned unchanged, and the type check refuses it.
    """
    kinds = _kinds(parameter.type)
    if bool in kinds:
        return {"true": True, "false": False}.get(text, text)
    if int in kinds and text.removeprefix("-").isdecimal() and text.isascii():
        return int(text) if len(text) <= _DIGITS else text
    if float in kinds and len(text) <= _DIGITS * 2:
        try:
            return parse_json(text)
        except InvalidInput:
            return text
    return text


@cache
def parameters(route: RestRoute) -> tuple[RequestParameter, ...]:
    """Return the parameters in a route's path and, without a body, its query.

    The fields of a filter are separate parameters; if a field's name is already used, it is
    prefixed with the filter's name. Only plain values can be in a query.
    """
    arguments = route.operation.signature(Memoranda).arguments
    taken = {item.name for item in arguments}
    request_parameters = []
    for argument in arguments:
        plain = _parameter(argument.name, argument, argument.type, None)
        if argument.name in route.in_path:
            assert plain
            request_parameters.append(plain)
        elif route.in_query and plain:
            request_parameters.append(plain)
        elif route.in_query and dataclasses.is_dataclass(argument.type):
            request_parameters += [
                parameter for parameter in _flattened(argument, taken) if parameter
            ]
    return tuple(request_parameters)


def in_body(route: RestRoute) -> tuple[Argument, ...]:
    """Return the arguments that are in the body of a request."""
    if route.in_query:
        return ()
    arguments = route.operation.signature(Memoranda).arguments
    return tuple(argument for argument in arguments if argument.name not in route.in_path)


def _flattened(argument: Argument, names: set[str]) -> list[RequestParameter | None]:
    types_of = fields(argument.type)
    return [
        _parameter(
            f"{argument.name}_{field.name}" if field.name in names else field.name,
            Argument(field.name, types_of[field.name], _default(field)),
            types_of[field.name],
            (argument.name, field.name),
        )
        for field in dataclasses.fields(argument.type)
        if field.init
    ]


def _default(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    return None if field.default_factory is dataclasses.MISSING else field.default_factory()


def _parameter(
    name: str, argument: Argument, hint: Any, field: tuple[str, str] | None
) -> RequestParameter | None:
    """Return a parameter; None if a string cannot represent its value."""
    nullable = types.NoneType in typing.get_args(hint)
    parts = [one for one in typing.get_args(hint) if one is not types.NoneType]
    bare = typing.Union[tuple(parts)] if nullable else hint  # noqa: UP007 - made from a tuple
    origin = typing.get_origin(bare) or bare
    many = origin in _LISTS
    item = typing.get_args(bare)[0] if many and typing.get_args(bare) else bare
    if is_any(item) or not all(map(_plain, _kinds(item))):
        return None
    of, part = field or (argument.name, None)
    needed = argument.required and field is None
    default = None if argument.required else argument.default
    return RequestParameter(name, of, part, item, many, nullable, needed, default, argument.about)


def _kinds(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return typing.get_args(hint)
    return (hint,)


def _plain(kind: Any) -> bool:
    if typing.get_origin(kind) is typing.Literal:
        return True
    return isinstance(kind, type) and (kind in (bool, int, float, str) or issubclass(kind, Enum))
