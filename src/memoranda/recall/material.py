"""What a context could say, gathered from the store, before the budget decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memoranda.recall.answering import Asked
from memoranda.recall.brief import told_briefly
from memoranda.recall.hits import TITLE, short, title
from memoranda.recall.search import Search
from memoranda.recall.seen_values import ALL, seen_values
from memoranda.recall.standing import laid_down
from memoranda.store.database import Database, Transaction
from memoranda.store.tables import memories, observations, tasks, workspaces
from memoranda.store.tables.memories import MemoryFilter
from memoranda.store.tables.observations import ObservationFilter
from memoranda.text import clip
from memoranda.values.memory import Memory, MemoryStatus
from memoranda.values.observation import Observation, ObservationType, Origin, Salience
from memoranda.values.recall import ContextItem, HitKind
from memoranda.values.scope import Scope
from memoranda.values.task import Task

EARLIER_TASKS = 5
OPEN_ERRORS = 4
FIXES = 12
STEPS = 400
"""How many of a task's newest observations are looked through for its notable steps."""
MEMORIES = 50

CURRENT = "Current task"
GOAL = 240
TELLING = 40
"""Tokens from which on what an agent said is more than a passing remark."""
BRIEF = 220
"""Characters of an observation in a context; the rest is one call away."""

ANSWER = 500
"""Characters of one that answers the query."""

WORTH = {
    ObservationType.FIX: 5,
    ObservationType.DECISION: 4,
    ObservationType.LEARNING: 4,
    ObservationType.ERROR: 3,
    ObservationType.MESSAGE: 2,
    ObservationType.TOOL_CALL: 1,
}


@dataclass(frozen=True, slots=True)
class Material:
    """Candidates for each section, best first."""

    workspace: str
    critical: tuple[ContextItem, ...]
    progress: tuple[ContextItem, ...]
    brief: tuple[ContextItem, ...]
    """Lines of what the current task's stages come to, those that bring most first."""
    standing: tuple[ContextItem, ...]
    errors: tuple[ContextItem, ...]
    memories: tuple[ContextItem, ...]
    relevant: tuple[ContextItem, ...]
    answers: frozenset[str]
    """The ids of those that answer the query."""
    shown: tuple[ContextItem, ...]
    """Values that the current task's tools showed, the likeliest to be used again first."""
    captured_tokens: int
    """Tokens of everything captured in scope."""


def gather(
    database: Database, search: Search, scope: Scope, query: str | None, in_view: int = 0
) -> Material:
    """Collect what a context of this scope could hold.

    Without a task in the scope, the newest one of the workspace counts as current. Of its newest
    ``in_view`` observations only what a person laid down is told.
    """
    hits = search.search(Asked(query, scope, limit=60)).hits if query else ()

    def work(tx: Transaction) -> Material:
        current = _current_task(tx, scope)
        asked = {
            hit.id: hit.excerpt.text if hit.excerpt else ""
            for hit in hits
            if hit.kind is HitKind.OBSERVATION
        }
        known = [hit.id for hit in hits if hit.kind is HitKind.MEMORY]
        critical = _critical(tx, scope, current)
        laid = {item.text for item in critical}
        brief = told_briefly(tx, current, query) if current else ()
        view = _View.of(tx, current, in_view)
        return Material(
            workspace=_label(tx, scope),
            critical=critical,
            progress=view.without(_progress(tx, scope, current)),
            brief=view.without(item for item in brief if item.text not in laid),
            standing=_standing(tx, scope),
            errors=view.without(_errors(tx, scope, current)),
            memories=_memories(tx, scope, known),
            relevant=view.without(_relevant(tx, scope, current, asked)),
            answers=frozenset(asked),
            shown=seen_values(tx, current, in_view) if current and scope.task else (),
            captured_tokens=tasks.captured(tx, scope.team, scope.workspace, scope.task),
        )

    return database.read(work)


@dataclass(frozen=True, slots=True)
class _View:
    """The names of the observations that the reader still has before them."""

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


def _current_task(tx: Transaction, scope: Scope) -> Task | None:
    if scope.task:
        return tasks.by_id(tx, scope.team, scope.task)
    newest = tasks.listed(tx, scope.team, workspace=scope.workspace, limit=EARLIER_TASKS)
    return next((task for task in newest if task.observations), None)


def _label(tx: Transaction, scope: Scope) -> str:
    if scope.workspace is None:
        return "all"
    found = workspaces.by_id(tx, scope.team, scope.workspace)
    return found.name if found else scope.workspace


def _critical(tx: Transaction, scope: Scope, task: Task | None) -> tuple[ContextItem, ...]:
    """Approved critical memories, then what the person laid down in the current task."""
    found = [
        _memory_item(memory)
        for memory in memories.critical(tx, scope.team, scope.workspace, scope.agent)
    ]
    stated = observations.critical(tx, scope.team, task.id) if task else []
    for observation in stated:
        for sentence in observation.constraints:
            item = ContextItem(
                observation.id,
                observation.ref,
                sentence,
                observation.origin,
                observation.created_at,
                critical=True,
            )
            found.append(item)
    return tuple({item.text: item for item in found}.values())


