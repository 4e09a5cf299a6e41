"""Base class of resources: the use cases of one noun."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.scoped_store import ScopedStore

if TYPE_CHECKING:
    from memoranda.memory import Memoranda


HANDLER_WAIT_SECONDS = 0.5
"""Maximum seconds that a call waits for event handlers.

Slower ones finish when the memory is closed.
"""


class Resource(ScopedStore):
    """Use cases of one noun of a memory; another noun is ``self.memory.<noun>``."""

    def __init__(self, memory: Memoranda) -> None:
        super().__init__(memory._services, memory._scope)
        self.memory = memory

    def _wait_for_handlers(self, seconds: float | None = HANDLER_WAIT_SECONDS) -> None:
        """Wait for the event handlers, without ``seconds`` until all are done."""
        if handlers := vars(self._services).get("bus"):
            handlers.settle(seconds)
