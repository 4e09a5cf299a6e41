"""A story of each of the five designs: what is stated once is met by the next step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from acting import acting, opened
from hooking import hook, without_drain

from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind
from memoranda.config import Settings

pytestmark = pytest.mark.integration

SPOOLED: list[dict[str, Any]] = [
    {"kind": "message", "session": "s9", "id": "m1", "origin": "human", "text": "the port is 8"},
    {"kind": "tool_result", "session": "s9", "id": "c1", "tool": "Bash", "output": "fine"},
]
IMPORTED: list[dict[str, Any]] = [
    *SPOOLED,
    {"kind": "error", "session": "s9", "id": "e1", "text": "connection lost"},
]


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine) as memory:
        yield memory


# ---------------------------------------------------------------------- seed 000


def test_000_what_an_agent_writes_in_a_block_is_in_the_next_context_and_found(
    memory: Memoranda,
) -> None:
    agent = acting(memory, "builder", "shop")
    task = agent.observe("begin the refunds", task="refunds").task
    agent.blocks.insert("learned", "Refunds of the shop go through ledger A.", task="refunds")
    agent.blocks.replace("learned", "ledger A", "the zebra ledger of the bank", task="refunds")
    text = agent.context(task=task).text
    assert "Refunds of the shop go through the zebra ledger of the bank." in text
    assert "ledger A" not in text
    agent.tasks.end("refunds", "completed")
    memory.capture.drain()
    agent.observe("begin the next", task="next")
    (hit,) = agent.search("zebra ledger", task="next").hits
    assert hit.title.startswith("Learned in task 1")
    assert hit.excerpt
    assert "go through the zebra ledger of the bank." in hit.excerpt.text
    assert "the zebra ledger of the bank" in agent.context(task="next", query="zebra ledger").text


def test_000_each_stored_event_is_heard_once_at_each_door(
    memory: Memoranda, tmp_path: Path
) -> None:
    heard: Counter[str] = Counter()

    def hears(event: Event) -> None:
        heard[event.kind.value] += 1

    for kind in EventKind:
        if kind is not EventKind.STAGE_END:
            memory.capture.on(kind, hears)
    without_drain(memory.settings.data_dir)
    for record in SPOOLED * 2:
        assert hook(memory.settings.data_dir, record, "spool", "generic").silent
    memory.capture.drain()
    assert heard == {"task_start": 1, "message": 1, "tool_result": 1}
    file = tmp_path / "run.jsonl"
    file.write_text("\n".join(map(json.dumps, IMPORTED)))
    memory.capture.import_transcript(file)
    assert heard == {"task_start": 1, "message": 1, "tool_result": 1, "error": 1}
    for _ in range(2):
        memory.observe("the till rounds up", task="s9", key="d1")
    assert heard == {"task_start": 1, "message": 2, "tool_result": 1, "error": 1}
    memory.capture.drain()
    assert sum(heard.values()) == 5
    assert memory.store.stats().observations == 4
