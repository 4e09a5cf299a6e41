"""A context without room for all critical facts shows the most important."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from happenings import message_event
from histories import opened
from starlette.testclient import TestClient

from memoranda import Memoranda
from memoranda.api.rest.router import PREFIX
from memoranda.api.service import Service
from memoranda.cli import cli
from memoranda.config import load_settings
from memoranda.memories.memory_service import NewMemory
from rest_apps import rest_app

pytestmark = pytest.mark.integration

GOAL = "Port the importer to the new schema"
NOUNS = ("invoice", "ledger", "export", "tariff", "zone", "coupon", "parser", "cache", "order")
VERBS = ("validate", "round", "escape", "sort", "log", "retry", "sign", "verify")


def rule(number: int) -> str:
    noun, verb = NOUNS[number % len(NOUNS)], VERBS[number % len(VERBS)]
    return f"The {noun} module number {number} must {verb} every field before it is saved to disk."


def stated(memory: Memoranda, count: int) -> None:
    memory.capture.take([message_event(f"k{n}", rule(n), cwd="/srv/shop") for n in range(count)])


def approved(memory: Memoranda, count: int) -> None:
    for number in range(count):
        memory.remember(NewMemory(rule(number), critical=True), workspace="shop")


def both(memory: Memoranda, count: int) -> None:
    memory.capture.take(
        [message_event(f"k{n}", rule(n), cwd="/srv/shop") for n in range(count // 2)]
    )
    for number in range(count // 2, count):
        memory.remember(NewMemory(rule(number), critical=True), workspace="shop")


COUNT = 120


@pytest.fixture(scope="module", params=[stated, approved, both], ids=lambda one: str(one.__name__))
def crowded_once(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store whose critical facts exceed the budget, made once."""
    fill: Callable[[Memoranda, int], None] = request.param
    folder = tmp_path_factory.mktemp("crowded") / "data"
    with opened(folder) as memory:
        memory.capture.take([message_event("goal", GOAL, cwd="/srv/shop")])
        fill(memory, COUNT)
        memory.capture.drain(wait=True)
    return folder


@pytest.fixture
def crowded(crowded_once: Path, data_dir: Path) -> Path:
    """Return a copy of that store, which a test may change."""
    shutil.copytree(crowded_once, data_dir, dirs_exist_ok=True)
    return data_dir


def included_count(text: str, left_out: dict[str, int]) -> int:
    """Return the number of complete rules in a context.

    The context counts the others.
    """
    whole = sum(rule(number) in text for number in range(COUNT))
    assert text.count(" module number ") == whole
    rest = COUNT - whole
    assert left_out["critical-facts"] == rest
    assert f"memoranda context --allow-overflow ({rest})" in text
    return whole


def test_the_command_line_includes_what_fits(crowded: Path) -> None:
    line = ["context", "--workspace", "shop", "--budget", "2000", "--format", "json"]
    answer = CliRunner().invoke(cli, ["--data-dir", str(crowded), *line, "--at-start"])
    assert answer.exit_code == 0, answer.output
    brief = json.loads(answer.stdout)
    left_out = {one["section"]: one["count"] for one in brief["left_out"]}
    whole = included_count(brief["text"], left_out)
    assert 40 < whole < COUNT
    assert brief["coverage"] == pytest.approx(whole / COUNT, abs=1e-3)
    assert brief["tokens"] <= 2_000
    assert GOAL in brief["text"]


def test_an_error_reports_the_required_tokens(crowded: Path) -> None:
    check_required_tokens(crowded)


@pytest.mark.parametrize("crowded_once", [both], indirect=True, ids=["both"])
@pytest.mark.parametrize("more", [["--query", "tariff"], ["--task", "1"]])
def test_an_error_of_another_context_reports_them_too(crowded: Path, more: list[str]) -> None:
    check_required_tokens(crowded, *more)


