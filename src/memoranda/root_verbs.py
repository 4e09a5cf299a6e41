"""The six methods of the memory object itself, outside its resources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from memoranda.exceptions import Forbidden, InvalidInput, empty_text
from memoranda.ids import is_uuid
from memoranda.instrumentation import count_one, measured
from memoranda.jobs.model import JobKind
from memoranda.observations.model import ObservationType, Origin, StatedBy
from memoranda.operation_declaration import MEMBERS, read, write
from memoranda.resource import ALL, ScopedStore, member
from memoranda.resource_attributes import Nouns
from memoranda.scope import NEW_FOLDER
from memoranda.search.filters import EVERYTHING, SearchFilter
from memoranda.search.model import UNKNOWN, SearchMode, TaskContext
from memoranda.tasks.reference import TaskReference
from memoranda.text import is_blank
from memoranda.workspaces import table as workspaces

if TYPE_CHECKING:
    from memoranda.capture.event import Event
    from memoranda.feedback.model import CommandResult
    from memoranda.json_data import JsonValue
    from memoranda.memories.memory_service import NewMemory
    from memoranda.memories.model import Memory
    from memoranda.memories.removal import RemovalReceipt, RemovalSelection
    from memoranda.observations.model import Observation
    from memoranda.ports import Figures
    from memoranda.scope import Scope
    from memoranda.search.model import ContextBrief, SearchResult
    from memoranda.search.query_executor import SearchQuery


R = TypeVar("R", "SearchResult", "ContextBrief")

ELSEWHERE = 20
"""Maximum number of hits in other workspaces that are counted if nothing was found in the selected
one.
"""


def _found(result: SearchResult) -> Figures:
    return {"records": len(result.hits)}


def _brief_figures(brief: ContextBrief) -> Figures:
    return {"records": sum(len(section.items) for section in brief.sections)}


def _removed(receipt: RemovalReceipt) -> Figures:
    return {"records": 0 if receipt.dry_run else receipt.observations + receipt.memories}


class RootVerbs(Nouns, ScopedStore):
    """The methods observe, search, context, remember, forget and say."""

    @write("observe")
    def observe(
        self,
        content: str,
        *,
        type: ObservationType | str = ObservationType.LEARNING,
        task: TaskReference = "default",
        workspace: str | None = None,
        tool: str | None = None,
        input: JsonValue = None,
        failed: bool = False,
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        tokens_used: int | None = None,
        duration_ms: int | None = None,
        origin: StatedBy | str | None = None,
        key: str | None = None,
    ) -> Observation:
        """Store one observation; it is durable when this returns.

        ``task`` is a task, or a new name of 1 to 200 characters, with which a new task begins; each
        workspace has its own task names.

        Args:
            key: an id that you choose. A repeated call with the same key, task and content stores
                nothing, and returns the first observation.
            failed: whether the step failed; if so, the observation is an error, whatever its type.
            tags: up to 12, in addition to those in the text; stored in lower case.
            files: up to 20 paths, in addition to those in the text.
            tokens_used: tokens that the agent's model spent on the step.
            duration_ms: duration of the step.
            origin: who wrote the text: the ``agent`` (default), a person (``human``), or the
                ``caller``. The output of a tool always has the origin ``tool``.

        Raises:
            InvalidInput: an argument is empty, unknown, out of range, or looks like a secret.
            Forbidden: an agent states that a person wrote the text.
            Conflict: the task has an observation with this key and other content.
        """
        from memoranda.json_data import checked_json
        from memoranda.observations.stated_details import StepDetails

        kind = member(ObservationType, type)
        if not tool and is_blank(content):
            raise empty_text("an observation")
        more = StepDetails(tags, files, tokens_used, duration_ms).checked()
        host, session = self._session(task, self._label(workspace))
        by = self._author(origin, tool)
        event = replace(
            self._stated(content, kind, tool, by, failed=failed or kind is ObservationType.ERROR),
            host=host,
            session=session,
            key=key or self._services.ids.new(),
            input=checked_json(input),
            tags=tuple(more.tags),
            files=tuple(more.files),
            tokens_used=more.tokens_used,
            duration_ms=more.duration_ms,
        )
        written = self.capture.take([event], workspace=workspace).last
        return self._stored(event, written)

    def _author(self, origin: StatedBy | str | None, tool: str | None) -> Origin:
        """Return the origin of an observation's text."""
        from memoranda.capture.hosts.output_origin import tool_origin

        by = None if origin is None else member(StatedBy, origin)
        if tool:
            if by is not None:
                raise InvalidInput("the output of a tool always has the origin tool; omit `origin`")
            return tool_origin(tool)
        if by is StatedBy.HUMAN and self._scope.agent:
            raise Forbidden("an agent cannot store its text as a person's; omit `origin`")
        by_person = by is StatedBy.HUMAN or (by is StatedBy.CALLER and not self._scope.agent)
        return Origin.HUMAN if by_person else Origin.AGENT

    def _stated(
        self, content: str, kind: ObservationType, tool: str | None, origin: Origin, *, failed: bool
    ) -> Event:
        """Return the event of a text or tool output, without its task."""
        from memoranda.capture.event import Event, EventKind, EventSource

        event_kind = EventKind.ERROR if failed else EventKind.MESSAGE
        return Event(
            kind=EventKind.TOOL_RESULT if tool else event_kind,
            host="",
            session="",
            source=EventSource.API,
            key="",
            origin=origin,
            occurred_at=self._services.clock.now(),
            agent=self._scope.agent or "main",
            tool=tool,
            output=content if tool else None,
            text="" if tool else content,
            failed=failed,
            type=None if tool and kind is ObservationType.LEARNING else kind,
        )

    @read("search", searches=True)
    @measured("search", _found)
    def search(
        self,
        query: str,
        *,
        workspace: str | None = None,
        task: TaskReference | None = None,
        where: SearchFilter = EVERYTHING,
        mode: SearchMode | str = SearchMode.HYBRID,
        limit: int = 20,
        cursor: str | None = None,
        work: TaskContext = UNKNOWN,
        explain: bool = False,
        min_score: float | None = None,
    ) -> SearchResult:
        """Find observations, memories and blocks.

        An empty query finds nothing.

        Args:
            cursor: cursor of the previous page; no hit is repeated or skipped.
            work: the stage of the work and the current errors; records that help rank higher.
            explain: return for each hit the contribution of every signal.
            min_score: minimum score of a hit, 0 to 1; with 0, the nearest records are found. By
                default, it is 0.005, and nothing is found if even the best hit is unlikely to be
                an answer; then ``nearest`` of the result contains the nearest records.

        Raises:
            InvalidInput: the limit or ``min_score`` is out of range, or the cursor does not belong
                to a search.
            EmbedderUnavailable: in mode vectors, the model cannot be used.
        """
        from memoranda.search.query_executor import SearchQuery

        self._catch_up_with_text()
        chosen = member(SearchMode, mode)
        if chosen is not SearchMode.WORDS and query.strip():
            self._services.catch_up_with_meanings()
        scope = self._within(workspace, task)
        if work.task is not None:
            work = replace(work, task=self._task(work.task, scope.workspace).id)
        result = self._services.search.search(
            SearchQuery(
                query,
                scope,
                where,
                chosen,
                limit,
                cursor,
                work,
                explain,
                sentences=True,
                min_score=min_score,
                blocks=True,
                nearest=min_score == 0,
            )
        )
        if not result.hits and scope.workspace and task is None and cursor is None:
            beyond = SearchQuery(query, scope, where, chosen, ELSEWHERE, min_score=min_score)
            result = replace(result, elsewhere=self._elsewhere(beyond))
        return self._services.retrievals.counted(self._scope.team, self._with_trouble(result))

    def _with_trouble(self, result: R) -> R:
        """Return a result with the servers and models that do not respond."""
        trouble = self._services.unavailable()
        if not trouble:
            return result
        note = "; ".join(filter(None, (result.note, trouble)))
        return replace(result, degraded=True, note=note)

    def _elsewhere(self, query: SearchQuery) -> int:
        """Count the hits of a query in all workspaces that the caller may read."""
        team = self._scope.team
        if len(self._services.database.read(lambda tx: workspaces.listed(tx, team, "", 2))) < 2:
            return 0
        everywhere = replace(query, scope=self._within(ALL, None))
        return len(self._services.search.search(everywhere).hits)

    @read("context", searches=True)
    @measured("context", _brief_figures)
    def context(
        self,
        *,
        budget: int | None = None,
        query: str | None = None,
        workspace: str | None = None,
        task: TaskReference | None = None,
        in_view: int = 0,
        allow_overflow: bool = False,
        at_start: bool = False,
    ) -> ContextBrief:
        """Show the information for the next step, within a token budget.

        The newest ``in_view`` observations are omitted, because the reader still has them.

        Args:
            at_start: whether the context is for the start of a session, without a task or query; by
            default, such a context has at most the 9,500 characters that hosts accept from a hook.
            The workspace `scope.NEW_FOLDER` is a folder without captures.

        Raises:
            BudgetTooSmall: the critical facts alone exceed the budget; the error states how many
                tokens they need.
            InvalidInput: a number is out of range, or ``at_start`` is combined with anything but a
                workspace and a budget.
        """
        room = self._services.settings.context_budget if budget is None else budget
        self._services.catch_up_with_statements()
        if at_start:
            from memoranda.context.builder import HOST_LIMIT

            if task is not None or query or in_view or allow_overflow:
                raise InvalidInput("the start context accepts only a workspace and a budget")
            within = self._at_start(workspace)
            limit = HOST_LIMIT if budget is None else None
            return self._with_trouble(
                self._services.contexts.at_start(within, budget=room, limit=limit)
            )
        if query:
            self._services.catch_up_with_meanings()
        return self._with_trouble(
            self._services.contexts.build(
                self._within(workspace, task),
                budget=room,
                query=query,
                in_view=in_view,
                allow_overflow=allow_overflow,
            )
        )

    def _at_start(self, workspace: str | None) -> Scope:
        """Return the scope of a starting session.

        The folder of the session may not have a workspace yet.
        """
        if workspace == NEW_FOLDER:
            return replace(self._scope, workspace=NEW_FOLDER)
        return self._within(workspace, None)

    @write("remember")
    @measured("remember", count_one)
    def remember(self, statement: str | NewMemory, *, workspace: str | None = None) -> Memory:
        """Store a memory.

        A person's memory is approved at once; an agent's memory is pending. The author is the agent
        or person for whom the store was opened, never a name in the statement.
        """
        if isinstance(statement, str):
            from memoranda.memories.memory_service import NewMemory

            statement = NewMemory(statement)
        links = [
            replace(to, other=self._record_ids([to.other], known=False)[0])
            for to in statement.links
        ]
        evidence = self._record_ids(statement.evidence, known=False)
        statement = replace(statement, evidence=evidence, links=links)
        scope = self._within(workspace, None, new=True)
        origin = Origin.AGENT if self._scope.agent else Origin.HUMAN
        memory = self._services.memories.remember(statement, scope, origin, self._actor)
        self._services.enqueue_rendering(memory.workspace)
        self._services.background.wake()
        return memory

    @write("forget", roles=MEMBERS)
    @measured("forget", _removed)
    def forget(
        self,
        chosen: RemovalSelection,
        *,
        workspace: str | None = None,
        dry_run: bool = False,
        confirm: bool = False,
    ) -> RemovalReceipt:
        """Erase observations and memories permanently; return a receipt.

        No copy is kept, so the removal must be confirmed. With ``mentions``, everything in the
        team's store that mentions a name is listed, counted and removed. With ``workspace``,
        everything in the workspace is removed, including memories, blocks and documents.

        Args:
            dry_run: only count what would be removed.
            confirm: remove it. Without ``confirm``, the removal is refused, and the error states
                what would be removed.

        Raises:
            InvalidInput: nothing was selected, the removal is not confirmed, or a name is combined
                with anything else.
            NotFound: there is no task with that name or number.
            Conflict: a protected memory is selected.
        """
        if chosen.mentions or (confirm and not dry_run):
            self._services.drain.run(wait=True)
        scope = self._within(workspace, None)
        chosen = replace(chosen, ids=self._record_ids(chosen.ids))
        if chosen.task is not None and not is_uuid(chosen.task):
            chosen = replace(chosen, task=self._task(chosen.task, scope.workspace).id)
        if chosen.workspace and scope.workspace is None:
            raise InvalidInput("specify the workspace to forget")
        forget = self._removal(scope, chosen)
        if not (dry_run or confirm):
            from memoranda.memories.removal_counts import unconfirmed

            receipt = forget(scope, chosen, self._actor, dry_run=True)
            raise InvalidInput(unconfirmed(receipt))
        return forget(scope, chosen, self._actor, dry_run=dry_run)

    @write("say")
    @measured("say", count_one)
    def say(self, text: str, *, workspace: str | None = None) -> CommandResult:
        """Carry out an instruction in natural language.

        Examples: "Remember that …", "Forget about …", "What do you know about me?", "Add this rule:
        …", "Optimize your memory". Forgetting archives the memory that contains all the words and
        ends the validity of statements in messages; if several memories match, they are returned
        with a question. If a workspace is selected, critical memories and memories of all
        workspaces are not archived; archiving is only proposed.

        Raises:
            InvalidInput: the text is not an instruction, the instruction has no subject, or the
                memory is protected.
            NotFound: no memory matches what is to be forgotten.
        """
        from memoranda.feedback.model import CommandKind

        instruction = self._services.spoken.parse(text)
        makes = instruction.kind in (CommandKind.REMEMBER, CommandKind.RULE)
        scope = self._within(workspace, None, new=makes)
        spoken = self._services.spoken.say(scope, instruction)
        if spoken.statements:
            from memoranda.feedback.commands import lifting

            statement = lifting(instruction.argument)
            self.observe(statement, type="message", workspace=workspace, origin="human")
        self._services.enqueue_rendering(scope.workspace)
        self._services.background.wake()
        return spoken

    def _removal(self, scope: Scope, chosen: RemovalSelection) -> Callable[..., RemovalReceipt]:
        """Return the removal for a selection of records."""
        from memoranda.memories.workspace_removal import is_entire

        services = self._services
        if chosen.mentions:
            return services.erasing.forget
        if is_entire(scope, chosen):
            return services.emptying.forget
        return services.forgetting.forget

    def _catch_up_with_text(self) -> None:
        services = self._services
        others = frozenset(JobKind) - {JobKind.INDEX_TEXT}
        if services.text_index.catch_up(lambda: services.worker.run(2, without=others)):
            services.background.wake()
