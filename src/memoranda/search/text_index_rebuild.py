"""Incremental rebuild of the full-text index after a change of analysis.

A migration queues a job for each team; each job processes some records and queues the next job.
Plain text without names in camelCase is skipped, as its analysis is unchanged. A record that has
not been processed yet is still found by the terms of the earlier analysis.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from memoranda.exceptions import StorageError
from memoranda.jobs import table as jobs
from memoranda.jobs.model import JobKind
from memoranda.language.lexemes import is_plain, name_parts
from memoranda.memories import table as memories
from memoranda.observations import content as contents, table as observations
from memoranda.search.index import SearchIndexer
from memoranda.search.model import RECORDS, HitKind
from memoranda.store.database import Database, TextEntry, Transaction

PAGE = 500
"""Number of records per transaction."""
AT_ONCE = 1_000
"""Number of records per job."""
PATIENCE = 1.5
"""Seconds that a process's first search may spend on pending jobs."""
_SPELT = re.compile("[\u0370-\u1dff\u2600-\u27bf\ua980-\uaaff\uff61-\uffdf\U00010000-\U0001faff]")
"""Characters whose terms differ from those of the earlier analysis.

They are combining signs, characters of scripts that have stemmers or no spaces, halfwidth kana, and
pictographs. Search entries of texts that contain them are recreated.
"""


class TextIndexUpdate:
    """Updates the full-text index. Each step is idempotent."""

    def __init__(self, database: Database, team: str, indexing: SearchIndexer) -> None:
        self._database = database
        self._team = team
        self._indexing = indexing
        self._done = False

    def follow(self, subject: str) -> str:
        """Index some records from a position; return the next position.

        Positions are ``observation:<id>`` or ``memory:<id>``; empty at the end.
        """
        kind, _, after = subject.partition(":")
        for _ in range(AT_ONCE // PAGE):
            after = self._database.write(partial(self._page, kind=kind, after=after))
            if not after:
                return ""
        return f"{kind}:{after}"

    def catch_up(self, work: Callable[[], int]) -> bool:
        """Run pending jobs with ``work``; return whether any remain.

        This takes at most about 1.5 s, once per process. A storage error ends it without an
        exception, so that the search does not fail.
        """
        if self._done:
            return False
        self._done = True
        until = time.monotonic() + PATIENCE
        with suppress(StorageError):
            while self._waits() and time.monotonic() < until and work():
                pass
            return self._waits()
        return False

    def rebuild(self) -> None:
        """Process all records."""
        for kind in RECORDS:
            place = f"{kind}:"
            while place:
                place = self.follow(place)

    def _waits(self) -> bool:
        kinds = {JobKind.INDEX_TEXT}
        return self._database.read(lambda tx: jobs.any_waiting(tx, self._team, kinds))

    def _page(self, tx: Transaction, kind: str, after: str) -> str:
        of_memories = kind == HitKind.MEMORY
        table = memories if of_memories else observations
        ids = table.ids_after(tx, self._team, after, PAGE)
        found = _memories if of_memories else _observed
        if changed := found(tx, self._team, ids):
            index = tx.text(kind)
            index.remove(self._team, [entry.id for entry in changed])
            index.add(changed)
            self._indexing.renew(
                tx, [o.id for o in changed if _SPELT.search(o.text) or name_parts(o.text)]
            )
        return ids[-1] if len(ids) == PAGE else ""


def _is_unchanged(text: str) -> bool:
    """Return whether all versions of the analysis index a text identically."""
    return is_plain(text) and not name_parts(text)


def _memories(tx: Transaction, team: str, ids: Sequence[str]) -> list[TextEntry]:
    """Return the new index entries of memories."""
    from memoranda.memories.memory_service import text_entry as memory_entry

    entries = map(memory_entry, memories.of_any_agent(tx, team, ids).values())
    return [entry for entry in entries if not _is_unchanged(entry.text)]


def _observed(tx: Transaction, team: str, ids: Sequence[str]) -> list[TextEntry]:
    """Return the new index entries of observations."""
    # Imported here because compiling their patterns takes a tenth of a second.
    from memoranda.capture.analysis.event_subjects import identifiers
    from memoranda.capture.event_preparation import indexed_part
    from memoranda.capture.observation_builder import text_entry
    from memoranda.observations.content import RECALLED_OUTPUT

    texts = contents.texts(tx, team, ids)
    found = observations.by_ids(tx, team, ids)
    entries = []
    for id, text in texts.items():
        if _is_unchanged(text) and _is_unchanged(found[id].summary):
            continue
        hidden = RECALLED_OUTPUT in text or not contents.HIDDEN.isdisjoint(found[id].tags)
        names = () if hidden else identifiers(text)
        entries.append(text_entry(found[id], indexed_part(text), names, hidden=hidden))
    return entries
