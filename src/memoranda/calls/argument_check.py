"""Checks the arguments of Python callers; accepts former argument names.

Interfaces that use JSON convert their values instead (`memoranda.calls.conversion`). Annotations
are read as text: a type that a module imports only for type checkers is recognised by its name, so
that a check imports nothing.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from enum import Enum
from functools import cache, wraps
from typing import Any, TypeVar

from memoranda.exceptions import InvalidInput
from memoranda.local_time import parse_local_time
from memoranda.text import clip

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_ALTERNATIVES = re.compile(r"\s*\|\s*(?![^\[]*\])")
_LIST = re.compile(
    r"(?:Sequence|Collection|Iterable|tuple|list|frozenset)\[([^,]+?)(?:, \.\.\.)?\]"
)
LARGEST = 2**63 - 1
"""Largest integer accepted as an argument."""
_AS_THEY_ARE = frozenset({str, bool, float, types.NoneType})
_NAMES: Mapping[Any, str] = {
    str: "a text", int: "a 64-bit integer", float: "a number", bool: "True or False",
    types.NoneType: "None", Mapping: "a mapping", Callable: "a function",
}  # fmt: skip
_BUILT_IN: Mapping[str, Any] = {
    "str": str, "int": int, "float": float, "bool": bool, "bytes": bytes, "None": types.NoneType,
}  # fmt: skip
_NO_MICROSECONDS = tuple((946_684_800 * unit, 4_102_444_800 * unit) for unit in (1, 1_000))
"""Ranges of the years 2000 to 2100 in seconds and milliseconds, which would be some weeks of 1970
in microseconds.
"""
FORMER = "former_arguments"
"""Attribute of a method that maps former names to current names."""


@dataclasses.dataclass(slots=True)
class Accepted:
    """Accepted types of a parameter or field; any type if none is known."""

    kinds: list[Any] = dataclasses.field(default_factory=list)
    names: list[str] = dataclasses.field(default_factory=list)
    """Names of types that are not loaded."""
    module: str = ""
    """Name of the module that imports these types."""
    items: Accepted | None = None
    """Types of the items, if a list is accepted."""
    anything: bool = False

    def check(self, value: Any, place: str) -> Any:
        """Return a value if it is accepted, converted if necessary.

        The text of an enumeration's member is converted to the member, also in lists and
        dataclasses.

        Raises:
            InvalidInput: the value has none of the types; the message includes ``place``.
        """
        if self.anything or (type(value) in _AS_THEY_ARE and type(value) in self.kinds):
            return value
        if isinstance(value, datetime) and {int, str} <= {*self.kinds}:
            return value.isoformat()  # a time, passed as a number or as ISO 8601
        if not self._fits(value) and not self._fits_loaded(value):
            # imported here, because needed only for an error
            from memoranda.calls.conversion import unlike

            raise unlike(value, place, " or ".join(self._shown()))
        if type(value) is str:
            return next((item for kind in self.kinds if (item := _member(kind, value))), value)
        if self.items and isinstance(value, Collection):
            items = [self.items.check(item, f"{place}[{n}]") for n, item in enumerate(value)]
            return value if _same(items, value) else tuple(items)
        return check_fields(value, place) if dataclasses.is_dataclass(value) else value

    def _fits(self, value: object) -> bool:
        is_list = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
        if self.items and is_list:
            return True
        return any(_is_of(kind, value) for kind in self.kinds) or any(
            item.__name__ in self.names for item in type(value).__mro__
        )

    def _fits_loaded(self, value: object) -> bool:
        """Import the types that are known only by name, and check again.

        One of these types may be an alias.
        """
        if self.names:
            from memoranda.calls.type_hints import guarded_imports

            types_of_names = guarded_imports(sys.modules[self.module])
            for name in self.names:
                _add(self, types_of_names.get(name, Any))
            self.names = []
        return self.anything or self._fits(value)

    def _shown(self) -> list[str]:
        kinds = [item for item in self.kinds if item is not types.NoneType] or self.kinds
        found = [_NAMES.get(kind) or _choices(kind) for kind in kinds]
        return [*found, *self.names, *(["a list"] if self.items else [])]


def _is_of(kind: Any, value: object) -> bool:
    """Return whether a value is of a type.

    A bool is not a number, and a str is accepted as the value of an enumeration.
    """
    if kind is int:
        is_whole = hasattr(value, "__index__") and not isinstance(value, bool)
        return is_whole and abs(int(value)) <= LARGEST  # type: ignore[call-overload]
    if kind is float:
        return hasattr(value, "__float__") and not isinstance(value, bool)
    if isinstance(value, str) and issubclass(kind, Enum):
        return value in {item.value for item in kind}
    return isinstance(value, kind)


def _member(kind: Any, text: str) -> Enum | None:
    """Return the member of an enumeration that has the given value."""
    if not (isinstance(kind, type) and issubclass(kind, Enum)):
        return None
    return next((item for item in kind if item.value == text), None)


def _same(items: Iterable[object], others: Iterable[object]) -> bool:
    return all(item is other for item, other in zip(items, others, strict=True))


def _choices(kind: type) -> str:
    if issubclass(kind, Enum):
        return "one of " + ", ".join(str(item.value) for item in kind)
    return kind.__name__


def check_arguments(
    method: Callable[..., Any], positional: tuple[Any, ...], named: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Return the arguments of a method, checked against its parameter types.

    Args:
        positional: the positional arguments, without ``self``.

    Raises:
        InvalidInput: a value has the wrong type; the message names the argument or field.
    """
    accepted = _parameters(method)
    checked = [
        accepted[name].check(value, name) for name, value in zip(accepted, positional, strict=False)
    ]
    return [*checked, *positional[len(checked) :]], {
        name: accepted[name].check(value, name) if name in accepted else value
        for name, value in named.items()  # Python itself rejects any other call
    }


