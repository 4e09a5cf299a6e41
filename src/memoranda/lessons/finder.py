"""Extracts lessons from a task's record.

Lessons are fixes of errors, failed attempts, checks, decisions and rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memoranda.errors.check_commands import chain_links
from memoranda.errors.signature import signature
from memoranda.language.prose import prose_sentences, without_list_mark
from memoranda.language.words import plain_words
from memoranda.lessons.fix_selection import ended_by, tried_against
from memoranda.lessons.lasting_sentences import LastingSentence, lasting_sentences
from memoranda.lessons.model import Lesson, LessonKind, key
from memoranda.lessons.task_record import (
    ErrorEpisode,
    TaskRecord,
    error_line,
    happened,
    is_by_person,
    kind_of_failure,
    learned,
    quoted,
    stated_end,
    step_line,
    target,
)
from memoranda.lessons.vocabulary import has_phrase, tools, weights
from memoranda.memories.model import Category
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.tasks.model import TaskStatus
from memoranda.text import clip, one_line, visible
from memoranda.utterances.labels import UtteranceLabel

if TYPE_CHECKING:
    from memoranda.utterances.classifier import UtteranceClassifier

MAXIMUM = 4
"""Maximum number of lessons per task."""
MIN_WORTH = 0.45
AGAIN = 0.3
"""Reduction of the value of an error that was resolved merely by a retry."""
FURTHER = 0.15
"""Value of each further lasting sentence in a statement, which forms a single proposal."""
SENTENCE = 300
"""Maximum length of a sentence in characters."""
_MAX_PER_KIND = {
    LessonKind.CONSTRAINT: 3,
    LessonKind.CHECK: 1,
    LessonKind.DECISION: 2,
    LessonKind.STATED: 2,
}
MORE_RULES = 1
"""Number of additional rules if other kinds of lessons leave space."""
_CATEGORIES = {
    UtteranceLabel.RULE: Category.LEARNED_RULE,
    UtteranceLabel.PREFERENCE: Category.USER_PREFERENCE,
}
"""Categories of a person's rules and preferences; requests to remember something become knowledge.
"""
_SHOWS = frozenset({"echo", "printf", "true", "false", "exit", "sleep", "cd", "test"})
"""Shell commands whose failure is unrelated to the work."""


def lessons(
    record: TaskRecord, most: int = MAXIMUM, classifier: UtteranceClassifier | None = None
) -> list[Lesson]:
    """Return the lessons of a task, the most valuable first.

    A trivial task has no lessons. Equal records give equal lessons. Of several lessons with the
    same subject, only the first is returned. The default classifier of people's messages does not
    use a neural network.
    """
    if record.trivial:
        return []
    found = [*_fixes(record), *_dead_ends(record), *_checks(record)]
    found += _stated_lessons(record, classifier)
    ranked = sorted(found, key=lambda lesson: -lesson.worth)
    chosen: dict[str, Lesson] = {}
    spare: dict[str, Lesson] = {}
    for item in ranked:
        alike = sum(other.kind is item.kind for other in chosen.values())
        room = alike < _MAX_PER_KIND.get(item.kind, MAXIMUM)
        if item.worth < MIN_WORTH or item.key in chosen:
            continue
        if room:
            chosen[item.key] = item
        elif item.kind is LessonKind.CONSTRAINT and len(spare) < MORE_RULES:
            spare.setdefault(item.key, item)
    return [*chosen.values(), *spare.values()][:most]


def _fixes(record: TaskRecord) -> Iterator[Lesson]:
    for trouble in record.error_episodes:
        if trouble.end is None:
            continue
        if stated := stated_end(trouble.fix):
            yield _recorded_end(trouble, stated)
            continue
        steps, _ = ended_by(trouble.error, trouble.done, record.errors)
        if not steps and (trouble.done or trouble.fix is None):
            continue  # too many steps to determine which one resolved it
        kind, line, called = _cause(trouble)
        what = f"{called} fails with \u201c{line}\u201d"
        then = step_line(trouble.fix) if trouble.fix else f"{called} failed for another reason"
        ending = [*map(step_line, steps)] or [then] * _did_more(trouble)
        did = f"this ended it: {'; '.join(ending)}." if ending else "trying again ended it."
        after = "" if then in ending else f" Then {then.rstrip('.')}."
        yield Lesson(
            kind=LessonKind.FIX,
            key=key(LessonKind.FIX, signature(kind, line)),
            category=Category.TROUBLESHOOTING,
            title=f"What ended: {line}",
            content=f"When {what} ({_words(kind)}), {did}{after}",
            confidence=0.6 if steps else 0.5,
            worth=error_weight(trouble) - AGAIN * (not ending),
            evidence=_ids(trouble.error, *steps, trouble.end),
        )


def _did_more(episode: ErrorEpisode) -> bool:
    """Return whether the call that succeeded did more than the failed one."""
    if episode.fix is None:
        return False
    failed = {check.text for _, check in chain_links(target(episode.error))}
    first = [check for _, check in chain_links(target(episode.fix))][:-1]
    return any(one.text not in failed and one.program not in tools("looking") for one in first)


def _recorded_end(episode: ErrorEpisode, ended: str) -> Lesson:
    """Return the lesson of an error with a recorded resolution."""
    kind, line, _ = _cause(episode)
    return Lesson(
        kind=LessonKind.FIX,
        key=key(LessonKind.FIX, signature(kind, line)),
        category=Category.TROUBLESHOOTING,
        title=f"What ended: {line}",
        content=f"{happened(episode.error)} ({_words(kind)}); this ended it: {ended.rstrip('.')}.",
        confidence=0.6,
        worth=error_weight(episode),
        evidence=_ids(episode.error, *filter(None, [episode.fix])),
    )


def _dead_ends(record: TaskRecord) -> Iterator[Lesson]:
    """Yield lessons about attempts that never succeeded.

    The attempts were made in a failed task, or more than once.
    """
    failed = record.task.status is TaskStatus.FAILED
    for trouble in record.error_episodes:
        if trouble.end is not None or not (failed or trouble.attempts > 1):
            continue
        kind, line, called = _cause(trouble)
        last = trouble.again[-1].sequence if trouble.again else 0
        before = [observation for observation in trouble.done if observation.sequence < last]
        tried = tried_against(trouble.error, before, record.errors)
        program = called.split(" ")[0]
        if program in _SHOWS or (not tried and (not failed or program in tools("looking"))):
            continue  # a failed command alone is not a lesson
        did = (
            f" Tried without success: {'; '.join(step_line(item) for item in tried)}."
            if tried
            else ""
        )
        times = f" {trouble.attempts} times" if trouble.attempts > 1 else ""
        text = f"{called} failed{times} with \u201c{line}\u201d ({_words(kind)})"
        yield Lesson(
            kind=LessonKind.DEAD_END,
            key=key(LessonKind.DEAD_END, signature(kind, line)),
            category=Category.ANTI_PATTERN if tried else Category.TROUBLESHOOTING,
            title=f"Did not work: {called}",
            content=f"{text} and was never put right.{did}",
            confidence=0.5,
            worth=min(1.0, 0.2 * failed + error_weight(trouble)),
            evidence=_ids(trouble.error, *trouble.again[-2:], *tried),
        )


def _checks(record: TaskRecord) -> Iterator[Lesson]:
    """Yield commands that verified the completed work at least twice."""
    if record.task.status is not TaskStatus.COMPLETED or record.task.ended_at is None:
        return
    for called, runs in record.checks.items():
        if len(runs) < 2:
            continue
        yield Lesson(
            kind=LessonKind.CHECK,
            key=key(LessonKind.CHECK, called),
            category=Category.PATTERN,
            title=f"Check with: {called}",
            content=f"`{called}` verifies the work here; it went well {len(runs)} times in one "
            f"task, last: {step_line(runs[-1])}.",
            confidence=0.6,
            worth=min(0.7, 0.4 + 0.05 * len(runs)),
            evidence=_ids(*runs[-3:]),
        )


def _stated_lessons(record: TaskRecord, classifier: UtteranceClassifier | None) -> Iterator[Lesson]:
    before = ""
    for observation, text in record.spoken:
        if is_by_person(observation):
            for lasting_sentence in lasting_sentences(text, before, classifier):
                yield _instruction(lasting_sentence, observation)
            continue
        before = text if observation.origin is Origin.AGENT else before
        for sentence in own_sentences(text):
            if learned(observation, sentence):
                yield _stated(LessonKind.STATED, Category.INSIGHT, sentence, observation)
            elif _decides(observation, sentence):
                yield _stated(LessonKind.DECISION, Category.DECISION, sentence, observation)


def _instruction(found: LastingSentence, one: Observation) -> Lesson:
    text, kind = visible(found.text), LessonKind.CONSTRAINT
    category = _CATEGORIES.get(found.label, Category.DOMAIN_KNOWLEDGE)
    sure, score = round(found.sure, 2), min(1.0, 0.5 + 0.4 * found.sure + FURTHER * found.further)
    title = without_list_mark(text.partition("\n")[0])
    return Lesson(kind, key(kind, plain_words(text)), category, title, text, sure, score, (one.id,))


def _stated(kind: LessonKind, category: Category, sentence: str, one: Observation) -> Lesson:
    text = clip(one_line(visible(sentence)), SENTENCE)
    score = 0.65 if kind is LessonKind.DECISION else 0.6
    return Lesson(kind, key(kind, plain_words(text)), category, text, text, 0.6, score, (one.id,))


def _decides(one: Observation, sentence: str) -> bool:
    decision = one.type is ObservationType.DECISION or has_phrase(sentence, "decision")
    return decision and has_phrase(sentence, "reason")


def own_sentences(text: str) -> list[str]:
    """Return a message's sentences of at least four words, without code."""
    return [one_line(found) for found in prose_sentences(text) if len(found.split()) >= 4]


def _cause(episode: ErrorEpisode) -> tuple[str, str, str]:
    error = episode.error
    return kind_of_failure(error), error_line(error), target(error) or quoted(error.tool or "it")


def error_weight(episode: ErrorEpisode) -> float:
    """Return how instructive an error is, from 0 to 1.

    The value is higher after several attempts, and lower for a refused edit.
    """
    kind, refused = kind_of_failure(episode.error), 0.0
    if kind == "error" and "edit" in episode.error.tags:
        refused = 0.4
    return min(1.0, max(0.0, weights().get(kind, 0.4) + 0.1 * (episode.attempts - 1) - refused))


def _words(kind: str) -> str:
    return kind.replace("_", " ")


def _ids(*found: Observation) -> tuple[str, ...]:
    return tuple(dict.fromkeys(observation.id for observation in found))
