"""Account of how a task was done: an extract of at most 2,000 characters.

All sentences are quoted from the task's record.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoranda.json_data import JsonValue, dump_json
from memoranda.lessons.finder import MAXIMUM, error_weight, own_sentences
from memoranda.lessons.fix_selection import ended_by
from memoranda.lessons.lasting_sentences import LastingSentence, statements
from memoranda.lessons.model import Lesson
from memoranda.lessons.task_record import (
    ErrorEpisode,
    TaskRecord,
    happened,
    is_by_person,
    kind_of_failure,
    quoted,
    stated_end,
    step_line,
)
from memoranda.lessons.vocabulary import has_phrase
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.quarantine.order_detection import suspicion
from memoranda.text import clip, one_line, visible

MAX_LENGTH = 2_000
"""Maximum length of an account in characters."""
GOAL = 300
PLAN, FILES, TROUBLES, LEARNED = 3, 12, 6, 4
"""Maximum number each of plan entries, files, errors and lessons in an account."""
DIFF = 300
STATE, LABEL = 400, 40
"""Maximum numbers of characters of another recorded value and of its name."""
FIRST = frozenset({"plan", "definition_of_done", "done", "attempts"})
"""Names of recorded values that come before the others."""
PERSON = "Person"
"""Label for the person's lasting statements."""
STATED = MAX_LENGTH // 2
"""Maximum number of characters of the person's statements; the rest is for how the task was done.
"""
FIXED_BONUS = 0.3
"""Increase of the value of an error with a known fix."""
KEY_STEPS = 40
"""Maximum number of observations that an account cites."""
TAGS = 8
PLANNING = "planning"


@dataclass(frozen=True, slots=True)
class TaskAccount:
    """Account of a task, for its archive."""

    title: str
    content: str
    tags: tuple[str, ...]
    evidence: tuple[str, ...]
    """Ids of the observations that the account quotes."""


def account(record: TaskRecord, learned: Sequence[Lesson]) -> TaskAccount | None:
    """Return the account of a task; None for a trivial task.

    The account contains the goal, outcome, the person's lasting statements, plan, errors with their
    fixes, files and lessons. Text that reads like an instruction to a model is omitted.
    """
    if record.trivial:
        return None
    lines, quoted_from = list[str](), list[Observation]()
    for label, text, sources in _parts(record, learned):
        if text and not suspicion(text):
            lines.append(f"{label}: {text}")
            quoted_from += sources
    content = _fitted(lines)
    goal = clip(one_line(visible(record.task.goal)), 100) or "a task without a stated goal"
    evidence = dict.fromkeys(observation.id for observation in quoted_from)
    title = "A task" if suspicion(goal) else f"How it was done: {goal}"
    return TaskAccount(title, content, _tags(record), tuple(evidence)[:KEY_STEPS])


Part = tuple[str, str, Sequence[Observation]]


def _parts(record: TaskRecord, learned: Sequence[Lesson]) -> Iterator[Part]:
    task = record.task
    yield "Goal", clip(one_line(visible(task.goal)), GOAL), record.steps[:1]
    yield "Outcome", f"{task.status}; {_last_message(record)}".rstrip("; "), record.steps[-1:]
    for lesson in learned[:LEARNED]:
        if lesson.kind not in ("fix", "dead_end"):
            yield "Learned", quoted(lesson.content), ()
    for observation, sentence in _stated(record, learned):
        yield PERSON, f"\u201c{sentence}\u201d", (observation,)
    for observation, sentence in _plan(record):
        yield "Plan", quoted(sentence), (observation,)
    for trouble in _most_instructive(record.error_episodes):
        yield _fixed_error(record, trouble)
    if record.files:
        more = len(record.files) - FILES
        listed = ", ".join(record.files[:FILES]) + (f" and {more} more" if more > 0 else "")
        yield "Files changed", listed, ()
    yield from _noted(record.state)


def _noted(state: Mapping[str, JsonValue]) -> Iterator[Part]:
    """Yield the values that the task recorded.

    The order is: plan, definition of done, attempts, other values, and finally the diff, which is
    the longest and least informative.
    """
    names = sorted(state, key=lambda name: (name == "diff", name not in FIRST, name))
    for name in names:
        text = _plain(state[name])
        label = clip(one_line(visible(name)).replace("_", " "), LABEL)
        if text and label:
            shown = clip(text, DIFF) if name == "diff" else clip(one_line(text), STATE)
            yield label[:1].upper() + label[1:], shown, ()


