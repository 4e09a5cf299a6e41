"""A small run of `scripts/bench sweep`: foreign data looks absent."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memoranda.api.server.mounts import doors
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.identity.principal import Principal, Role
from serving import InProcess
from sweep_cells import absent, asked_fields, names
from sweep_worlds import UUID, Speaker, Victim, plant
from sweeping import Sweep

pytestmark = pytest.mark.integration

KEYS = {
    "key-of-south": Principal("south", "root", Role.ADMIN),
    "key-of-north": Principal("north", "root", Role.ADMIN),
    "key-of-east": Principal("east", "root", Role.ADMIN),
}
MARKER = "zqsouthkx"
DOORS = ("REST", "JSON-RPC")
OPERATIONS = (
    "observations.show", "observations.rate", "memories.show", "memories.supersede", "errors.show",
    "supervisor.outcome", "proposals.show", "profile.undo", "feedback.show",
    "rules.remove", "tasks.show", "memories.list",
)  # fmt: skip


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder: Path = tmp_path_factory.mktemp("sweep") / "data"
    service = Service(load_settings({"data_dir": folder, "embedder": "none"}, {}))
    server = InProcess(service, doors(service), rate=10_000.0, burst=10_000)
    server.keys.known = KEYS
    plant(Speaker(server.port, "key-of-south"), MARKER)
    yield server.port
    server.close()
    service.close()


def things(south: Speaker) -> Victim:
    """Return the team's records as its own admin sees them."""
    lists = {
        "observation": "observations.index", "memory": "memories.list", "error_note": "errors.list",
        "proposal": "proposals.list", "feedback": "feedback.list", "task": "tasks.list",
        "intervention": "supervisor.interventions", "approval_rule": "rules.list",
        "profile_change": "profile.history", "workspace": "workspaces.list",
    }  # fmt: skip
    fields = {"error_note": "observation"}  # an error's id is its short name in its task
    found = {
        kind: [
            id
            for one in south(method)["items"]
            if UUID.fullmatch(id := one.get(fields.get(kind, "id"), ""))
        ]
        for kind, method in lists.items()
    }
    found = {kind: ids for kind, ids in found.items() if ids}
    return Victim(MARKER, found, {id for ids in found.values() for id in ids})


def test_a_stranger_cannot_distinguish_existing_from_missing_records(port: int) -> None:
    south, east = Speaker(port, "key-of-south"), Speaker(port, "key-of-east")
    Speaker(port, "key-of-north")("remember", statement="Own prices are net.", workspace="home")
    victim, numbers = things(south), itertools.count()
    assert len(victim.things) >= 8

    def make(kind: str) -> str:
        name = f"zqeastjq-{next(numbers):05}"
        if kind in ("place", "workspace", "task"):
            seen = east("observe", content="begun", workspace=name, task=name)
            return name if kind == "place" else str(seen[kind])
        return name

    with closing(Sweep(port, "key-of-north", victim, make, at=DOORS)) as sweep:
        tally = sweep.run(OPERATIONS)
    assert (tally.leaks, tally.oracles, tally.differing) == ([], [], [])
    assert tally.cells > 60
    assert tally.verdicts["not_found"] > 80
    assert set(tally.by_door) == set(DOORS)


def test_the_sweep_sees_what_is_open_to_its_caller(port: int) -> None:
    """Calls as the team itself must show differences, or the test is void."""
    south = Speaker(port, "key-of-south")
    with closing(Sweep(port, "key-of-south", things(south), str, at=DOORS)) as sweep:
        tally = sweep.run(("memories.show", "proposals.show"))
    assert tally.oracles
    assert tally.differing == []


def test_every_text_that_names_a_thing_is_found_in_the_operations() -> None:
    fields = [one for name in names() for one in asked_fields(name)]
    found = {(one.operation, ".".join(one.path)) for one in fields}
    assert found >= {
        ("memories.show", "id"), ("memories.supersede", "old"), ("forget", "chosen.ids"),
        ("remember", "statement.evidence"), ("tasks.end", "task"), ("memory.update", "memory_id"),
    }  # fmt: skip
    assert len(fields) > 250
    many = {one.path for one in fields if one.many}
    assert ("ids",) in many
    assert ("where", "tags") in many
    assert ("id",) not in many


def test_an_absent_name_has_the_form_of_the_one_it_is_like() -> None:
    import random

    dice = random.Random(1)
    for one in ("01a20664-1eac-7000-a67a-bc1dea01bb6b", "01a20664-1eac", "zqowl-shop", "ab"):
        made = absent(one, dice)
        assert made != one
        assert len(made) == len(one)
        assert [c == "-" for c in made] == [c == "-" for c in one]
