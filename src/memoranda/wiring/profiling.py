"""What keeps the profile, put together of what learns and what distils."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.wiring.distilling import DistilRooms
from memoranda.wiring.learning import LearnRooms

if TYPE_CHECKING:
    from memoranda.learn.optimiser import Optimiser
    from memoranda.learn.optimising.shortening import Shortening
    from memoranda.learn.profile import Profiles
    from memoranda.values.scope import Scope


class ProfileRooms(LearnRooms, DistilRooms):
    """What readers are always told, and what makes that less."""

    @cached_property
    def profiles(self) -> Profiles:
        """What readers are always told."""
        from memoranda.learn.profile import Profiles

        return Profiles(self.database)

    @cached_property
    def optimiser(self) -> Optimiser:
        """What makes a profile smaller."""
        from memoranda.learn.meanings import Meanings
        from memoranda.learn.optimiser import Means, Optimiser

        means = Means(Meanings(self.database, self.embedder), self._shortening, self.counter)
        return Optimiser(self.database, self._memory_changes, means, self.clock, self.ids)

    def _shortening(self, scope: Scope) -> Shortening:
        """Return what shortens for a scope, with a model where one is set."""
        from memoranda.distil.quality import quality
        from memoranda.learn.optimising.shortening import Shortening

        return Shortening(self.rewriters.of(scope) or self.extract, quality, self.counter)
