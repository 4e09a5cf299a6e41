"""Context for a supervisor, led by the sections that the metrics require.

The context is built like any other, with the same guarantees: it never exceeds its budget and
contains every critical fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoranda.context.builder import MAX_BUDGET, ContextBuilder
from memoranda.context.candidates import Candidates, CandidateSources
from memoranda.context.critical_facts_budget import CRITICAL
from memoranda.context.selection import HOW, ContextSelection
from memoranda.errors.model import ErrorContext
from memoranda.exceptions import BudgetTooSmall, InvalidInput
from memoranda.ids import short
from memoranda.memories import table as memories
from memoranda.memories.model import Category, Memory, MemoryKind, MemoryStatus
from memoranda.memories.table import MemoryFilter
from memoranda.observations.model import Origin
from memoranda.ports import TokenCounter
from memoranda.scope import Scope
from memoranda.search import rating_table as ratings, score_factors as scoring
from memoranda.search.model import ContextBrief, ContextItem, ContextSection, Ratings
from memoranda.store.database import Transaction
from memoranda.supervision.section_priorities import Diagnosis
from memoranda.tasks import table as tasks
from memoranda.tasks.model import TaskStatus

Preventions = Callable[[Transaction, Scope, ErrorContext], Sequence[ContextItem]]
"""Function that returns earlier fixes of errors, starting with fixes of the current errors."""

EXAMINED = 400
"""Number of newest memories that are examined."""
EARLIER = 5
"""Maximum number of completed tasks that are listed."""
FIRST, LATER = 0.5, 0.3
"""Maximum share of the budget for the leading section, and for each following section."""
OTHERS = 0.12
EXCLUDED_SECTIONS = frozenset({"profile", "values-seen"})
"""Sections of other contexts that a supervisor's context omits."""
WARNING = frozenset({Category.ANTI_PATTERN, Category.TROUBLESHOOTING, Category.LEARNED_RULE})
STRATEGY = frozenset(
    {Category.PATTERN, Category.PROJECT_PATTERN, Category.DECISION, Category.INSIGHT}
)
HOW_MORE: Mapping[str, str] = {
    **HOW,
    "errors-to-avoid": "memoranda errors list",
    "prevention": "memoranda errors patterns",
    "what-worked": "memoranda search QUERY --stage planning",
}


class StrategicContexts(ContextBuilder):
    """Builds contexts for a supervisor."""

    def __init__(
        self, sources: CandidateSources, counter: TokenCounter, preventions: Preventions
    ) -> None:
        super().__init__(sources, counter)
        self._preventions = preventions

    def lead(
        self, scope: Scope, leading: Diagnosis, *, budget: int, query: str | None = None
    ) -> tuple[ContextBrief, tuple[str, ...]]:
        """Return a supervisor's context, and the optional memories in it.

        The text has at most ``budget`` tokens; optional memories are those that are not included in
        every context.

        Raises:
            BudgetTooSmall: the critical facts alone exceed the budget; the error states how many
                tokens they need.
            InvalidInput: the budget is out of range.
        """
        if not 1 <= budget <= MAX_BUDGET:
            raise InvalidInput(f"budget must be between 1 and {MAX_BUDGET:,} tokens")
        material = self._gathered(scope, query, excluded=EXCLUDED_SECTIONS, budget=budget)
        more = self._database.read(lambda tx: _more(tx, scope, self._preventions, material))
        selection = _OrderedSelection(material, self._counter, leading, more)
        needed = selection.tokens()
        if needed > budget:
            raise BudgetTooSmall(
                f"the critical facts of this scope need {needed} tokens, but the budget"
                f" is {budget}; "
                "raise the budget",
                needed=needed,
            )
        selection.fill(budget, _shares(leading))
        brief = self._brief(material, selection, budget)
        stood = {
            item.id for section in brief.sections for item in section.items if not item.critical
        }
        return brief, tuple(sorted(stood & more.stated))


