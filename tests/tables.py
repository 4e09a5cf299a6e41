"""A table of rows as one test, which reports every row that fails."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]
SHOWN = 100
"""Most characters of a row without a name of its own."""


def each(
    names: str | Sequence[str],
    rows: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Test], Test]:
    """Call a test with each row, as `pytest.mark.parametrize`, but as one test.

    A test of its own costs more than most rows do. Rows share the test's fixtures, so this is for
    functions that depend on their arguments alone, or only read what a fixture gives.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    single = isinstance(names, str) and len(keys) == 1
    table = [_row(row, single) for row in rows]
    titles = None if ids is None or callable(ids) else list(ids)
    name_of = ids if callable(ids) else ascii

    def title(number: int) -> str:
        values, named = table[number]
        if named or titles:
            return str(named or (titles or [])[number])
        return "-".join(str(name_of(value)) for value in values)[:SHOWN]

    def decorated(test: Test) -> Test:
        signature = inspect.signature(test)
        kept = [one for name, one in signature.parameters.items() if name not in keys]

        def all_rows(*arguments: Any, **fixtures: Any) -> None:
            wrong: dict[str, Exception] = {}
            for number, (values, _) in enumerate(table):
                try:
                    test(*arguments, **fixtures, **dict(zip(keys, values, strict=True)))
                except Exception as error:
                    wrong[title(number)] = error
                except pytest.fail.Exception as error:
                    wrong[title(number)] = AssertionError(str(error))
            if wrong:
                message = f"{len(wrong)} of {len(table)} rows fail: {', '.join(wrong)}"
                raise ExceptionGroup(message, list(wrong.values()))

        all_rows.__name__, all_rows.__qualname__ = test.__name__, test.__qualname__
        all_rows.__doc__, all_rows.__module__ = test.__doc__, test.__module__
        all_rows.__dict__.update(test.__dict__)
        all_rows.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return all_rows

    return decorated


def _row(row: Any, single: bool) -> tuple[tuple[Any, ...], str]:
    """Return the values of a row and its name, if it has one."""
    if type(row).__name__ == "ParameterSet":
        return tuple(row.values), str(row.id or "")
    return ((row,) if single else tuple(row)), ""
