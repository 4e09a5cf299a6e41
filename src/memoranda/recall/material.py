"""What a context could say, gathered from the store, before the budget decides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoranda.clock import Clock
from memoranda.recall.answering import Asked
from memoranda.recall.brief import EVERY, told_briefly
from memoranda.recall.hits import TITLE, short, title
from memoranda.recall.outside import HeldBack, told_of
from memoranda.recall.search import Search
from memoranda.recall.seen_values import ALL, seen_values
from memoranda.recall.standing import laid_down
from memoranda.store.database import Database, Transaction
from memoranda.store.tables import (
    error_notes,
    memories,
    observations,
    profiles,
    tasks,
    workspaces,
)
from memoranda.store.tables.memories import MemoryFilter
from memoranda.text import clip
from memoranda.values.error import ErrorNote, Recovery, Trouble
from memoranda.values.memory import Memory, MemoryStatus
from memoranda.values.observation import Observation, ObservationType, Origin, Salience
from memoranda.values.profile import ranked
from memoranda.values.recall import ContextItem, Hit, HitKind
from memoranda.values.scope import Scope
from memoranda.values.task import READ_BY_ITSELF, Task
from memoranda.values.trust import BY_ORIGIN, trust_of

EARLIER_TASKS = 5
OPEN_ERRORS = 4
OPEN_FIRST = 2
"""Of these told before what was fixed, where no task is asked about."""
LOOKED_AT = 24
"""Open errors of which these are told, as some may be held back."""
FAILED, CHANGED = 120, 140
"""Characters of an error that is over, and of a change that ended it."""
ARROW = " → "
"""In a summary, between what was done and what came of it."""
LINES = 2
"""Lines of what a change took out and put in."""
STEPS = 400
"""How many of a task's newest observations are looked through for its notable steps."""
MEMORIES = 50
CHOICE = 5
"""Characters of a task's summary that are weighed against each other for each token of a budget:
as many as it could tell if it told nothing else."""

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

Ended = Callable[[Transaction, Scope, Trouble], Sequence[Recovery]]
"""Tells what ended errors before, that which mends those at hand first."""


@dataclass(frozen=True, slots=True)
class Material:
    """Candidates for each section, best first. One without text comes after so many others that no
    budget has room for it: it is only counted among what was left out."""

    workspace: str
    critical: tuple[ContextItem, ...]
    progress: tuple[ContextItem, ...]
    brief: tuple[ContextItem, ...]
    """Lines of what the current task's stages come to, those that bring most first."""
    standing: tuple[ContextItem, ...]
    errors: tuple[ContextItem, ...]
    profile: tuple[ContextItem, ...]
    """What is always told of memories, what counts most first."""
    memories: tuple[ContextItem, ...]
    relevant: tuple[ContextItem, ...]
    answers: frozenset[str]
    """The ids of those that answer the query."""
    shown: tuple[ContextItem, ...]
    """Values that the current task's tools showed, the likeliest to be used again first."""
    trouble: Trouble
    """What is known of the errors at hand."""
    captured_tokens: int
    """Tokens of everything captured in scope."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Where material comes from."""

    database: Database
    search: Search
    clock: Clock
    ended: Ended


def gather(
    sources: Sources,
    scope: Scope,
    query: str | None,
    in_view: int,
    untold: Collection[str] = (),
    budget: int = EVERY,
    current: str | None = None,
) -> Material:
    """Collect what a context of this scope could hold, ``budget`` tokens or less of which are told.

    Without a task in the scope, ``current`` counts as the current one among those of the
    workspace, or else the newest of them. Of its newest
    ``in_view`` observations only what a person laid down is told; of memories those that hold now.
    The profile and the values seen are not read where they stay ``untold``.
    """
    search, now = sources.search, sources.clock.now()
    hits = search.search(Asked(query, scope, limit=60)).hits if query else ()

    def work(tx: Transaction) -> Material:
        task = current_task(tx, scope, current)
        asked, known = _answers(hits)
        critical = _critical(tx, scope, task, now)
        laid = {item.text for item in critical}
        room = CHOICE * budget
        brief = told_briefly(tx, task, query, room) if task else ()
        view = _View.of(tx, task, in_view)
        profile = () if "profile" in untold else _profile(tx, scope)
        held = HeldBack(tx, scope.team)
        values = task if scope.task and "values-seen" not in untold else None
        steps = _steps(tx, task) if task else []
        trouble = search.trouble(tx, scope)
        fixed = _fixed(sources.ended(tx, scope, trouble))
        return Material(
            workspace=_label(tx, scope),
            critical=critical,
            progress=view.without(_progress(tx, scope, task, steps)),
            brief=held.without(view.without(item for item in brief if item.text not in laid)),
            standing=_standing(tx, scope, now),
            errors=held.without(view.without(_errors(tx, scope, task, fixed))),
            profile=profile,
            memories=_memories(tx, scope, known, {item.id for item in profile}, now),
            relevant=held.without(view.without(_relevant(tx, scope, steps, asked, room))),
            answers=frozenset([*asked, *known]),
            shown=held.without(seen_values(tx, values, in_view) if values else ()),
            trouble=trouble,
            captured_tokens=tasks.captured(tx, scope.team, scope.workspace, scope.task),
        )

    return sources.database.read(work)


