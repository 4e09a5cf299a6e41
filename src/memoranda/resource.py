"""Base class of resources: the use cases of one noun."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.scoped_store import ScopedStore

if TYPE_CHECKING:
    from memoranda.memory import Memoranda


HEARING_SECONDS = 0.5
"""How long a call waits for handlers; slower ones are awaited when the memory is closed."""


class Resource(ScopedStore):
    """Use cases of one noun of a memory; another noun is ``self.memory.<noun>``."""

    def __init__(self, memory: Memoranda) -> None:
        super().__init__(memory._services, memory._scope)
        self.memory = memory

    def _let_handlers_hear(self, seconds: float | None = HEARING_SECONDS) -> None:
        """Wait for the handlers of what was done; without seconds, until they are finished."""
        if handlers := vars(self._services).get("bus"):
            handlers.settle(seconds)
