"""Every name that a context prints is explained: on the command line, over REST and in Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from commands import ask, forked
from starlette.testclient import TestClient

from memoranda import Memoranda
from memoranda.api.rest.router import PREFIX
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput, NotFound
from rest_apps import rest_app

pytestmark = pytest.mark.e2e

CONTEXTS = (
    ("--at-start",),
    ("--query", "prices by zone"),
    ("--task", "1"),
    ("--task", "1", "--in-view", "3"),
)
PRINTED = re.compile(r"\((task \d+|block \w+|[0-9a-f]{8}-[0-9a-f-]{9})\)$", re.MULTILINE)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded session with a block, memories and an error of somebody's own."""
    data_dir = tmp_path_factory.mktemp("home") / "example"
    assert forked(data_dir, "demo", "--into", str(data_dir)).code == 0
    assert forked(data_dir, "pending", "count").out == "1\n"  # which is announced once
    ask(data_dir, "block", "create", "notes", "Use the staging host.", "--workspace", "parcel")
    ask(data_dir, "block", "create", "goal", "Ship it.", "--task", "1")
    ask(data_dir, "remember", "Never deploy on Fridays.", "--workspace", "parcel")
    ask(data_dir, "errors", "record", "a made-up flag", "--type", "hallucination", "--task", "1")
    return data_dir


@pytest.fixture(scope="module")
def items(example: Path) -> list[dict[str, Any]]:
    """Everything in the sections of several contexts."""
    where = ("--workspace", "parcel", "--budget", "2500")
    briefs = [ask(example, "context", *where, *more) for more in CONTEXTS]
    briefs.append(ask(example, "supervisor", "context", "--task", "1")["context"])
    return [one for brief in briefs for section in brief["sections"] for one in section["items"]]


def test_the_command_explains_every_name(example: Path, items: list[dict[str, Any]]) -> None:
    refs = {one["ref"] for one in items}
    kinds = {kind for ref in refs for kind in ("task ", "block ", "#", "-") if kind in ref}
    assert kinds == {"task ", "block ", "#", "-"}
    by_kind = {re.sub(r"[\da-f]+", "0", ref): ref for ref in sorted(refs)}
    for ref in by_kind.values():  # one of each form; the test below looks at all
        result = forked(example, "why", ref)
        assert (result.code, result.err) == (0, ""), ref
    shown = forked(example, "context", "--workspace", "parcel", "--task", "1").out
    for name in set(PRINTED.findall(shown)):
        assert forked(example, "why", name).code == 0, name


def test_python_and_rest_explain_every_name(example: Path, items: list[dict[str, Any]]) -> None:
    service = Service(load_settings({"data_dir": example}))
    try:
        client = TestClient(rest_app(service), headers={"authorization": "Bearer ada"})
        with Memoranda.open(example) as memory:
            for ref in sorted({one["ref"] for one in items}):
                found = memory.memories.evidence(ref)
                assert found.record.name == ref
                assert found.record.text
                path = f"{PREFIX}/memories/{quote(ref, safe='')}/evidence"
                answer = client.get(path)
                assert answer.status_code == 200, ref
                assert answer.json()["record"]["id"] == found.record.id
    finally:
        service.close()


def test_an_observation_is_the_one_of_the_context(example: Path) -> None:
    with Memoranda.open(example) as memory:
        seen = memory.observations.show("1#28")
        found = memory.memories.evidence("1#28")
        assert (found.memory, found.observations) == (None, (seen.observation.id,))
        assert found.record.text == seen.content
        assert memory.memories.evidence("#28", task="1") == found


def test_a_number_alone_needs_its_task(example: Path) -> None:
    with Memoranda.open(example) as memory, pytest.raises(InvalidInput, match="1#28"):
        memory.memories.evidence("#28")


def test_an_unknown_name_is_refused(example: Path) -> None:
    with Memoranda.open(example) as memory:
        for name in ("9#9", "task 99", "block none", "01a2ffff", "nothing"):
            with pytest.raises(NotFound):
                memory.memories.evidence(name)


def test_a_block_of_several_places_is_that_of_the_place(example: Path) -> None:
    ask(example, "block", "create", "notes", "Of the mill.", "--workspace", "mill")
    with Memoranda.open(example) as memory:

        def text(**place: str) -> str:
            return memory.memories.evidence("block notes", **place).record.text

        assert text(workspace="parcel") == "Use the staging host."
        assert text() == text(workspace="mill") == "Of the mill."