def _answers(hits: Sequence[Hit]) -> tuple[dict[str, str], list[str]]:
    """Return the observations that answer a query, each with the passage, and the memories."""
    asked = {
        hit.id: hit.excerpt.text if hit.excerpt else ""
        for hit in hits
        if hit.kind is HitKind.OBSERVATION
    }
    return asked, [hit.id for hit in hits if hit.kind is HitKind.MEMORY]


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


def current_task(tx: Transaction, scope: Scope, named: str | None = None) -> Task | None:
    """Return the task that a context of this scope is about, if there is any."""
    if chosen := scope.task or named:
        return tasks.by_id(tx, scope.team, chosen)
    newest = tasks.listed(tx, scope.team, workspace=scope.workspace, limit=EARLIER_TASKS)
    return next((task for task in newest if task.observations), None)


def _label(tx: Transaction, scope: Scope) -> str:
    if scope.workspace is None:
        return "all"
    found = workspaces.by_id(tx, scope.team, scope.workspace)
    return found.name if found else scope.workspace


def _critical(
    tx: Transaction, scope: Scope, task: Task | None, now: int
) -> tuple[ContextItem, ...]:
    """Approved critical memories, then what the person laid down in the current task."""
    found = [
        _memory_item(memory)
        for memory in memories.critical(tx, scope.team, scope.workspace, scope.agent, now)
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
                trust=BY_ORIGIN[observation.origin],
            )
            found.append(item)
    return tuple({item.text: item for item in found}.values())


def _steps(tx: Transaction, task: Task) -> list[Observation]:
    """Return the newest steps of a task, in their order."""
    span = (max(0, task.observations - STEPS), observations.END)
    found = observations.in_task(tx, task.team, task.id, span=span, limit=STEPS)
    return observations.in_time(found)


def _progress(
    tx: Transaction, scope: Scope, task: Task | None, steps: Sequence[Observation]
) -> tuple[ContextItem, ...]:
    """The current task's goal and where it stands, then the tasks before it and beside it."""
    if task is None:
        return ()
    items = [_task_item(task, CURRENT)]
    last = observations.last_said(tx, task.team, task.id)
    if last:
        items.append(_item(last, f"Last said: {_body(last.summary)}"))
    if not scope.task:
        earlier = tasks.listed(tx, scope.team, workspace=scope.workspace, limit=EARLIER_TASKS + 1)
        work = (one for one in earlier if one.id != task.id and one.host != READ_BY_ITSELF)
        items += [_task_item(one, _beside(one, task)) for one in work]
    return tuple(items)


def _beside(other: Task, task: Task) -> str:
    """Name a task by when it was last worked on; one that goes on meanwhile is not an earlier."""
    return "Earlier task" if other.last_event_at <= task.last_event_at else "Other task"


def _task_item(task: Task, label: str) -> ContextItem:
    goal = clip(task.goal, GOAL if label == CURRENT else TITLE)
    text = f"{label} ({task.status}, {task.observations} observations): {goal or 'no goal stated'}"
    ref, origin = f"task {task.number}", Origin.HUMAN
    return ContextItem(task.id, ref, text, origin, task.last_event_at, trust=BY_ORIGIN[origin])


def _standing(tx: Transaction, scope: Scope, now: int) -> tuple[ContextItem, ...]:
    """What people laid down for good in this workspace, whatever the query is."""
    return tuple(
        _item(record, said) if isinstance(record, Observation) else _memory_item(record)
        for record, said in laid_down(tx, scope, now)
    )


def _errors(
    tx: Transaction, scope: Scope, task: Task | None, fixed: Sequence[ContextItem]
) -> list[ContextItem]:
    """What still fails and what was fixed: in a task its own errors first, else some of each."""
    standing = _open_errors(tx, scope, task)
    first = len(standing) if scope.task else OPEN_FIRST
    return [*standing[:first], *fixed, *standing[first:]]


