"""The memory service of Google's Agent Development Kit, beside ADK's own service in memory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from google.adk.events.event import Event
from google.adk.memory.in_memory_memory_service import InMemoryMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions.session import Session
from google.genai.types import Content, Part

from memoranda import Memoranda
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.integrations.google_adk import MemorandaMemoryService, place_of
from memoranda.observations.model import Origin
from serving import Served
from trying import tried

SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"
SHOP: Any = {"app_name": "shop", "user_id": "ada@example.com"}


def _event(id: str, author: str, *texts: str, at: float = 1_795_000_000.0) -> Event:
    parts = [Part(text=text) for text in texts]
    return Event(id=id, author=author, content=Content(parts=parts), timestamp=at)


def _session(*events: Event, user: str = "ada@example.com", id: str = "s1") -> Session:
    return Session(id=id, app_name="shop", user_id=user, events=list(events))


def _found(service: Any, query: str, user: str = "ada@example.com") -> list[MemoryEntry]:
    found = service.search_memory(app_name="shop", user_id=user, query=query)
    return list(asyncio.run(found).memories)


def _text_of(entry: MemoryEntry) -> str:
    return (entry.content.parts or [Part(text="")])[0].text or ""


TALK = (
    _event("e1", "user", "My parcels go to Porto, never to Lisbon."),
    _event("e2", "helper", "Noted: Porto."),
    _event("e3", "user", "The tariff table is in tariffs.csv."),
    _event("e4", "helper"),
)


def test_it_finds_what_the_service_in_memory_finds(memory: Memoranda) -> None:
    ours, theirs = MemorandaMemoryService(memory), InMemoryMemoryService()
    for service in (ours, theirs):
        assert _found(service, "Porto") == []
        asyncio.run(service.add_session_to_memory(_session(*TALK)))
        asyncio.run(service.add_session_to_memory(_session(*TALK)))
    for query in ("Porto", "tariff table"):
        mine, other = _found(ours, query), _found(theirs, query)
        assert {_text_of(one) for one in other} <= {_text_of(one) for one in mine}
        assert {one.author for one in other} <= {one.author for one in mine}
    (task,) = memory.tasks.list(workspace=place_of("shop", "ada@example.com"))
    assert (task.host, task.observations) == ("google-adk", 3)
    assert task.session == "adk/shop/ada@example.com/s1"
    seen = list(memory.observations.list(task=task.id))
    assert [one.origin for one in seen] == [Origin.HUMAN, Origin.AGENT, Origin.HUMAN]
    assert _found(ours, "Porto")[0].timestamp


def test_another_user_and_another_app_see_nothing(memory: Memoranda) -> None:
    service = MemorandaMemoryService(memory)
    asyncio.run(service.add_session_to_memory(_session(*TALK)))
    asyncio.run(service.add_session_to_memory(_session(_event("x", "user", "Porto too"), user="b")))
    assert [_text_of(one) for one in _found(service, "Porto", "b")] == ["Porto too"]
    assert _found(service, "Porto", "ada") == []
    found = service.search_memory(app_name="other", user_id="b", query="Porto")
    assert asyncio.run(found).memories == []
    assert place_of("a/b", "c") != place_of("a", "b/c")


def test_odd_names_of_users_and_sessions_are_kept_apart(memory: Memoranda) -> None:
    service = MemorandaMemoryService(memory)
    for at, (user, id) in enumerate([("..", "../.."), ("../b", ".."), ("*", "%"), ("a.b", "a/b")]):
        talk = _session(_event(f"o{at}", "user", f"Porto number {at}"), user=user, id=id)
        asyncio.run(service.add_session_to_memory(talk))
        assert [_text_of(one) for one in _found(service, "Porto", user)] == [f"Porto number {at}"]
    assert len(list(memory.tasks.list())) == 4


def test_events_come_in_part_by_part_and_secrets_stay_out(memory: Memoranda) -> None:
    service = MemorandaMemoryService(memory)
    for events in (TALK[:1], TALK[:3], [_event("e9", "user", f"The Porto key is {SECRET}")]):
        asyncio.run(service.add_events_to_memory(**SHOP, events=events))
    found = _found(service, "Porto")
    assert len(found) == 3
    assert SECRET not in str(found)


def test_memories_are_added_and_deleted(memory: Memoranda) -> None:
    service = MemorandaMemoryService(memory)
    stated = MemoryEntry(content=Content(parts=[Part(text="Invoices are sent on Fridays.")]))
    asyncio.run(service.add_memory(**SHOP, memories=[stated]))
    asyncio.run(service.add_session_to_memory(_session(*TALK)))
    (one,) = [one for one in _found(service, "invoices Friday") if one.author == "memory"]
    asyncio.run(service.delete_memory(**SHOP, memory_id=one.id))
    (event,) = [one for one in _found(service, "tariffs.csv") if "tariffs.csv" in _text_of(one)]
    with pytest.raises(NotFound):
        asyncio.run(service.delete_memory(app_name="shop", user_id="b", memory_id=event.id))
    asyncio.run(service.delete_memory(**SHOP, memory_id=event.id))
    left = {_text_of(entry) for entry in _found(service, "invoices Friday tariffs.csv")}
    assert not left & {_text_of(one), _text_of(event)}
    with pytest.raises(InvalidInput):
        asyncio.run(service.delete_memory(**SHOP))
    asyncio.run(service.add_session_to_memory(_session(*TALK)))
    assert "tariffs.csv" not in str(_found(service, "tariffs.csv"))


def test_the_memory_may_lie_on_a_server(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    try:
        url = f"http://127.0.0.1:{server.port}"
        with Memoranda.open(url, token=server.token) as there:
            service = MemorandaMemoryService(there)
            for _ in range(2):
                asyncio.run(service.add_session_to_memory(_session(*TALK)))
            found = _found(service, "Porto")
            assert sorted(_text_of(one) for one in found if "Porto" in _text_of(one)) == [
                "helper: Noted: Porto.",
                "user: My parcels go to Porto, never to Lisbon.",
            ]
    finally:
        server.stop()


def test_its_example_works_as_documented(capfd: Any) -> None:
    result, requests = tried("google-adk", capfd)
    assert [line for line in result if "token usage" not in line] == ["Noted.", "To Porto."]
    assert "PAST_CONVERSATIONS" not in str(requests[0].body)
    assert "user: My parcels go to Porto." in str(requests[1].body["contents"][0])
