"""One transcript of the Claude Agent SDK, stored as documents.

The documents are: the state (``m/project/session``, of a subagent ``s/project/session/subpath``),
the entries (``e/project/session/subpath/number``), and a marker for each uuid
(``u/project/session/subpath/first number/hash of the uuid``). Every change updates the state in the
same transaction and checks the state's version, so that concurrent appends are serialised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import takewhile
from typing import Any, Self, cast

from memoranda.documents.model import Document, NewDocument
from memoranda.exceptions import Conflict, CorruptData
from memoranda.integrations.document_keys import below, exact, joined
from memoranda.integrations.document_space import DocumentSpace, foreign, portions
from memoranda.json_data import checked_json

SESSIONS, SUBAGENTS, ENTRIES, UUIDS = "m", "s", "e", "u"
"""First parts of keys."""
DIGITS = 12
MAXIMUM = 499
"""Maximum number of entries per transaction; each may add a uuid marker."""
GONE_SECONDS = 3_600
"""Seconds for which the last number of a deleted transcript is kept."""
Entry = Mapping[str, Any]
Fold = Callable[[Any, Any, Any], Mapping[str, Any]]
"""Function that folds entries into a summary.

The arguments are the previous summary or None, the key and the new entries; the function returns
the new summary.
"""


@dataclass(frozen=True, slots=True)
class TranscriptState:
    """State of a transcript.

    The entries are numbered from ``first`` up to, but not including, ``next``; numbers are never
    reused, even after a deletion.
    """

    first: int = 0
    next: int = 0
    summary: Any = None
    through: int = 0
    """Number of the entry after the last one covered by the summary."""
    version: int = 0
    modified: int = 0
    """Time of the last append, in milliseconds since the epoch."""

    @classmethod
    def of(cls, document: Document) -> Self:
        """Parse a document.

        Raises:
            CorruptData: another program wrote the document.
        """
        times = {"version": document.version, "modified": document.updated_at // 1_000}
        try:
            return cls(**cast(Any, document.value), **times)
        except TypeError:
            raise foreign(document) from None

    @property
    def entries(self) -> int:
        """Return the number of entries."""
        return self.next - self.first

    @property
    def summed(self) -> bool:
        """Return whether the summary covers all entries."""
        return self.summary is not None and self.through == self.next

    def under(self, key: str, ttl: int | None = None) -> NewDocument:
        """Return the document that replaces the one this state was read from."""
        fields = ("first", "next", "summary", "through")
        value = {name: getattr(self, name) for name in fields}
        return NewDocument(key, value, ttl, self.version)


@dataclass(frozen=True, slots=True)
class Transcript:
    """Entries of a session or of one of its subagents."""

    shelf: DocumentSpace
    project: str
    session: str
    subpath: str = ""

    @property
    def key(self) -> str:
        """Return the key of the state's document."""
        place = (self.project, self.session)
        return joined(SUBAGENTS, *place, self.subpath) if self.subpath else joined(SESSIONS, *place)

    def append(self, entries: Sequence[Entry], fold: Fold | None) -> None:
        """Append entries, except those with an existing uuid."""
        exact(self._entry(0))
        checked = [checked_json(dict(entry)) for entry in entries]
        for some in portions(checked, lambda one: one, MAXIMUM):
            while not self._appended(some, fold):
                pass

    def load(self) -> list[Entry] | None:
        """Return the entries in order; None if there are none.

        Raises:
            CorruptData: some entries are missing.
        """
        while True:
            state = self._state()
            found = self._entries(state)
            if len(found) == state.entries:
                return found or None
            if self._state().version == state.version:
                raise CorruptData(f"entries of session {self.session!r} are missing")

    def delete(self) -> None:
        """Delete the existing entries. Idempotent.

        An interrupted call can be repeated.
        """
        while (state := self._state()).version:
            transcript_state = TranscriptState(
                state.next, state.next, None, state.next, state.version
            )
            try:
                deleted = self.shelf.put_together([transcript_state.under(self.key)])
            except Conflict:  # another process appended
                continue
            self._sweep(ENTRIES, self._entry(state.next))
            self._sweep(UUIDS, self._marks(state.next))
            transcript_state = replace(transcript_state, version=deleted[0].version)
            with suppress(Conflict):  # entries were appended again in the meantime
                self.shelf.put_together([transcript_state.under(self.key, GONE_SECONDS)])
            return

    def _sweep(self, kind: str, end: str) -> None:
        keys = self.shelf.keys(self._below(kind))
        self.shelf.delete(list(takewhile(lambda key: key < end, keys)))

    def _appended(self, entries: Sequence[Any], fold: Fold | None) -> bool:
        """Append entries; return False if a concurrent change prevented it."""
        state = self._state()
        marks = [self._mark(state.first, item.get("uuid")) for item in entries]
        there = {document.key for document in self.shelf.get([*filter(None, marks)])}
        fresh, new = list[str](), list[Any]()
        for entry, mark in zip(entries, marks, strict=True):
            if mark is None or mark not in there:
                new.append(entry)
                fresh += [mark] if mark else []
                there.add(mark or "")
        if not new:
            return True
        documents = [
            self._after(state, new, fold).under(self.key),
            *(NewDocument(self._entry(state.next + at), one) for at, one in enumerate(new)),
            *(NewDocument(mark, True) for mark in fresh),
        ]
        try:
            self.shelf.put_together(documents)
        except Conflict:
            return False
        return True

    def _after(
        self, state: TranscriptState, new: Sequence[Entry], fold: Fold | None
    ) -> TranscriptState:
        """Return the state after adding entries.

        Subagents add nothing to the properties of a session.
        """
        after = replace(state, next=state.next + len(new))
        if self.subpath or fold is None:
            return after
        whole = state.through == state.next
        before = {"session_id": self.session, "mtime": state.modified, "data": state.summary}
        summed = fold(
            before if whole and state.summary is not None else None,
            {"project_key": self.project, "session_id": self.session},
            list(new) if whole else [*self._entries(state), *new],
        )
        return replace(after, summary=summed["data"], through=after.next)

    def _state(self) -> TranscriptState:
        documents = self.shelf.get([self.key])
        return TranscriptState.of(documents[0]) if documents else TranscriptState()

    def _entries(self, state: TranscriptState) -> list[Entry]:
        if not state.entries:
            return []
        beyond = self._entry(state.first - 1) if state.first else None
        documents = self.shelf.listed(self._below(ENTRIES), beyond=beyond)
        end = self._entry(state.next)
        return [
            cast(Entry, item.value)
            for item in takewhile(lambda document: document.key < end, documents)
        ]

    def _below(self, kind: str) -> str:
        return below([kind, self.project, self.session, self.subpath])

    def _entry(self, number: int) -> str:
        return f"{self._below(ENTRIES)}{number:0{DIGITS}}"

    def _marks(self, first: int) -> str:
        return f"{self._below(UUIDS)}{first:0{DIGITS}}/"

    def _mark(self, first: int, uuid: object) -> str | None:
        if not uuid or not isinstance(uuid, str):
            return None
        return self._marks(first) + sha256(uuid.encode("utf-8", "replace")).hexdigest()[:32]
