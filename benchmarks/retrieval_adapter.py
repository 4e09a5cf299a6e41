"""Adapter of Memoranda for retrieval benchmarks, over its Python API.

`Adapter` takes items with an id, a text, a timestamp and metadata (session, speaker) and returns
ids, best first. A session becomes a task; a speaker called user or assistant becomes that role, any
other a person who takes part in the conversation.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.clock import MICROSECONDS
from memoranda.config import load_settings
from memoranda.observations.model import Origin
from memoranda.observations.table import ObservationFilter
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind

ROLES = {"user": Origin.HUMAN, "human": Origin.HUMAN}
ASSISTANTS = frozenset({"assistant", "ai", "system", "tool"})
EVERYTHING = ObservationFilter(with_repeats=True)
DATES = ("%Y-%m-%d", "%B-%d-%Y", "%B %d, %Y")


class Adapter:
    """One store per instance; added items are searchable at the next search."""

    name = "memoranda"

    def __init__(self, **settings: object) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="memoranda-retrieval-")
        values = load_settings({"data_dir": self._folder.name, **settings})
        self._memory = Memoranda.open(settings=values, workspace="benchmark")
        self._ids: dict[str, str] = {}
        self._added: dict[str, list[str]] = defaultdict(list)
        self._day = 0
        self._waiting = False

    def add(self, items: Sequence[Any]) -> None:
        """Store items in order."""
        events = [self._event(item) for item in items]
        for event in events:
            self._added[event.session].append(event.key)
        self._memory.capture.take(events)
        self._waiting = True

    def search(self, query: str, k: int) -> list[str]:
        """Return the ids of the best items, best first."""
        if self._waiting:
            self._settle()
        where = SearchFilter(kinds=(HitKind.OBSERVATION,))
        # Only the order is measured: every question has an answer among the items.
        found = self._memory.search(query, where=where, limit=k, min_score=0)
        return [self._ids[hit.id] for hit in found.hits]

    def close(self) -> None:
        """Close the store and delete it."""
        self._memory.close()
        self._folder.cleanup()

    def _settle(self) -> None:
        """Run the derived work, and map each item to its stored id."""
        self._memory.index.reembed()
        self._waiting = False
        for task in self._memory.tasks.list(limit=1000):
            keys = iter(self._added[task.session])
            cursor: str | None = None
            while True:
                page = self._memory.observations.list(
                    task=task.id, where=EVERYTHING, cursor=cursor, limit=1000
                )
                self._ids |= {seen.id: key for seen, key in zip(page, keys, strict=False)}
                cursor = page.cursor
                if not cursor:
                    break

    def _event(self, item: Any) -> Event:
        speaker = str(item.metadata.get("speaker") or "")
        body = item.text.removeprefix(f"{speaker}: ") if speaker else item.text
        role = speaker.lower()
        origin = Origin.AGENT if role in ASSISTANTS else Origin.HUMAN
        person = role and role not in ROLES and role not in ASSISTANTS
        return Event(
            kind=EventKind.MESSAGE,
            host="benchmark",
            session=str(item.metadata.get("session") or "session"),
            source=EventSource.API,
            key=item.id,
            origin=origin,
            occurred_at=self._time(item.timestamp),
            agent=speaker if person else "main",
            text=body or " ",
        )

    def _time(self, timestamp: str) -> int:
        """Return microseconds since the epoch, or the previous item's time."""
        for text, form in (
            (timestamp[:10], DATES[0]),
            (timestamp, DATES[1]),
            (timestamp, DATES[2]),
        ):
            try:
                moment = datetime.strptime(text, form).replace(tzinfo=UTC)
            except ValueError:
                continue
            self._day = int(moment.timestamp()) * MICROSECONDS
            break
        return self._day
