"""Candidates for each section of a context, read from the store.

The token budget decides later which of them are included.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memoranda.clock import Clock
from memoranda.context.blocks import block_lines
from memoranda.context.brief import EVERY, brief_items
from memoranda.context.concise import concise
from memoranda.context.constraints import antecedents, critical_items, whole_items
from memoranda.context.failures import OPEN_FIRST, fixed_of, open_errors
from memoranda.context.items import brief_of, item_of, memory_item, shortened, spoken_call
from memoranda.context.progress import EARLIER_TASKS, progress
from memoranda.context.provenance import QuarantineFilter, safe_summary
from memoranda.context.rejections import Rejections
from memoranda.context.remarks import Remark, remarks
from memoranda.context.replaced_values import ReplacedValues
from memoranda.context.seen_values import ALL, seen_values
from memoranda.errors.model import ErrorContext, Recovery
from memoranda.memories import table as memories
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.memories.table import MemoryFilter
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, ObservationType, Origin, Salience
from memoranda.profile import table as profiles
from memoranda.profile.model import ranked
from memoranda.scope import NEW_FOLDER, Scope
from memoranda.search.model import ContextItem, Hit, HitKind, SearchResult
from memoranda.search.query_answer import SearchQuery
from memoranda.search.search import Search
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task
from memoranda.tasks.work import with_work
from memoranda.text import clip
from memoranda.workspaces import table as workspaces

STEPS = 400
"""Number of newest observations of a task that are searched for notable steps."""
MEMORIES = 50
CHOICE = 5
"""Characters of a task's summary read per token of budget.

At most that many could be shown in a context without other sections.
"""

CHARACTERS = 3.0
"""Characters of people's statements read per token of a start context."""
TELLING = 40
"""Minimum tokens of an agent's message that is more than a passing remark."""

SENTENCE = 500
"""Maximum characters of a person's sentence."""
ANSWER = 500
"""Maximum characters of a sentence that answers the query."""

WORTH = {
    ObservationType.FIX: 5,
    ObservationType.DECISION: 4,
    ObservationType.LEARNING: 4,
    ObservationType.ERROR: 3,
    ObservationType.MESSAGE: 2,
    ObservationType.TOOL_CALL: 1,
}

PastFixes = Callable[[Transaction, Scope, ErrorContext], Sequence[Recovery]]
"""Returns the recoveries from past errors; fixes of current errors come first."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates for each section, best first.

    A candidate that cannot fit into the budget has no text and is only counted as left out.
    """

    workspace: str
    critical: tuple[ContextItem, ...]
    progress: tuple[ContextItem, ...]
    blocks: tuple[ContextItem, ...]
    """Lines of the reader's blocks, the newest of each first."""
    brief: tuple[ContextItem, ...]
    """Lines of the summaries of the current task's stages, by gain."""
    standing: tuple[ContextItem, ...]
    """Lasting statements of people, best first."""
    statements: tuple[ContextItem, ...]
    """Other statements of people, best first; empty with a task or a query."""
    errors: tuple[ContextItem, ...]
    failing: bool
    """Whether the first of the errors is still open."""
    profile: tuple[ContextItem, ...]
    """Memories that are always shown, the most important first."""
    memories: tuple[ContextItem, ...]
    relevant: tuple[ContextItem, ...]
    lasting_share: float
    """Share of lasting statements among the best ones that fit the budget."""
    answers: Mapping[str, int]
    """Ranks of the items that answer the query, by id."""
    shown: tuple[ContextItem, ...]
    """Values from the current task's tools, the likeliest to be reused first."""
    trouble: ErrorContext
    """Known facts on the current errors."""
    captured_tokens: int
    """Tokens of everything captured in scope."""
    note: str = ""
    """Which part of the search was not available."""
    omitted: tuple[ContextItem, ...] = ()
    """Critical facts that do not fit into the budget and are only counted."""


@dataclass(frozen=True, slots=True)
class CandidateSources:
    """Sources of the candidates."""

    database: Database
    search: Search
    clock: Clock
    ended: PastFixes
    blocks: bool = True
    """Whether blocks are shown."""


