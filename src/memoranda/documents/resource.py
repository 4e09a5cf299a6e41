"""Methods for documents, such as the state of a graph."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.documents.model import (
    MANY,
    Document,
    NewDocument,
    checked_document,
    checked_key,
    checked_space,
)
from memoranda.documents.table import KeyRange, SpaceAddress
from memoranda.exceptions import InvalidInput
from memoranda.operation_declaration import read, write
from memoranda.page import Page, checked_limit, place_of
from memoranda.resource import Resource, member, one_place
from memoranda.store.database import Transaction
from memoranda.text import clip, normalise
from memoranda.workspaces.recognition import with_workspace

T = TypeVar("T")


class DocumentsResource(Resource):
    """``memory.documents``: JSON documents by space and key.

    Documents are not included in contexts and are visible to the whole team. They belong to the
    specified workspace; if none is specified, to the workspace with which the store was opened, or
    else to the team. Keys are sorted by their code points.
    """

    @write("documents.put", alias=("document.put",))
    def put(
        self,
        space: str,
        documents: Sequence[NewDocument],
        *,
        workspace: str | None = None,
        secrets: SecretPolicy | str = SecretPolicy.REFUSE,
    ) -> builtins.list[Document]:
        """Store documents under keys of a space.

        All documents are stored, or none. They replace existing documents and are returned without
        their values. A value is returned exactly as it was stored. If a value contains a
        credential, nothing is stored, unless ``secrets`` specifies otherwise. A key that looks like
        a secret is refused. A document with an unchanged value keeps its version; only its expiry
        is updated.

        Args:
            documents: at most 1,000, with different keys.
            secrets: ``refuse`` rejects values with a credential; ``encrypt`` accepts them if the
                store is encrypted; ``redact`` replaces everything that looks like a secret.

        Raises:
            Conflict: an expected version is not the newest.
            InvalidInput: a space, key, value or time is not acceptable, a key occurs twice, or a
                value contains a credential.
        """
        checked_space(space)
        chosen = member(SecretPolicy, secrets)
        checked = [
            self._checked(checked_document(new_document), chosen)
            for new_document in _not_many(documents)
        ]
        if len({document.key for document in checked}) < len(checked):
            raise InvalidInput("a key occurs twice in these documents; send only the last one")
        name, services = checked_space(space), self._services
        services.sanitiser.checked_name("a space", name)
        scope = self._within(workspace, None, new=True)

        def work(tx: Transaction) -> builtins.list[Document]:
            place = with_workspace(tx, scope, services.clock.now()).workspace
            shelf = SpaceAddress(scope.team, place or "", name)
            return services.documents.put_within(tx, shelf, checked) if checked else []

        return self._database.of(scope.team).write(work)

    @read("documents.get", alias=("document.get",))
    def get(
        self, space: str, keys: Sequence[str], *, workspace: str | None = None
    ) -> builtins.list[Document]:
        """Show documents by key.

        Args:
            keys: at most 1,000.

        Raises:
            InvalidInput: there are too many keys.
            TooLarge: together the documents have more than 64 MB of values; request fewer keys.
        """
        shelf = self._shelf(space, workspace)
        return self._services.documents.get(shelf, _names(keys))

    @read("documents.list", alias=("document.list",))
    def list(
        self,
        space: str,
        *,
        prefix: str = "",
        descending: bool = False,
        values: bool = True,
        workspace: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page[Document]:
        """List the documents of a space in the order of their keys.

        A page ends early if its values reach 64 MB.

        Args:
            values: whether the documents are returned with their values.
        """
        checked_limit(limit)
        shelf = self._shelf(space, workspace)
        beyond = None if cursor is None else place_of(cursor, first="")
        part = KeyRange(normalise(prefix), beyond, descending)
        return self._services.documents.list(shelf, part, limit, values=values)

    @write("documents.delete", alias=("document.delete",))
    def delete(self, space: str, keys: Sequence[str], *, workspace: str | None = None) -> int:
        """Delete documents by key.

        Return how many existed. Idempotent.
        """
        return self._services.documents.delete(self._shelf(space, workspace), _names(keys))

    @write("documents.clear", alias=("document.clear",))
    def clear(
        self, space: str, *, prefix: str = "", workspace: str | None = None, confirm: bool = False
    ) -> int:
        """Delete the documents of a space whose keys have a given prefix.

        Return how many documents were deleted. No copy is kept, so the deletion must be confirmed.

        Args:
            confirm: delete the documents. Otherwise the deletion is refused, and the error states
                what would be removed.

        Raises:
            InvalidInput: the deletion is not confirmed.
        """
        shelf, start = self._shelf(space, workspace), normalise(prefix)
        if not confirm:
            raise InvalidInput(self._services.documents.unconfirmed(shelf, start))
        return self._services.documents.clear(shelf, start)

    def _shelf(self, space: str, workspace: str | None) -> SpaceAddress:
        if workspace:
            one_place(workspace)
        name = checked_space(space)
        place = self._within(workspace, None).workspace
        return SpaceAddress(self._scope.team, place or "", name)

    def _checked(self, new: NewDocument, secrets: SecretPolicy) -> NewDocument:
        sanitiser, encrypted = self._services.sanitiser, self._services.encrypted
        sanitiser.checked_name("a key", new.key)
        if secrets is SecretPolicy.REDACT:
            return replace(new, value=sanitiser.checked_member("a key", new.key, new.value))
        what = f"the document {clip(new.key, 80)!r}"
        return replace(new, value=sanitiser.state(what, new.value, secrets, encrypted=encrypted))


def _not_many(items: Sequence[T]) -> Sequence[T]:
    if len(items) > MANY:
        raise InvalidInput(f"at most {MANY:,} at once, not {len(items):,}")
    return items


def _names(keys: Sequence[str]) -> list[str]:
    return [checked_key(key) for key in _not_many(keys)]
