"""What the groups of methods have in common: asking for operations, and pages of records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeAlias

from memoranda.json_data import JsonValue, as_json

Ask: TypeAlias = Callable[[str, Mapping[str, JsonValue]], Any]
"""Carries out an operation for whoever called, and returns its result as JSON."""


def without_none(**arguments: Any) -> dict[str, Any]:
    """Return the arguments that are not None."""
    return {name: one for name, one in arguments.items() if one is not None}


class MethodGroup:
    """Some methods, each named by a function of the class."""

    USES: ClassVar[Mapping[str, tuple[str, ...]]]
    """For each method the operations that it may carry out."""

    def __init__(self, ask: Ask) -> None:
        self._ask_for = ask

    def _ask(self, operation: str, **arguments: Any) -> Any:
        """Carry out an operation; an argument that is None was not given."""
        asked = {name: as_json(one) for name, one in without_none(**arguments).items()}
        return self._ask_for(operation, asked)
