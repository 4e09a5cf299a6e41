"""One store serves many teams and callers, each with their own data."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from memoranda.api.service import ASKING, SEARCHES, TEAMS, Service, searches, wire
from memoranda.config import load_settings
from memoranda.exceptions import Forbidden, InvalidInput, NotFound
from memoranda.identity.principal import Principal, Role, owner
from memoranda.json_data import JsonValue
from memoranda.memory import Memoranda
from memoranda.operations import OPERATIONS

pytestmark = pytest.mark.integration

ADA = Principal("local", "ada", Role.MEMBER)
BOT = Principal("local", "bot-1", Role.AGENT, "bot")
OTHER = Principal("barn", "eve", Role.ADMIN)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    opened = Service(load_settings({"data_dir": tmp_path / "data"}))
    yield opened
    opened.close()


def result_of(
    service: Service, who: Principal, name: str, **arguments: JsonValue
) -> dict[str, JsonValue]:
    """Return the result of an operation as an object."""
    result = service.call(who, name, arguments)
    assert isinstance(result, dict)
    return result


def test_a_person_is_named_and_believed(service: Service) -> None:
    made = result_of(service, ADA, "remember", statement="Prices are net.", workspace="shop")
    assert (made["origin"], made["status"]) == ("human", "approved")
    lines = result_of(service, owner(), "journal.list")["items"]
    assert isinstance(lines, list)
    assert "ada" in {line["actor"] for line in lines if isinstance(line, dict)}


def test_an_agent_only_proposes_and_never_decides(service: Service) -> None:
    made = result_of(service, BOT, "remember", statement="Prices are net.", workspace="shop")
    assert made["status"] == "pending"
    for name in ("proposals.approve", "forget", "journal.list", "conversations.add"):
        with pytest.raises(Forbidden):
            service.call(BOT, name, {})


def test_teams_know_nothing_of_each_other(service: Service, tmp_path: Path) -> None:
    secret = result_of(
        service, ADA, "remember", statement="The vault opens at nine.", workspace="shop"
    )
    assert result_of(service, OTHER, "search", query="vault")["hits"] == []
    with pytest.raises(NotFound) as foreign:
        service.call(OTHER, "memories.show", {"id": secret["id"]})
    with pytest.raises(NotFound) as absent:
        service.call(OTHER, "memories.show", {"id": str(secret["id"])[:-4] + "0000"})
    assert str(foreign.value)[:20] == str(absent.value)[:20]
    assert result_of(service, OTHER, "workspaces.list")["items"] == []
    assert (tmp_path / "data" / TEAMS / "barn").is_dir()
    assert set(service.teams()) == {"local", "barn"}


def test_a_private_memory_of_an_agent_is_not_shown_to_another(service: Service) -> None:
    statement: JsonValue = {"content": "My plan is amber.", "visibility": "agent"}
    service.call(BOT, "remember", {"statement": statement, "workspace": "shop"})
    rival = Principal("local", "bot-2", Role.AGENT, "rival")
    assert result_of(service, BOT, "memories.list")["items"]
    assert result_of(service, rival, "memories.list")["items"] == []


def test_the_workspace_of_a_caller_is_meant_where_none_is_named(service: Service) -> None:
    here = Principal("local", "ada", Role.MEMBER, workspace="shop")
    service.call(here, "remember", {"statement": "Prices are net."})
    there = Principal("local", "ada", Role.MEMBER, workspace="barn")
    assert len(result_of(service, here, "memories.list")["items"]) == 1  # type: ignore[arg-type]
    assert result_of(service, there, "memories.list")["items"] == []


@pytest.mark.parametrize("name", [name for name, one in OPERATIONS.items() if one.local])
def test_files_of_the_machine_are_out_of_reach(service: Service, name: str) -> None:
    with pytest.raises(Forbidden, match="run it there"):
        service.call(owner(), name, {"path": "/etc/passwd"})


def test_an_unauthorised_caller_learns_nothing_about_arguments(service: Service) -> None:
    reader = Principal("local", "eye", Role.READER)
    with pytest.raises(Forbidden):
        service.call(reader, "remember", {"nonsense": 1})
    with pytest.raises(NotFound):
        service.call(reader, "nonesuch", {})


def test_a_stream_becomes_a_list_of_bounded_length() -> None:
    assert wire(iter(range(3))) == [0, 1, 2]
    with pytest.raises(InvalidInput, match="more than 1000"):
        wire(iter(range(1_001)))


def test_closing_twice_is_no_matter(tmp_path: Path) -> None:
    service = Service(load_settings({"data_dir": tmp_path / "data"}))
    service.call(OTHER, "store.stats", {})
    service.close()
    service.close()


def test_searches_take_turns_and_keep_nothing_short_waiting(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work, go_on = threading.Semaphore(0), threading.Event()
    searched = Memoranda.search

    def slow(*value: Any, **named: Any) -> Any:
        at_work.release()
        assert go_on.wait(30)
        return searched(*value, **named)

    monkeypatch.setattr(Memoranda, "search", functools.wraps(searched)(slow))
    with ThreadPoolExecutor(SEARCHES + 1) as callers:
        futures = [callers.submit(result_of, service, ADA, "search", query="vault")
                 for _ in range(SEARCHES + 1)]  # fmt: skip
        for _ in range(SEARCHES):
            assert at_work.acquire(timeout=30)
        assert result_of(service, ADA, "remember", statement="Prices are net.")["id"]
        assert not at_work.acquire(timeout=0.2)
        go_on.set()
        assert [one.result(30)["hits"] for one in futures] == [[]] * (SEARCHES + 1)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"embedder": "none"}, SEARCHES),
        ({"embedder": "local"}, SEARCHES),
        ({"reranker": "cohere", "reranker_key": "k"}, ASKING),
        ({"embedder": "openai", "embedding_key": "k"}, ASKING),
    ],
)
def test_searches_that_wait_for_a_provider_do_not_wait_for_each_other(
    arguments: dict[str, str], expected: int
) -> None:
    assert searches(load_settings(arguments, {})) == expected


def test_visibility_workspace_needs_a_workspace(service: Service) -> None:
    statement: JsonValue = {"content": "Use SQLite.", "visibility": "workspace"}
    with pytest.raises(InvalidInput, match="set workspace"):
        service.call(ADA, "remember", {"statement": statement})
    assert result_of(service, owner(), "memories.list")["items"] == []
    made = result_of(service, ADA, "remember", statement=statement, workspace="shop")
    assert made["visibility"] == "workspace"
    plain = result_of(service, ADA, "remember", statement="Prices are net.")
    assert (plain["visibility"], plain["workspace"]) == ("team", None)
