"""Base class of the `memory.*` method groups, which call operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeAlias

from memoranda.json_data import JsonValue, as_json

Ask: TypeAlias = Callable[[str, Mapping[str, JsonValue]], Any]
"""Callable that runs an operation for the caller and returns its result as JSON."""


def without_none(**arguments: Any) -> dict[str, Any]:
    """Return the arguments that are not None."""
    return {name: item for name, item in arguments.items() if item is not None}


class MethodGroup:
    """Group of methods; each is a Python method with the same name."""

    USES: ClassVar[Mapping[str, tuple[str, ...]]]
    """Operations that each method may call."""

    def __init__(self, ask: Ask) -> None:
        self._ask_for = ask

    def _call(self, operation: str, **arguments: Any) -> Any:
        """Call an operation; arguments that are None are omitted."""
        converted = {name: as_json(item) for name, item in without_none(**arguments).items()}
        return self._ask_for(operation, converted)
