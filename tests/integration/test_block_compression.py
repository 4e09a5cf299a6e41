"""Compression of blocks that are nearly full."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from acting import begun, opened

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings
from memoranda.tasks.resumption import pointers

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with opened(engine, FixedClock(step=1)) as memory:
        yield memory


def test_a_nearly_full_block_is_offered_for_compression_every_thirty_steps(
    memory: Memoranda,
) -> None:
    task = begun(memory, "one")
    memory.blocks.configure("project", limit=1_000, task=task)
    lines = [f"- step {n} went on as planned and nobody minded\n" for n in range(17)]
    memory.blocks.rethink("project", "".join(lines) + "- never deploy on Fridays", task=task)
    for number in range(62):
        memory.observe(f"step {number}", task="one", workspace="shop")
        if number % 10 == 0:
            memory.capture.drain()
    memory.capture.drain()
    offers = [
        one for one in memory.journal.list(limit=1_000) if one.operation == "offer compression"
    ]
    assert [one.detail["blocks"] for one in offers] == [["project"]] * 2
    assert "Nearly full: project" in pointers(memory.tasks.resume(task))


def test_a_block_is_compressed_only_on_request(memory: Memoranda) -> None:
    task = begun(memory, "one")
    lines = [f"- step {n} went on as planned and nobody minded\n" for n in range(40)]
    text = "".join(lines) + "- decided: the budget is 4,200 EUR, never deploy to prod_north"
    memory.blocks.rethink("project", text, task=task)
    shown = memory.blocks.compress("project", ratio=4, task=task)
    assert memory.blocks.show("project", task=task).value == text
    assert "prod_north" in shown.value
    assert shown.tokens <= shown.block.tokens / 4 + 1
    assert shown.diff
    done = memory.blocks.compress("project", ratio=4, task=task, apply=True)
    assert memory.blocks.show("project", task=task).value == done.value == shown.value
    memory.blocks.restore("project", done.block.version - 1, task=task)
    assert memory.blocks.show("project", task=task).value == text


PARAGRAPH = (
    "We met on Tuesday with Ada Lovelace and Grace Hopper. The budget is 12,500 EUR, not 15,000 "
    "EUR. The service must never write to /var/lib/tariffs. Unless the migration has finished, do "
    "not deploy. We talked about the weather for a long time. The coffee was fine. There was some "
    "discussion of the new office chairs and plants. Everybody agreed that it had been a good "
    "meeting. Call +49 30 1234567 if the build fails. Nobody may merge without review."
)


def test_a_paragraph_loses_no_rule_and_never_everything(memory: Memoranda) -> None:
    task = begun(memory, "one")
    memory.blocks.rethink("project", PARAGRAPH, task=task)
    shown = memory.blocks.compress("project", ratio=2, task=task)
    for rule in ("must never write to /var/lib/tariffs", "do not deploy", "Nobody may merge"):
        assert rule in shown.value
    assert "weather" not in shown.value
    memory.blocks.rethink("project", "never " * 30 + "end", task=task)
    kept = memory.blocks.compress("project", ratio=50, task=task, apply=True)
    assert kept.value == kept.block.value == "never " * 30 + "end"


def test_a_paragraph_is_read_in_sentences_as_lines_are(memory: Memoranda) -> None:
    for text in (
        PARAGRAPH,
        "端口是9090。不要编辑文件。会议很长。天气很好。周五不要部署。咖啡很好喝。",
    ):
        parted = text.replace(". ", ".\n").replace("。", "。\n").strip()
        for tokens in (40, 20):
            whole = memory.compression.compress(text, tokens=tokens)
            assert whole.lines
            assert [one.text for one in whole.lines] == [
                one.text for one in memory.compression.compress(parted, tokens=tokens).lines
            ]