def collect_candidates(
    sources: CandidateSources,
    scope: Scope,
    query: str | None,
    in_view: int,
    excluded: Collection[str] = (),
    budget: int = EVERY,
    current: str | None = None,
) -> Candidates:
    """Collect the candidates for a context of at most ``budget`` tokens.

    Without a task in the scope, ``current`` is the current one, by default the workspace's newest.
    Of the newest ``in_view`` observations, which the reader still has, only a person's constraints
    are included. Only valid memories are included. The profile and the seen values are not read if
    their sections are ``excluded``.
    """
    narrow = bool(query or in_view or scope.task)
    found = sources.search.search(SearchQuery(query, scope, limit=60)) if query else None
    request = _Request(query, in_view, excluded, budget, narrow, found, sources.clock.now())

    def work(tx: Transaction) -> Candidates:
        return _collected(tx, sources, scope, request, current_task(tx, scope, current))

    return sources.database.read(work)


@dataclass(frozen=True, slots=True)
class _Request:
    """Request for a context: query, scope and budget."""

    query: str | None
    in_view: int
    excluded: Collection[str]
    budget: int
    narrow: bool
    """Whether a query, a task or a view restricts what is relevant."""
    found: SearchResult | None
    now: int

    @property
    def hits(self) -> Sequence[Hit]:
        """Return the search hits for the query."""
        return self.found.hits if self.found else ()

    @property
    def note(self) -> str:
        """Return which part of the search was not available."""
        return self.found.note if self.found and self.found.degraded else ""


def _collected(
    tx: Transaction, sources: CandidateSources, scope: Scope, request: _Request, task: Task | None
) -> Candidates:
    (answers, narrowed), narrow, now = _answers(request.hits), request.narrow, request.now
    rejected = Rejections.of(tx, scope)
    critical = critical_items(tx, scope, task, rejected, now)
    view, in_view = _View.of(tx, task, request.in_view), QuarantineFilter(tx, scope.team)
    profile = () if "profile" in request.excluded else _profile(tx, scope)
    stated = _memories(tx, scope, narrowed, {item.id for item in profile}, now)
    before = antecedents(tx, scope, critical, rejected)
    known = (*critical, *before.values(), *profile, *stated)
    said = rejected.without(remarks(tx, scope, now, known, few=narrow))
    reported = view.without(progress(tx, scope, task, said, brief=not narrow))
    goals = rejected.without_lines(reported)
    spoken = _Spoken.of(said, CHARACTERS * request.budget)
    replaced = ReplacedValues((*known, *spoken.lasting, *spoken.other))
    ended_by = task.last_event_at if task else now
    trouble = sources.search.trouble(tx, scope)
    failing = open_errors(tx, scope, task, at_start=not narrow)
    fixed = fixed_of(sources.ended(tx, scope, trouble))
    errors = _Errors(*(in_view.without(view.without(one)) for one in (failing, fixed)))
    stated_texts = {item.text for item in (*critical, *before.values(), *goals)}
    brief, relevant = _of_work(tx, scope, task, request, answers, stated_texts)
    return Candidates(
        workspace=_label(tx, scope),
        critical=tuple(whole_items(critical, before)),
        blocks=rejected.without_notes(block_lines(tx, scope, task, spoken.texts))
        if sources.blocks
        else (),
        progress=tuple(replaced.marked(goals)),
        brief=tuple(
            replaced.marked(rejected.without_lines(in_view.without(view.without(brief))), ended_by)
        ),
        standing=tuple(replaced.marked(in_view.without(spoken.lasting))),
        statements=() if narrow else tuple(replaced.marked(in_view.without(spoken.other))),
        errors=errors.ordered(first=EVERY if scope.task else OPEN_FIRST),
        failing=bool(errors.failing),
        profile=profile,
        memories=stated,
        relevant=tuple(replaced.marked(in_view.without(view.without(relevant)))),
        lasting_share=spoken.share,
        answers={hit.id: rank for rank, hit in enumerate(request.hits)},
        shown=in_view.without(_values(tx, scope, task, request.in_view, request.excluded)),
        trouble=trouble,
        captured_tokens=tasks.captured(tx, scope.team, scope.workspace, scope.task),
        note=request.note,
    )


