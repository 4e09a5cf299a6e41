"""Preparation of an event before the store is read.

Cleaning, summarising, extraction, compression and counting take far longer than writing an event,
so they are done outside the transaction, which thus remains short.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memoranda.capture.analysis import event_subjects as extraction
from memoranda.capture.analysis.constraints import constraints
from memoranda.capture.analysis.failures import CallFailure, failure
from memoranda.capture.analysis.line_search import distinct_lines
from memoranda.capture.analysis.salience import salience
from memoranda.capture.analysis.summary import summarise
from memoranda.capture.event import REWOUND, Event, EventKind, EventSource
from memoranda.capture.hosts.event_keys import counterpart_keys, is_shared_key
from memoranda.capture.hosts.question_answers import QUESTION_TOOLS
from memoranda.capture.media import described
from memoranda.capture.redaction.event_cleaner import CleanedEvent, EventCleaner
from memoranda.errors.open_errors import CapturedCall
from memoranda.errors.resolution_rules import is_negative_probe
from memoranda.observations.blob_table import Blob
from memoranda.observations.content import DOING, call_text, tool_content
from memoranda.observations.model import ContentFormat, ObservationType, Origin, Salience
from memoranda.observations.table import IDENTITY_DIGITS, content_key, copied_key
from memoranda.ports import TokenCounter
from memoranda.quarantine.capture_filter import quarantine_reason

INDEXED_HEAD = 48_000
INDEXED_MIDDLE = 32_000
INDEXED_TAIL = 16_000
"""Maximum number of characters of content in the full-text index.

The index covers the beginning, the end, and distinct lines of the middle, error lines first. The
content itself is stored completely.
"""

DECIDING_TOOLS = frozenset({"ExitPlanMode", "AskUserQuestion"})
"""Tools whose result is a person's decision."""

EXCLUDED = "excluded"
HIDDEN = frozenset({EXCLUDED, "recalled"})

_NONE = frozenset[str]()


@dataclass(frozen=True, slots=True)
class PreparedEvent:
    """A cleaned event with all values that are derived from it alone."""

    event: Event
    event_key: str
    removed: Mapping[str, int]
    type: ObservationType
    blob: Blob
    format: ContentFormat
    text: str
    """Text for the full-text index."""
    identifiers: tuple[str, ...]
    summary: str
    tags: tuple[str, ...]
    files: tuple[str, ...]
    constraints: tuple[str, ...]
    target: str | None
    salience: Salience
    doubt: str | None
    """Reason for the quarantine of the event, if any."""
    tokens: int
    reported_hashes: tuple[str, ...] = ()
    """Hashes of messages in which a hook may have reported this event."""
    unkept: CapturedCall | None = None
    """The original of an excluded call; it is never stored but may resolve errors."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys with which this event may be stored or forgotten."""
        event = self.event
        keys = list(_known_keys(event))
        if self.type is ObservationType.MESSAGE and event.source is not EventSource.API:
            keys.append(content_key(event.host, event.session, self.blob.hash))
        if event.portable and event.occurred_at is not None:
            keys.append(copied_key(self.event_key, event.occurred_at))
        return tuple(keys)

    def readable(self) -> str:
        """Return the full tool call or message in readable form."""
        return _text(self.event)

    @property
    def pending_keys(self) -> frozenset[str]:
        """Keys with which the call of a result may be stored as pending."""
        return frozenset(_hashed(self.event, _counterparts(self.event)))

    @property
    def provisional_keys(self) -> frozenset[str]:
        """Keys with which a copy of the event may have been stored before.

        If this event itself is a copy, the keys are those in the session of the copy.
        """
        event = self.event
        keys = [k for k in (event.key, *event.former_keys) if is_shared_key(k, late=False)]
        if event.is_late:
            own = replace(event, session=event.copied_to or event.session, copied_to=None)
            return frozenset(_hashed(replace(own, lineage=()), keys)) if event.copied_to else _NONE
        return frozenset(_hashed(event, keys))

    @property
    def copied_keys(self) -> tuple[str, ...]:
        """Keys that a possible original has.

        Only the first half of each key (host and key) is significant.
        """
        event = self.event
        keys = (event.key, *event.former_keys, *_counterparts(event))
        shared = [key for key in keys if is_shared_key(key, late=True)]
        return tuple(_event_key(event.host, event.session, key) for key in shared)

    @property
    def emptied(self) -> bool:
        """Whether the event is a message with only text recalled from Memoranda."""
        spoken = self.event.kind is EventKind.MESSAGE
        return spoken and bool(self.removed.get("recalled")) and not self.event.text.strip()

    @property
    def hidden(self) -> bool:
        """Whether the content is hidden: excluded, or only text from Memoranda."""
        return bool(HIDDEN & set(self.event.tags))


