"""A table of rows as one test, which reports every row that fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]
Ids = Callable[[Any], object] | Iterable[object] | None
SHOWN = 100
"""Most characters of a row without a name of its own."""


def each(
    names: str | Sequence[str], rows: Iterable[Any], ids: Ids = None
) -> Callable[[Test], Test]:
    """Call a test with each row, as `pytest.mark.parametrize`, but as one test.

    A test of its own costs more than most rows do. Rows share the test's fixtures, so this is for
    functions that depend on their arguments alone, or only read what a fixture gives.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = _named(rows, ids, single=isinstance(names, str) and len(keys) == 1)

    def decorated(test: Test) -> Test:
        signature = inspect.signature(test)
        kept = [one for name, one in signature.parameters.items() if name not in keys]

        def all_rows(*arguments: Any, **fixtures: Any) -> None:
            def call(row: tuple[Any, ...]) -> None:
                test(*arguments, **fixtures, **dict(zip(keys, row, strict=True)))

            _called(call, table)

        all_rows.__name__, all_rows.__qualname__ = test.__name__, test.__qualname__
        all_rows.__doc__, all_rows.__module__ = test.__doc__, test.__module__
        all_rows.__dict__.update(test.__dict__)
        all_rows.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return all_rows

    return decorated


def _called(
    call: Callable[[tuple[Any, ...]], None], table: list[tuple[str, tuple[Any, ...]]]
) -> None:
    """Call with each row; raise one error with those of all rows that fail."""
    failed: list[str] = []
    errors: list[Exception] = []
    skipped: list[pytest.skip.Exception] = []
    for name, row in table:
        try:
            call(row)
        except pytest.skip.Exception as reason:
            skipped.append(reason)
        except (Exception, pytest.fail.Exception) as error:
            failed.append(name)
            errors.append(error if isinstance(error, Exception) else AssertionError(str(error)))
    if errors:
        message = f"{len(errors)} of {len(table)} rows fail: {', '.join(failed)}"
        raise ExceptionGroup(message, errors)
    if table and len(skipped) == len(table):
        raise skipped[0]


def _named(rows: Iterable[Any], ids: Ids, *, single: bool) -> list[tuple[str, tuple[Any, ...]]]:
    """Return each row with its name: its own, the one that is given, or its values."""
    found = list[tuple[str, tuple[Any, ...]]]()
    given = None if ids is None or callable(ids) else list(ids)
    for number, row in enumerate(rows):
        own = None
        if type(row).__name__ == "ParameterSet":
            own, values = row.id, tuple(row.values)
        else:
            values = (row,) if single else tuple(row)
        if given and own is None:
            own = str(given[number])
        if own is None:
            own = "-".join(str((ids if callable(ids) else ascii)(one)) for one in values)[:SHOWN]
        found.append((own, values))
    return found
