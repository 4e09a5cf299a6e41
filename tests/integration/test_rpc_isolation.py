"""No method returns private data of another agent or team."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memoranda.api.jsonrpc.methods import methods, public
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.identity.principal import Role
from rpc_worlds import COSTLY, INJECTED, World, arguments, crossed, intact, plant
from tables import each

pytestmark = pytest.mark.integration


@contextmanager
def planted(data_dir: Path) -> Iterator[World]:
    service = Service(load_settings({"data_dir": data_dir}))
    yield plant(service, 6, memories=2)
    service.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with planted(tmp_path / "data") as made:
        yield made


@pytest.fixture(scope="module")
def read_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A world for all tests that change nothing in it."""
    with planted(tmp_path_factory.mktemp("world") / "data") as made:
        yield made


@pytest.mark.parametrize("seed", [1, 2])
def test_random_calls_of_every_method_give_nothing_of_another(world: World, seed: int) -> None:
    found, ended = crossed(world, 2 * len(public()), random.Random(seed))
    assert found == []
    assert ended["internal"] == 0
    assert ended["ok"] > 50, "most of the calls are turned away: that shows nothing"
    assert intact(world)


def test_a_leak_would_be_detected(world: World) -> None:
    """With the secrets of two agents exchanged, every call is a leak."""
    one, other = world.holders[0], world.holders[2]
    assert one.principal.team == other.principal.team
    one.ids, other.ids = other.ids, one.ids
    one.words, other.words = other.words, one.words
    found, _ = crossed(world, 2 * len(public()), random.Random(1))
    assert found


def test_only_what_no_agent_may_ask_is_left_out() -> None:
    assert all(Role.AGENT not in methods()[name].roles for name in COSTLY)


@each("text", INJECTED)
def test_a_text_that_is_made_to_break_out_finds_nothing_of_others(
    read_only: World, text: str
) -> None:
    who = read_only.holders[0]
    for method, params in (
        ("search", {"query": text}),
        ("memory.retrieve", {"query": text, "k": 50}),
        ("search", {"query": "deployment", "where": {"tags": [text]}}),
        ("memories.list", {"workspace": text}),
        ("memories.show", {"id": text}),
        ("memories.list", {"cursor": text}),
        ("blocks.show", {"label": text}),
        ("memory.get_context", {"query": text}),
        ("observations.relevant", {"query": text}),
    ):
        answered, _ = read_only.send(who, method, params)
        assert [one for one in read_only.secrets(who) if one in answered] == [], method


@pytest.mark.parametrize(
    "name",
    [
        "memories.show",
        "memories.evidence",
        "memories.history",
        "memories.edit",
        "observations.rate",
    ],
)
def test_an_id_of_another_team_is_as_unknown_as_an_unused_one(read_only: World, name: str) -> None:
    who, neighbour, stranger = read_only.holders[0], read_only.holders[2], read_only.holders[1]
    values = arguments(methods()[name], who, read_only, random.Random(3))
    values.pop("a2a_context", None)
    values |= {"edit": {"title": "x"}} if name == "memories.edit" else {}
    errors = []
    for id in (neighbour.ids[0], stranger.ids[0], neighbour.ids[0][:-4] + "0000"):
        answer = read_only.send(who, name, values | {"id": id})[1]
        message = answer["error"]["message"].replace(id, "ID").replace(id[:18], "ID")
        errors.append((answer["error"]["code"], message))
    assert len(set(errors)) == 1
    assert errors[0][0] == -32010