class EventPreparer:
    """Converts events to prepared events; stateless and thread-safe."""

    def __init__(self, cleaner: EventCleaner, counter: TokenCounter) -> None:
        self._cleaner = cleaner
        self._counter = counter

    def name(self, name: str) -> str:
        """Return a name as it is stored: without secrets and private spans."""
        return self._cleaner.name(name)

    def prepare(self, events: Sequence[Event], root: str | None = None) -> list[PreparedEvent]:
        """Prepare events in order.

        File paths are relative to the folder ``root``.
        """
        whole = [described(event) for event in events]
        cleaned = [self._cleaner.clean(event) for event in whole]
        texts = [_text(item.event) for item in cleaned]
        tokens = self._counter.count_many(texts)
        prepared = [
            _prepared(cleaned_event, root, text, count, _unkept(event, cleaned_event.event, root))
            for event, cleaned_event, text, count in zip(whole, cleaned, texts, tokens, strict=True)
        ]
        return [
            replace(prepared_event, reported_hashes=self._reported(event))
            if event.hook_report
            else prepared_event
            for event, prepared_event in zip(whole, prepared, strict=True)
        ]

    def _reported(self, event: Event) -> tuple[str, ...]:
        """Return the hashes of a hook's possible messages after cleaning."""
        texts = event.hook_report.texts if event.hook_report else ()
        cleaned = (self._cleaner.clean(replace(event, text=text)).event.text for text in texts)
        return tuple(Blob.of(text).hash for text in cleaned)


def event_key(event: Event) -> str:
    """Return the hash of an event's identity, 32 hexadecimal digits.

    The first half is a hash of host and key, which are identical in copies made by the host; the
    second half covers the session as well.
    """
    return _event_key(event.host, event.session, event.key)


def _event_key(host: str, session: str, key: str) -> str:
    identity = _digest(host, key)[:IDENTITY_DIGITS]
    return identity + _digest(host, session, key)[:IDENTITY_DIGITS]


def _known_keys(event: Event) -> Iterator[str]:
    """Yield all keys with which an event may be stored, its own first."""
    return _hashed(event, (event.key, *event.former_keys, *_counterparts(event)))


def _counterparts(event: Event) -> tuple[str, ...]:
    """Return the keys of a numbered tool call with and without its result."""
    is_numbered = event.kind is EventKind.TOOL_RESULT and event.source is not EventSource.API
    return counterpart_keys(event.key) if is_numbered else ()


def _hashed(event: Event, keys: Sequence[str]) -> Iterator[str]:
    sessions = dict.fromkeys((event.session, event.copied_to or event.session))
    for session in sessions:
        for key in keys:
            yield _event_key(event.host, session, key)
            yield _digest(event.host, session, key)[:32]  # hash format of version 1
    shared = [key for key in keys if is_shared_key(key, late=event.is_late)]
    for session in event.lineage:
        for key in shared:
            yield _event_key(event.host, session, key)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


