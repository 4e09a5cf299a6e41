"""Converts the events of a task to numbered observations.

Numbers have no gaps, repeats are folded, and a fix is linked to the error that it resolved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from memoranda.capture.event import REFUSAL, REWOUND, EventKind, EventSource
from memoranda.capture.event_preparation import PreparedEvent
from memoranda.capture.hosts.event_keys import is_refusal_key
from memoranda.clock import MICROSECONDS
from memoranda.errors.open_errors import CapturedCall, ErrorTarget, OpenErrors
from memoranda.ids import IdSource
from memoranda.observations import content as contents, table as observations
from memoranda.observations.blob_table import Blob
from memoranda.observations.content import RECALLED
from memoranda.observations.model import Observation, ObservationType, Origin, Salience
from memoranda.observations.table import DuplicateObservation, NewObservation
from memoranda.quarantine import table as quarantine
from memoranda.quarantine.model import QuarantineRecord
from memoranda.store.database import TextEntry, Transaction
from memoranda.tasks.model import Task

SAME_MOMENT = 1 * MICROSECONDS
"""Maximum interval between two reports by a hook installed twice."""
SAME_MESSAGE = 120 * MICROSECONDS
"""Maximum difference between a message's times in hook and transcript."""
OF_EARLIER_TASKS = 64
"""Maximum number of open errors of earlier tasks that a success may resolve."""
DISTINCTIVE = 12
"""Minimum length of an agent's message that is matched by its text alone."""


class Sequencer:
    """Numbers events of a task as observations, within one transaction."""

    def __init__(
        self, tx: Transaction, task: Task, batch: Sequence[PreparedEvent], ids: IdSource, now: int
    ) -> None:
        self._task = task
        self._sequence = task.observations
        self._tokens = task.tokens
        self.accepted: list[NewObservation] = []
        self.blobs: list[Blob] = []
        self.quarantined: list[QuarantineRecord] = []
        """Reasons for quarantine, by accepted observation."""
        self.ids_of_twins: dict[str, str] = {}
        """Observation ids of messages that were reported again, by new key."""
        self.removed: Counter[str] = Counter()
        self._tx = tx
        self._ids = ids
        self._now = now
        hashes = [prepared_event.blob.hash for prepared_event in batch]
        self._standing = standing_errors(tx, task)
        self._twins = observations.same_content(tx, task.team, task.id, hashes)
        doubted = [event.blob.hash for event in batch if event.doubt]
        self._released = (
            quarantine.released_contents(tx, task.team, doubted) if doubted else set[str]()
        )

    def accept(self, one: PreparedEvent) -> bool:
        """Number an event; return False for a message known from another source."""
        at = one.event.occurred_at or self._now
        twins = self._twins[one.blob.hash]
        ids = self.ids_of_twins.values()
        twin = stored_copy(one, at, twins, ids) if is_spoken(one) else None
        if twin is not None:
            self.ids_of_twins[one.event_key] = twin.id
            return False
        resolves = self._resolved(one)
        repeats = None if resolves else _repeated(one, twins)
        observation = self._observation(one, at, resolves, repeats)
        entry = text_entry(observation, one.text, one.identifiers, hidden=one.hidden)
        self.accepted.append(
            NewObservation(
                observation,
                one.format,
                one.event.source,
                one.event_key,
                one.target,
                None if repeats else entry,
            )
        )
        self.blobs.append(one.blob)
        if one.removed:
            self.removed.update(one.removed)
        twins.insert(
            0, DuplicateObservation(observation.id, one.event.source, at, repeats, one.tags)
        )
        return True

    @property
    def task(self) -> Task:
        """The task with its current counts of observations and tokens."""
        return replace(self._task, observations=self._sequence, tokens=self._tokens)

    def _resolved(self, one: PreparedEvent) -> str | None:
        """Return the newest error that this event resolves, and close it.

        A call that failed, was rewound or has an unknown outcome resolves nothing.
        """
        if one.event.resolves:
            observations.close_observed(self._tx, self._task.team, one.event.resolves)
            return one.event.resolves
        if one.target is None or not one.event.outcome_known or one.event.branch == REWOUND:
            return None
        failed = one.type is ObservationType.ERROR
        call = one.unkept or CapturedCall(one.target, one.readable, failed)
        ended = self._standing.ended(call)
        newest = self._standing.drop(ended)
        self._close(ended)
        return None if failed else newest

    def _close(self, places: Sequence[ErrorTarget]) -> None:
        for task, target in places:
            observations.close_error(self._tx, self._task.team, task, target)

    def _observation(
        self, one: PreparedEvent, at: int, resolves: str | None, repeats: str | None
    ) -> Observation:
        event = one.event
        self._sequence += 1
        self._tokens += one.tokens
        id = self._ids.new()
        salience = self._salience(one, id, Salience.FOLDED if repeats else one.salience)
        observation = Observation(
            team=self._task.team,
            id=id,
            ref=f"{self._task.number}#{self._sequence}",
            workspace=self._task.workspace,
            task=self._task.id,
            sequence=self._sequence,
            type=ObservationType.FIX if resolves else one.type,
            origin=event.origin,
            agent=event.agent,
            tool=event.tool,
            summary=one.summary,
            tags=one.tags,
            files=one.files,
            constraints=one.constraints,
            salience=salience,
            tokens=one.tokens,
            tokens_used=event.tokens_used,
            duration_ms=event.duration_ms,
            stage=None,
            branch=event.branch,
            resolves=resolves,
            repeats=repeats,
            content_hash=one.blob.hash,
            redactions=sum(one.removed.values()),
            created_at=at,
            recorded_at=self._now,
        )
        is_error = one.type is ObservationType.ERROR and event.branch != REWOUND
        # the failure of a probe is its answer, not an error
        is_error = is_error and one.salience is not Salience.LOW
        if one.target is not None and is_error and one.unkept is None:
            target = ErrorTarget(self._task.id, one.target)
            self._close(self._standing.open(target, observation.id, one.readable))
            observations.open_error(self._tx, self._task.team, *target, observation.id)
        return observation

    def _salience(self, one: PreparedEvent, id: str, deserved: Salience) -> Salience:
        """Return the salience of an observation.

        Suspicious content is quarantined, unless a person has released the same content before.
        """
        if one.doubt is None or one.blob.hash in self._released:
            return deserved
        self.quarantined.append(QuarantineRecord(id, one.doubt, deserved, self._now))
        return Salience.QUARANTINED