def _of_work(
    tx: Transaction,
    scope: Scope,
    task: Task | None,
    request: _Request,
    answers: Mapping[str, str],
    stated_texts: Collection[str],
) -> tuple[Iterator[ContextItem], Iterable[ContextItem]]:
    """Return lines of the task's summaries, and relevant steps.

    Lines in ``stated_texts`` are omitted.
    """
    room = CHOICE * request.budget
    brief = brief_items(tx, task, request.query, room) if task else ()
    steps = _steps(tx, task) if task else []
    relevant: Iterable[ContextItem] = _relevant(tx, scope, steps, answers, room)
    if not request.narrow:
        brief, relevant = _without_people(brief, relevant, stated_texts)
    return (item for item in brief if item.text not in stated_texts), relevant


def _without_people(
    brief: Iterable[ContextItem], relevant: Iterable[ContextItem], stored: Collection[str]
) -> tuple[tuple[ContextItem, ...], Iterator[ContextItem]]:
    """Drop people's statements, and steps that are fully ``stored``.

    At a session's start, statements have sections of their own.
    """
    agents = tuple(item for item in brief if item.origin is Origin.AGENT)
    steps = (item for item in relevant if item.origin is not Origin.HUMAN)
    return agents, (item for item in steps if not item.text or item.text not in stored)


@dataclass(frozen=True, slots=True)
class _Errors:
    """Open and resolved errors."""

    failing: tuple[ContextItem, ...]
    fixed: tuple[ContextItem, ...]

    def ordered(self, *, first: int) -> tuple[ContextItem, ...]:
        """Return ``first`` open errors, then resolved ones, then the rest."""
        return (*self.failing[:first], *self.fixed, *self.failing[first:])


def _values(
    tx: Transaction, scope: Scope, task: Task | None, in_view: int, excluded: Collection[str]
) -> Sequence[ContextItem]:
    """Return the values that tools showed, if a task is named."""
    wanted = task if scope.task and "values-seen" not in excluded else None
    return seen_values(tx, wanted, in_view) if wanted else ()


def _answers(hits: Sequence[Hit]) -> tuple[dict[str, str], list[str]]:
    """Return answering observations with their passages, and memories."""
    excerpts = {
        hit.id: hit.excerpt.text if hit.excerpt else ""
        for hit in hits
        if hit.kind is HitKind.OBSERVATION
    }
    return excerpts, [hit.id for hit in hits if hit.kind is HitKind.MEMORY]


