"""Contract of the store for documents, which are listed by key."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from contract.clock import START
from contract.contract_listing import _few, new_team
from contract.contract_working import json_values
from contract.scope_documents import placed, shelf
from memoranda.documents import table as documents
from memoranda.documents.model import prefix_bound
from memoranda.documents.table import KeyRange
from memoranda.exceptions import CorruptData
from memoranda.json_data import JsonValue, dump_json
from memoranda.observations import blob_table as blobs
from memoranda.observations.blob_table import Blob
from memoranda.store.database import Database, Transaction
from memoranda.text import normalise

parts = st.sampled_from([*"ab%_*A\x1f", "ä", "\ud7ff", "\ue000", "\U0010ffff"])
keys = st.lists(parts, min_size=1, max_size=4).map("".join)
"""Keys with common prefixes and characters special in patterns or order."""
_LATER = START + 100


def _keys(tx: Transaction, team: str, part: KeyRange, limit: int = 99) -> list[str]:
    found = documents.listed(tx, shelf(team), part, START, limit)
    return [one.document.key for one in found]


class DocumentContract:
    """A key has one document."""

    @given(key=st.text(min_size=1, max_size=500).map(normalise), value=json_values)
    @_few
    def test_any_json_comes_back_under_any_key(
        self, database: Database, key: str, value: JsonValue
    ) -> None:
        team = new_team().team

        def work(tx: Transaction) -> None:
            documents.put(tx, shelf(team), [placed(key, value)])
            there = documents.under(tx, shelf(team), [key, "nonesuch" * 9], START)
            assert list(there) == [key]
            (found,) = documents.with_values(tx, team, list(there.values()))
            assert dump_json(found.value) == dump_json(value)
            assert (found.key, found.version, found.expires_at) == (key, 1, None)

        database.of(team).write(work)

    @given(names=st.sets(keys, max_size=12), prefix=keys | st.just(""), beyond=keys | st.none())
    @_few
    def test_a_part_is_in_the_order_of_code_points(
        self, database: Database, names: set[str], prefix: str, beyond: str | None
    ) -> None:
        team = new_team().team

        def work(tx: Transaction) -> None:
            documents.put(tx, shelf(team), [placed(name, name) for name in names])
            begin = sorted(name for name in names if name.startswith(prefix))
            onward = [name for name in begin if beyond is None or name > beyond]
            assert _keys(tx, team, KeyRange(prefix, beyond)) == onward
            assert _keys(tx, team, KeyRange(prefix, beyond), 2) == onward[:2]
            back = [name for name in reversed(begin) if beyond is None or name < beyond]
            assert _keys(tx, team, KeyRange(prefix, beyond, descending=True)) == back

        database.of(team).write(work)

    def test_spaces_and_workspaces_are_kept_apart(self, database: Database) -> None:
        team = new_team().team
        places = [shelf(team), shelf(team, "other"), documents.SpaceAddress(team, "w", "notes")]

        def work(tx: Transaction) -> None:
            for number, place in enumerate(places):
                documents.put(tx, place, [placed("same", number)])
            for number, place in enumerate(places):
                (found,) = documents.listed(tx, place, KeyRange(), START, 9)
                assert [one.value for one in documents.with_values(tx, team, [found])] == [number]

        database.of(team).write(work)

    def test_an_expired_document_is_invisible_and_swept(self, database: Database) -> None:
        team = new_team().team

        def work(tx: Transaction) -> None:
            ends = [placed(f"k{n}", n, expires_at=_LATER + n) for n in range(3)]
            documents.put(tx, shelf(team), [*ends, placed("stays", 9)])
            seen = documents.listed(tx, shelf(team), KeyRange(), _LATER + 1, 9)
            assert [one.document.key for one in seen] == ["k2", "stays"]
            assert not documents.under(tx, shelf(team), ["k0", "k1"], _LATER + 1)
            assert documents.sweep(tx, team, _LATER + 1, 1) == 1
            assert documents.sweep(tx, team, _LATER + 1, 9) == 1
            assert documents.sweep(tx, team, _LATER + 1, 9) == 0
            assert _keys(tx, team, KeyRange()) == ["k2", "stays"]

        database.of(team).write(work)

    def test_a_value_is_stored_once_and_deleted_with_its_last_reference(
        self, database: Database
    ) -> None:
        team, value = new_team().team, "long " * 99
        digest = Blob.of(dump_json(value)).hash

        def work(tx: Transaction) -> None:
            before = blobs.totals(tx, team)[0]
            documents.put(tx, shelf(team), [placed("a", value), placed("b", value)])
            assert blobs.totals(tx, team)[0] == before + 1
            for key in ("a", "b"):
                assert blobs.content(tx, team, digest) == dump_json(value)
                there = documents.under(tx, shelf(team), [key], START)
                assert documents.delete(tx, shelf(team), list(there.values())) == 1
                assert documents.delete(tx, shelf(team), list(there.values())) == 0
            assert blobs.totals(tx, team)[0] == before

        database.of(team).write(work)

    def test_clearing_a_prefix_removes_expired_documents_too(self, database: Database) -> None:
        team = new_team().team
        places = [shelf(team), shelf(team, "other")]

        def work(tx: Transaction) -> None:
            before = blobs.totals(tx, team)[0]
            for place in places:
                documents.put(tx, place, [placed("ends", 1, expires_at=1), placed("stays", 2)])
                documents.put(tx, place, [placed("other", 3)])
            assert documents.delete_under(tx, places[0], ["ends", "stays", "unknown"]) == 2
            assert documents.delete_under(tx, places[0], ["ends", "stays"]) == 0
            assert documents.delete_under(tx, places[0], []) == 0
            assert _keys(tx, team, KeyRange()) == ["other"]
            assert sorted(documents.under(tx, places[1], ["ends", "stays"], 0)) == ["ends", "stays"]
            assert documents.delete_under(tx, places[1], ["ends", "stays", "other"]) == 3
            assert blobs.totals(tx, team)[0] == before + 1

        database.of(team).write(work)

    def test_a_missing_or_different_value_is_reported(self, database: Database) -> None:
        team = new_team().team

        def work(tx: Transaction) -> None:
            documents.put(tx, shelf(team), [placed("a", "value")])
            there = list(documents.under(tx, shelf(team), ["a"], START).values())
            tx.execute("delete from blob where team = :team", {"team": team})
            with pytest.raises(CorruptData, match="missing"):
                documents.with_values(tx, team, there)

        database.of(team).write(work)

    @pytest.mark.parametrize(
        ("prefix", "above"),
        [("", None), ("a", "b"), ("a\U0010ffff", "b"), ("\U0010ffff", None), ("\ud7ff", "\ue000")],
    )
    def test_the_end_of_a_prefix(self, prefix: str, above: str | None) -> None:
        assert prefix_bound(prefix) == above
        _all_below(prefix, above, ("", "a", "\U0010ffff"))


def _all_below(prefix: str, above: str | None, tails: Sequence[str]) -> None:
    for tail in tails:
        assert above is None or prefix + tail < above
