"""Base class of resources: the use cases of one noun."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.scoped_store import ScopedStore

if TYPE_CHECKING:
    from memoranda.memory import Memoranda


class Resource(ScopedStore):
    """Use cases of one noun of a memory; another noun is ``self.memory.<noun>``."""

    def __init__(self, memory: Memoranda) -> None:
        super().__init__(memory._rooms, memory._scope)
        self.memory = memory
