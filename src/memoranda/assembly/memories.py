"""Constructs the services for memories, their changes and errors."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.assembly.store_context import StoreContext

if TYPE_CHECKING:
    from memoranda.errors.error_log import ErrorLog
    from memoranda.errors.reported_errors import ErrorNotes
    from memoranda.memories.automatic_links import MemoryComparer
    from memoranda.memories.capacity import MemoryCapacity
    from memoranda.memories.details import MemoryDetails
    from memoranda.memories.edits import MemoryEdits
    from memoranda.memories.memory_encodings import MemoryEncodings
    from memoranda.memories.memory_service import Memories
    from memoranda.memories.memory_writer import MemoryChanges
    from memoranda.memories.model import Memory
    from memoranda.mirror.synchronization import MirrorSynchronizer
    from memoranda.proposals.decisions import Proposals
    from memoranda.scope import Scope
    from memoranda.store.database import Transaction
    from memoranda.supervision.interventions import Interventions
    from memoranda.supervision.monitor import TaskMonitor


def _constraints(text: str) -> Sequence[str]:
    """List the sentences of a text that state a requirement."""
    from memoranda.capture.analysis.constraints import constraints

    return constraints(text)


class MemoryServices(StoreContext):
    """Services for memories, their changes, and errors."""

    @cached_property
    def memories(self) -> Memories:
        """Service for memories stated by people and agents."""
        from memoranda.memories.memory_service import Memories

        return Memories(
            self.database,
            self.counter,
            self.sanitiser,
            self.clock,
            self.ids,
            self._propose,
            _constraints,
        )

    def _propose(self, tx: Transaction, memory: Memory, scope: Scope) -> None:
        """Propose a memory; it is pending unless a person stated it."""
        self.proposals.proposed(tx, memory, scope)

    @cached_property
    def _memory_changes(self) -> MemoryChanges:
        from memoranda.memories.memory_writer import MemoryChanges

        return MemoryChanges(self.counter, self.sanitiser, self.ids, _constraints)

    @cached_property
    def proposals(self) -> Proposals:
        """Service for changes to memories that agents propose."""
        from memoranda.proposals.decisions import Proposals

        return Proposals(self.database, self._memory_changes, self.clock, self.ids)

    @cached_property
    def memory_edits(self) -> MemoryEdits:
        """Service for changes to memories."""
        from memoranda.memories.edits import MemoryEdits

        return MemoryEdits(self.database, self._memory_changes, self.proposals, self.clock)

    @cached_property
    def encodings(self) -> MemoryEncodings:
        """Service for encodings of memories."""
        from memoranda.memories.memory_encodings import MemoryEncodings

        return MemoryEncodings(self.database, self.settings.team, _constraints)

    @cached_property
    def relating(self) -> MemoryComparer:
        """Service for relations between memories."""
        from memoranda.memories.automatic_links import MemoryComparer

        model = self.embedder.name if self.embedder else None
        team, changes = self.settings.team, self._memory_changes
        return MemoryComparer(self.database, team, changes, self.clock, self.ids, model)

    @cached_property
    def capacity(self) -> MemoryCapacity | None:
        """Service that enforces the limits on the number of memories, if any are set."""
        from memoranda.memories.model import MemoryKind

        capacities = {
            MemoryKind.EPISODIC: self.settings.episodic_memory_capacity,
            MemoryKind.SEMANTIC: self.settings.semantic_memory_capacity,
        }
        if not any(capacities.values()):
            return None
        from memoranda.memories.capacity import MemoryCapacity

        return MemoryCapacity(self.database, self._memory_changes, self.clock, capacities)

    @cached_property
    def memory_details(self) -> MemoryDetails:
        """Service that returns all details of memories."""
        from memoranda.memories.details import MemoryDetails

        return MemoryDetails(self.database, self.encodings, self.clock)

    @cached_property
    def mirroring(self) -> MirrorSynchronizer:
        """Service that mirrors memories as files."""
        from memoranda.mirror.synchronization import MirrorSynchronizer

        changes, waiting = self._memory_changes, self.proposals
        return MirrorSynchronizer(self.database, self.memories, changes, waiting, self.clock)

    @cached_property
    def errors(self) -> ErrorLog:
        """Service for recorded errors."""
        from memoranda.errors.error_log import ErrorLog

        return ErrorLog(self.database, with_patterns=self.settings.error_pattern_detection)

    @cached_property
    def error_notes(self) -> ErrorNotes:
        """Service for notes on errors."""
        from memoranda.errors.reported_errors import ErrorNotes

        return ErrorNotes(self.database, self.sanitiser, self.clock, self.ids)

    @cached_property
    def watching(self) -> TaskMonitor:
        """Service that checks whether tasks need attention."""
        from memoranda.supervision.detector import SupervisionLimits
        from memoranda.supervision.monitor import TaskMonitor

        settings = self.settings
        limits = SupervisionLimits(
            settings.intervention_window,
            settings.intervention_failing,
            settings.intervention_repeats,
            settings.intervention_severity,
            settings.error_severity_threshold,
        )
        return TaskMonitor(self.database, self.clock, self.ids, limits)

    @cached_property
    def interventions(self) -> Interventions:
        """Service for cases that a supervisor should examine."""
        from memoranda.supervision.interventions import Interventions

        changes, waiting = self._memory_changes, self.proposals
        return Interventions(self.database, changes, waiting, self.clock, self.ids)
