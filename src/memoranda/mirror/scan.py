"""Scan of a mirror's folder for people's changes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from memoranda.memories.model import Category
from memoranda.mirror import markdown, table as mirrors
from memoranda.mirror.change_import import ChangedPage, MirrorIntake, conflict_row
from memoranda.mirror.folder import Folder, digest, is_left, original
from memoranda.mirror.layout import EXECUTION, category_at
from memoranda.mirror.markdown import MarkdownPage
from memoranda.mirror.model import FileKind, MirrorFile, MirrorNote, MirrorReport
from memoranda.scope import Scope
from memoranda.store.database import Database, Transaction

LARGEST_PAGE = 8 << 20
"""Maximum size in bytes of a file that is parsed as a page."""


@dataclass(slots=True)
class _FolderState:
    """Findings of a scan of the folder."""

    changed: dict[str, tuple[str, MarkdownPage]] = field(default_factory=dict)
    """Pages that a person changed, with hash and content."""
    untouched: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=set)
    """Pages that could not be read."""


class MirrorScanner:
    """Imports the changes that were made in a folder since it was written."""

    def __init__(
        self,
        database: Database,
        folder: Folder,
        intake: MirrorIntake,
        clean: Callable[[str], str],
        team: str,
        now: int,
    ) -> None:
        self._database = database
        self._folder = folder
        self._intake = intake
        self._clean = clean
        self._team = team
        self._now = now
        self._report = MirrorReport()

    def run(self, folders: Mapping[str, str | None]) -> MirrorReport:
        """Import every change; ``folders`` maps workspace folders to their ids."""
        rows = self._database.read(lambda tx: mirrors.files(tx, self._team))
        self._recover(rows)
        look = self._look(rows, folders)
        hashes = _hashes_by_id(rows)
        seen = {e.id for _, page in look.changed.values() for e in page.entries if e.id}
        for path in look.untouched | look.unread:
            row = rows.get(path)
            seen |= set(row.entries) if row and row.kind is FileKind.PAGE else set()
        for path, (found, page) in look.changed.items():
            row = self._row_of(path, page, rows, look)
            base = path.rpartition("/")[0]
            place = (row.subject or None) if row else folders.get(base)
            category = category_at(row.path if row else path) or Category.INSIGHT
            scope = Scope(self._team, workspace=place)
            file = ChangedPage(path, found, page, category, scope, rows.get(path), hashes)
            gone = sorted(_expected(rows[path]) - seen) if path in rows else []
            self._take(file, gone)
        return self._report

    def _take(self, file: ChangedPage, deleted: list[str]) -> None:
        def work(tx: Transaction) -> MirrorReport:
            return self._intake.take(tx, file, deleted, self._now)

        done = self._database.write(work)
        report = self._report
        report.edited += done.edited
        report.added += done.added
        report.proposed += done.proposed
        report.conflicts += done.conflicts
        report.notes += done.notes
        if file.row is None:
            self._note(file.path, "was imported; its memories are in the regular files")

    def _look(self, rows: Mapping[str, MirrorFile], folders: Collection[str]) -> _FolderState:
        look = _FolderState()
        for path in self._folder.walk():
            row = rows.get(path)
            if row and row.kind in (FileKind.CONFLICT, FileKind.KEPT):
                continue
            content = self._folder.read(path)
            if row and content.hash in row.hashes:
                look.untouched.add(path)
            elif content.trouble or content.data is None:
                self._unreadable(path, row, content.trouble, look)
            elif row and row.kind is FileKind.MADE:
                self._changed_generated(path, row, content.data, look)
            elif row or _is_page(path, folders) or _was_page(path, content.data):
                self._changed_page(path, row, content.data, look)
            elif _is_side_file(path):
                continue
            else:
                self._note(path, "is not a file of the mirror; it is left unchanged")
        for path, row in rows.items():
            absent = row.kind in (FileKind.PAGE, FileKind.MADE) and self._folder.read(path).missing
            if absent and row.hash:
                self._note(path, "was deleted; it will be written again")
        return look

    def _changed_page(
        self, path: str, row: MirrorFile | None, data: bytes, look: _FolderState
    ) -> None:
        if row and not data.strip():
            self._empty(row, data)
            return
        text = self._text(path, row, data, look)
        if text is not None:
            look.changed[path] = (digest(data), markdown.read(text))

    def _text(
        self, path: str, row: MirrorFile | None, data: bytes, look: _FolderState
    ) -> str | None:
        """Return file content as text.

        Return None if the content is not text; such a file is handled here.
        """
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            self._unreadable(path, row, "is not UTF-8", look)
            return None
        if "\0" in text or len(data) > LARGEST_PAGE:
            trouble = "is no text" if "\0" in text else "is too large"
            self._unreadable(path, row, trouble, look)
            return None
        return text

    def _empty(self, row: MirrorFile, data: bytes) -> None:
        """Treat an empty file as if it was deleted."""
        if not self._folder.remove(row.path, digest(data)):
            self._report.unfinished = True

    def _unreadable(
        self, path: str, row: MirrorFile | None, problem: str, look: _FolderState
    ) -> None:
        """Set an unreadable file aside.

        Files that do not belong to the mirror, and anything other than regular files, are left in
        place.
        """
        look.unread.add(path)
        aside = row is not None or category_at(path) is not None
        if not aside or problem not in ("is not UTF-8", "is no text", "is too large", "is a link"):
            self._note(path, f"{problem}; it is left unchanged")
            return
        set_aside = self._folder.set_aside(path)
        row = MirrorFile(self._team, set_aside, FileKind.KEPT, "", "", {}, self._now)
        self._database.write(lambda tx: mirrors.put_files(tx, [row]))
        self._note(path, f"{problem}; kept as {set_aside.rpartition('/')[2]}")

    def _changed_generated(
        self, path: str, row: MirrorFile, data: bytes, look: _FolderState
    ) -> None:
        """Store a person's version of a generated file next to it."""
        page_text = self._text(path, row, data, look)
        if page_text is None:
            return
        text = self._clean(page_text) + "\n"
        copy_path = self._folder.beside(path, text.encode(), "conflict")
        aside = conflict_row(self._team, copy_path, row.subject, text, row.entries, self._now)
        file = MirrorFile(
            row.team, path, row.kind, row.subject, digest(data), row.entries, self._now
        )
        self._database.write(lambda tx: mirrors.put_files(tx, [aside, file]))
        self._report.conflicts.append(copy_path)
        what = f"is generated; your version is kept as {copy_path.rpartition('/')[2]}"
        self._note(path, what)

    def _row_of(
        self, path: str, page: MarkdownPage, rows: Mapping[str, MirrorFile], look: _FolderState
    ) -> MirrorFile | None:
        """Return the record of a page, even if the page was renamed."""
        if path in rows or category_at(path):
            return rows.get(path)
        ids = {entry.id for entry in page.entries if entry.id}
        files = (
            row for row in rows.values() if row.kind is FileKind.PAGE and ids & set(row.entries)
        )
        return max(files, key=lambda row: (row.path not in look.untouched, row.path), default=None)

    def _recover(self, rows: Mapping[str, MirrorFile]) -> None:
        for path in [path for path in self._folder.walk() if is_left(path)]:
            row = rows.get(original(path))
            self._folder.recover(path, row.hashes if row else frozenset())

    def _note(self, path: str, what: str) -> None:
        self._report.notes.append(MirrorNote(path, what, self._now))


