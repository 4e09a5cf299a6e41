"""Checks of a door beyond the methods: roles, local files, bad input."""

from __future__ import annotations

from typing import Any

import pytest

from contract.service_callers import BOT, MEMBER, READER, SHOP, Callers, ServiceCase
from memoranda import Memoranda
from memoranda.exceptions import Forbidden, InvalidInput, NotFound
from memoranda.identity.principal import Role
from memoranda.operation_declaration import Access
from memoranda.operations import OPERATIONS
from tables import each

NAMED: dict[str, Any] = {
    "proposals.approve": ("01a2", "0" * 64),
    "remember": ("Prices are net.",),
    "observe": ("one",),
    "journal.list": (),
    "journal.verify": (),
    "store.doctor": (),
    "costs.budget": (),
    "costs.set-budget": (1.0,),
    "rules.remove": ("01a2",),
    "index.reembed": (),
    "proposals.count": (),
    "blocks.rethink": ("board", "x"),
    "conversations.add": ("Which database?",),
}
"""Operations with valid arguments, for callers without the role."""


class DoorContract(ServiceCase):
    @each("method", sorted(NAMED))
    def test_a_role_may_call_what_the_table_permits(self, callers: Callers, method: str) -> None:
        operation = OPERATIONS[method]
        for principal in (READER, BOT, MEMBER):
            if principal.role in operation.roles:
                continue
            with pytest.raises(Forbidden) as caught:
                getattr(operation.owner(callers(principal)), operation.method)(*NAMED[method])
            assert principal.role in str(caught.value)

    def test_a_reader_reads_and_changes_nothing(self, callers: Callers, ada: Memoranda) -> None:
        kept = ada.remember("Prices are net.", workspace=SHOP)
        reader = callers(READER)
        assert reader.memories.show(kept.id).memory == kept
        with pytest.raises(Forbidden):
            reader.remember("Prices are gross.", workspace=SHOP)
        assert [one.content for one in ada.memories.list()] == ["Prices are net."]

    @each("name", [one.name for one in OPERATIONS.values() if one.local])
    def test_files_of_the_machine_are_out_of_reach(self, ada: Memoranda, name: str) -> None:
        assert OPERATIONS[name].roles == {Role.ADMIN}
        assert OPERATIONS[name].access is Access.WRITE
        with pytest.raises(Forbidden, match="machine"):
            getattr(OPERATIONS[name].owner(ada), OPERATIONS[name].method)("/etc/passwd")

    @each("value", [None, 5, ["x"], {"x": 1}], ids=repr)
    def test_what_is_not_of_its_type_is_bad_input(self, ada: Memoranda, value: Any) -> None:
        with pytest.raises(InvalidInput):
            ada.search(value)
        with pytest.raises(InvalidInput):
            ada.remember(value, workspace=SHOP)

    @each(
        "hostile",
        ["", "\x00", "\ud800", "' or 1=1 --", "../../etc/passwd", "x" * 100_000, "%s%n", "\u202e"],
        ids=["empty", "nul", "surrogate", "sql", "path", "long", "format", "bidi"],
    )
    def test_hostile_texts_are_texts(self, ada: Memoranda, hostile: str) -> None:
        assert ada.search(hostile).hits == ()
        with pytest.raises((InvalidInput, NotFound)):
            ada.memories.show(hostile)