@dataclass(frozen=True, slots=True)
class _View:
    """Observations that the reader still has in view."""

    refs: frozenset[str]

    @classmethod
    def of(cls, tx: Transaction, task: Task | None, count: int) -> _View:
        if task is None or not count:
            return cls(frozenset())
        span = (max(0, task.observations - count), observations.END)
        found = observations.in_task(tx, task.team, task.id, where=ALL, span=span, limit=count)
        return cls(frozenset(one.ref for one in found))

    def without(self, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
        return tuple(item for item in items if item.ref not in self.refs)


def current_task(tx: Transaction, scope: Scope, named: str | None = None) -> Task | None:
    """Return the task that a context of this scope is about, if any."""
    if chosen := scope.task or named:
        return tasks.by_id(tx, scope.team, chosen)
    newest = with_work(tx, scope.team, scope.workspace, EARLIER_TASKS)
    return next((task for task in newest if task.observations), None)


def _label(tx: Transaction, scope: Scope) -> str:
    if scope.workspace is None:
        return "all"
    if scope.workspace == NEW_FOLDER:
        return "new"
    found = workspaces.by_id(tx, scope.team, scope.workspace)
    return found.name if found else scope.workspace


def _steps(tx: Transaction, task: Task) -> list[Observation]:
    """Return the newest steps of a task, in order."""
    span = (max(0, task.observations - STEPS), observations.END)
    found = observations.in_task(tx, task.team, task.id, span=span, limit=STEPS)
    return observations.in_time(found)


@dataclass(frozen=True, slots=True)
class _Spoken:
    """Statements of people, best first, with the share of lasting ones."""

    lasting: Sequence[ContextItem]
    other: Sequence[ContextItem]
    share: float
    texts: Sequence[str]

    @classmethod
    def of(cls, found: Sequence[Remark], room: float) -> _Spoken:
        """Split sentences into lasting and other ones; ``room`` is in characters.

        Positions follow the reading order: the newest message first.
        """
        ordered = sorted(
            found, key=lambda o: (-o.observation.created_at, o.observation.ref, o.sentence.start)
        )
        places = {id(one): place for place, one in enumerate(ordered, 1)}
        items = [replace(_sentence(one), place=places[id(one)]) for one in found]
        pairs = list(zip(found, items, strict=True))
        return cls(
            lasting=[item for one, item in pairs if one.lasts],
            other=[item for one, item in pairs if not one.lasts],
            share=_lasting_share(found, room),
            texts=[one.sentence.text for one in found],
        )


def _sentence(one: Remark) -> ContextItem:
    return item_of(one.observation, clip(concise(one.sentence.text), SENTENCE))


def _lasting_share(found: Sequence[Remark], room: float) -> float:
    """Return the share of lasting ones in the best ``room`` characters."""
    lasting = whole = 0
    for one in found:
        if whole >= room:
            break
        whole += len(one.sentence.text)
        lasting += len(one.sentence.text) * one.lasts
    return lasting / whole if whole else 0.0


def _profile(tx: Transaction, scope: Scope) -> tuple[ContextItem, ...]:
    """Return the profile without critical memories, which have a section."""
    found = profiles.members(tx, scope.team, scope.workspace, scope.agent)
    return tuple(memory_item(memory) for memory in ranked(found) if not memory.critical)


def _memories(
    tx: Transaction, scope: Scope, ids: Sequence[str], in_view_ids: Collection[str], now: int
) -> tuple[ContextItem, ...]:
    """Return approved memories that answer the query, then the newest others.

    Memories of single tasks are included only if they answer. Critical memories and those shown
    elsewhere are omitted.
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
    return tuple(memory_item(memory) for memory in ordered.values() if not memory.critical)


def _relevant(
    tx: Transaction,
    scope: Scope,
    steps: Sequence[Observation],
    answer_texts: Mapping[str, str],
    room: int,
) -> Iterator[ContextItem]:
    """Yield the answers to the query, then notable steps of the task.

    Answers have the text of their passage. The most important step comes first; after ``room``
    characters, steps have no text.
    """
    answers = observations.by_ids(tx, scope.team, list(answer_texts))
    chosen = {id: answers[id] for id in answer_texts if id in answers}
    elsewhere = (ObservationType.FIX, ObservationType.ERROR)  # shown in the section on errors
    for o in sorted(steps, key=lambda o: (-_priority(o), -o.sequence)):
        if o.id not in chosen and o.type not in elsewhere:
            chosen[o.id] = o
    for o in chosen.values():
        if o.salience is Salience.LOW:
            continue
        if room <= 0:
            yield item_of(o, "")  # skips the slow search for the permitted text
        elif text := safe_summary(
            o, spoken_call(o, answer_texts[o.id]) if answer_texts.get(o.id) else None
        ):
            text_shown = _answer(text) if o.id in answer_texts else brief_of(text)
            room -= len(text_shown)
            yield item_of(o, text_shown)


def _priority(observation: Observation) -> int:
    if observation.type is ObservationType.MESSAGE and observation.origin is not Origin.HUMAN:
        return 2 if observation.tokens >= TELLING else 0
    edited = "edit" in observation.tags and observation.type is ObservationType.TOOL_CALL
    return 3 if edited else WORTH[observation.type]


def _answer(text: str) -> str:
    return shortened(" · ".join(line for line in text.split("\n") if line.strip()), ANSWER)