def check_fields(value: T, place: str) -> T:
    """Return a dataclass after checking the types of its fields.

    Raises:
        InvalidInput: a value has the wrong type; the message names the argument or field.
    """
    changed = {}
    for name, accepted in _fields(type(value)).items():  # type: ignore[arg-type]
        stated = getattr(value, name)
        checked = accepted.check(stated, f"{place}.{name}")
        if checked is not stated:
            changed[name] = checked
    return dataclasses.replace(value, **changed) if changed else value  # type: ignore[type-var]


@cache
def _parameters(method: Callable[..., Any]) -> Mapping[str, Accepted]:
    written = {name: one for name, one in method.__annotations__.items() if name != "return"}
    return {name: _read(item, method.__module__) for name, item in written.items()}


@cache
def _fields(kind: type[Any]) -> Mapping[str, Accepted]:
    result: dict[str, Accepted] = {}
    names = {field.name for field in dataclasses.fields(kind) if field.init}
    for base in reversed(kind.__mro__):
        for name, written in vars(base).get("__annotations__", {}).items():
            if name in names:
                result[name] = _read(written, base.__module__)
    return result


def _read(written: Any, module: str) -> Accepted:
    """Return which types an annotation in a module accepts."""
    known = vars(sys.modules[module])
    accepted = Accepted(module=module)
    for part in _ALTERNATIVES.split(written) if isinstance(written, str) else [written]:
        if isinstance(part, str) and (items := _LIST.fullmatch(part)):
            accepted.items = _read(items[1], module)
        elif isinstance(part, str) and part.isidentifier() and part not in {*known, *_BUILT_IN}:
            accepted.names.append(part)
        elif isinstance(part, str) and not part.isidentifier():
            _add(accepted, Mapping if part.startswith(("Mapping[", "dict[")) else Any)
        else:
            _add(accepted, known.get(part, _BUILT_IN.get(part)) if isinstance(part, str) else part)
    return accepted


def _add(accepted: Accepted, hint: Any) -> None:
    origin = typing.get_origin(hint)
    if origin is Callable:
        accepted.kinds.append(Callable)
    elif origin is typing.Annotated:
        _add(accepted, typing.get_args(hint)[0])
    elif origin in (typing.Union, types.UnionType) and not _is_json(hint):
        for item in typing.get_args(hint):
            _add(accepted, item)
    elif isinstance(hint, type) and hint is not object:
        accepted.kinds.append(hint)
    else:
        accepted.anything = True


def _is_json(hint: Any) -> bool:
    from memoranda.calls.type_hints import is_any  # imported here, because few annotations need it

    return is_any(hint)


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
        InvalidInput: an argument is passed under both names.
    """
    former: Mapping[str, str] = getattr(method, FORMER, {})
    if former.keys().isdisjoint(values):
        return values
    for name, present in former.items():
        if name in values and present in values:
            raise InvalidInput(f"{name} is the former name of {present}; pass one of them")
    return {former.get(name, name): value for name, value in values.items()}


def stated_time(value: int | str | datetime | None, name: str) -> int | None:
    """Return a time passed by a caller, in microseconds.

    Args:
        value: microseconds, ISO 8601, or a datetime; a time without a zone is in the reader's time
            zone.
        name: name of the argument, for messages.

    Raises:
        InvalidInput: the value is not a time, or is a number of seconds or milliseconds.
    """
    if isinstance(value, datetime):
        value = value.isoformat()
    if isinstance(value, str):
        if (moment := parse_local_time(value)) is None:
            raise InvalidInput(f"{name} is not a time: {clip(value, 40)!r}; use ISO 8601")
        return moment
    if value is not None and any(low <= value < high for low, high in _NO_MICROSECONDS):
        raise InvalidInput(
            f"{name} is in microseconds since the epoch, but {value} looks like seconds or "
            "milliseconds; pass a datetime, or ISO 8601"
        )
    return value
