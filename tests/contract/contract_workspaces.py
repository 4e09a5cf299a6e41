"""Contract of the store for names and aliases of workspaces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contract.records import Records
from memoranda.exceptions import StorageError
from memoranda.store.database import Database, Transaction
from memoranda.workspaces import table as workspaces


class WorkspaceContract:
    """A name leads to one workspace, and so does its former name."""

    def test_a_name_that_is_taken_gets_an_owner_or_else_a_number(self, database: Database) -> None:
        records = Records()
        aliases = [(), ("acme", "host/acme"), ("acme", "host/acme"), ("acme", "host/acme"), ()]

        def work(tx: Transaction) -> None:
            added = [workspaces.insert(tx, records.workspace(), [], owners) for owners in aliases]
            names = ["shop", "shop (acme)", "shop (host/acme)", "shop-2", "shop-3"]
            assert [one.name for one in added] == names
            for one in added:
                assert workspaces.by_id(tx, records.team, one.id) == one

        database.write(work)

    def test_an_alias_is_taken_from_the_workspace_that_had_it(self, database: Database) -> None:
        records, stranger = Records(), Records("another")

        def fill(tx: Transaction, records: Records) -> list[str]:
            names = (("shop", ["a", "b"]), ("yard", ["c"]))
            made = [(records.workspace(name), aliases) for name, aliases in names]
            return [workspaces.insert(tx, place, aliases).id for place, aliases in made]

        def take(tx: Transaction) -> None:
            shop, yard = fill(tx, records)
            workspaces.add_aliases(tx, records.team, yard, ["a"])
            assert workspaces.joined(tx, records.team) == {shop: ["a", "b"], yard: ["c"]}
            workspaces.take_alias(tx, records.team, yard, "a")
            workspaces.take_alias(tx, records.team, yard, "new")
            assert workspaces.joined(tx, records.team) == {shop: ["b"], yard: ["a", "c", "new"]}

        theirs = database.of("another").write(lambda tx: fill(tx, stranger))
        database.write(take)
        found = database.of("another").read(lambda tx: workspaces.joined(tx, "another"))
        assert found == dict(zip(theirs, (["a", "b"], ["c"]), strict=True))

    def test_a_name_can_be_changed_unless_another_has_it(self, database: Database) -> None:
        records = Records()
        team = records.team

        def fill(tx: Transaction) -> None:
            place = workspaces.insert(tx, records.workspace(), ["path:/srv/shop"])
            renamed = replace(place, name="store")
            workspaces.rename(tx, renamed)
            workspaces.take_alias(tx, team, place.id, "name:shop")
            assert workspaces.by_name(tx, team, "shop") is None
            for name in ("store", "shop"):
                assert workspaces.by_label(tx, team, name) == renamed
            assert workspaces.aliases(tx, team, place.id) == ["name:shop", "path:/srv/shop"]
            again = workspaces.insert(tx, records.workspace(), [])
            assert workspaces.by_label(tx, team, "shop") == again

        database.write(fill)
        with pytest.raises(StorageError):
            database.write(lambda tx: self._rename(tx, team, "shop", "store"))
        assert database.read(lambda tx: workspaces.by_name(tx, team, "shop")) is not None

    @staticmethod
    def _rename(tx: Transaction, team: str, name: str, other: str) -> None:
        place = workspaces.by_name(tx, team, name)
        assert place is not None
        workspaces.rename(tx, replace(place, name=other))
