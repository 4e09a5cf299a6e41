"""Columns of a table, declared as fields of the dataclass of its rows.

A field is a column with the same name; a field that is itself a record adds its own fields. Types
are strings, integers, flags (stored as 0 or 1) and enumerations, each also optional. A new column
needs only a new field with a default; statements, rows, copies and archives include it
automatically.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields as dataclass_fields, is_dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, Generic, TypeVar, get_args

from memoranda.calls.type_hints import fields
from memoranda.store.database import Row

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Column:
    """One column, declared by a field."""

    name: str
    type: Any
    """Type of the field without None."""
    optional: bool
    default: Any = MISSING
    """Value for records stored before the field existed; unused in nested records."""

    def read(self, value: Any) -> Any:
        """Convert a row's value to the type of the field."""
        if value is None or not isinstance(self.type, type):
            return value
        return self.type(value) if issubclass(self.type, bool | StrEnum) else value


class Record(Generic[T]):
    """Table whose rows are values of a dataclass, with additional columns.

    The first column is the team.
    """

    def __init__(self, kind: type[T], *, beside: Sequence[str] = ()) -> None:
        self._kind = kind
        self._beside = tuple(beside)
        """Columns that are not fields, which follow all others."""

    @cached_property
    def declared(self) -> tuple[Column, ...]:
        """The columns that fields declare, in order."""
        return _columns(self._kind)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in the order of `statement` and `value`."""
        return (*(column.name for column in self.declared), *self._beside)

    def statement(self, sql: str, **computed: str) -> str:
        """Fill in ``{columns}`` and ``{values}`` in a statement.

        Values are parameters with the columns' names, except those ``computed`` in SQL.
        """
        values = (computed.get(name, f":{name}") for name in self.columns)
        return sql.format(columns=", ".join(self.columns), values=", ".join(values))

    def row(self, value: T, **beside: Any) -> dict[str, Any]:
        """Return a value as statement parameters, with the additional columns."""
        return {**_row(value), **beside}

    def value(self, row: Row) -> T:
        """Return the value of a row that has all columns."""
        named = {
            column.name: column.read(value)
            for column, value in zip(self.declared, row, strict=False)
        }
        result: T = _value(self._kind, named)
        return result


def _columns(kind: Any) -> tuple[Column, ...]:
    types = fields(kind)
    columns: list[Column] = []
    for field in dataclass_fields(kind):
        parts = [item for item in get_args(types[field.name]) if item is not type(None)]
        optional = len(parts) < len(get_args(types[field.name])) == 2
        type_ = parts[0] if optional else types[field.name]
        if is_dataclass(type_):
            columns += (replace(column, default=MISSING) for column in _columns(type_))
        else:
            columns.append(Column(field.name, type_, optional, field.default))
    return tuple(columns)


def _row(value: Any) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for field in dataclass_fields(value):
        part = getattr(value, field.name)
        if is_dataclass(part):
            result |= _row(part)
        else:
            result[field.name] = int(part) if isinstance(part, bool) else part
    return result


def _value(kind: Any, named: Mapping[str, Any]) -> Any:
    types = fields(kind)
    return kind(**{
        field.name: _value(types[field.name], named)
        if is_dataclass(types[field.name])
        else named[field.name]
        for field in dataclass_fields(kind)
    })  # fmt: skip
