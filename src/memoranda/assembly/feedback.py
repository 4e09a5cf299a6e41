"""Constructs the services for feedback, suggestions and spoken commands."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.assembly.agent_state import AgentStateServices
from memoranda.assembly.compression_services import CompressionServices
from memoranda.assembly.memories import MemoryServices

if TYPE_CHECKING:
    from memoranda.blocks.block_writer import BlockChanges
    from memoranda.feedback.commands import CommandExecutor
    from memoranda.feedback.detector import FeedbackDetector
    from memoranda.feedback.feedback_service import FeedbackRecords
    from memoranda.feedback.processor import FeedbackProcessor
    from memoranda.feedback.turn_classifier import FeedbackReader
    from memoranda.profile.optimization.shortener import TextShortener
    from memoranda.profile.optimizer import Optimiser
    from memoranda.profile.reader import Profiles
    from memoranda.scope import Scope
    from memoranda.store.database import Transaction


class ProfileServices(MemoryServices, CompressionServices):
    """Services for the profile and its reduction."""

    @cached_property
    def profiles(self) -> Profiles:
        """Service that reads the profile of a scope."""
        from memoranda.profile.reader import Profiles

        return Profiles(self.database)

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
        """Return the shortener of a scope, with a model if one is configured."""
        from memoranda.compression.quality import quality
        from memoranda.profile.optimization.shortener import TextShortener

        return TextShortener(self.rewriters.of(scope) or self.extract, quality, self.counter)


class TaskNotebook:
    """Adds and removes lines in the default blocks of tasks."""

    def __init__(self, changes: Callable[[], BlockChanges]) -> None:
        self._changes = changes

    def add(self, tx: Transaction, scope: Scope, label: str, line: str, reason: str) -> str:
        """Add a line at the end of a block; return the block's id.

        Raises:
            UserError: the block is full, was deleted, or its label is ambiguous.
        """
        from memoranda.blocks.block_edits import insertion

        changes = self._changes()
        block = changes.found(tx, scope, label)
        return changes.edited(tx, scope, block, insertion(line).noted(reason, None)).id

    def take_out(self, tx: Transaction, scope: Scope, block: str, line: str) -> bool:
        """Remove a line; False unless it occurs exactly once, unchanged."""
        from memoranda.blocks.block_edits import rewriting
        from memoranda.exceptions import UserError

        changes = self._changes()
        try:
            block_found = changes.found(tx, scope, block)
        except UserError:
            return False
        lines = block_found.value.split("\n")
        if lines.count(line) != 1:
            return False
        lines.remove(line)
        edit = rewriting("\n".join(lines)).noted("the feedback had another meaning", None)
        without = edit.apply(block_found.value, *edit.texts)
        return without != block_found.value and bool(changes.edited(tx, scope, block_found, edit))


class FeedbackServices(ProfileServices, AgentStateServices):
    """Services for feedback, suggestions and spoken commands."""

    @cached_property
    def _reader(self) -> FeedbackReader:
        from memoranda.feedback.turn_classifier import FeedbackReader
        from memoranda.models.factory import local_embedder

        if self.embedder is None:
            return FeedbackReader(None)
        return FeedbackReader(self.embedder, local_embedder(self.settings.embedding_threads))

    @cached_property
    def feedback(self) -> FeedbackRecords:
        """Service for people's feedback on the work."""
        from memoranda.feedback.feedback_service import FeedbackRecords

        return FeedbackRecords(
            self.database, self._reader.stated, self.sanitiser, self.clock, self.ids
        )

    @cached_property
    def hearing(self) -> FeedbackDetector:
        """Service that detects feedback in messages."""
        from memoranda.feedback.corrected_memories import MemoryCorrections
        from memoranda.feedback.detector import FeedbackDetector

        corrections = MemoryCorrections(self._memory_changes, self.proposals)
        return FeedbackDetector(
            self.database, self._reader, self.feedback, self.clock, self.ids, corrections
        )

    @cached_property
    def spoken(self) -> CommandExecutor:
        """Service that carries out spoken commands."""
        from memoranda.feedback.commands import CommandExecutor

        return CommandExecutor(
            self.database,
            self.memories,
            self._memory_changes,
            self.proposals,
            self.clock,
            self.optimise,
        )

    def optimise(self, scope: Scope) -> str:
        """Run the optimiser on the profile; return what its suggestions would do."""
        change = self.optimiser.preview(scope)
        if not change.suggestions:
            return f"nothing to do: the profile has {change.used:,} of {change.limit:,} tokens"
        freed = sum(suggestion.freed for suggestion in change.suggestions)
        return (
            f"{len(change.suggestions)} suggestions would free {freed:,} tokens: memoranda optimize"
        )

    @cached_property
    def feedback_processing(self) -> FeedbackProcessor:
        """Service that applies the consequences of feedback."""
        from memoranda.feedback.feedback_memories import FeedbackLessons
        from memoranda.feedback.processor import FeedbackProcessor
        from memoranda.feedback.rejection_counts import RefusalCounter

        lessons = FeedbackLessons(self.memories, self._memory_changes, self.proposals, self.clock)
        return FeedbackProcessor(
            self.database,
            self._reader,
            lessons,
            RefusalCounter(lessons, self.clock, self.ids),
            self.spoken,
            TaskNotebook(lambda: self._block_changes),
            (self.clock, self.ids),
        )
