"""Completion of observations from hooks with events from a transcript.

An event that is already stored is not stored again. If the transcript has more data about a tool
call than the hook (its result, its files, the whole output, an earlier time), the stored
observation is updated in place: its id, its number and references to it are kept. The previous
content is kept in a folded observation that repeats it, and the journal records the change. Data
that depends on the observation is recomputed: open errors, the steps that resolved them, the index.

A transcript reader only has to use the same event key as the hook.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType

from memoranda.capture import observation_completion_table as completions
from memoranda.capture.event import REWOUND, EventKind, EventSource
from memoranda.capture.event_preparation import PreparedEvent
from memoranda.capture.hosts.call_outcomes import PENDING_TAG
from memoranda.capture.hosts.event_keys import is_queued_key
from memoranda.capture.observation_builder import SAME_MOMENT, text_entry
from memoranda.capture.observation_completion_table import SUPERSEDED, Attempt, SourcedObservation
from memoranda.compression import table as compressions
from memoranda.conversations import table as compactions
from memoranda.errors.open_errors import CapturedCall, ErrorTarget, OpenErrors
from memoranda.ids import IdSource
from memoranda.observations import blob_table as blobs, content as contents, table as observations
from memoranda.observations.model import Observation, ObservationType, Salience
from memoranda.observations.table import NewObservation
from memoranda.quarantine import table as quarantine
from memoranda.quarantine.model import QuarantineRecord
from memoranda.search import table as entries
from memoranda.store.database import TextEntry, Transaction
from memoranda.tasks.model import Task

LONGER, MINIMUM = 1.1, 50
"""Factor and margin (in tokens) by which a new output must be longer."""


@dataclass(slots=True)
class Completion:
    """Completes observations of one task within a transaction."""

    tx: Transaction
    task: Task
    ids: IdSource
    now: int
    completed: list[str] = field(default_factory=list)
    """Ids of the changed observations."""
    kept: int = 0
    """Number of changed observations whose previous content is kept."""
    undone: bool = False
    """Whether an observation that was stored as a fix proved not to be one."""

    def complete(
        self,
        repeated: Sequence[PreparedEvent],
        added: Iterable[str] = (),
        texts: Mapping[str, str] = MappingProxyType({}),
    ) -> Task:
        """Complete observations from repeated events; return the changed task.

        ``repeated`` are events that are already stored and may have more information. ``added`` are
        ids of new observations from the same batch; ``texts`` maps the event keys of messages to
        the ids of observations that have the same message.
        """
        by_key = {
            prepared_event.event_key: prepared_event
            for prepared_event in repeated
            if _may_complete(prepared_event)
        }
        keys = [key for item in by_key.values() for key in item.keys]
        stored = completions.by_event_keys(self.tx, self.task.team, keys) if keys else {}
        settled, learnt = set(added), False
        for event in by_key.values():
            observation = next((stored[key] for key in event.keys if key in stored), None)
            if observation is None or observation.observation.task != self.task.id:
                continue
            if observation.event_key in event.provisional_keys:
                observation = replace(observation, event_key=event.event_key)
            if _finishes(observation, event):
                self._finish(observation, event)
                settled.add(observation.observation.id)
            elif event.event.source is EventSource.TRANSCRIPT:
                self._complete(observation, event)
                learnt = learnt or observation.source == EventSource.HOOK
                if event.event.outcome_known:
                    settled.add(observation.observation.id)
        self._correct([by_key[key] for key in texts if key in by_key], texts)
        if self.completed or learnt:
            self._follow_up(settled)
        return self.task

    def _correct(self, messages: Sequence[PreparedEvent], texts: Mapping[str, str]) -> None:
        """Correct stored messages: time, key, and whether they were rewound.

        All messages need the transcript's time to be in the right order. The host keeps the key of
        a transcript's message in copies of the session, so that key replaces the key of a hook. A
        queue line has neither the message's time nor its id.
        """
        by_text = {
            texts[message.event_key]: message
            for message in messages
            if not is_queued_key(message.event.key)
        }
        stored = completions.by_ids(self.tx, self.task.team, by_text) if by_text else {}
        keys: dict[str, str] = {}
        for id, observation in stored.items():
            event = by_text[id]
            made = replace(
                observation.observation,
                created_at=_earlier(observation.observation, event, observation.event_key),
            )
            if observation.source == EventSource.HOOK and event.event.portable:
                keys[id] = event.event_key
            key = keys.get(id, observation.event_key)
            self._write(
                replace(observation, event_key=key), _mark_rewound(made, event), event, None
            )
        completions.set_event_keys(self.tx, self.task.team, keys)

    def _complete(self, found: SourcedObservation, one: PreparedEvent) -> None:
        old = found.observation
        observation, entry = replace(old, created_at=_earlier(old, one, found.event_key)), None
        observation = _mark_rewound(observation, one)
        if _knows_more(found, one):
            observation = replace(
                observation,
                type=one.type,
                tags=tuple(dict.fromkeys((*one.tags, *old.tags))),
                files=tuple(dict.fromkeys((*one.files, *old.files))),
                tokens_used=one.event.tokens_used or old.tokens_used,
                duration_ms=one.event.duration_ms or old.duration_ms,
            )
            if _is_as_complete(old, one):
                observation = self._with_content(found, observation, one)
                entry = text_entry(observation, one.text, one.identifiers, hidden=False)
        self._write(found, observation, one, entry)

    def _finish(self, found: SourcedObservation, one: PreparedEvent) -> None:
        """Add the result to a pending call, with the key of the finished call."""
        observation = replace(
            _mark_rewound(found.observation, one),
            type=one.type,
            files=tuple(dict.fromkeys((*one.files, *found.observation.files))),
            tokens_used=one.event.tokens_used or found.observation.tokens_used,
            duration_ms=one.event.duration_ms,
        )
        observation = self._with_content(found, observation, one)
        entry = text_entry(observation, one.text, one.identifiers, hidden=one.hidden)
        finished = replace(found, event_key=one.event_key, source=one.event.source)
        self._write(finished, observation, one, entry)

    def _write(
        self,
        found: SourcedObservation,
        made: Observation,
        one: PreparedEvent,
        entry: TextEntry | None,
    ) -> None:
        """Write a changed observation with the key and source of ``found``."""
        old = found.observation
        if made == old:
            return
        form, target = (one.format, one.target) if entry else (found.format, found.target)
        new = NewObservation(made, form, found.source, found.event_key, target, entry)
        completions.complete(self.tx, old, new)
        self.undone |= old.type is ObservationType.FIX and made.type is not ObservationType.FIX
        tokens = self.task.tokens + made.tokens - old.tokens
        started = min(self.task.started_at, made.created_at)
        self.task = replace(self.task, tokens=tokens, started_at=started)
        self.completed.append(old.id)

    def _with_content(
        self, found: SourcedObservation, made: Observation, one: PreparedEvent
    ) -> Observation:
        """Return an observation with an event's content; keep the previous one."""
        if found.observation.content_hash != one.blob.hash:
            self._keep(found)
            blobs.insert(self.tx, made.team, [one.blob])
        salience = one.salience
        if made.salience is Salience.QUARANTINED:
            salience = made.salience
        elif one.doubt is not None:
            salience = Salience.QUARANTINED
            quarantine_record = QuarantineRecord(made.id, one.doubt, one.salience, self.now)
            quarantine.insert(self.tx, made.team, [quarantine_record])
        return replace(
            made,
            summary=one.summary,
            tags=one.tags,
            salience=salience,
            tokens=one.tokens,
            repeats=None,
            content_hash=one.blob.hash,
            redactions=sum(one.removed.values()),
        )

    def _keep(self, found: SourcedObservation) -> None:
        """Store an observation's previous content as a folded repeat of it."""
        old, number = found.observation, self.task.observations + 1
        copied = replace(
            old,
            id=self.ids.new(),
            ref=f"{self.task.number}#{number}",
            sequence=number,
            tags=tuple(dict.fromkeys((*old.tags, SUPERSEDED))),
            salience=Salience.FOLDED,
            resolves=None,
            repeats=old.id,
        )
        parts = f"superseded\0{found.event_key}\0{old.content_hash}"
        key = hashlib.sha256(parts.encode()).hexdigest()[:32]
        new = NewObservation(copied, found.format, found.source, key, None, None)
        observations.insert(self.tx, [new])
        self.task = replace(self.task, observations=number, tokens=self.task.tokens + old.tokens)
        self.kept += 1

    def _follow_up(self, settled: set[str]) -> None:
        """Recompute data derived from completed observations."""
        team, task = self.task.team, self.task.id
        before = completions.attempts(self.tx, team, task)
        changed, standing = classified(before, settled, self._text)
        if not (self.completed or changed):
            return
        open_before = set(observations.standing_errors(self.tx, team, task).values())
        others = {attempt.id for attempt in changed}
        news = {*self.completed, *settled, *others}
        undone = self.undone or any(
            one.type is ObservationType.FIX for one in before if one.id in others
        )
        standing = {
            target: id
            for target, id in standing.items()
            if id in open_before or id in news or undone
        }
        completions.classify(self.tx, team, task, changed, standing)
        completions.retotal(self.tx, team, task)
        ids = list(dict.fromkeys([*self.completed, *(item.id for item in changed)]))
        entries.delete(self.tx, team, ids)
        gone = compactions.drop_outdated(self.tx, team, [task])
        gone += compressions.drop(self.tx, team, [task])
        blobs.delete_unused(self.tx, team, gone)

    def _text(self, id: str) -> str:
        return contents.texts(self.tx, self.task.team, [id]).get(id, "")


