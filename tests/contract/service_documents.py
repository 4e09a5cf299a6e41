"""Documents that programs store under their own names."""

from __future__ import annotations

import pytest

from contract.service_callers import EVE, SHOP, Callers, ServiceCase
from contract.service_capture import SECRET
from memoranda import Memoranda, NewDocument
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.json_data import JsonValue


class DocumentServiceContract(ServiceCase):
    def test_documents_are_put_together_and_listed_by_key(
        self, ada: Memoranda, bot: Memoranda
    ) -> None:
        value: JsonValue = {"b": [1, 2.5, None], "a": "über", "created_at": 5}
        first = ada.documents.put("graph", [NewDocument("k/2", value), NewDocument("k/10", 1)])
        reported = [(one.key, one.version, one.value) for one in first]
        assert reported == [("k/2", 1, None), ("k/10", 1, None)]
        found = bot.documents.get("graph", ["k/10", "none", "k/2"])
        assert [one.value for one in found] == [1, value]
        page = ada.documents.list("graph", prefix="k/", limit=1)
        assert [one.key for one in page] == ["k/10"]
        assert page.cursor
        rest = ada.documents.list("graph", prefix="k/", cursor=page.cursor, values=False)
        assert [(one.key, one.value) for one in rest] == [("k/2", None)]
        back = ada.documents.list("graph", prefix="k/", descending=True)
        assert [one.key for one in back] == ["k/2", "k/10"]
        assert ada.documents.delete("graph", ["k/2", "none"]) == 1
        assert bot.documents.clear("graph", prefix="k", confirm=True) == 1
        assert ada.documents.list("graph").items == ()

    def test_a_document_follows_the_version_that_is_there(
        self, ada: Memoranda, bot: Memoranda
    ) -> None:
        (first,) = ada.documents.put("graph", [NewDocument("k", "one", version=0)])
        (same,) = bot.documents.put("graph", [NewDocument("k", "one", version=1)])
        assert (same.version, same.updated_at) == (1, first.updated_at)
        (second,) = bot.documents.put("graph", [NewDocument("k", "two", version=1)])
        assert (second.version, second.created_at) == (2, first.created_at)
        for version in (0, 1, 3):
            with pytest.raises(Conflict):
                ada.documents.put(
                    "graph", [NewDocument("other", 3), NewDocument("k", 3, version=version)]
                )
        assert [one.key for one in ada.documents.list("graph")] == ["k"]

    def test_documents_are_of_a_place_and_of_a_team(self, callers: Callers, ada: Memoranda) -> None:
        for place in (None, SHOP):
            ada.documents.put("graph", [NewDocument("k", place)], workspace=place)
        ada.documents.put("other", [NewDocument("k", "other")])
        eve = callers(EVE)
        assert eve.documents.list("graph").items == ()
        eve.documents.put("graph", [NewDocument("k", "of eve")])
        assert eve.documents.clear("graph", confirm=True) == 1
        for place in (None, SHOP):
            (found,) = ada.documents.get("graph", ["k"], workspace=place)
            assert found.value == place

    def test_a_value_comes_back_as_it_was_put(self, ada: Memoranda) -> None:
        arguments: dict[str, JsonValue] = {
            "session_id": "chat-42",
            "password": "x1y2z",
            "text": "a\0b \ud800 <private>seen</private>",
        }
        ada.documents.put("graph", [NewDocument("k", arguments), NewDocument("token=abc123def", 1)])
        found = ada.documents.get("graph", ["k", "token=abc123def"])
        assert [one.value for one in found] == [arguments, 1]

    def test_a_value_with_a_credential_is_refused_and_nothing_kept(self, ada: Memoranda) -> None:
        new = [NewDocument("a", 1), NewDocument("k", {"notes": ["fine", f"key {SECRET}"]})]
        for choice, reported in (("refuse", r"notes\[1\]"), ("encrypt", "not encrypted")):
            with pytest.raises(InvalidInput, match=reported) as raised:
                ada.documents.put("graph", new, secrets=choice)
            assert SECRET not in str(raised.value)
        with pytest.raises(InvalidInput):
            ada.documents.put("graph", new, secrets="hide")
        assert list(ada.documents.list("graph")) == []
        ada.documents.put("graph", new, secrets="redact")
        (found,) = ada.documents.get("graph", ["k"])
        assert SECRET not in str(found.value)
        with pytest.raises(InvalidInput, match="secret"):
            ada.documents.put("graph", [NewDocument(f"a/{SECRET}/1", 1)])

    def test_an_invalid_document_is_refused_and_nothing_is_stored(self, ada: Memoranda) -> None:
        good = NewDocument("good", 1)
        for wrong in (
            NewDocument("", 1),
            NewDocument("x" * 501, 1),
            NewDocument("k", 1, ttl=0),
            NewDocument("k", 1, version=-1),
            NewDocument("good", 2),
        ):
            with pytest.raises(InvalidInput):
                ada.documents.put("graph", [good, wrong])
        for space in ("", "x" * 61):
            with pytest.raises(InvalidInput):
                ada.documents.put(space, [good])
        with pytest.raises(InvalidInput):
            ada.documents.get("graph", ["k"] * 1_001)
        assert ada.documents.list("graph").items == ()