def _progress(tx: Transaction, scope: Scope, task: Task | None) -> tuple[ContextItem, ...]:
    """The current task's goal and where it stands, then the tasks before it."""
    if task is None:
        return ()
    items = [_task_item(task, CURRENT)]
    said = ObservationFilter(type=ObservationType.MESSAGE)
    span = (max(0, task.observations - STEPS), observations.END)
    spoken = observations.in_task(tx, task.team, task.id, where=said, span=span, limit=STEPS)
    last = [o for o in spoken if o.origin is Origin.AGENT and o.salience is not Salience.LOW]
    if last:
        items.append(_item(last[-1], f"Last said: {_body(last[-1].summary)}"))
    if not scope.task:
        earlier = tasks.listed(tx, scope.team, workspace=scope.workspace, limit=EARLIER_TASKS + 1)
        items += [_task_item(t, "Earlier task") for t in earlier if t.id != task.id]
    return tuple(items)


def _task_item(task: Task, label: str) -> ContextItem:
    goal = clip(task.goal, GOAL if label == CURRENT else TITLE)
    text = f"{label} ({task.status}, {task.observations} observations): {goal or 'no goal stated'}"
    return ContextItem(task.id, f"task {task.number}", text, Origin.HUMAN, task.last_event_at)


def _standing(tx: Transaction, scope: Scope) -> tuple[ContextItem, ...]:
    """What people laid down for good in this workspace, whatever the query is."""
    return tuple(
        _item(record, said) if isinstance(record, Observation) else _memory_item(record)
        for record, said in laid_down(tx, scope)
    )


def _errors(tx: Transaction, scope: Scope, task: Task | None) -> tuple[ContextItem, ...]:
    """Errors still open in the current task, then what failed before and how it was fixed."""
    items: list[ContextItem] = []
    if task:
        errors = observations.open_errors(tx, scope.team, task.id, OPEN_ERRORS)
        items += [_item(error, f"Still failing: {_brief(error.summary)}") for error in errors]
    fixed = ObservationFilter(type=ObservationType.FIX)
    fixes = observations.recent(tx, scope.team, scope.workspace, where=fixed, limit=FIXES)
    causes = observations.by_ids(tx, scope.team, [f.resolves for f in fixes if f.resolves])
    for fix in fixes:
        cause = causes.get(fix.resolves or "")
        if cause:
            text = f"Failed, then fixed: {_brief(cause.summary)} ⇒ {title(fix.summary)}"
            items.append(_item(fix, text))
    return tuple(items)


def _memories(tx: Transaction, scope: Scope, known: Sequence[str]) -> tuple[ContextItem, ...]:
    """Approved memories, those that answer the query first; critical ones stand elsewhere."""
    listed = memories.listed(
        tx,
        scope.team,
        MemoryFilter(scope.workspace, scope.agent, MemoryStatus.APPROVED),
        limit=MEMORIES,
    )
    asked = memories.by_ids(tx, scope.team, known, scope.agent)
    ordered: dict[str, Memory] = {id: asked[id] for id in known if id in asked}
    ordered |= {memory.id: memory for memory in listed if memory.id not in ordered}
    return tuple(_memory_item(memory) for memory in ordered.values() if not memory.critical)


def _relevant(
    tx: Transaction, scope: Scope, task: Task | None, asked: Mapping[str, str]
) -> tuple[ContextItem, ...]:
    """What answers the query, by the passage that does; then notable steps of the current task,
    weightiest first."""
    answers = observations.by_ids(tx, scope.team, list(asked))
    chosen = {id: answers[id] for id in asked if id in answers}
    if task:
        span = (max(0, task.observations - STEPS), observations.END)
        steps = observations.in_task(tx, scope.team, task.id, span=span, limit=STEPS)
        steps.sort(key=lambda o: (-_worth(o), -o.sequence))
        elsewhere = (ObservationType.FIX, ObservationType.ERROR)  # in the section on errors
        chosen |= {o.id: o for o in steps if o.id not in chosen and o.type not in elsewhere}
    return tuple(
        _item(o, _answer(asked[o.id] or o.summary) if o.id in asked else _brief(o.summary))
        for o in chosen.values()
        if o.salience is not Salience.LOW
    )


def _worth(observation: Observation) -> int:
    if observation.type is ObservationType.MESSAGE and observation.origin is not Origin.HUMAN:
        return 2 if observation.tokens >= TELLING else 0
    edited = "edit" in observation.tags and observation.type is ObservationType.TOOL_CALL
    return 3 if edited else WORTH[observation.type]


def _body(summary: str) -> str:
    """A message's own words: the rest of the summary where the title was cut from it."""
    first, _, rest = summary.partition("\n")
    return rest or first


def _brief(summary: str) -> str:
    """A summary on one line, without a title that was cut from what follows it."""
    first, _, rest = summary.partition("\n")
    said = rest if rest and rest.startswith(first.removesuffix("…").rstrip()) else summary
    return clip(" · ".join(said.split("\n")), BRIEF)


def _answer(text: str) -> str:
    return clip(" · ".join(line for line in text.split("\n") if line.strip()), ANSWER)


def _item(observation: Observation, text: str) -> ContextItem:
    return ContextItem(
        observation.id, observation.ref, text, observation.origin, observation.created_at
    )


def _memory_item(memory: Memory) -> ContextItem:
    return ContextItem(
        memory.id,
        short(memory.id),
        memory.content,
        memory.origin,
        memory.created_at,
        critical=memory.critical,
    )