def standing_errors(tx: Transaction, task: Task) -> OpenErrors:
    """Return the open errors of a task and of earlier tasks in its workspace."""
    found = {
        ErrorTarget(task.id, target): id
        for target, id in observations.standing_errors(tx, task.team, task.id).items()
    }
    left = observations.errors_left(tx, task, OF_EARLIER_TASKS)
    found |= {ErrorTarget(owner, target): id for owner, target, id in left}

    def stored(id: str) -> str:
        return contents.texts(tx, task.team, [id]).get(id, "")

    return OpenErrors(found, stored)


def is_spoken(one: PreparedEvent) -> bool:
    """Return whether an event is a message or an error outside a tool."""
    return one.type is ObservationType.MESSAGE or one.event.kind is EventKind.ERROR


def stored_copy(
    one: PreparedEvent, at: int, duplicates: list[DuplicateObservation], keys: Collection[str]
) -> DuplicateObservation | None:
    """Return the stored message that is identical to this one.

    Hook and transcript share no message id, so messages are matched by content and time. For a copy
    without its own time, earlier messages are matched in order.
    """
    if one.event.source is EventSource.API or is_refusal_key(one.event.key):
        return None  # a refusal has the same key in hook and transcript
    for twin in sorted(duplicates, key=lambda twin: abs(twin.created_at - at)):
        if REFUSAL in twin.tags:
            continue
        apart = abs(twin.created_at - at)
        # An agent does not repeat a long message, so its text identifies it at any time.
        is_near = apart <= SAME_MESSAGE or _is_distinctive(one)
        is_copied = one.event.is_late and twin.created_at <= at and twin.id not in keys
        if twin.source not in (one.event.source, EventSource.API) and (is_near or is_copied):
            return twin
        if twin.source == one.event.source == EventSource.HOOK and apart <= SAME_MOMENT:
            return twin
        # A copy in another session keeps the time, but not every id.
        if one.event.portable and one.event.occurred_at == twin.created_at:
            return twin
    return None


def _is_distinctive(one: PreparedEvent) -> bool:
    return one.event.origin is Origin.AGENT and len(one.event.text) >= DISTINCTIVE


def _repeated(one: PreparedEvent, duplicates: list[DuplicateObservation]) -> str | None:
    """Return the id of the first tool call with the same content, or None."""
    if one.type is not ObservationType.TOOL_CALL or one.hidden or not duplicates:
        return None
    return duplicates[-1].repeats or duplicates[-1].id


def text_entry(
    observation: Observation, text: str, identifiers: Sequence[str], *, hidden: bool
) -> TextEntry:
    """Return the full-text entry of an observation.

    A hidden observation is indexed by its summary only. The entry of a call to Memoranda's own
    tools is empty, so that a search does not find the queries of earlier searches.
    """
    shown = observation.summary if hidden else f"{observation.summary}\n{text}"
    return TextEntry(
        team=observation.team,
        id=observation.id,
        workspace=observation.workspace,
        task=observation.task,
        text="" if RECALLED in observation.tags else shown,
        identifiers=() if hidden else (*observation.files, *identifiers),
    )