def _hashes_by_id(rows: Mapping[str, MirrorFile]) -> dict[str, frozenset[str]]:
    """Return the hashes of all entries that were written, by memory id."""
    found: dict[str, set[str]] = {}
    for row in rows.values():
        if row.kind is FileKind.PAGE:
            for id, text in [*row.entries.items(), *row.next_entries.items()]:
                found.setdefault(id, set()).add(text)
    return {id: frozenset(texts) for id, texts in found.items()}


def _expected(row: MirrorFile) -> set[str]:
    """Return the ids of memories that a changed page certainly contained."""
    entry_ids = set(row.entries) if row.hash else set(row.next_entries)
    return entry_ids & set(row.next_entries) if row.next_hash else entry_ids


def _is_page(path: str, folders: Collection[str]) -> bool:
    return path.rpartition("/")[0] in folders and category_at(path) is not None


def _was_page(path: str, data: bytes) -> bool:
    """Return whether a file was a page, possibly under another name."""
    signs = (b"<!-- memoranda ", markdown.INTRO.encode())
    named = path.endswith(".md") and not path.startswith(EXECUTION) and not _is_side_file(path)
    return named and any(sign in data for sign in signs)


def _is_side_file(path: str) -> bool:
    name = path.rpartition("/")[2]
    return ".conflict-" in name or ".kept-" in name or is_left(path)