def classified(
    attempts: Iterable[Attempt], settled: set[str], text: Callable[[str], str]
) -> tuple[list[Attempt], dict[str, str]]:
    """Determine again which attempts resolved an error.

    ``attempts`` are in order of time. Only failures, fixes and the ``settled`` ids, whose outcome
    is certain, are considered. ``text`` returns the readable text of an observation. Returns the
    changed attempts, and the id of the open error of each target.
    """
    changed: list[Attempt] = []
    standing = OpenErrors({}, text)
    harmless = set[str]()
    for attempt in attempts:
        failed = attempt.type is ObservationType.ERROR
        was_fix = attempt.type is ObservationType.FIX
        if not failed:
            harmless.add(attempt.id)
        if not (failed or was_fix or attempt.id in settled):
            continue
        ended = standing.ended(CapturedCall(attempt.target, partial(text, attempt.id), failed))
        resolves = standing.drop(ended)
        if failed:
            standing.open(ErrorTarget("", attempt.target), attempt.id)
            if attempt.resolves is not None:
                changed.append(replace(attempt, resolves=None))
            continue
        if resolves is None and was_fix and attempt.resolves not in harmless:
            continue
        kind = ObservationType.FIX if resolves else _unlinked(attempt)
        if (kind, resolves) != (attempt.type, attempt.resolves):
            changed.append(replace(attempt, type=kind, resolves=resolves))
    return changed, {target.target: id for target, id in standing.found.items()}


