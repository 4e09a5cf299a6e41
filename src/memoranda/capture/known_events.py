"""Lookup of events that are stored already.

An event is known by its own session, or as the copy that a host made of it in another one.
"""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.capture.event import EventSource
from memoranda.capture.event_preparation import PreparedEvent
from memoranda.capture.sequencer import SAME_MESSAGE
from memoranda.observations import table as observations
from memoranda.observations.table import SameKeyObservation
from memoranda.store.database import Transaction


def known_keys(tx: Transaction, team: str, prepared: Sequence[PreparedEvent]) -> set[str]:
    """Return the keys of these events that were stored or forgotten before.

    For a copy that is stored under another session it is the event's own key.
    """
    keys = [key for one in prepared for key in one.keys]
    known = observations.known_keys(tx, team, keys)
    for one in prepared:
        if known.isdisjoint(one.keys) and _is_stored(tx, team, one):
            known.add(one.event_key)
    return known


def _is_stored(tx: Transaction, team: str, one: PreparedEvent) -> bool:
    """Return whether an event is stored under another session."""
    event = one.event
    if not event.portable:
        return False
    namesakes = observations.namesakes(tx, team, one.event_key)
    if any(_is_copy(one, namesake) for namesake in namesakes):
        return True
    # A fork gives prompts new ids, so what is known to be a copy is found by content and time.
    if event.copied_to is None or event.occurred_at is None or event.tool is not None:
        return False
    return observations.has_content_at(tx, team, one.blob.hash, event.occurred_at)


def _is_copy(one: PreparedEvent, namesake: SameKeyObservation) -> bool:
    """Return whether an event is a copy of a stored observation.

    It is then the same event in another session. Only transcripts copy. Copies keep content and
    time, and a hook's clock is close to it; events with the same key but different content are not
    the same, regardless of the source of the key.
    """
    same = one.blob.hash == namesake.content_hash
    if one.event.tool is not None and not same:
        same = (one.event.tool, one.target) == (namesake.tool, namesake.target)
    if not same:
        return False
    at, sources = one.event.occurred_at, {one.event.source, namesake.source}
    if at is None or EventSource.TRANSCRIPT not in sources:
        return False
    if sources == {EventSource.TRANSCRIPT}:
        return at == namesake.created_at
    return EventSource.HOOK in sources and abs(at - namesake.created_at) <= SAME_MESSAGE
