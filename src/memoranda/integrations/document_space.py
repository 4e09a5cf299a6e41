"""Document space of an adapter; splits large requests into calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.documents.model import MANY, VALUE_BYTES, Document, NewDocument
from memoranda.exceptions import Conflict, CorruptData, Forbidden, InvalidInput, TooLarge
from memoranda.json_data import JsonValue, dump_json
from memoranda.memory import Memoranda
from memoranda.page import cursor_after, every
from memoranda.resource import member

T = TypeVar("T")

CALL_BYTES = 8_000_000
"""Maximum number of bytes of values in one put, unless a single value is larger."""
AT_ONCE = 100
"""Number of documents read at once if the number of values is unlimited."""


class DocumentSpace:
    """Document space of a workspace or team."""

    def __init__(
        self,
        memory: Memoranda,
        space: str,
        workspace: str | None,
        secrets: SecretPolicy | str = SecretPolicy.REFUSE,
    ) -> None:
        """Open the space; ``secrets`` sets how credentials in values are handled.

        Raises:
            InvalidInput: ``secrets`` is not a known choice.
        """
        self._secrets = member(SecretPolicy, secrets)
        self._memory = memory
        self._space = space
        self._workspace = workspace
        if workspace:  # created now, since otherwise reads before the first write would fail
            with suppress(Forbidden):
                memory.documents.put(space, [], workspace=workspace)

    def put(self, documents: Sequence[NewDocument]) -> None:
        """Store documents in order, so that targets precede references.

        The documents are stored in one transaction unless there are more than 1,000 of them or more
        than 8 MB.
        """
        for part in portions(documents, lambda document: document.value):
            self._put(part)

    def put_together(self, documents: Sequence[NewDocument]) -> list[Document]:
        """Store documents in one transaction, either all or none.

        The documents must fit into one call, and are returned without their values.

        Raises:
            Conflict: an expected version is not the newest.
        """
        return self._put(documents)

    def renew(self, documents: Sequence[NewDocument]) -> None:
        """Store existing documents again to extend their expiry.

        Documents that have been changed in the meantime are left unchanged.
        """
        for document in documents:
            with suppress(Conflict, Forbidden):  # readers cannot extend the expiry
                self._put([document])

    def get(self, keys: Sequence[str]) -> list[Document]:
        """Return the existing documents, in the order of the keys."""
        documents: list[Document] = []
        for at in range(0, len(keys), AT_ONCE):
            documents += self._together(keys[at : at + AT_ONCE])
        return documents

    def _together(self, keys: Sequence[str]) -> list[Document]:
        """Return documents in as few calls as their sizes allow."""
        try:
            return self._memory.documents.get(self._space, keys, workspace=self._workspace)
        except TooLarge:
            if len(keys) < 2:
                raise
            half = len(keys) // 2
            return self._together(keys[:half]) + self._together(keys[half:])

    def keys(self, prefix: str) -> Iterator[str]:
        """Yield the keys with the given prefix, in order."""
        return (document.key for document in self.listed(prefix, values=False))

    def listed(
        self,
        prefix: str,
        *,
        values: bool = True,
        descending: bool = False,
        beyond: str | None = None,
        page_size: int | None = None,
    ) -> Iterator[Document]:
        """Yield the documents with the given key prefix, page by page.

        ``beyond`` is the key after which the documents start.
        """
        return every(
            self._memory.documents.list,
            self._space,
            prefix=prefix,
            descending=descending,
            values=values,
            workspace=self._workspace,
            cursor=None if beyond is None else cursor_after(beyond),
            limit=page_size or (AT_ONCE if values else MANY),
        )

    def first(
        self, prefix: str, *, descending: bool = False, values: bool = True
    ) -> Document | None:
        """Return the first or the last document with the given key prefix."""
        page = self._memory.documents.list(
            self._space,
            prefix=prefix,
            descending=descending,
            values=values,
            workspace=self._workspace,
            limit=1,
        )
        return next(iter(page), None)

    def _put(self, documents: Sequence[NewDocument]) -> list[Document]:
        chosen = {} if self._secrets is SecretPolicy.REFUSE else {"secrets": self._secrets}
        return self._memory.documents.put(
            self._space, documents, workspace=self._workspace, **chosen
        )

    def delete(self, keys: Sequence[str]) -> None:
        """Delete documents by key, in order."""
        for at in range(0, len(keys), MANY):
            some = keys[at : at + MANY]
            self._memory.documents.delete(self._space, some, workspace=self._workspace)

    def clear(self, prefix: str) -> None:
        """Delete all documents with the given key prefix."""
        self._memory.documents.clear(
            self._space, prefix=prefix, workspace=self._workspace, confirm=True
        )


def fields_of(document: Document, *names: str) -> dict[str, Any]:
    """Return the content of a document, which must have the given fields.

    Raises:
        CorruptData: another program wrote the document.
    """
    if not isinstance(document.value, dict) or not document.value.keys() >= set(names):
        raise foreign(document)
    return document.value


def foreign(document: Document) -> CorruptData:
    """Return the error for a document that another program wrote."""
    return CorruptData(f"{document.key!r} was written by another program; choose another space")


def portions(
    documents: Sequence[T], value: Callable[[T], JsonValue], most: int = MANY
) -> list[list[T]]:
    """Split documents into as few calls as possible.

    Each batch has at most 8 MB of values, or one larger value.

    Raises:
        InvalidInput: a value is larger than a document may be; this is checked before the first
            call.
    """
    runs, size = list[list[T]](), 0
    for document in documents:
        length = len(dump_json(value(document)).encode("utf-8", "replace"))
        if length > VALUE_BYTES:
            raise InvalidInput(f"a document has at most {VALUE_BYTES:,} bytes, not {length:,}")
        if not runs or len(runs[-1]) == most or size + length > CALL_BYTES:
            runs.append([])
            size = 0
        runs[-1].append(document)
        size += length
    return runs
