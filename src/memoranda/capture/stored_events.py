"""Lookup of events that are already stored, to avoid duplicates.

An event may be stored under its own session, or as a copy under another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from memoranda.capture import observation_completion_table as completions
from memoranda.capture.event import EventSource
from memoranda.capture.event_preparation import PreparedEvent
from memoranda.capture.hosts.event_keys import is_copied_key, time_of
from memoranda.capture.observation_builder import DISTINCTIVE, SAME_MESSAGE, is_spoken, stored_copy
from memoranda.capture.observation_completion_table import StoredCall
from memoranda.clock import LATEST, MICROSECONDS
from memoranda.observations import table as observations
from memoranda.observations.model import Origin
from memoranda.observations.table import SameKeyObservation
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks

HOOK, TRANSCRIPT = EventSource.HOOK, EventSource.TRANSCRIPT
SLACK = 1 * MICROSECONDS
"""Maximum difference between the clocks of hook and transcript."""
BATCH = 120 * MICROSECONDS
"""Maximum time from a call's end to the end of all parallel calls.

Used for calls that a hook reported, because hooks do not report that time.
"""
TURN = 86_400 * MICROSECONDS
"""Maximum length of a turn."""


def reported_keys(tx: Transaction, team: str, unknown: Sequence[PreparedEvent]) -> set[str]:
    """Return the keys of events that the session's other source reported.

    Events of a transcript are looked up among those of hooks, and a hook's calls without an id
    among those of the transcript.
    """
    result: set[str] = set()
    matched = [one for one in unknown if one.event.occurred_at and _is_matched(one)]
    by_session = groupby(
        matched, lambda prepared_event: (prepared_event.event.host, prepared_event.event.session)
    )
    for (host, session), group in by_session:
        task = tasks.by_session(tx, team, host, session)
        if task is not None:
            events = list(group)
            for source, other in ((TRANSCRIPT, HOOK), (HOOK, TRANSCRIPT)):
                calls = [item for item in events if item.event.tool and item.event.source is source]
                result |= _calls(tx, team, task.id, calls, other)
            result |= _messages(
                tx, team, task.id, [event for event in events if event.reported_hashes]
            )
    return result


def known_messages(tx: Transaction, team: str, prepared: Sequence[PreparedEvent]) -> set[str]:
    """Return the keys of messages that are stored with another key.

    A hook may report a message without its id.
    """
    spoken = [item for item in prepared if is_spoken(item) and item.event.occurred_at]
    result: set[str] = set()
    for (host, session), group in groupby(
        spoken, lambda event: (event.event.host, event.event.session)
    ):
        task = tasks.by_session(tx, team, host, session)
        messages = list(group) if task else []
        hashes = [message.blob.hash for message in messages]
        stored = observations.same_content(tx, team, task.id, hashes) if task else {}
        for prepared_event in messages:
            if stored_copy(
                prepared_event,
                prepared_event.event.occurred_at or 0,
                stored[prepared_event.blob.hash],
                (),
            ):
                result.add(prepared_event.event_key)
    return result


def _is_matched(one: PreparedEvent) -> bool:
    event = one.event
    unnumbered = event.source is HOOK and event.tool is not None and not event.portable
    return unnumbered or event.hook_report is not None


def _calls(
    tx: Transaction, team: str, task: str, calls: Sequence[PreparedEvent], other: EventSource
) -> set[str]:
    """Match calls with those of the other source by content, else by target."""
    if not calls:
        return set()
    spans = [_span(prepared_event) for prepared_event in calls]
    whole = range(min(span.start for span in spans), max(span.stop for span in spans))
    left = completions.calls(tx, team, task, other, whole)
    known: set[str] = set()
    for alike in (_has_content, _has_target):
        for event, span in zip(calls, spans, strict=True):
            if event.event_key in known:
                continue
            near = [call for call in left if call.created_at in span and alike(event, call)]
            if near:
                at = event.event.occurred_at or 0
                left.remove(min(near, key=lambda call: abs(call.created_at - at)))
                known.add(event.event_key)
    return known


def _span(one: PreparedEvent) -> range:
    """Return the time span in which the other source may have reported a call.

    A hook reports a call at its end; a transcript records it when all parallel calls have ended.
    """
    at = min(one.event.occurred_at or 0, LATEST)
    if one.event.source is HOOK:
        return range(at - SLACK, at + BATCH + 1)
    since = one.event.hook_report.since if one.event.hook_report else None
    return range((at if since is None else min(since, at)) - SLACK, at + SLACK + 1)


def _has_content(one: PreparedEvent, call: StoredCall) -> bool:
    return one.blob.hash == call.content_hash


def _has_target(one: PreparedEvent, call: StoredCall) -> bool:
    return one.target is not None and one.target == call.target


def _messages(tx: Transaction, team: str, task: str, messages: Sequence[PreparedEvent]) -> set[str]:
    hashes = list({hash for message in messages for hash in message.reported_hashes})
    stored = observations.same_content(tx, team, task, hashes) if hashes else {}
    return {
        event.event_key
        for event in messages
        for hash in event.reported_hashes
        for twin in stored.get(hash, ())
        if twin.source == HOOK
        and -SLACK <= twin.created_at - (event.event.occurred_at or 0) <= TURN
    }


def known_keys(tx: Transaction, team: str, prepared: Sequence[PreparedEvent]) -> set[str]:
    """Return the keys of these events that were stored or forgotten before.

    For a copy whose original is stored under another session, the copy's own key is returned.
    """
    keys = [key for prepared_event in prepared for key in prepared_event.keys]
    known = observations.known_keys(tx, team, keys)
    copied: list[PreparedEvent] = []
    for one in prepared:
        if known.isdisjoint(one.keys) and _is_stored(tx, team, one):
            known.add(one.event_key)
            copied.append(one)
    if any(item.event.tool for item in copied):
        left = [one for one in prepared if known.isdisjoint(one.keys)]
        known |= _hooked_elsewhere(tx, team, copied, left)
    known |= _repeated_messages(
        tx, team, [event for event in prepared if known.isdisjoint(event.keys)]
    )
    known |= reported_keys(tx, team, [one for one in prepared if known.isdisjoint(one.keys)])
    return known | _late_copies(tx, team, [one for one in prepared if one.event.is_late], known)


def _hooked_elsewhere(
    tx: Transaction, team: str, copied: Sequence[PreparedEvent], unknown: Sequence[PreparedEvent]
) -> set[str]:
    """Return the keys of messages that hooks reported in the source session of this copy.

    A resumed session may not name its source, and hooks report messages without their ids, but the
    ids of ``copied`` calls identify the source. Each message of a hook has one copy.
    """
    calls = [prepared_event.event_key for prepared_event in copied if prepared_event.event.tool]
    messages = [event for event in (*copied, *unknown) if _is_copied_message(event)]
    originals = {
        observation.task for key in calls for observation in observations.namesakes(tx, team, key)
    }
    hashes, result = [item.blob.hash for item in messages], set[str]()
    for task in sorted(originals):
        stored = observations.same_content(tx, team, task, hashes)
        for message in messages:
            at = message.event.occurred_at or 0
            twins = [twin for twin in stored[message.blob.hash] if twin.source == HOOK]
            twin = min(twins, key=lambda twin: abs(twin.created_at - at), default=None)
            if twin is not None and abs(twin.created_at - at) <= SAME_MESSAGE:
                stored[message.blob.hash].remove(twin)
                result.add(message.event_key)
    return result


def _is_copied_message(one: PreparedEvent) -> bool:
    """Return whether an event may be a message copied with its id and time."""
    event = one.event
    is_kept = event.portable and event.source is TRANSCRIPT and event.occurred_at is not None
    return is_kept and event.tool is None


def _repeated_messages(tx: Transaction, team: str, unknown: Sequence[PreparedEvent]) -> set[str]:
    """Return the keys of messages that another session has at the same time.

    A copy may have new ids and may not name its source. A single prompt or short answer may be
    identical by chance, as programs start sessions at the same time; a prompt and an answer
    together, or a long answer, count as copies.
    """
    same = [
        event
        for event in unknown
        if _is_copied_message(event)
        and observations.has_content_at(tx, team, event.blob.hash, event.event.occurred_at or 0)
    ]
    answers = [item for item in same if item.event.origin is Origin.AGENT]
    is_copied = bool(answers) and (
        len(answers) < len(same) or any(len(answer.event.text) >= DISTINCTIVE for answer in answers)
    )
    return {prepared_event.event_key for prepared_event in same} if is_copied else set()


def _late_copies(
    tx: Transaction, team: str, late: Sequence[PreparedEvent], known: set[str]
) -> set[str]:
    """Return the keys of copies without a time whose original is stored.

    A file may not name all sessions from which it was copied. Short messages, which people repeat,
    count as copies only if a call or a long message also has an original.
    """
    unknown = [prepared_event for prepared_event in late if known.isdisjoint(prepared_event.keys)]
    reported = {event.event_key for event in unknown if _is_reported(tx, team, event)}
    copies = [one for one in unknown if _has_original(tx, team, one)]
    if not any(copy.event.tool or len(copy.event.text) >= DISTINCTIVE for copy in copies):
        return reported
    return reported | {item.event_key for item in copies}


def _has_original(tx: Transaction, team: str, one: PreparedEvent) -> bool:
    """Return whether any session has stored the original of a copy."""
    at = one.event.occurred_at or 0
    return any(
        _has_same_content(one, namesake) and namesake.created_at <= at
        for key in one.copied_keys
        for namesake in observations.namesakes(tx, team, key)
    )


def _is_reported(tx: Transaction, team: str, one: PreparedEvent) -> bool:
    """Return whether a hook of the lineage reported a copied message."""
    event = one.event
    if event.tool is not None or not is_copied_key(event.key):
        return False
    found = [tasks.by_session(tx, team, event.host, session) for session in event.lineage]
    earlier = [
        twin
        for task in found
        if task is not None
        for twin in observations.same_content(tx, team, task.id, [one.blob.hash])[one.blob.hash]
        if twin.source == EventSource.HOOK and twin.created_at <= (event.occurred_at or 0)
    ]
    return time_of(event.key) < len(earlier)


def _is_stored(tx: Transaction, team: str, one: PreparedEvent) -> bool:
    """Return whether an event is stored in another session."""
    event = one.event
    if not event.portable:
        return False
    namesakes = observations.namesakes(tx, team, one.event_key)
    if any(_is_copy(one, namesake) for namesake in namesakes):
        return True
    # A fork gives prompts new ids, so known copies are found by content and time.
    if event.copied_to is None or event.occurred_at is None or event.tool is not None:
        return False
    return observations.has_content_at(tx, team, one.blob.hash, event.occurred_at)


def _has_same_content(one: PreparedEvent, namesake: SameKeyObservation) -> bool:
    if one.blob.hash == namesake.content_hash:
        return True
    made = namesake.tool, namesake.target
    return one.event.tool is not None and (one.event.tool, one.target) == made


def _is_copy(one: PreparedEvent, namesake: SameKeyObservation) -> bool:
    """Return whether an event is a copy of a stored observation.

    Only transcripts contain copies. A copy has the content and the time of its original, or a time
    close to it if a hook reported the original. Events with the same key but different content are
    different events.
    """
    if not _has_same_content(one, namesake):
        return False
    at, sources = one.event.occurred_at, {one.event.source, namesake.source}
    if at is None or EventSource.TRANSCRIPT not in sources:
        return False
    if sources == {EventSource.TRANSCRIPT}:
        return at == namesake.created_at
    return EventSource.HOOK in sources and abs(at - namesake.created_at) <= SAME_MESSAGE
