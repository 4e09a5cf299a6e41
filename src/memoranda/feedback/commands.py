"""Execution of commands to the memory: remember, forget, recall, optimise.

A command stores or forgets a memory, lists what is known, sets a rule, or runs the profile
optimiser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memoranda.clock import Clock
from memoranda.context.later_statements import ended_statements
from memoranda.context.outdated_sentences import is_ended
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.feedback.command_parser import command
from memoranda.feedback.feedback_memories import LISTENER
from memoranda.feedback.model import CommandKind, CommandOutcome, CommandResult, SpokenCommand
from memoranda.memories import table as memories
from memoranda.memories.category_detection import category_by_content
from memoranda.memories.duplicates import stating, with_every_word, with_some_words
from memoranda.memories.memory_service import Memories, NewMemory
from memoranda.memories.memory_writer import MemoryChanges, archived
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility
from memoranda.memories.table import MemoryFilter
from memoranda.observations.model import Origin
from memoranda.profile.agent_file import HEADINGS
from memoranda.proposals.decisions import Proposals
from memoranda.proposals.model import MemoryState, ProposalKind
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction
from memoranda.text import normalise
from memoranda.workspaces.recognition import with_workspace

PERSON_DECIDES = "a person must decide: `memoranda pending list`"
CHOICES = 10
"""Maximum number of memories offered to a person as choices."""
KNOWN = 100
"""Maximum number of memories per category that are returned."""
FORMS = (
    '"Remember that …", "Forget about …", "What do you know about me?", "Add this rule: …" or '
    '"Optimize your memory"'
)


class CommandExecutor:
    """Executes a person's commands to the memory.

    An agent's request is pending until a person approves it.
    """

    def __init__(
        self,
        database: Database,
        book: Memories,
        changes: MemoryChanges,
        waiting: Proposals,
        clock: Clock,
        optimise: Callable[[Scope], str],
    ) -> None:
        """Create the executor.

        ``optimise`` runs the optimiser of a scope and returns its result.
        """
        self._database = database
        self._book = book
        self._changes = changes
        self._proposals = waiting
        self._clock = clock
        self._optimise = optimise

    def parse(self, text: str) -> SpokenCommand:
        """Return the command in a text.

        Raises:
            InvalidInput: the text is not a command, or names nothing.
        """
        spoken = command(normalise(text), direct=True)
        if spoken is None:
            raise InvalidInput(
                f"this is not a known instruction; use {FORMS}, followed by the subject. To"
                f" correct the agent's work, use `memoranda feedback add`"
            )
        return spoken

    def say(self, scope: Scope, command: SpokenCommand) -> CommandResult:
        """Execute a command.

        Raises:
            InvalidInput: the memory to forget is protected.
            NotFound: no memory has the text to be forgotten.
        """
        if command.kind is CommandKind.OPTIMIZE:
            return CommandResult(command.kind, CommandOutcome.OPTIMIZED, (), self._optimise(scope))
        if command.kind is CommandKind.KNOW:
            return self._database.read(lambda tx: self._matching(tx, scope, command.argument))

        def work(tx: Transaction) -> CommandResult:
            there = with_workspace(tx, scope, self._clock.now())
            return self.carried_out(tx, there, command)

        return self._database.write(work)

    def carried_out(
        self,
        tx: Transaction,
        scope: Scope,
        command: SpokenCommand,
        evidence: Sequence[str] = (),
        until: int | None = None,
    ) -> CommandResult:
        """Execute a command that changes memories, within a transaction.

        Args:
            evidence: ids of the message that contains the command.
            until: time of the message that contains the command, and so of what it states; memories
                created later are not forgotten. None if a person called the command directly.

        Raises:
            InvalidInput: the memory to forget is protected.
            NotFound: no memory has the text to be forgotten.
        """
        if command.kind is CommandKind.FORGET:
            return self._forgotten(tx, scope, command, until)
        return self._remembered(tx, scope, command, evidence, until)

    def _remembered(
        self,
        tx: Transaction,
        scope: Scope,
        command: SpokenCommand,
        evidence: Sequence[str],
        at: int | None,
    ) -> CommandResult:
        is_rule = command.kind is CommandKind.RULE
        statement = NewMemory(
            command.argument,
            category=Category.LEARNED_RULE if is_rule else category_by_content(command.argument),
            visibility=Visibility.WORKSPACE if scope.workspace else Visibility.TEAM,
            evidence=evidence,
        )
        origin = Origin.AGENT if scope.agent else Origin.HUMAN
        stored = self._book.add(tx, statement, scope, origin, scope.actor, at)
        waits = stored.status is MemoryStatus.PENDING
        if not waits and scope.agent is None:
            self._proposals.reject_repeated(tx, scope, stored)
        outcome = CommandOutcome.WAITS if waits else CommandOutcome.REMEMBERED
        return CommandResult(
            command.kind, outcome, (stored,), f"{stored.title} (as {stored.category})"
        )

    def _forgotten(
        self, tx: Transaction, scope: Scope, command: SpokenCommand, until: int | None
    ) -> CommandResult:
        matching = _created_until(with_every_word(tx, scope, command.argument), until)
        found = stating(matching, command.argument)
        if command.if_clear and len(found) != 1:
            raise NotFound(f"no single memory here states {command.argument!r}")
        lifted = self._lifted(tx, scope, command, until)
        if len(found) == 1:
            return self._archived(tx, scope, command, found[0], until, lifted)
        if lifted and not found:
            return self._only_lifted(tx, scope, command, until, lifted)
        note = f"{len(found)} memories match; to archive one: memoranda memory archive ID"
        if matching and not found:
            found = matching
            note = "only longer memories mention it; to archive one: memoranda memory archive ID"
        if not found:
            found = _created_until(with_some_words(tx, scope, command.argument), until)
            note = "no memory matches all of the text; similar ones: memoranda memory archive ID"
        if not found:
            raise NotFound(
                f"no memory here is about {command.argument!r}; "
                "`memoranda memory list` lists the memories"
            )
        return CommandResult(command.kind, CommandOutcome.ASKING, tuple(found[:CHOICES]), note)

    def _only_lifted(
        self,
        tx: Transaction,
        scope: Scope,
        command: SpokenCommand,
        until: int | None,
        lifted: tuple[str, ...],
    ) -> CommandResult:
        """Return the statements ended, with memories that may state the same thing."""
        note = (
            f"statements in messages ({', '.join(lifted)}); contexts no longer show them as valid"
        )
        ending = [lifting(command.argument)]
        near = _created_until(with_some_words(tx, scope, command.argument), until)
        stated = tuple(memory for memory in near if is_ended(memory.content, ending))[:CHOICES]
        if not stated:
            return CommandResult(command.kind, CommandOutcome.LIFTED, (), note, lifted)
        note += ". Memories that may state the same remain: memoranda memory archive ID"
        return CommandResult(command.kind, CommandOutcome.ASKING, stated, note, lifted)

    def _lifted(
        self, tx: Transaction, scope: Scope, command: SpokenCommand, until: int | None
    ) -> tuple[str, ...]:
        """Return the messages with people's statements that the command ends."""
        if scope.agent is not None or scope.workspace is None:
            return ()
        now = self._clock.now() if until is None else until
        return ended_statements(tx, scope, lifting(command.argument), now)

    def _archived(
        self,
        tx: Transaction,
        scope: Scope,
        command: SpokenCommand,
        memory: Memory,
        until: int | None,
        lifted: tuple[str, ...],
    ) -> CommandResult:
        after = archived(MemoryState.of(memory))
        reason = "spoken: forget"
        if scope.agent is not None or _needs_person(memory, scope, in_message=until is not None):
            proposer = scope if scope.agent is not None else replace(scope, agent=LISTENER)
            if scope.agent is None:
                reason = f'spoken: forget about "{command.argument}"'
            self._proposals.put(tx, proposer, ProposalKind.ARCHIVE, memory, after, reason)
            return CommandResult(command.kind, CommandOutcome.WAITS, (memory,), PERSON_DECIDES)
        gone = self._changes.change(tx, memory, after, scope.actor, reason, self._clock.now())
        note = (
            f"{gone.title}; no context or search uses it, but its text remains stored. "
            f"`memoranda forget {gone.id}` removes it permanently"
        )
        if lifted:
            note += f". Contexts no longer show the statements in {', '.join(lifted)} as valid"
        return CommandResult(command.kind, CommandOutcome.ARCHIVED, (gone,), note, lifted)

    def _matching(self, tx: Transaction, scope: Scope, about: str) -> CommandResult:
        matches: list[Memory] = []
        if about:
            matches = with_every_word(tx, scope, about) or with_some_words(tx, scope, about)
            note = (
                f"{len(matches)} memories about {about!r}"
                if matches
                else f"nothing about {about!r}"
            )
            return CommandResult(
                CommandKind.KNOW, CommandOutcome.TOLD, tuple(matches[:KNOWN]), note
            )
        for category in HEADINGS:
            where = MemoryFilter(scope.workspace, scope.agent, MemoryStatus.APPROVED, category)
            matches += memories.listed(tx, scope.team, where, limit=KNOWN)
        note = f"{len(matches)} memories" if matches else "nothing yet"
        return CommandResult(CommandKind.KNOW, CommandOutcome.TOLD, tuple(matches), note)


def lifting(argument: str) -> str:
    """Return the statement that ends a person's statement about something."""
    return f"Forget what I said about {argument}."


def _needs_person(memory: Memory, scope: Scope, *, in_message: bool) -> bool:
    """Return whether a spoken command may only propose to archive a memory.

    People who write messages in a workspace, such as customers, cannot change anything outside it.
    """
    if not in_message and scope.workspace is None:
        return False
    return memory.critical or memory.workspace is None or memory.workspace != scope.workspace


def _created_until(found: Sequence[Memory], until: int | None) -> list[Memory]:
    return [memory for memory in found if until is None or memory.created_at <= until]
