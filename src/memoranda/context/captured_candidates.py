"""Context candidates from captured data: statements, steps, errors, summaries."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoranda.context.blocks import block_lines
from memoranda.context.brief import EVERY, brief_items
from memoranda.context.candidates import (
    Candidates,
    CandidateSources,
    ContextRequest,
    listed_memories,
    newest_first,
    place_label,
    profile_items,
)
from memoranda.context.failures import OPEN_FIRST, fixed_of, open_errors, open_errors_at_start
from memoranda.context.mandatory_lines import antecedents, critical_items, with_antecedents
from memoranda.context.person_statements import (
    FurtherStatements,
    PersonStatements,
    ShownTexts,
)
from memoranda.context.progress import progress
from memoranda.context.record_lines import (
    brief_of,
    is_greeting,
    item_of,
    shortened,
    summarised_call,
    untitled,
)
from memoranda.context.related_errors import related_items
from memoranda.context.replaced_values import ReplacedValues
from memoranda.context.revision_pairs import with_revisions
from memoranda.context.tool_values import ALL, seen_values
from memoranda.context.untrusted_text import QuarantineFilter, safe_summary
from memoranda.context.user_sentences import remarks
from memoranda.context.withdrawn_statements import Rejections
from memoranda.observations import table as observations
from memoranda.observations.model import Observation, ObservationType, Origin, Salience
from memoranda.scope import Scope
from memoranda.search.model import ContextItem, Hit, HitKind
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task

STEPS = 400
"""Number of a task's newest observations that are searched for notable steps."""
CHOICE = 5
"""Number of characters of a task's summary read per token of budget.

No more characters could be shown in a context without other sections.
"""

CHARACTERS = 3.0
"""Number of characters of people's statements read per token of a start context."""
TELLING = 40
"""Minimum number of tokens of an agent's message that is more than a passing remark."""

ANSWER = 500
"""Maximum number of characters of a sentence that answers the query."""

WORTH = {
    ObservationType.FIX: 5,
    ObservationType.DECISION: 4,
    ObservationType.LEARNING: 4,
    ObservationType.ERROR: 3,
    ObservationType.MESSAGE: 2,
    ObservationType.TOOL_CALL: 1,
}


def captured_candidates(
    tx: Transaction,
    sources: CandidateSources,
    scope: Scope,
    request: ContextRequest,
    task: Task | None,
) -> Candidates:
    """Return the candidates for a context; ``task`` is the current one."""
    (answers, narrowed), narrow, now = _answers(request.hits), request.narrow, request.now
    rejected = Rejections.of(tx, scope)
    critical = critical_items(tx, scope, task, rejected, now)
    view = _View.of(tx, task, request.in_view)
    in_view = QuarantineFilter(tx, scope.team, scope.workspace)
    profile = () if "profile" in request.excluded else profile_items(tx, scope)
    items = listed_memories(tx, scope, narrowed, {item.id for item in profile}, now)
    before = antecedents(tx, scope, critical, rejected)
    known = (*critical, *before.values(), *profile, *items)
    said = with_revisions(rejected.without(remarks(tx, scope, now, known, fast=narrow)))
    reported = in_view.without(view.without(progress(tx, scope, task, said, brief=not narrow)))
    goals = rejected.without_lines(reported)
    spoken = PersonStatements.of(said, CHARACTERS * request.budget)
    lasting = (*known, *spoken.lasting, *spoken.withdrawing)
    replaced = ReplacedValues((*lasting, *spoken.other), lasting)
    ended_by = task.last_event_at if task else now
    trouble = sources.trouble(tx, scope, None)
    failing = _failing(tx, scope, task, request)
    fixed = fixed_of(sources.ended(tx, scope, request.with_related(trouble)))
    errors = _Errors(
        *(in_view.without(view.without(context_items)) for context_items in (failing, fixed))
    )
    stated_texts = {item.text for item in (*critical, *before.values(), *goals)}
    brief, relevant = _of_work(tx, scope, task, request, answers, stated_texts)
    reports = {item.ref for item in goals if "#" in item.ref}
    noted = block_lines(tx, scope, task, spoken.texts, lasting) if sources.blocks else ()
    return Candidates(
        workspace=place_label(tx, scope),
        critical=tuple(replaced.marked_memories(with_antecedents(critical, before))),
        blocks=in_view.without(rejected.without_notes(noted)),
        progress=tuple(replaced.marked(goals)),
        brief=tuple(
            replaced.marked(rejected.without_lines(in_view.without(view.without(brief))), ended_by)
        ),
        standing=tuple(replaced.marked(in_view.without(spoken.lasting))),
        statements=() if narrow else tuple(replaced.marked(in_view.without(spoken.other))),
        errors=errors.ordered(first=OPEN_FIRST if narrow and not scope.task else EVERY),
        failing=bool(errors.failing),
        profile=tuple(replaced.marked_memories(profile)),
        memories=newest_first(tx, scope, [*replaced.marked_memories(request.marked(items))]),
        relevant=tuple(
            item
            for item in replaced.marked(in_view.without(view.without(relevant)))
            if item.ref not in reports
        ),
        lasting_share=spoken.share,
        answers=request.ranks,
        shown=in_view.without(_values(tx, scope, task, request.in_view, request.excluded)),
        trouble=trouble,
        captured_tokens=tasks.captured(tx, scope.team, scope.workspace, scope.task),
        note=request.note,
    )


