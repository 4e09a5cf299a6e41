"""Document service: put, get, list and delete, each in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.clock import Clock
from memoranda.documents import table as documents
from memoranda.documents.model import MANY, PAGE_BYTES, Document, NewDocument, end_of
from memoranda.documents.table import DocumentRow, KeyRange, SpaceAddress
from memoranda.exceptions import Conflict, TooLarge
from memoranda.json_data import dump_json
from memoranda.observations.blob_table import Blob
from memoranda.page import Page, cursor_after
from memoranda.store.database import Database, Transaction
from memoranda.text import to_confirm

LONG_AGO = 0
"""A time before the expiry of any stored document."""
SHOWN = 5
"""Number of keys listed in the error that refuses an unconfirmed clear."""
SWEPT = 200
"""Maximum number of expired documents that a write deletes as a side effect."""


class Documents:
    """Store of documents, in the same database as all other data.

    Expired documents are invisible, and are deleted by later writes.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def put_within(
        self, tx: Transaction, shelf: SpaceAddress, new_documents: Sequence[NewDocument]
    ) -> list[Document]:
        """Store documents in one transaction; return them without their values.

        Raises:
            Conflict: an expected version is not the newest version.
        """
        now = self._clock.now()
        contents = {
            new_document.key: Blob.of(dump_json(new_document.value))
            for new_document in new_documents
        }
        documents.sweep(tx, shelf.team, now, SWEPT)
        stood = documents.under(tx, shelf, list(contents), LONG_AGO)
        there = {key: row for key, row in stood.items() if row.document.is_there(now)}
        result = [
            _following(document, contents[document.key], there.get(document.key), now)
            for document in new_documents
        ]
        documents.put(tx, shelf, [(item, contents[item.key]) for item in result])
        left = {document_row.hash for document_row in stood.values()} - {
            blob.hash for blob in contents.values()
        }
        documents.drop_values(tx, shelf.team, left)
        return result

    def get(self, shelf: SpaceAddress, keys: Sequence[str]) -> list[Document]:
        """Return the documents that exist, in the order of the keys.

        Raises:
            TooLarge: together the documents exceed the size limit of one response.
        """
        now = self._clock.now()

        def work(tx: Transaction) -> list[Document]:
            there = documents.under(tx, shelf, keys, now)
            rows = [there[key] for key in dict.fromkeys(keys) if key in there]
            if len(_first_of(rows)) < len(rows):
                raise TooLarge(
                    f"these documents exceed the {PAGE_BYTES:,} bytes of one response; request"
                    f" fewer keys"
                )
            return documents.with_values(tx, shelf.team, rows)

        return self._database.of(shelf.team).read(work)

    def list(
        self, shelf: SpaceAddress, part: KeyRange, limit: int, *, values: bool
    ) -> Page[Document]:
        """Return the documents of a key range, in key order.

        Fewer documents than the limit are returned if their values are large.
        """
        now = self._clock.now()

        def work(tx: Transaction) -> Page[Document]:
            there = documents.listed(tx, shelf, part, now, limit + 1)
            rows = _first_of(there[:limit]) if values else there[:limit]
            items = (
                documents.with_values(tx, shelf.team, rows)
                if values
                else [row.document for row in rows]
            )
            more = len(there) > len(items)
            return Page(tuple(items), cursor_after(items[-1].key) if more else None)

        return self._database.of(shelf.team).read(work)

    def delete(self, shelf: SpaceAddress, keys: Sequence[str]) -> int:
        """Delete documents by key; return how many existed."""
        now = self._clock.now()

        def work(tx: Transaction) -> int:
            there = documents.under(tx, shelf, keys, now)
            return documents.delete(tx, shelf, list(there.values()))

        return self._database.of(shelf.team).write(work)

    def unconfirmed(self, shelf: SpaceAddress, prefix: str) -> str:
        """Return the error that refuses an unconfirmed clear.

        The error states the number of documents and lists the first keys.
        """
        now = self._clock.now()
        rows = self._database.of(shelf.team).read(
            lambda tx: documents.listed(tx, shelf, KeyRange(prefix), now, MANY + 1)
        )
        count = f"more than {MANY:,}" if len(rows) > MANY else str(len(rows))
        keys = ", ".join(row.document.key for row in rows[:SHOWN])
        more = ", ..." if len(rows) > SHOWN else ""
        named = f"{count} document{'' if len(rows) == 1 else 's'} ({keys}{more})"
        return to_confirm(named if rows else "")

    def clear(self, shelf: SpaceAddress, prefix: str) -> int:
        """Delete all documents whose keys have the prefix; return how many."""
        now = self._clock.now()

        def work(tx: Transaction) -> int:
            gone = 0
            while rows := documents.listed(tx, shelf, KeyRange(prefix), now, MANY):
                gone += documents.delete(tx, shelf, rows)
            return gone

        return self._database.of(shelf.team).write(work)


def _following(new: NewDocument, content: Blob, there: DocumentRow | None, now: int) -> Document:
    """Return a document's new state.

    If the value is unchanged, the version is kept.
    """
    newest = there.document.version if there else 0
    if new.version not in (None, newest):
        raise Conflict(
            f"{new.key!r} has version {newest}, not {new.version}; read the document again and"
            f" retry"
        )
    same = there is not None and there.hash == content.hash
    return Document(
        new.key,
        None,
        content.size,
        newest if same else newest + 1,
        there.document.created_at if there else now,
        there.document.updated_at if there and same else now,
        end_of(new, now),
    )


def _first_of(found: Sequence[DocumentRow]) -> list[DocumentRow]:
    """Return as many documents as fit into one response, at least one."""
    page_rows, room = list[DocumentRow](), PAGE_BYTES
    for row in found:
        room -= row.document.size
        if page_rows and room < 0:
            break
        page_rows.append(row)
    return page_rows
