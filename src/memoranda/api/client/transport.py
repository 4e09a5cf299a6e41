"""Protocol of a transport, which sends calls to a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from memoranda.json_data import JsonValue
from memoranda.operations import Operation


class Transport(Protocol):
    """Transport that sends one caller's calls to one server. Thread-safe."""

    def call(self, operation: Operation, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """Return the result of an operation.

        Raises:
            MemorandaError: the error that the operation raised on the server, of the same class.
            ServerUnavailable: the server cannot be reached, or its response is not valid.
        """
        ...

    def close(self) -> None:
        """Close the connections. Idempotent."""
        ...
