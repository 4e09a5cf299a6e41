"""The six verbs of the memory object itself, without a noun."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.tool_origin import tool_origin
from memoranda.exceptions import InvalidInput
from memoranda.feedback.model import (
    CommandKind,
    CommandResult,
)
from memoranda.jobs.model import JobKind
from memoranda.json_data import JsonValue
from memoranda.measurement import count_one, measured
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Memory
from memoranda.memories.removal import RemovalReceipt, RemovalSelection
from memoranda.nouns import Nouns
from memoranda.observations.model import (
    Observation,
    ObservationType,
    Origin,
)
from memoranda.ports import Figures
from memoranda.scoped_store import ScopedStore, member
from memoranda.search.filters import EVERYTHING, SearchFilter
from memoranda.search.model import (
    ContextBrief,
    SearchMode,
    SearchResult,
)
from memoranda.search.query_answer import SearchQuery
from memoranda.search.score_factors import UNKNOWN, TaskContext
from memoranda.use_case import (
    MEMBERS,
    read,
    write,
)

if TYPE_CHECKING:
    pass


def _found(result: SearchResult) -> Figures:
    return {"records": len(result.hits)}


def _told(brief: ContextBrief) -> Figures:
    return {"records": sum(len(section.items) for section in brief.sections)}


def _removed(receipt: RemovalReceipt) -> Figures:
    return {"records": 0 if receipt.dry_run else receipt.observations + receipt.memories}


class RootVerbs(Nouns, ScopedStore):
    """Observe, search, context, remember, forget and say."""

    @write("observe")
    def observe(
        self,
        content: str,
        *,
        type: ObservationType | str = ObservationType.LEARNING,
        task: str = "default",
        workspace: str | None = None,
        tool: str | None = None,
        input: JsonValue = None,
        failed: bool = False,
        key: str | None = None,
    ) -> Observation:
        """Store one observation; return it once it is durable.

        ``task`` is the id of a task, or a caller-defined name of one, separate in each workspace.
        The same ``key`` in the same task is stored once: the second call returns the first
        observation.

        Raises:
            InvalidInput: there is no text, the type is unknown, or a name reads like a secret.
        """
        host, session = self._session(task, self._label(workspace))
        kind = member(ObservationType, type)
        if not tool and not content.strip():
            raise InvalidInput("an observation needs some text")
        event = Event(
            kind=EventKind.TOOL_RESULT if tool else EventKind.MESSAGE,
            host=host,
            session=session,
            source=EventSource.API,
            key=key or self._rooms.ids.new(),
            origin=tool_origin(tool) if tool else Origin.AGENT,
            occurred_at=self._rooms.clock.now(),
            agent=self._scope.agent or "main",
            tool=tool,
            input=input,
            output=content if tool else None,
            text="" if tool else content,
            failed=failed or kind is ObservationType.ERROR,
            type=None if tool and kind is ObservationType.LEARNING else kind,
        )
        self.capture.take([event], workspace=workspace)
        return self._stored(event)

    @read("search", searches=True)
    @measured("search", _found)
    def search(
        self,
        query: str,
        *,
        workspace: str | None = None,
        task: str | None = None,
        where: SearchFilter = EVERYTHING,
        mode: SearchMode | str = SearchMode.HYBRID,
        limit: int = 20,
        cursor: str | None = None,
        work: TaskContext = UNKNOWN,
        explain: bool = False,
    ) -> SearchResult:
        """Find observations and memories; an empty query finds nothing.

        Args:
            cursor: that of the page before; no hit is repeated or skipped.
            work: the stage of the work and the current errors; what helps with them ranks higher.
            explain: return for each hit the contribution of every signal.

        Raises:
            InvalidInput: the limit is out of range, or the cursor is not one of a search.
            EmbedderUnavailable: in mode vectors, the model cannot be used.
        """
        self._catch_up_with_text()
        return self._rooms.search.search(
            SearchQuery(
                query,
                self._within(workspace, task),
                where,
                member(SearchMode, mode),
                limit,
                cursor,
                work,
                explain,
                sentences=True,
            )
        )

    @read("context", searches=True)
    @measured("context", _told)
    def context(
        self,
        *,
        budget: int | None = None,
        query: str | None = None,
        workspace: str | None = None,
        task: str | None = None,
        in_view: int = 0,
        allow_overflow: bool = False,
        at_start: bool = False,
    ) -> ContextBrief:
        """Return what the next step should know, within a budget of tokens.

        Nothing of the newest ``in_view`` observations is included, if the reader still has them.

        Args:
            at_start: the context at the start of a session; without a budget, no more than hosts
                accept from a hook (9,500 characters). It has no task and no query yet.

        Raises:
            BudgetTooSmall: the critical facts alone need more; it says how many tokens.
            InvalidInput: a number is out of range, or ``at_start`` is combined with anything but a
                workspace and a budget.
        """
        room = self._rooms.settings.context_budget if budget is None else budget
        if at_start:
            if task or query or in_view or allow_overflow:
                raise InvalidInput("the start context accepts only a workspace and a budget")
            within = self._within(workspace, None)
            if budget is None:
                return self._rooms.contexts.at_start(within, budget=room)
            return self._rooms.contexts.at_start(within, budget=room, longest=None)
        return self._rooms.contexts.build(
            self._within(workspace, task),
            budget=room,
            query=query,
            in_view=in_view,
            allow_overflow=allow_overflow,
        )

    @write("remember")
    @measured("remember", count_one)
    def remember(self, statement: str | NewMemory, *, workspace: str | None = None) -> Memory:
        """Store a memory; a person's is approved at once, an agent's is pending.

        Whose it is follows from how the memory was opened (with an agent or without), never from
        the statement.
        """
        if isinstance(statement, str):
            statement = NewMemory(statement)
        scope = self._within(workspace, None, new=True)
        origin = Origin.AGENT if self._scope.agent else Origin.HUMAN
        memory = self._rooms.memories.remember(statement, scope, origin, self._actor)
        self._rooms.enqueue_rendering(memory.workspace)
        self._rooms.background.wake()
        return memory

    @write("forget", roles=MEMBERS)
    @measured("forget", _removed)
    def forget(
        self,
        chosen: RemovalSelection,
        *,
        workspace: str | None = None,
        dry_run: bool = False,
    ) -> RemovalReceipt:
        """Remove observations and memories for good, from every place.

        Return a receipt.

        Raises:
            InvalidInput: nothing was selected.
            Conflict: a protected memory is selected.
        """
        if not dry_run:
            self._rooms.drain.run(wait=True)
        scope = self._within(workspace, None)
        if chosen.workspace and scope.workspace is None:
            raise InvalidInput("specify the workspace to forget")
        return self._rooms.forgetting.forget(scope, chosen, self._actor, dry_run=dry_run)

    @write("say")
    @measured("say", count_one)
    def say(self, text: str, *, workspace: str | None = None) -> CommandResult:
        """Carry out a spoken command to the memory.

        "Remember that …", "Forget about …", "What do you know about me?", "Add this rule: …",
        "Optimize your memory". Forgetting archives the one memory that has all the words; of
        several the choice is returned as a question.

        Raises:
            InvalidInput: it is no command, it names nothing, or the memory is protected.
            NotFound: nothing is known of what is to be forgotten.
        """
        given = self._rooms.spoken.understood(text)
        makes = given.kind in (CommandKind.REMEMBER, CommandKind.RULE)
        scope = self._within(workspace, None, new=makes)
        spoken = self._rooms.spoken.say(scope, given)
        self._rooms.enqueue_rendering(scope.workspace)
        self._rooms.background.wake()
        return spoken

    def _catch_up_with_text(self) -> None:
        rooms = self._rooms
        others = frozenset(JobKind) - {JobKind.INDEX_TEXT}
        if rooms.text_index.catch_up(lambda: rooms.worker.run(2, without=others)):
            rooms.background.wake()
