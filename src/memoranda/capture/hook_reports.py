"""Recognition of a transcript's events that hooks reported without their ids.

Gemini CLI gives its hooks no id of a call, and joins what the agent said in a turn to one message.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from memoranda.capture import completion_table as completions
from memoranda.capture.completion_table import HookCall
from memoranda.capture.event import EventSource
from memoranda.capture.event_preparation import PreparedEvent
from memoranda.clock import LATEST, MICROSECONDS
from memoranda.observations import table as observations
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks

SLACK = 1 * MICROSECONDS
"""Maximum difference of the clocks of hook and transcript."""
TURN = 86_400 * MICROSECONDS
"""Maximum length of a turn."""


def reported_keys(tx: Transaction, team: str, unknown: Sequence[PreparedEvent]) -> set[str]:
    """Return the keys of events that hooks of their session reported."""
    found: set[str] = set()
    reported = [one for one in unknown if one.event.hook_report and one.event.occurred_at]
    for (host, session), group in groupby(
        reported, lambda one: (one.event.host, one.event.session)
    ):
        task = tasks.by_session(tx, team, host, session)
        if task is not None:
            events = list(group)
            found |= _calls(tx, team, task.id, [one for one in events if one.event.tool])
            found |= _messages(tx, team, task.id, [one for one in events if one.reported_hash])
    return found


def _calls(tx: Transaction, team: str, task: str, calls: Sequence[PreparedEvent]) -> set[str]:
    """Match each call with one report: of the same content, else of the same target."""
    if not calls:
        return set()
    spans = [_span(one) for one in calls]
    since, until = min(span.start for span in spans), max(span.stop for span in spans)
    left = completions.hook_calls(tx, team, task, since, until)
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
    at = one.event.occurred_at or 0
    since = one.event.hook_report.since if one.event.hook_report else None
    return range((at if since is None else min(since, at)) - SLACK, min(at, LATEST) + SLACK + 1)


def _has_content(one: PreparedEvent, call: HookCall) -> bool:
    return one.blob.hash == call.content_hash


def _has_target(one: PreparedEvent, call: HookCall) -> bool:
    return one.target is not None and one.target == call.target


def _messages(tx: Transaction, team: str, task: str, messages: Sequence[PreparedEvent]) -> set[str]:
    hashes = list({one.reported_hash for one in messages if one.reported_hash})
    stored = observations.same_content(tx, team, task, hashes) if hashes else {}
    return {
        one.event_key
        for one in messages
        for twin in stored.get(one.reported_hash or "", ())
        if twin.source == EventSource.HOOK
        and -SLACK <= twin.created_at - (one.event.occurred_at or 0) <= TURN
    }
