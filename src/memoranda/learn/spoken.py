"""Spoken commands, carried out: remember, forget, what is known, a rule, the optimiser."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoranda.clock import Clock
from memoranda.errors import InvalidInput, NotFound
from memoranda.learn.agent_file import HEADINGS
from memoranda.learn.feedback.commands import command
from memoranda.learn.likeness import with_every_word
from memoranda.learn.memories import MemoryBook, Statement
from memoranda.learn.memory_changes import MemoryChanges, archived
from memoranda.learn.proposals import Proposals
from memoranda.store.database import Database, Transaction
from memoranda.store.tables import memories
from memoranda.store.tables.memories import MemoryFilter
from memoranda.text import normalise
from memoranda.values.feedback import Command, CommandKind, Outcome, Spoken
from memoranda.values.memory import Category, Memory, MemoryStatus, Visibility
from memoranda.values.observation import Origin
from memoranda.values.proposal import MemoryState, ProposalKind
from memoranda.values.scope import Scope

CHOICES = 10
"""Memories that a person is shown to choose from."""
KNOWN = 100
"""Memories of each category that are told."""
FORMS = (
    '"Remember that …", "Forget about …", "What do you know about me?", "Add this rule: …" or '
    '"Optimize your memory"'
)


class SpokenCommands:
    """Does what a person says to the memory, or has an agent's wish wait for a person."""

    def __init__(
        self,
        database: Database,
        book: MemoryBook,
        changes: MemoryChanges,
        waiting: Proposals,
        clock: Clock,
        optimise: Callable[[Scope], str],
    ) -> None:
        """``optimise`` sees to the optimiser of a scope and says what came of it."""
        self._database = database
        self._book = book
        self._changes = changes
        self._proposals = waiting
        self._clock = clock
        self._optimise = optimise

    def understood(self, text: str) -> Command:
        """Return the command that a text is.

        Raises:
            InvalidInput: it is none, or names nothing.
        """
        given = command(normalise(text))
        if given is None:
            raise InvalidInput(f"that is no command to the memory; say {FORMS}, and what it is of")
        return given

    def say(self, scope: Scope, given: Command) -> Spoken:
        """Carry out a command.

        Raises:
            InvalidInput: the memory to forget is protected.
            NotFound: no memory has the words that are to be forgotten.
        """
        if given.kind is CommandKind.OPTIMIZE:
            return Spoken(given.kind, Outcome.OPTIMIZED, (), self._optimise(scope))
        if given.kind is CommandKind.KNOW:
            return self._database.read(lambda tx: self._known(tx, scope))
        return self._database.write(lambda tx: self.carried_out(tx, scope, given))

    def carried_out(
        self,
        tx: Transaction,
        scope: Scope,
        given: Command,
        evidence: Sequence[str] = (),
        until: int | None = None,
    ) -> Spoken:
        """Carry out a command that changes memories, within a transaction.

        Args:
            evidence: the message that it was said in.
            until: when it was said; memories made later are not meant.

        Raises:
            InvalidInput: the memory to forget is protected.
            NotFound: no memory has the words that are to be forgotten.
        """
        if given.kind is CommandKind.FORGET:
            return self._forgotten(tx, scope, given, until)
        return self._remembered(tx, scope, given, evidence)

    def _remembered(
        self, tx: Transaction, scope: Scope, given: Command, evidence: Sequence[str]
    ) -> Spoken:
        is_rule = given.kind is CommandKind.RULE
        statement = Statement(
            given.argument,
            category=Category.LEARNED_RULE if is_rule else Category.DOMAIN_KNOWLEDGE,
            visibility=Visibility.WORKSPACE if scope.workspace else Visibility.TEAM,
            evidence=evidence,
        )
        origin = Origin.AGENT if scope.agent else Origin.HUMAN
        kept = self._book.add(tx, statement, scope, origin, scope.actor)
        waits = kept.status is MemoryStatus.PENDING
        outcome = Outcome.WAITS if waits else Outcome.REMEMBERED
        return Spoken(given.kind, outcome, (kept,), f"as {kept.category}: {kept.title}")

    def _forgotten(
        self, tx: Transaction, scope: Scope, given: Command, until: int | None
    ) -> Spoken:
        found = with_every_word(tx, scope, given.argument)
        if until is not None:
            found = [one for one in found if one.created_at <= until]
        if not found:
            raise NotFound(
                f"no memory here is about {given.argument!r}; `memoranda memory list` shows them"
            )
        if len(found) > 1:
            choices = tuple(found[:CHOICES])
            note = f"{len(found)} memories match; archive one: memoranda memory archive ID"
            return Spoken(given.kind, Outcome.ASKING, choices, note)
        return self._archived(tx, scope, given, found[0])

    def _archived(self, tx: Transaction, scope: Scope, given: Command, memory: Memory) -> Spoken:
        after = archived(MemoryState.of(memory))
        reason = "spoken: forget"
        if scope.agent is not None:
            self._proposals.put(tx, scope, ProposalKind.ARCHIVE, memory, after, reason)
            return Spoken(given.kind, Outcome.WAITS, (memory,), "a person decides")
        gone = self._changes.change(tx, memory, after, scope.actor, reason, self._clock.now())
        note = f"archived: {gone.title}; `memoranda memory restore` brings it back"
        return Spoken(given.kind, Outcome.ARCHIVED, (gone,), note)

    def _known(self, tx: Transaction, scope: Scope) -> Spoken:
        told: list[Memory] = []
        for category in HEADINGS:
            where = MemoryFilter(scope.workspace, scope.agent, MemoryStatus.APPROVED, category)
            told += memories.listed(tx, scope.team, where, limit=KNOWN)
        note = f"{len(told)} memories" if told else "nothing yet"
        return Spoken(CommandKind.KNOW, Outcome.TOLD, tuple(told), note)
