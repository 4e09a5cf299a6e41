"""Values of documents are stored once, and deleted with the last document."""

from __future__ import annotations

import pytest

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.config import Settings
from memoranda.documents.document_service import SWEPT, Documents
from memoranda.documents.model import VALUE_BYTES, Document, NewDocument
from memoranda.documents.table import SpaceAddress
from memoranda.exceptions import InvalidInput
from memoranda.store.database import Transaction

pytestmark = pytest.mark.integration

ORPHANS = """
select count(*) from blob where team = :team and not exists (
  select 1 from document where document.team = blob.team and value_hash = blob.hash)
"""


def test_what_expired_and_is_put_again_before_it_was_swept_leaves_no_value(
    engine: Settings,
) -> None:
    clock = FixedClock()
    services = Services(engine, clock)
    documents, shelf = Documents(services.database, clock), SpaceAddress("local", "", "space")
    many = [NewDocument(f"k{n:04}", {"v": n}, ttl=10) for n in range(2 * SWEPT + 9)]

    def put(new: list[NewDocument]) -> list[Document]:
        return services.database.write(lambda tx: documents.put_within(tx, shelf, new))

    put(many)
    clock.advance(20_000_000)
    (again,) = put([NewDocument(many[-1].key, {"v": "new"})])
    assert again.version == 1
    for n in range(3):
        put([NewDocument(f"n{n}", n)])

    def left(tx: Transaction) -> int:
        row = tx.first(ORPHANS, {"team": "local"})
        return int(row[0]) if row else -1

    assert services.database.read(left) == 0
    services.close()


def test_a_value_of_more_than_64_mb_is_refused_with_all_that_was_put(memory: Memoranda) -> None:
    with pytest.raises(InvalidInput, match="64,000,000 bytes"):
        memory.documents.put("graph", [NewDocument("a", 1), NewDocument("k", "x" * VALUE_BYTES)])
    assert memory.documents.list("graph").items == ()
