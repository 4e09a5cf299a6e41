"""Candidates for each section of a context, read from the store.

The token budget decides later which of them are included.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from memoranda.clock import Clock
from memoranda.context.blocks import block_lines
from memoranda.context.record_lines import memory_item
from memoranda.memories import table as memories
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.memories.table import MemoryFilter
from memoranda.observations.model import Origin
from memoranda.profile import table as profiles
from memoranda.profile.model import ranked
from memoranda.scope import NEW_FOLDER, Scope
from memoranda.search.model import ContextItem, Hit, HitKind, SearchResult
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task
from memoranda.tasks.tasks_with_work import with_work
from memoranda.text import one_line, visible
from memoranda.trust import approved_by_person
from memoranda.workspaces import table as workspaces

if TYPE_CHECKING:
    from memoranda.errors.model import ErrorContext, Recovery
    from memoranda.search.search_service import Search

MEMORIES = 50
EARLIER_TASKS = 5
VERSIONS = 20
"""Number of newest versions of a memory that are searched for its wording."""
_ABOUT = '\nSaid of: "'
"""Start of the part of a feedback lesson that the person did not write."""

PastFixes: TypeAlias = "Callable[[Transaction, Scope, ErrorContext], Sequence[Recovery]]"
"""Returns the recoveries from past errors; fixes of current errors are first."""
CurrentErrors: TypeAlias = "Callable[[Transaction, Scope, str | None], ErrorContext]"
"""Returns what is known about the open errors of a scope."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates for each section, best first.

    A candidate that cannot fit into the budget has no text and is only counted as left out.
    """

    workspace: str
    critical: tuple[ContextItem, ...]
    blocks: tuple[ContextItem, ...]
    """Lines of the reader's blocks, the newest of each first."""
    profile: tuple[ContextItem, ...]
    """Memories that are always shown, the most important first."""
    memories: tuple[ContextItem, ...]
    answers: Mapping[str, int]
    """Ranks of the items that answer the query, by id."""
    note: str = ""
    """The part of the search that was unavailable."""
    progress: tuple[ContextItem, ...] = ()
    brief: tuple[ContextItem, ...] = ()
    """Lines of the summaries of the current task's stages, by gain."""
    standing: tuple[ContextItem, ...] = ()
    """Lasting statements by people, best first."""
    statements: tuple[ContextItem, ...] = ()
    """Other statements by people, best first; with a task or query, they are added later."""
    errors: tuple[ContextItem, ...] = ()
    failing: bool = False
    """Whether the first of the errors is still open."""
    relevant: tuple[ContextItem, ...] = ()
    lasting_share: float = 0.0
    """Share of lasting statements among the best ones that fit the budget."""
    shown: tuple[ContextItem, ...] = ()
    """Values from the current task's tools, the likeliest to be reused first."""
    trouble: ErrorContext | None = None
    """What is known about the current errors; None if nothing was captured."""
    captured_tokens: int = 0
    """Number of tokens in everything captured in the scope."""
    omitted: tuple[ContextItem, ...] = ()
    """Critical facts that do not fit the budget and are only counted."""