def _unlinked(one: Attempt) -> ObservationType:
    return ObservationType.TOOL_CALL if one.type is ObservationType.FIX else one.type


def _mark_rewound(old: Observation, one: PreparedEvent) -> Observation:
    """Mark an observation as rewound if the event is rewound."""
    if one.event.branch != REWOUND or old.branch == REWOUND:
        return old
    counted = old.salience in (Salience.CRITICAL, Salience.NORMAL)
    salience = one.salience if counted else old.salience
    return replace(old, branch=REWOUND, salience=salience, constraints=())


def _earlier(old: Observation, one: PreparedEvent, old_key: str) -> int:
    """Return the event's time if clearly earlier, else the stored time."""
    at = one.event.occurred_at
    if one.event.is_late and old_key != one.event_key:
        return old.created_at
    return at if at is not None and at < old.created_at - SAME_MOMENT else old.created_at


def _may_complete(one: PreparedEvent) -> bool:
    """Return whether an event may add detail to its stored observation."""
    return one.event.source is EventSource.TRANSCRIPT or one.event.kind is EventKind.TOOL_RESULT


def _finishes(found: SourcedObservation, one: PreparedEvent) -> bool:
    """Return whether an event is the result of a call stored as pending."""
    is_result = one.event.kind is EventKind.TOOL_RESULT and PENDING_TAG not in one.event.tags
    return is_result and found.event_key in one.pending_keys


def _knows_more(found: SourcedObservation, one: PreparedEvent) -> bool:
    """Return whether a transcript has more detail about a call than the hook."""
    old = found.observation
    if found.source != EventSource.HOOK or one.event.kind is not EventKind.TOOL_RESULT:
        return False
    if one.hidden or PENDING_TAG in one.event.tags:
        return False
    judged_otherwise = (old.type is ObservationType.ERROR) != (one.type is ObservationType.ERROR)
    has_files = not set(one.files) <= set(old.files)
    return judged_otherwise or has_files or one.tokens > old.tokens * LONGER + MINIMUM


def _is_as_complete(old: Observation, one: PreparedEvent) -> bool:
    """Return whether a transcript's output is about as long as the stored one.

    The stored output is shorter if the host cut it.
    """
    return one.tokens * LONGER + MINIMUM >= old.tokens
