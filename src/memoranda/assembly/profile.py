"""What keeps the profile, put together of what learns and what distils."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.assembly.compression import CompressionServices
from memoranda.assembly.memories import MemoryServices

if TYPE_CHECKING:
    from memoranda.profile.optimization.shortener import TextShortener
    from memoranda.profile.optimizer import Optimiser
    from memoranda.profile.reader import Profiles
    from memoranda.scope import Scope


class ProfileServices(MemoryServices, CompressionServices):
    """What readers are always told, and what makes that less."""

    @cached_property
    def profiles(self) -> Profiles:
        """What readers are always told."""
        from memoranda.profile.reader import Profiles

        return Profiles(self.database)

    @cached_property
    def optimiser(self) -> Optimiser:
        """What makes a profile smaller."""
        from memoranda.memories.vectors import MemoryVectors
        from memoranda.profile.optimizer import Optimiser, OptimiserServices

        means = OptimiserServices(
            MemoryVectors(self.database, self.embedder), self._shortening, self.counter
        )
        return Optimiser(self.database, self._memory_changes, means, self.clock, self.ids)

    def _shortening(self, scope: Scope) -> TextShortener:
        """Return what shortens for a scope, with a model where one is set."""
        from memoranda.compression.quality import quality
        from memoranda.profile.optimization.shortener import TextShortener

        return TextShortener(self.rewriters.of(scope) or self.extract, quality, self.counter)
