"""The result of a journal verification in the form of the doors."""

from __future__ import annotations

from memoranda.calls.schema import Schemas
from memoranda.journal.model import JournalCheck
from memoranda.json_data import as_json


def test_where_the_chain_breaks_is_a_number_and_no_time() -> None:
    result = as_json(JournalCheck(39, "ab", 40, "the entry was changed"))
    assert result == {
        "entries": 39, "head": "ab", "broken_at": 40, "reason": "the entry was changed"
    }  # fmt: skip


def test_its_schema_is_documented() -> None:
    schemas = Schemas()
    schemas.of(JournalCheck)
    result = schemas.definitions["JournalCheck"]["properties"]["broken_at"]
    assert [one["type"] for one in result["anyOf"]] == ["integer", "null"]