def _plain(value: JsonValue) -> str:
    """Return a recorded value as text: list items, or members of an object."""
    if isinstance(value, str):
        return visible(value.strip())
    if isinstance(value, list):
        return "; ".join(filter(None, map(_plain, value)))
    if isinstance(value, dict):
        return "; ".join(f"{visible(name)}: {_plain(item)}" for name, item in value.items())
    return "" if value is None else dump_json(value)


def _stated(record: TaskRecord, learned: Sequence[Lesson]) -> list[tuple[Observation, str]]:
    """Return the person's likeliest lasting statements that fit, in order.

    Statements that are lessons are omitted.
    """
    found, before = list[tuple[Observation, LastingSentence]](), ""
    taught = [lesson.content for lesson in learned[:MAXIMUM]]
    for observation, text in record.spoken:
        if is_by_person(observation):
            found += [
                (observation, statement)
                for statement in statements(text, before)
                if _is_new(statement, taught)
            ]
        elif observation.origin is Origin.AGENT:
            before = text
    chosen, room = set[int](), STATED
    for at in sorted(range(len(found)), key=lambda at: (-found[at][1].sure, -at)):
        # for the colon, the space, the quotation marks and the newline
        cost = len(PERSON) + len(found[at][1].text) + 5
        if cost <= room:
            chosen.add(at)
            room -= cost
    return [(found[at][0], visible(found[at][1].text)) for at in sorted(chosen)]


def _is_new(sentence: LastingSentence, taught: Sequence[str]) -> bool:
    text = visible(sentence.text)
    return not any(text in item or item in text for item in taught)


def _fixed_error(record: TaskRecord, episode: ErrorEpisode) -> Part:
    error, kind = episode.error, kind_of_failure(episode.error).replace("_", " ")
    times = f" ({episode.attempts} attempts)" if episode.attempts > 1 else ""
    text = f"{happened(error)}{times}"
    if episode.end is None:
        return f"Failed, {kind}", f"{text}; never put right", (error,)
    if stated := stated_end(episode.fix):
        return f"Fixed {kind}", f"{text}; fixed by {stated}", (error, episode.end)
    steps, _ = ended_by(error, episode.done, record.errors)
    did = "; ".join(step_line(observation) for observation in (*steps, episode.end))
    return f"Fixed {kind}", f"{text}; fixed by {did}", (error, *steps, episode.end)


def _most_instructive(episodes: Sequence[ErrorEpisode]) -> list[ErrorEpisode]:
    """Return the most instructive errors, in order of occurrence."""

    chosen = sorted(
        episodes,
        key=lambda error_episode: (
            -error_weight(error_episode) - FIXED_BONUS * bool(error_episode.fix)
        ),
    )[:TROUBLES]
    return sorted(chosen, key=lambda episode: episode.error.sequence)


def _plan(record: TaskRecord) -> list[tuple[Observation, str]]:
    """Return the decisions, then the plans from the planning stage."""
    decided = [
        (item, sentence)
        for item, text in record.spoken
        for sentence in own_sentences(text)
        if item.type is ObservationType.DECISION or has_phrase(sentence, "decision")
    ]
    planned = [
        (observation, sentence)
        for observation, text in record.spoken
        if observation.stage == PLANNING and observation.origin is Origin.AGENT
        for sentence in own_sentences(text)
        if has_phrase(sentence, "plan")
    ]
    return [*planned[:1], *decided[: PLAN - 1]] if planned else decided[:PLAN]


def _last_message(record: TaskRecord) -> str:
    """Return the first sentences of the agent's last message."""
    agents = [text for observation, text in record.spoken if observation.origin is Origin.AGENT]
    return clip(one_line(visible(agents[-1])), 200) if agents else ""


def _tags(record: TaskRecord) -> tuple[str, ...]:
    """Return tags for the task and its kinds of failure, for exact search."""
    kinds = (kind_of_failure(episode.error) for episode in record.error_episodes)
    return (f"task:{record.task.number}", *list(dict.fromkeys(kinds))[:TAGS])


def _fitted(lines: Sequence[str]) -> str:
    """Return as many of the first lines as fit, joined."""
    kept_lines, room = list[str](), MAX_LENGTH
    for line in lines:
        cut = clip(line, 600)
        if len(cut) + 1 <= room:
            kept_lines.append(cut)
            room -= len(cut) + 1
    return "\n".join(kept_lines)
