"""A recorded error appears wherever a captured one does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from acting import acting, begun, opened
from rpc_calls import Rpc

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.api.service import Service
from memoranda.config import Settings
from memoranda.errors.error_log import ErrorFilter
from memoranda.identity.principal import Role
from memoranda.operations import call
from memoranda.tasks.model import TaskStatus

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]

EXPIRED = "the zebra certificate of the gateway expired"
RENEWED = (
    "renewed the zebra certificate with certbot and restarted nginx on both nodes, because only a "
    "restart makes them read it"
)


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


@pytest.fixture
def rpc(engine: Settings) -> Iterator[Rpc]:
    with closing(Service(engine, clock=FixedClock(step=1))) as service:
        yield Rpc(service)


@pytest.mark.parametrize("agent", [None, "bob"])
@pytest.mark.parametrize("at_once", [True, False])
def test_another_task_meets_a_recorded_error_and_what_ended_it(
    memory: Memoranda, agent: str | None, at_once: bool
) -> None:
    first, second = begun(memory, "first"), begun(memory, "second")
    teller = acting(memory, agent, "shop")
    error = teller.errors.record(
        EXPIRED, type="tool", task=first, context="deploying", recovery=RENEWED if at_once else ""
    )
    assert ("Still failing" in memory.context(task=first).text) is not at_once
    if not at_once:
        teller.errors.resolve(error.id, RENEWED)
    for task in (second, begun(memory, "third")):
        memory.errors.record(EXPIRED, type="tool", task=task, context="deploying")
    memory.capture.drain()
    assert RENEWED in memory.context(task=second, query="zebra certificate").text
    text = memory.context(task=second).text
    assert f"Still failing: Error: {EXPIRED}" in text
    assert "Failed, then fixed" in text
    assert RENEWED in text
    hits = {hit.ref: hit for hit in memory.search("zebra certificate", workspace="shop").hits}
    assert {error.id, "1#3"} <= set(hits)
    (pattern,) = memory.errors.patterns(workspace="shop")
    assert (pattern.count, pattern.tasks) == (3, 3)
    assert RENEWED.split(",")[0][:60] in pattern.prevention
    assert memory.errors.count([first, second])[0].open == 0
    assert memory.tasks.show(first).goal == ""


@pytest.mark.parametrize("captured", [True, False])
def test_an_unresolved_error_of_another_task_is_in_contexts_that_name_a_task(
    memory: Memoranda, captured: bool
) -> None:
    memory.tasks.create("one", "Deploy the gateway", workspace="shop")
    reader = memory.tasks.create("two", "Renew the zebra certificate", workspace="shop").id
    for place, text in (("shop", EXPIRED), ("till", "the zebra certificate of the till expired")):
        if captured:
            memory.observe(f"Error: {text}\nexit 1", tool="Bash", failed=True, task="one",
                           input={"command": "ssh gateway"}, workspace=place)  # fmt: skip
        else:
            memory.observe("begun", task="one", workspace=place)
            memory.errors.record(text, type="tool", task="one", workspace=place)
    memory.capture.drain()
    for query in ("zebra certificate", EXPIRED, None):
        (section,) = (
            one for one in memory.context(task=reader, query=query).sections
            if one.name == "errors-to-avoid"
        )  # fmt: skip
        (item,) = section.items
        assert item.text.startswith("Failed, no fix recorded: ")
        assert EXPIRED in item.text
        assert item.ref.startswith("1#")  # the label names the task
    found = memory.context(task=reader, query="a recipe with walnuts").sections
    assert "errors-to-avoid" not in [one.name for one in found]


def test_an_error_aware_context_has_the_patterns_of_the_workspace(rpc: Rpc) -> None:
    for task in ("one", "two", "three"):
        rpc.call("observe", content="begun", task=task, workspace="shop")
        rpc.call("memory.record_error", error_type="tool", error_description=EXPIRED, task_id=task,
                 workspace="shop")  # fmt: skip
    rpc.call("observe", content="begun", task="four", workspace="shop")
    found = rpc.call("memory.get_error_aware_context", query=EXPIRED, task_id="four")
    assert found["open_errors"] == []
    assert [one["tasks"] for one in found["patterns"]] == [3]
    assert EXPIRED in found["context"]["context"]


def test_recorded_errors_move_the_figures_and_raise_interventions(memory: Memoranda) -> None:
    task = begun(memory)
    memory.capture.drain()
    for number in range(8):
        memory.errors.record(f"node {number} lost its disk", type="tool", task=task, severity=0.9)
    memory.capture.drain()
    found = memory.supervisor.context(task=task)
    assert found.metrics["error_rate"] == 1.0
    assert found.metrics["repeated_errors"] == 8
    assert "lost its disk" in found.context.text
    signals = {one.signal.value for one in memory.supervisor.interventions(workspace="shop")}
    assert {"severity", "same_error"} <= signals
    worst = memory.errors.list(ErrorFilter(severity=0.85), workspace="shop")
    assert len(worst.items) == 8


def test_an_error_of_a_task_that_is_over_leaves_it_over(memory: Memoranda) -> None:
    task = begun(memory)
    memory.tasks.end(task, TaskStatus.COMPLETED)
    error = memory.errors.record(EXPIRED, type="tool", task=task)
    memory.errors.resolve(error.id, RENEWED)
    assert memory.tasks.show(task).status is TaskStatus.COMPLETED


def test_errors_without_a_task_are_one_workspaces(memory: Memoranda) -> None:
    memory.errors.record(EXPIRED, type="tool", workspace="shop", recovery=RENEWED)
    begun(memory, "next")
    begun(memory, "elsewhere", workspace="yard")
    memory.capture.drain()
    assert RENEWED in memory.context(workspace="shop", query="certificate").text
    assert "zebra" not in memory.context(workspace="yard", query="certificate").text


def test_a_secret_in_a_recorded_error_is_nowhere(memory: Memoranda) -> None:
    task, key = begun(memory), "AKIA" + "QWERTYUIOPASDFGH"
    error = memory.errors.record(
        f"zebra used {key}", type="tool", task=task, context=f"with {key}", recovery=f"not {key}"
    )
    memory.capture.drain()
    shown = [
        memory.context(task=task).text,
        memory.search("zebra", workspace="shop"),
        memory.errors.show(error.id),
        [memory.observations.show(f"1#{number}") for number in (2, 3)],
    ]
    assert "zebra" in repr(shown)
    assert key not in repr(shown)


@pytest.mark.parametrize("tool", [None, "Bash"])
@pytest.mark.parametrize("kind", ["tool_call", "learning", "message", "fix", "error"])
def test_a_failure_is_an_error_whatever_its_type(
    memory: Memoranda, kind: str, tool: str | None
) -> None:
    arguments: dict[str, Any] = {"content": "it broke", "type": kind, "failed": True, "tool": tool}
    kept = call(memory, "observe", arguments | {"workspace": "shop"}, Role.MEMBER)
    assert kept.type == "error"
    assert [one.observation for one in memory.errors.list(workspace="shop")] == [kept.id]


@pytest.mark.parametrize(
    ("text", "kind", "files", "tags"),
    [
        ("ModuleNotFoundError: No module named 'wick' in src/x.py", "error", {"src/x.py"},
         {"import_error", "python"}),
        ("chose db/store.go over lib/kv.rs, e.g. for v1.2.3", "decision",
         {"db/store.go", "lib/kv.rs"}, {"go", "rust"}),
        ("see https://example.com/a/b.py for more", "learning", set(), set()),
        ("src/lamp.py:12: TypeError: unsupported operand", "error", {"src/lamp.py"}, {"python"}),
    ],
)  # fmt: skip
def test_a_text_is_analysed_as_what_is_captured(
    memory: Memoranda, text: str, kind: str, files: set[str], tags: set[str]
) -> None:
    kept = memory.observe(text, type=kind, workspace="shop")
    assert set(kept.files) == files
    assert tags <= set(kept.tags)
    if files:
        found = memory.search("", workspace="shop").hits
        assert found == ()


@pytest.mark.parametrize("by", ["note", "checkpoint"])
def test_what_a_task_noted_of_itself_is_in_its_archive(memory: Memoranda, by: str) -> None:
    task = begun(memory)
    state = {
        "plan": ["renew the certificate", "restart nginx"],
        "definition_of_done": "both nodes answer with the new one",
        "attempts": 3,
        "owner": {"team": "ops"},
        "diff": "- expires 2026-11-01\n+ expires 2027-02-01",
    }
    if by == "note":
        memory.tasks.note(task, state)
    else:
        memory.checkpoints.create(task, phase="coding", state=state)
    memory.tasks.end(task, TaskStatus.COMPLETED)
    memory.capture.drain()
    (archive,) = [one for one in memory.memories.list(workspace="shop") if "How" in one.title
                  or "task" in one.title]  # fmt: skip
    for line in (
        "Plan: renew the certificate; restart nginx",
        "Definition of done: both nodes answer with the new one",
        "Attempts: 3",
        "Owner: team: ops",
        "Diff: - expires 2026-11-01",
    ):
        assert line in archive.content
