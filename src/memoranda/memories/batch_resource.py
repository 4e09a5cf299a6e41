"""Use cases: changes of many memories in one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from memoranda.capture.redaction.state_policy import SecretPolicy
from memoranda.documents.model import MEMORY_METADATA, NewDocument, checked_document
from memoranda.documents.resource import DocumentsResource
from memoranda.proposals.model import ChangeResult, MemoryChange
from memoranda.proposals.resource import ProposalsResource
from memoranda.store.database import Transaction


class MemoryBatchResource(ProposalsResource, DocumentsResource):
    """Changes of many memories in one transaction, with their metadata.

    The metadata is what programs store about the memories.
    """

    def memory_change_all(
        self, changes: Sequence[MemoryChange], *, reason: str = ""
    ) -> list[ChangeResult]:
        """Edit or archive memories, all or none; return them in order.

        Args:
            changes: at most 1,000, each of another memory.

        Raises:
            InvalidInput: there are too many, a memory occurs twice, one cannot be changed so, or a
                credential is in the metadata.
            NotFound: there is no such memory.
            Stale: a memory has changed since the time that a change names.
        """
        documents = [
            self._checked(checked_document(NewDocument(one.id, one.metadata)), SecretPolicy.REFUSE)
            for one in changes
            if one.metadata is not None
        ]
        shelf = self._shelf(MEMORY_METADATA, None)

        def beside(tx: Transaction) -> None:
            if documents:
                self._rooms.documents.put_within(tx, shelf, documents)

        edits = self._rooms.memory_edits
        changed = edits.change_all(self._scope, changes, reason, beside)
        for place in {one.memory.workspace for one in changed}:
            self._rooms.enqueue_rendering(place)
        self._rooms.background.wake()
        return changed
