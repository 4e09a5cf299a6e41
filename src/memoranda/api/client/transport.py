"""How a call gets to a server and its result back, whatever carries it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from memoranda.json_data import JsonValue
from memoranda.operations import Operation


class Transport(Protocol):
    """Carries calls to one server, for one caller. Safe to share by threads."""

    def call(self, operation: Operation, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Return the result of an operation.

        Raises:
            MemorandaError: what the operation raised there, as the very same class.
            ServerUnavailable: the server cannot be reached, or answers something else.
        """
        ...

    def close(self) -> None:
        """Let go of the connections. Idempotent."""
        ...