def _unkept(event: Event, clean: Event, root: str | None) -> CapturedCall | None:
    """Return the original of an excluded tool call; None for any other event."""
    if EXCLUDED not in clean.tags or event.kind is not EventKind.TOOL_RESULT:
        return None
    target, text = extraction.target(event, root), _text(event)
    failed = event.failed or failure(text, event.tool, event.failed) is not None
    return CapturedCall(target, lambda: text, failed) if target else None


def _prepared(
    cleaned: CleanedEvent, root: str | None, text: str, tokens: int, unkept: CapturedCall | None
) -> PreparedEvent:
    event = cleaned.event
    content, form = _content(event)
    failed = _failure(event, text) if _is_outcome(event) else None
    target = extraction.target(event, root)
    is_routine = is_negative_probe(target, failed)
    return PreparedEvent(
        event=event,
        event_key=event_key(event),
        removed=dict(cleaned.removed),
        type=_type(event, failed),
        blob=Blob.of(content),
        format=form,
        text=indexed_part(text),
        identifiers=extraction.identifiers(text),
        summary=_summary(event, text),
        tags=extraction.tags(event, text, failed),
        files=extraction.files(event, text, root),
        constraints=constraints(text) if _is_spoken(event) else (),
        target=target,
        salience=Salience.LOW if is_routine else salience(event, text, failed),
        doubt=quarantine_reason(event) if HIDDEN.isdisjoint(event.tags) else None,
        tokens=tokens,
        unkept=unkept,
    )


def _summary(event: Event, text: str) -> str:
    if EXCLUDED in event.tags:
        return f"{event.tool or event.kind}: content excluded from capture"
    return summarise(event, text)


def _failure(event: Event, text: str) -> CallFailure | None:
    """Find the failure in an outcome, ignoring the recorded action."""
    outcome = text.partition(f"\n{DOING}")[0] if event.tool is None else text
    return failure(outcome, event.tool, event.failed)


def _is_outcome(event: Event) -> bool:
    return event.kind in (EventKind.TOOL_RESULT, EventKind.ERROR)


def _is_spoken(event: Event) -> bool:
    is_message = event.kind is EventKind.MESSAGE and event.origin is Origin.HUMAN
    return is_message and event.branch != REWOUND


def _is_call(event: Event) -> bool:
    return event.kind is EventKind.TOOL_RESULT or (
        event.kind is EventKind.TOOL_CALL and event.tool is not None
    )


def _text(event: Event) -> str:
    if _is_call(event):
        return call_text(event.tool or "tool", event.input, event.output)
    return event.text


def _content(event: Event) -> tuple[str, ContentFormat]:
    if _is_call(event):
        return tool_content(event.tool, event.input, event.output), ContentFormat.TOOL
    return event.text, ContentFormat.TEXT


def _type(event: Event, failed: CallFailure | None) -> ObservationType:
    if event.failed and event.source is EventSource.API:
        # regardless of the type that the caller states: a failed step is an error
        return ObservationType.ERROR
    if event.type is not None:
        return event.type
    if failed or event.failed or event.kind is EventKind.ERROR:
        return ObservationType.ERROR
    if _is_call(event):
        decided = event.tool in DECIDING_TOOLS or _is_answered(event)
        return ObservationType.DECISION if decided else ObservationType.TOOL_CALL
    return ObservationType.MESSAGE


def _is_answered(event: Event) -> bool:
    """Return whether a person answered the questions of a question tool."""
    answers = event.output.get("answers") if isinstance(event.output, dict) else None
    return event.tool in QUESTION_TOOLS and bool(answers)


def indexed_part(text: str) -> str:
    """Return the part of content that is in the full-text index.

    This part consists of the beginning, the end, and lines of the middle that differ not only in
    numbers.
    """
    if len(text) <= INDEXED_HEAD + INDEXED_TAIL:
        return text
    middle = distinct_lines(text[INDEXED_HEAD:-INDEXED_TAIL], INDEXED_MIDDLE)
    return "\n".join((text[:INDEXED_HEAD], *middle, text[-INDEXED_TAIL:]))
