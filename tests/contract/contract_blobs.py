"""Contract of the store for full contents."""

from __future__ import annotations

import pytest

from contract.records import Records
from memoranda.exceptions import CorruptData
from memoranda.memories.name_pattern import NamePattern
from memoranda.memories.name_search import mentioned_rows
from memoranda.observations import blob_table as blobs, table as observations
from memoranda.observations.blob_table import Blob
from memoranda.store.database import Database, Transaction
from memoranda.store.table_catalogue import BLOB, TABLES

DOCUMENT = next(table for table in TABLES if table.name == "document")
TEXTS = ("", "short", "é" * 150, "a long line of output\n" * 20_000, "漢字 and 🦊 " * 50)


class BlobContract:
    """Contents are returned unchanged or not at all."""

    @pytest.mark.parametrize("text", TEXTS, ids=len)
    def test_a_content_comes_back_as_it_was(self, database: Database, text: str) -> None:
        team, blob = "local", Blob.of(text)
        database.write(lambda tx: blobs.insert(tx, team, [blob]))
        assert database.read(lambda tx: blobs.content(tx, team, blob.hash)) == text
        assert blob.size == len(text.encode())

    def test_equal_contents_are_kept_once(self, database: Database) -> None:
        team, text = "local", TEXTS[3]
        for _ in range(3):
            database.write(lambda tx: blobs.insert(tx, team, [Blob.of(text), Blob.of(text)]))
        count, size, stored = database.read(lambda tx: blobs.totals(tx, team))
        assert (count, size) == (1, len(text))
        assert stored < size / 10

    @pytest.mark.parametrize("text", TEXTS[1:4], ids=["plain", "plain-utf8", "zlib"])
    def test_a_changed_content_is_detected(self, database: Database, text: str) -> None:
        team, blob = "local", Blob.of(text)
        database.write(lambda tx: blobs.insert(tx, team, [blob]))
        sql = "update blob set data = :data where team = :team and hash = :hash"
        for data in (b"", b"\0", b"another text", blob.data[:-1]):
            bound = {"team": team, "hash": blob.hash, "data": data}
            assert database.write(lambda tx, bound=bound: tx.execute(sql, bound)) == 1
            with pytest.raises(CorruptData, match=blob.hash[:12]):
                database.read(lambda tx: blobs.content(tx, team, blob.hash))

    def test_a_missing_content_is_corrupt_data(self, database: Database) -> None:
        with pytest.raises(CorruptData, match="missing"):
            database.read(lambda tx: blobs.content(tx, "local", "0" * 64))

    def test_only_contents_that_nothing_points_to_are_dropped(self, database: Database) -> None:
        records = Records()

        def fill(tx: Transaction) -> tuple[str, str, str]:
            task = records.plant_task(tx)
            shared = records.plant(tx, task, 1, "shared")
            records.plant(tx, task, 2, "shared")
            alone = records.plant(tx, task, 3, "alone")
            kept = records.plant(tx, task, 4, "kept")
            removed = observations.delete(tx, records.team, [shared.id, alone.id], 0)
            assert set(removed.hashes) == {shared.content_hash, alone.content_hash}
            assert blobs.delete_unused(tx, records.team, removed.hashes) == 1
            assert blobs.delete_unused(tx, records.team, removed.hashes) == 0
            assert blobs.delete_unused(tx, records.team, []) == 0
            return shared.content_hash, alone.content_hash, kept.content_hash

        shared, alone, kept = database.write(fill)

        def look(tx: Transaction) -> None:
            assert blobs.content(tx, records.team, shared) == "shared"
            assert blobs.content(tx, records.team, kept) == "kept"
            with pytest.raises(CorruptData):
                blobs.content(tx, records.team, alone)

        database.read(look)

    def test_a_row_is_changed_and_deleted_by_its_key(self, database: Database) -> None:
        one, other = Blob.of("one"), Blob.of("other")
        database.write(lambda tx: blobs.insert(tx, "local", [one, other]))
        key, values = (one.hash,), {"codec": "zlib"}
        assert database.write(lambda tx: BLOB.update(tx, "local", key, values)) == 1
        rows = database.read(lambda tx: BLOB.page(tx, "local", None, 9))
        assert {row[1]: row[2] for row in rows} == {one.hash: "zlib", other.hash: "plain"}
        assert database.write(lambda tx: BLOB.delete(tx, "elsewhere", key)) == 0
        assert database.write(lambda tx: BLOB.delete(tx, "local", key)) == 1
        rows = database.read(lambda tx: BLOB.page(tx, "local", None, 9))
        assert [row[1] for row in rows] == [other.hash]

    def test_a_name_is_found_in_full_contents(self, database: Database) -> None:
        blob = Blob.of("a line\n" * 200 + "ask Anna\n" + "a line\n" * 200)
        row = ("local", "", "notes", "zebra", blob.hash, blob.size, 1, 5, 5, None)
        database.write(lambda tx: blobs.insert(tx, "local", [blob]))
        database.write(lambda tx: DOCUMENT.insert(tx, [row]))
        anna, nobody = NamePattern("anna"), NamePattern("Annabel")
        [found] = database.read(lambda tx: list(mentioned_rows(tx, "local", anna)))
        assert (found.table.name, found.line) == ("document", "ask Anna")
        assert not database.read(lambda tx: list(mentioned_rows(tx, "local", nobody)))
        assert not database.read(lambda tx: list(mentioned_rows(tx, "elsewhere", anna)))