@dataclass(frozen=True, slots=True)
class CandidateSources:
    """Sources of the candidates."""

    database: Database
    clock: Clock
    search: Callable[[], Search]
    trouble: CurrentErrors
    ended: PastFixes
    blocks: bool = True
    """Whether blocks are shown."""


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """Request for a context: query, scope and budget."""

    query: str | None
    in_view: int
    excluded: Collection[str]
    budget: int
    narrow: bool
    """Whether a query, task or view restricts what is relevant."""
    found: SearchResult | None
    now: int
    related_errors: Sequence[str] = ()
    """Ids of errors in other tasks that concern the query, best first."""

    @property
    def hits(self) -> Sequence[Hit]:
        """Return the search hits for the query."""
        return self.found.hits if self.found else ()

    @property
    def ranks(self) -> Mapping[str, int]:
        """Return the rank of each hit by its id."""
        return {hit.id: rank for rank, hit in enumerate(self.hits)}

    def marked(self, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
        """Return lines, marked if the search found their replacement."""
        later = {hit.id: hit.replaced_by for hit in self.hits if hit.replaced_by}
        return tuple(
            replace(item, text=f"(replaced by {later[item.id]}) {item.text}")
            if item.id in later
            else item
            for item in items
        )

    def with_related(self, errors: ErrorContext) -> ErrorContext:
        """Return the current and related errors, whose fixes then come first."""
        return replace(errors, fix_ids=errors.fix_ids.union(self.related_errors))

    @property
    def note(self) -> str:
        """Return the part of the search that was unavailable."""
        return self.found.note if self.found and self.found.degraded else ""


def stated_candidates(
    tx: Transaction, sources: CandidateSources, scope: Scope, request: ContextRequest
) -> Candidates:
    """Return the candidates of a team without captures: memories and blocks."""
    profile = () if "profile" in request.excluded else profile_items(tx, scope)
    critical = critical_memories(tx, scope, request.now)
    shown = {item.id for item in profile}
    answers = [hit.id for hit in request.hits if hit.kind is HitKind.MEMORY]
    return Candidates(
        workspace=place_label(tx, scope),
        critical=tuple({item.text: item for item in critical}.values()),
        blocks=_block_lines(tx, scope) if sources.blocks else (),
        profile=profile,
        memories=newest_first(
            tx, scope, request.marked(listed_memories(tx, scope, answers, shown, request.now))
        ),
        answers=request.ranks,
        note=request.note,
    )


def newest_first(
    tx: Transaction, scope: Scope, items: Sequence[ContextItem]
) -> tuple[ContextItem, ...]:
    """Return memories, contradicted ones marked and after the newer ones."""
    if len(items) < 2:
        return tuple(items)
    from memoranda.context.contradicted_memories import marked_contradictions  # for several only

    return marked_contradictions(tx, scope, items)


def _block_lines(tx: Transaction, scope: Scope) -> tuple[ContextItem, ...]:
    lines = block_lines(tx, scope, None, ())
    if not lines:
        return ()
    from memoranda.context.withdrawn_statements import Rejections

    return Rejections.of(tx, scope).without_notes(lines)


def current_task(tx: Transaction, scope: Scope, named: str | None = None) -> Task | None:
    """Return the task that a context of this scope is about, if any."""
    if chosen := scope.task or named:
        return tasks.by_id(tx, scope.team, chosen)
    newest = with_work(tx, scope.team, scope.workspace, EARLIER_TASKS)
    return next((task for task in newest if task.observations), None)


def place_label(tx: Transaction, scope: Scope) -> str:
    """Return the name of the workspace or team that a context is for."""
    if scope.workspace is None:
        return "all"
    if scope.workspace == NEW_FOLDER:
        return "new"
    workspace = workspaces.by_id(tx, scope.team, scope.workspace)
    return workspace.name if workspace else scope.workspace


def critical_memories(tx: Transaction, scope: Scope, now: int) -> list[ContextItem]:
    """Return the approved critical memories."""
    found = memories.critical(tx, scope.team, scope.workspace, scope.agent, now)
    return _items(tx, scope.team, found)


def profile_items(tx: Transaction, scope: Scope) -> tuple[ContextItem, ...]:
    """Return the profile except critical memories, which are shown separately."""
    found = profiles.members(tx, scope.team, scope.workspace, scope.agent)
    shown = (memory for memory in ranked(found) if not memory.critical)
    return tuple(_items(tx, scope.team, shown))


def listed_memories(
    tx: Transaction, scope: Scope, ids: Sequence[str], in_view_ids: Collection[str], now: int
) -> tuple[ContextItem, ...]:
    """Return approved memories: answers to the query, then newest first.

    Memories of single tasks are included only if they answer the query. Critical memories and those
    shown elsewhere are omitted.
    """
    listed = memories.listed(
        tx,
        scope.team,
        MemoryFilter(
            scope.workspace,
            scope.agent,
            MemoryStatus.APPROVED,
            episodic=0,
            begun_by=now,
            unended_at=now,
        ),
        limit=MEMORIES + min(len(in_view_ids), MEMORIES),
    )
    by_id = memories.by_ids(tx, scope.team, ids, scope.agent)
    ordered: dict[str, Memory] = {id: by_id[id] for id in ids if id in by_id}
    known_anyway = {*ordered, *in_view_ids}
    ordered |= {memory.id: memory for memory in listed if memory.id not in known_anyway}
    shown = [memory for memory in ordered.values() if not memory.critical]
    return tuple(_items(tx, scope.team, _without_paraphrases(shown)))


def _items(tx: Transaction, team: str, found: Iterable[Memory]) -> list[ContextItem]:
    return [
        replace(memory_item(memory), stated=_quotes_person(tx, team, memory)) for memory in found
    ]


def _quotes_person(tx: Transaction, team: str, memory: Memory) -> bool:
    """Return whether a person approved a rule taken from a person's message.

    The message contains the rule. Tags and sources do not show this, because lessons from other
    texts have them too. A text that the person wrote when approving the memory also counts as that
    person's.
    """
    if memory.origin is not Origin.GENERATED or not approved_by_person(memory):
        return False
    if _reworded_at_approval(tx, team, memory):
        return True
    from memoranda.observations import content as contents, table as observations  # rarely needed

    evidence = observations.by_ids(tx, team, memories.evidence(tx, team, memory.id))
    messages = [one.id for one in evidence.values() if one.origin is Origin.HUMAN]
    texts = contents.texts(tx, team, messages).values()
    rule = one_line(memory.content.partition(_ABOUT)[0])
    return any(rule in one_line(visible(text)) for text in texts)


def _reworded_at_approval(tx: Transaction, team: str, memory: Memory) -> bool:
    """Return whether the person who approved a memory also wrote its text."""
    from memoranda.memories import version_table as versions

    earlier = versions.listed(tx, team, memory.id, limit=VERSIONS)
    other = next((one for one in earlier if one.state.content != memory.content), None)
    return (
        other is not None
        and other.state.status is MemoryStatus.PENDING
        and other.actor == memory.approved_by
    )


def _without_paraphrases(found: Sequence[Memory]) -> Iterator[Memory]:
    """Yield memories; of several with the same claim, only the first."""
    if len(found) < 2:
        yield from found
        return
    from memoranda.statements.paraphrase import same_claim_key  # its patterns take long to load

    seen = set[Hashable]()
    for memory in found:
        key = same_claim_key(memory.content)
        if key is None or key not in seen:
            yield memory
        seen.add(key)
