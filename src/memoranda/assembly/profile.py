"""Constructs the services that maintain and shorten profiles."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.assembly.compression import CompressionServices
from memoranda.assembly.memories import MemoryServices

if TYPE_CHECKING:
    from memoranda.profile.notifications import ProfileNotifications
    from memoranda.profile.optimization.shortener import TextShortener
    from memoranda.profile.optimizer import Optimiser
    from memoranda.profile.reader import Profiles
    from memoranda.scope import Scope


class ProfileServices(MemoryServices, CompressionServices):
    """Services for the profile, which readers always get, and its reduction."""

    @cached_property
    def profiles(self) -> Profiles:
        """Service for the profile, which readers always get."""
        from memoranda.profile.reader import Profiles

        return Profiles(self.database)

    @cached_property
    def profile_notifications(self) -> ProfileNotifications:
        """Service for notifications of crowded profiles."""
        from memoranda.profile.notifications import ProfileNotifications

        return ProfileNotifications(self.database)

    @cached_property
    def optimiser(self) -> Optimiser:
        """Service that makes a profile smaller."""
        from memoranda.memories.vectors import MemoryVectors
        from memoranda.profile.optimizer import Optimiser, OptimiserServices

        means = OptimiserServices(
            MemoryVectors(self.database, self.embedder), self._shortening, self.counter
        )
        return Optimiser(self.database, self._memory_changes, means, self.clock, self.ids)

    def _shortening(self, scope: Scope) -> TextShortener:
        """Return the shortener of a scope, with a model where one is set."""
        from memoranda.compression.quality import quality
        from memoranda.profile.optimization.shortener import TextShortener

        return TextShortener(self.rewriters.of(scope) or self.extract, quality, self.counter)
