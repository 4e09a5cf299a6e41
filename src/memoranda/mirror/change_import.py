"""Imports the changes that people made to mirror files into the store.

Each file is imported in one transaction, which also records that the content of the file is stored.
As a result, nothing is stored twice, and a change that is not stored yet is never overwritten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from memoranda.exceptions import InvalidInput, ProfileFull
from memoranda.memories import table as memories
from memoranda.memories.memory_service import Memories, NewMemory
from memoranda.memories.memory_writer import MemoryChanges, archived, edited
from memoranda.memories.model import Category, Memory, MemorySource, MemoryStatus, Visibility
from memoranda.mirror import table as mirrors
from memoranda.mirror.folder import digest
from memoranda.mirror.markdown import MarkdownEntry, MarkdownPage, escaped, hash_of
from memoranda.mirror.model import FileKind, MirrorFile, MirrorNote, MirrorReport
from memoranda.observations.model import Origin
from memoranda.proposals.decisions import Proposals
from memoranda.proposals.model import MemoryEdit, MemoryState, ProposalKind
from memoranda.scope import Scope
from memoranda.store.database import Transaction

Beside = Callable[[str, bytes], str]
"""Function that stores content next to the file at a path, unless it is already there, and returns
the path of the copy.
"""


@dataclass(frozen=True, slots=True)
class ChangedPage:
    """Page that a person has changed."""

    path: str
    hash: str
    page: MarkdownPage
    category: Category
    scope: Scope
    row: MirrorFile | None
    """Record of the page; None if the mirror did not write the file."""
    known: Mapping[str, frozenset[str]]
    """Known hashes of the entries, by id of the memories in the mirror."""


@dataclass(slots=True)
class _IntakeTransaction:
    """State of the transaction that imports one file."""

    tx: Transaction
    file: ChangedPage
    now: int
    found: Mapping[str, Memory]
    report: MirrorReport = field(default_factory=MirrorReport)
    rows: list[MirrorFile] = field(default_factory=list)
    stands: dict[str, str] = field(default_factory=dict)
    """Hash of the current state in the store, by id of the memories in the file."""

    def note(self, what: str) -> None:
        self.report.notes.append(MirrorNote(self.file.path, what, self.now))


class MirrorIntake:
    """Imports what people wrote into pages."""

    def __init__(
        self, book: Memories, changes: MemoryChanges, waiting: Proposals, write_beside: Beside
    ) -> None:
        self._book = book
        self._changes = changes
        self._proposals = waiting
        self._beside = write_beside

    def take(
        self, tx: Transaction, file: ChangedPage, deleted: Collection[str], now: int
    ) -> MirrorReport:
        """Import a page: changed entries, new entries and removed entries.

        ``deleted`` are the ids of removed entries.
        """
        team, page = file.scope.team, file.page
        ids = [*{entry.id for entry in page.entries if entry.id}, *deleted]
        taking = _IntakeTransaction(tx, file, now, memories.by_ids(tx, team, ids, None))
        if page.before:
            self._add(taking, MarkdownEntry("", page.before))
        seen: dict[str, MarkdownEntry] = {}
        for entry in page.entries:
            if entry.id is None:
                self._add(taking, entry)
            elif entry.id not in seen:
                seen[entry.id] = entry
                self._entry(taking, entry, entry.id)
            elif entry.hash not in {seen[entry.id].hash, entry.written}:  # a modified copy
                self._add(taking, entry)
        for id in deleted:
            self._propose_archiving(taking, id)
        row = MirrorFile(
            team,
            file.path,
            FileKind.PAGE,
            file.row.subject if file.row else "",
            file.hash,
            {id: _known_of(entry, taking.stands.get(id)) for id, entry in seen.items()},
            now,
        )
        mirrors.put_files(tx, [row, *taking.rows])
        return taking.report

    def _entry(self, taking: _IntakeTransaction, entry: MarkdownEntry, id: str) -> None:
        memory = taking.found.get(id)
        seen, stood = _seen(entry, taking.file.known.get(id, frozenset()))
        if memory:
            taking.stands[id] = stood
        if entry.hash == seen:
            return
        if memory is None:
            if id in taking.file.known:
                taking.note("a changed entry was ignored, because its memory was forgotten")
            else:
                self._add(taking, entry)
        elif not entry.text:
            self._propose_archiving(taking, id)
        elif entry.hash != (stored_hash := hash_of(memory.title, memory.content)):
            mine = stored_hash in (seen, stood) and memory.status is MemoryStatus.APPROVED
            self._edit(taking, entry, memory, alone=mine)

    def _edit(
        self, taking: _IntakeTransaction, entry: MarkdownEntry, memory: Memory, *, alone: bool
    ) -> None:
        """Change a memory; propose the change if the store has also changed it."""
        state, scope = MemoryState.of(memory), taking.file.scope
        reason = f"edited in the mirror: {taking.file.path}"
        try:
            after = edited(state, self._changes.cleaned(_edit_of(entry, memory)))
            if after == state:
                return
            if alone:
                made = self._changes.change(
                    taking.tx, memory, after, scope.actor, reason, taking.now
                )
                taking.stands[memory.id] = hash_of(made.title, made.content)
                taking.report.edited.append(memory.id)
                return
        except (InvalidInput, ProfileFull) as error:
            self._conflict(taking, entry, memory.id, f"could not be imported: {error}")
            return
        path = self._conflict(
            taking, entry, memory.id, "was changed here and in the store; see pending"
        )
        note = f"also changed in the store; the text in the mirror: {path}"
        kind = ProposalKind.UPDATE
        self._proposals.put(taking.tx, scope, kind, memory, after, self._changes.clean_note(note))
        taking.report.proposed.append(memory.id)

    def _add(self, taking: _IntakeTransaction, entry: MarkdownEntry) -> None:
        """Store a memory that a person wrote into the file."""
        file = taking.file
        new = NewMemory(
            entry.text or entry.title,
            title=entry.title or None,
            category=file.category,
            visibility=Visibility.WORKSPACE if file.scope.workspace else Visibility.TEAM,
            source=MemorySource.MANUAL,
        )
        try:
            memory = self._book.add(taking.tx, new, file.scope, Origin.HUMAN, file.scope.actor)
        except (InvalidInput, ProfileFull) as error:
            self._conflict(taking, entry, "", f"could not be imported: {error}")
            return
        taking.report.added.append(memory.id)

    def _propose_archiving(self, taking: _IntakeTransaction, id: str) -> None:
        memory = taking.found.get(id)
        if memory is None or memory.status is not MemoryStatus.APPROVED:
            return
        try:
            after = archived(MemoryState.of(memory))
        except InvalidInput:
            taking.note("the entry of a protected memory was removed; it will be written again")
            return
        reason = self._changes.clean_note(f"removed from the mirror: {taking.file.path}")
        scope, kind = taking.file.scope, ProposalKind.ARCHIVE
        self._proposals.put(taking.tx, scope, kind, memory, after, reason)
        taking.report.proposed.append(id)

    def _conflict(
        self, taking: _IntakeTransaction, entry: MarkdownEntry, id: str, what: str
    ) -> str:
        """Store a conflicting entry next to its file, without secrets."""
        file = taking.file
        title, clean_title = self._changes.clean(entry.title), self._changes.clean(entry.text)
        text = f"## {title}\n\n{escaped(clean_title)}\n"
        path = self._beside(file.path, text.encode())
        entries = {id: entry.hash} if id else {}
        taking.rows.append(conflict_row(file.scope.team, path, id, text, entries, taking.now))
        taking.report.conflicts.append(path)
        taking.note(f"{what}; kept as {path.rpartition('/')[2]}")
        return path


def conflict_row(
    team: str, path: str, subject: str, text: str, entries: Mapping[str, str], now: int
) -> MirrorFile:
    """Return the record of a text that is stored next to a file."""
    return MirrorFile(team, path, FileKind.CONFLICT, subject, digest(text.encode()), entries, now)


def _known_of(entry: MarkdownEntry, stored_hash: str | None) -> str:
    """Return the updated record of an entry.

    The record contains the hash of the entry's text and, if a person has changed the entry, the
    hash of the text for which its marker was written and the hash of the state in the store.
    """
    if entry.hash == entry.written:
        return entry.hash
    return f"{entry.hash}<{entry.written}<{stored_hash or entry.hash}"


def _seen(entry: MarkdownEntry, hashes: Collection[str]) -> tuple[str, str]:
    """Return the hashes of text and state that an entry was edited from.

    The state is that of the store when the entry was written. The hash of the text is taken from
    the marker, because an editor may have kept the file open while it was rewritten. If the
    person's own text was already imported under that marker, the hash of that text is returned.
    """
    for item in hashes:
        text, _, rest = item.partition("<")
        marker, _, stored_hash = rest.partition("<")
        if marker == entry.written:
            return text, stored_hash
    return entry.written, entry.written


def _edit_of(entry: MarkdownEntry, memory: Memory) -> MemoryEdit:
    """Return a person's changes to a memory: the title, the text, or both."""
    title = entry.title if entry.title and entry.title != memory.title else None
    content = entry.text if hash_of("", entry.text) != hash_of("", memory.content) else None
    return MemoryEdit(title=title, content=content)