def _open_errors(tx: Transaction, scope: Scope, task: Task | None) -> list[ContextItem]:
    """Errors still open in the current task."""
    if task is None:
        return []
    errors = observations.open_errors(tx, scope.team, task.id, LOOKED_AT)
    told = [(error, told_of(error)) for error in errors]
    said = [_item(error, f"Still failing: {_brief(text)}") for error, text in told if text]
    notes = error_notes.still_open(tx, scope.team, task.id, limit=OPEN_ERRORS)
    return said[:OPEN_ERRORS] + [_told_error(note) for note in notes]


def _fixed(found: Iterable[Recovery]) -> list[ContextItem]:
    """What failed before, and what was changed until it went well."""
    items = []
    for one in found:
        failed, passed = _failed(told_of(one.error)), title(told_of(one.fix))
        changed = "; ".join(filter(None, (_changed(told_of(step)) for step in one.changes)))
        if failed and changed and one.near:
            items.append(_item(one.fix, f"Failed, then fixed: {failed} ⇒ {changed}"))
        elif failed and (changed or passed):
            ended = f"after {changed}" if changed else passed
            items.append(_item(one.fix, f"Failed, then passed: {failed} ⇒ {ended}"))
    return items


def _failed(summary: str) -> str:
    """Return what was done and the error's own words, without saying these twice."""
    first, *rest = summary.split("\n")
    call, arrow, outcome = first.partition(ARROW)
    news = (line for line in rest if not line.startswith("exit code"))
    line = next(news, "").partition(" (exit ")[0]
    if outcome and line.startswith(outcome.removesuffix("…")):
        return clip(f"{call}{arrow}{line}", FAILED)
    return clip(f"{first} · {line}" if line and line not in first else first, FAILED)


def _changed(summary: str) -> str:
    """Return what was done, and the first lines of what that changed."""
    first, _, rest = summary.partition("\n")
    lines = [line.strip() for line in rest.split("\n") if line.startswith(("+", "-"))]
    return clip(" · ".join([first, *lines[:LINES]]), CHANGED)


def _told_error(note: ErrorNote) -> ContextItem:
    origin = Origin.AGENT if note.agent else Origin.HUMAN
    text = f"Told as {note.type}: {_brief(note.description)}"
    ref, trust = short(note.id), BY_ORIGIN[origin]
    return ContextItem(note.id, ref, text, origin, note.created_at, trust=trust)


def _profile(tx: Transaction, scope: Scope) -> tuple[ContextItem, ...]:
    """The profile that the scope sees; what is critical of it stands elsewhere."""
    found = profiles.members(tx, scope.team, scope.workspace, scope.agent)
    return tuple(_memory_item(memory) for memory in ranked(found) if not memory.critical)


def _memories(
    tx: Transaction, scope: Scope, known: Sequence[str], told: Collection[str], now: int
) -> tuple[ContextItem, ...]:
    """Approved memories that answer the query, then the newest others that are not told anyway;
    what tells of single tasks only where it answers. Critical ones stand elsewhere."""
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
        limit=MEMORIES + min(len(told), MEMORIES),
    )
    asked = memories.by_ids(tx, scope.team, known, scope.agent)
    ordered: dict[str, Memory] = {id: asked[id] for id in known if id in asked}
    known_anyway = {*ordered, *told}
    ordered |= {memory.id: memory for memory in listed if memory.id not in known_anyway}
    return tuple(_memory_item(memory) for memory in ordered.values() if not memory.critical)


def _relevant(
    tx: Transaction,
    scope: Scope,
    steps: Sequence[Observation],
    asked: Mapping[str, str],
    room: int,
) -> Iterator[ContextItem]:
    """What answers the query, by the passage that does; then notable steps of the current task,
    weightiest first, without their words after ``room`` characters."""
    answers = observations.by_ids(tx, scope.team, list(asked))
    chosen = {id: answers[id] for id in asked if id in answers}
    elsewhere = (ObservationType.FIX, ObservationType.ERROR)  # in the section on errors
    for o in sorted(steps, key=lambda o: (-_worth(o), -o.sequence)):
        if o.id not in chosen and o.type not in elsewhere:
            chosen[o.id] = o
    for o in chosen.values():
        if o.salience is Salience.LOW:
            continue
        if room <= 0:
            yield _item(o, "")  # what may be told of it takes a while to find out
        elif text := told_of(o, asked.get(o.id) or None):
            said = _answer(text) if o.id in asked else _brief(text)
            room -= len(said)
            yield _item(o, said)


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
    origin = observation.origin
    return ContextItem(
        observation.id,
        observation.ref,
        text,
        origin,
        observation.created_at,
        trust=BY_ORIGIN[origin],
    )


def _memory_item(memory: Memory) -> ContextItem:
    return ContextItem(
        memory.id,
        short(memory.id),
        memory.content,
        memory.origin,
        memory.created_at,
        critical=memory.critical,
        trust=trust_of(memory),
    )
