"""Contexts rendered beforehand say what a context asked for now would say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from happenings import said
from histories import fill, opened

from memoranda.learn.memories import Statement

pytestmark = pytest.mark.integration


def test_the_prepared_context_is_the_one_that_is_built(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        fill(memory, 2)
        memory.drain()
        answer = json.loads(memory._rooms.prepared.file("path:/srv/shop").read_text("utf-8"))
        assert answer["hookSpecificOutput"] == {
            "hookEventName": "SessionStart",
            "additionalContext": memory.context(workspace="shop").text,
        }


def test_a_prepared_context_stays_within_what_a_host_takes(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        memory.take([said("goal", "数据库" * 400, cwd="/srv/shop")])
        for number in range(40):
            memory.remember(f"{number} " + "𒐫 " * 300, workspace="shop")
        memory.drain()
        place = memory._rooms.prepared.file("path:/srv/shop")
        text = json.loads(place.read_text("utf-8"))["hookSpecificOutput"]["additionalContext"]
        assert len(text) <= 9_500
        rule = "Keep cents. " * 1_000
        memory.remember(Statement(rule, critical=True), workspace="shop")
        memory.drain()
        text = json.loads(place.read_text("utf-8"))["hookSpecificOutput"]["additionalContext"]
        assert "memoranda context --budget" in text
        needed = int(text.rpartition(" ")[2])
        assert "Keep cents." in memory.context(budget=needed, workspace="shop").text