def further_statements(
    tx: Transaction,
    scope: Scope,
    task: Task | None,
    in_view: int,
    now: int,
    candidates: Candidates,
    shown: Iterable[ContextItem],
) -> FurtherStatements:
    """Return people's statements in the workspace that a narrow context lacks.

    More messages are read than for the candidates, so this is for a budget with space left.
    """
    known = (*candidates.critical, *candidates.profile, *candidates.memories)
    said = Rejections.of(tx, scope).without(remarks(tx, scope, now, known))
    spoken = PersonStatements.of(with_revisions(said), 0)
    lasting = (*known, *spoken.lasting, *spoken.withdrawing)
    replaced = ReplacedValues((*lasting, *spoken.other), lasting)
    permitted = QuarantineFilter(tx, scope.team, scope.workspace)
    view = _View.of(tx, task, in_view)
    shown_texts = ShownTexts((*candidates.critical, *shown))
    standing, other = (
        shown_texts.missing(replaced.marked(permitted.without(view.without(items))))
        for items in (spoken.lasting, spoken.other)
    )
    return FurtherStatements(standing, other)


def _failing(
    tx: Transaction, scope: Scope, task: Task | None, request: ContextRequest
) -> list[ContextItem]:
    """Return open errors of the task and related ones; at a start, recent ones."""
    if request.narrow:
        return open_errors(tx, scope, task) + related_items(tx, scope, request.related_errors)
    return open_errors_at_start(tx, scope, task, request.budget)


def _of_work(
    tx: Transaction,
    scope: Scope,
    task: Task | None,
    request: ContextRequest,
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
    """Drop people's statements, and steps that are stored in full.

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
    """Return the values shown by tools, if a task is given."""
    wanted = task if scope.task and "values-seen" not in excluded else None
    return seen_values(tx, wanted, in_view) if wanted else ()


def _answers(hits: Sequence[Hit]) -> tuple[dict[str, str], list[str]]:
    """Return observations with passages that answer the query, and memories."""
    excerpts = {
        hit.id: hit.excerpt.text if hit.excerpt else ""
        for hit in hits
        if hit.kind is HitKind.OBSERVATION
    }
    return excerpts, [hit.id for hit in hits if hit.kind is HitKind.MEMORY]


@dataclass(frozen=True, slots=True)
class _View:
    """Observations that the reader can still see."""

    refs: frozenset[str]

    @classmethod
    def of(cls, tx: Transaction, task: Task | None, count: int) -> _View:
        if task is None or not count:
            return cls(frozenset())
        span = (max(0, task.observations - count), observations.END)
        found = observations.in_task(tx, task.team, task.id, where=ALL, span=span, limit=count)
        return cls(frozenset(observation.ref for observation in found))

    def without(self, items: Iterable[ContextItem]) -> tuple[ContextItem, ...]:
        return tuple(item for item in items if item.ref not in self.refs)


def _steps(tx: Transaction, task: Task) -> list[Observation]:
    """Return the newest steps of a task, in order."""
    span = (max(0, task.observations - STEPS), observations.END)
    found = observations.in_task(tx, task.team, task.id, span=span, limit=STEPS)
    return observations.in_time(found)


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
        if o.salience is Salience.LOW or is_greeting(o.summary):
            continue
        if room <= 0:
            yield item_of(o, "")  # skips the slow search for the permitted text
        elif text := safe_summary(
            o, summarised_call(o, answer_texts[o.id]) if answer_texts.get(o.id) else None
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
    lines = (line for line in untitled(text).split("\n") if line.strip())
    return shortened(" · ".join(lines), ANSWER)