@dataclass(frozen=True, slots=True)
class _SupervisorItems:
    """Items that only a supervisor's context contains."""

    prevention: Sequence[ContextItem]
    worked: Sequence[ContextItem]
    others: Sequence[ContextItem]
    stated: frozenset[str]
    """Ids of the memories among the items."""


class _OrderedSelection(ContextSelection):
    """A selection with its own order and sizes of sections."""

    def __init__(
        self,
        candidates: Candidates,
        counter: TokenCounter,
        leading: Diagnosis,
        more: _SupervisorItems,
    ) -> None:
        super().__init__(candidates, counter)
        usual = {**self._candidates, CRITICAL: ()}
        usual |= {"prevention": more.prevention, "what-worked": more.worked}
        usual["memories"] = more.others
        self._candidates = {name: usual[name] for name in leading.order}
        self._chosen = {name: [] for name in leading.order}
        self._how = {name: how for name, how in HOW_MORE.items() if name in leading.order}

    def sections(self) -> Iterator[ContextSection]:
        """Yield the sections that have content, leading ones first."""
        for name, items in self._chosen.items():
            if name == CRITICAL and self._material.critical:
                yield ContextSection(CRITICAL, self._material.critical)
            elif items:
                yield self.section(name)


def _shares(leading: Diagnosis) -> Mapping[str, float]:
    shares = dict.fromkeys(leading.order, OTHERS)
    shares |= dict.fromkeys(leading.sections, LATER)
    return shares | {leading.sections[0]: FIRST}


def _more(
    tx: Transaction, scope: Scope, preventions: Preventions, candidates: Candidates
) -> _SupervisorItems:
    where = MemoryFilter(scope.workspace, scope.agent, MemoryStatus.APPROVED)
    listed = memories.listed(tx, scope.team, where, limit=EXAMINED)
    rated = ratings.of_sources(tx, scope.team, [one.id for one in listed])
    answering = [item.id for item in candidates.memories if item.id in candidates.answers]
    ordered = _ordered([memory for memory in listed if not memory.critical], rated, answering)
    warnings = [one for one in ordered if one.category in WARNING]
    worked = [one for one in ordered if _worked(one)]
    shown_ids = {one.id for one in (*warnings, *worked)}
    others = [one for one in ordered if one.id not in shown_ids]
    return _SupervisorItems(
        [*map(_item, warnings), *preventions(tx, scope, candidates.trouble or ErrorContext())],
        [*map(_item, worked), *_completed(tx, scope)],
        [*map(_item, others)],
        frozenset(one.id for one in ordered),
    )


def _worked(memory: Memory) -> bool:
    return memory.category in STRATEGY or memory.kind is MemoryKind.EPISODIC


def _ordered(
    listed: Sequence[Memory], rated: Mapping[str, Ratings], answering: Sequence[str]
) -> list[Memory]:
    """Sort memories: matches of the query first, then the most useful."""
    places = {id: place for place, id in enumerate(answering)}

    def key(memory: Memory) -> tuple[int, float]:
        place = places.get(memory.id, len(places))
        return place, -scoring.frequency(rated.get(memory.id, Ratings()))

    return sorted(listed, key=key)


def _completed(tx: Transaction, scope: Scope) -> Iterator[ContextItem]:
    """Yield the completed tasks of the workspace, newest first."""
    done = TaskStatus.COMPLETED
    found = tasks.listed(tx, scope.team, workspace=scope.workspace, status=done, limit=EARLIER)
    for task in found:
        if task.goal and task.id != scope.task:
            text = f"Completed in {task.observations} observations: {task.goal[:200]}"
            yield ContextItem(
                task.id, f"task {task.number}", text, Origin.HUMAN, task.last_event_at
            )


def _item(memory: Memory) -> ContextItem:
    return ContextItem(
        memory.id, short(memory.id), memory.content, memory.origin, memory.created_at
    )
