"""Recognition of a transcript's events that hooks reported without their ids.

Gemini CLI gives its hooks no id of a call, and joins what the agent said in a turn to one message.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from memoranda.capture import completion_table as completions
from memoranda.capture.completion_table import StoredCall
from memoranda.capture.event import EventSource
from memoranda.capture.event_preparation import PreparedEvent
from memoranda.clock import LATEST, MICROSECONDS
from memoranda.observations import table as observations
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks

HOOK, TRANSCRIPT = EventSource.HOOK, EventSource.TRANSCRIPT
SLACK = 1 * MICROSECONDS
"""Maximum difference of the clocks of hook and transcript."""
BATCH = 120 * MICROSECONDS
"""Maximum time from a call's end to that of the calls made with it, where it is not known."""
TURN = 86_400 * MICROSECONDS
"""Maximum length of a turn."""


def reported_keys(tx: Transaction, team: str, unknown: Sequence[PreparedEvent]) -> set[str]:
    """Return the keys of events that the other source of their session reported.

    Those of a transcript may be known from hooks, and calls without an id from the transcript.
    """
    found: set[str] = set()
    matched = [one for one in unknown if one.event.occurred_at and _is_matched(one)]
    by_session = groupby(matched, lambda one: (one.event.host, one.event.session))
    for (host, session), group in by_session:
        task = tasks.by_session(tx, team, host, session)
        if task is not None:
            events = list(group)
            for source, other in ((TRANSCRIPT, HOOK), (HOOK, TRANSCRIPT)):
                calls = [one for one in events if one.event.tool and one.event.source is source]
                found |= _calls(tx, team, task.id, calls, other)
            found |= _messages(tx, team, task.id, [one for one in events if one.reported_hashes])
    return found


def _is_matched(one: PreparedEvent) -> bool:
    event = one.event
    unnumbered = event.source is HOOK and event.tool is not None and not event.portable
    return unnumbered or event.hook_report is not None


def _calls(
    tx: Transaction, team: str, task: str, calls: Sequence[PreparedEvent], other: EventSource
) -> set[str]:
    """Match each call with one of the other source: of the same content, else target."""
    if not calls:
        return set()
    spans = [_span(one) for one in calls]
    whole = range(min(span.start for span in spans), max(span.stop for span in spans))
    left = completions.calls(tx, team, task, other, whole)
    known: set[str] = set()
    for alike in (_has_content, _has_target):
        for one, span in zip(calls, spans, strict=True):
            if one.event_key in known:
                continue
            near = [call for call in left if call.created_at in span and alike(one, call)]
            if near:
                at = one.event.occurred_at or 0
                left.remove(min(near, key=lambda call: abs(call.created_at - at)))
                known.add(one.event_key)
    return known


def _span(one: PreparedEvent) -> range:
    """Return when the other source may have reported a call.

    A hook does at its end; a transcript has it when all calls that were made with it have ended.
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
    hashes = list({hash for one in messages for hash in one.reported_hashes})
    stored = observations.same_content(tx, team, task, hashes) if hashes else {}
    return {
        one.event_key
        for one in messages
        for hash in one.reported_hashes
        for twin in stored.get(hash, ())
        if twin.source == HOOK and -SLACK <= twin.created_at - (one.event.occurred_at or 0) <= TURN
    }