def check_required_tokens(crowded: Path, *more: str) -> None:
    """Check that a context with as many tokens as an error reports includes everything."""

    def run(budget: int) -> Result:
        line = ["context", "--workspace", "shop", "--budget", str(budget), "--format", "json"]
        return CliRunner().invoke(cli, ["--data-dir", str(crowded), *line, *more])

    refused = run(2_000)
    assert refused.exit_code == 6
    needed = json.loads(refused.stderr)["error"]["needed"]
    brief = json.loads(run(needed).stdout)
    assert (brief["coverage"], brief["tokens"] <= needed) == (1, True)
    assert all(rule(number) in brief["text"] for number in range(COUNT))


def test_the_hook_includes_what_fits(crowded: Path) -> None:
    with opened(crowded) as memory:
        file = memory._services.prepared.file("path:/srv/shop")
    text = json.loads(file.read_text("utf-8"))["hookSpecificOutput"]["additionalContext"]
    assert text.startswith("<memoranda-context ")
    assert len(text) <= 9_500
    assert 20 < sum(rule(number) in text for number in range(COUNT)) < COUNT


def test_a_server_includes_what_fits_and_everything_on_request(crowded: Path) -> None:
    service = Service(load_settings({"data_dir": crowded, "embedder": "none"}, {}))
    try:
        client = TestClient(rest_app(service), headers={"Authorization": "Bearer ada"})
        path = f"{PREFIX}/context?workspace=shop&budget="
        brief = client.get(f"{path}800&at_start=true").json()
        assert brief["tokens"] <= 800
        assert included_count(
            brief["text"], {one["section"]: one["count"] for one in brief["left_out"]}
        )
        everything = client.get(f"{path}800&allow_overflow=true").json()
        assert all(rule(number) in everything["text"] for number in range(COUNT))
        assert (everything["coverage"], everything["overflow"] > 0) == (1, True)
        refused = client.get(f"{path}20&at_start=true")
        assert (refused.status_code, refused.json()["code"]) == (422, "budget_too_small")
        assert refused.json()["needed"] < 200
    finally:
        service.close()


def test_one_fact_too_long_for_any_context_hides_nothing_else(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        memory.capture.take([message_event("goal", GOAL, cwd="/srv/shop")])
        memory.remember(NewMemory("Keep cents. " * 1_000, critical=True), workspace="shop")
        memory.remember(NewMemory(rule(1), critical=True), workspace="shop")
        brief = memory.context(workspace="shop", at_start=True)
    assert GOAL in brief.text
    assert rule(1) in brief.text
    assert "Keep cents." not in brief.text
    assert brief.coverage == 0.5


def test_a_small_workspace_shows_all_that_people_said(memory: Memoranda) -> None:
    facts = [
        f"My {NOUNS[day % len(NOUNS)]} number {day} is in drawer {day + 40}."
        for day in range(1, 31)
    ]
    for day, fact in enumerate(facts, 1):
        at = f"2026-11-{day:02d}T10:00:00Z"
        memory.conversations.add(fact, workspace="drawers", session=f"s{day}", at=at)
    memory.capture.drain()
    brief = memory.context(workspace="drawers", budget=4_000)
    assert [fact for fact in facts if fact not in brief.text] == []
    for narrowed in ({"query": "What is for dinner?"}, {"task": "1"}, {"query": "number 7"}):
        brief = memory.context(workspace="drawers", budget=4_000, **narrowed)
        assert [fact for fact in facts if fact not in brief.text] == []
    assert memory.context(workspace="drawers", budget=400, query="number 7").tokens <= 400


def test_a_block_without_room_shows_its_last_lines(memory: Memoranda) -> None:
    lines = [
        "first line",
        "second line",
        "third line that is the newest and longer than the others",
    ]
    memory.tasks.create("kettle", goal="Repair the kettle", workspace="shop")
    memory.blocks.rethink("task", "\n".join(lines), task="kettle")
    for budget in range(105, 200, 5):
        text = memory.context(task="kettle", budget=budget).text
        shown = [line in text for line in lines]
        assert shown == sorted(shown), budget
    assert all(shown)
