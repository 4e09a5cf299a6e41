"""Contexts rendered beforehand say what a context asked for now would say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from happenings import said
from histories import fill, opened

from memoranda.errors import InvalidInput
from memoranda.learn.memories import Statement
from memoranda.values.memory import Category

pytestmark = pytest.mark.integration


def prepared(data_dir: Path) -> dict[str, str]:
    """What the hook would print in /srv/shop; its job is done by now."""
    with opened(data_dir) as memory:
        memory.drain()
        file = memory._rooms.prepared.file("path:/srv/shop")
    answer: dict[str, str] = json.loads(file.read_text("utf-8"))["hookSpecificOutput"]
    return answer


def test_the_prepared_context_is_the_one_that_is_built(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        fill(memory, 2)
    with opened(data_dir) as memory:
        text = memory.context(workspace="shop").text
    assert prepared(data_dir) == {"hookEventName": "SessionStart", "additionalContext": text}


def test_a_prepared_context_stays_within_what_a_host_takes(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        memory.take([said("goal", "数据库" * 400, cwd="/srv/shop")])
        for number in range(40):
            long = Statement(f"{number} " + "𒐫 " * 300, category=Category.INSIGHT)
            memory.remember(long, workspace="shop")
    text = prepared(data_dir)["additionalContext"]
    with opened(data_dir) as memory:
        assert memory.context(workspace="shop", at_start=True).text == text
    assert 1_000 < len(text) <= 9_500
    assert text.endswith("</memoranda-context>")


def test_critical_facts_that_no_host_takes_are_pointed_to(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        memory.take([said("goal", "Count the money", cwd="/srv/shop")])
        rule = Statement("Keep cents. " * 1_000, critical=True)
        memory.remember(rule, workspace="shop")
    text = prepared(data_dir)["additionalContext"]
    assert "memoranda context --budget" in text
    needed = int(text.rpartition(" ")[2])
    with opened(data_dir) as memory:
        assert "Keep cents." in memory.context(budget=needed, workspace="shop").text


def test_a_session_that_starts_is_given_no_more_than_a_host_takes(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        memory.take([said("goal", "Count the money", cwd="/srv/shop")])
        for number in range(60):
            long = f"Price list {number} has " + " ".join(f"column{n}" for n in range(40))
            memory.remember(Statement(long, category=Category.INSIGHT), workspace="shop")
        whole = memory.context(workspace="shop", budget=20_000)
        start = memory.context(workspace="shop", budget=20_000, at_start=True)
    assert len(whole.text) > 9_500 >= len(start.text)


def test_nobody_has_asked_when_a_session_starts(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        fill(memory, 1)
        with pytest.raises(InvalidInput, match="only a workspace and a budget"):
            memory.context(workspace="shop", query="cents", at_start=True)


def test_sections_tell_their_tokens(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        fill(memory, 2)
        brief = memory.context(workspace="shop")
        count = memory._rooms.counter.count
        for section in brief.sections:
            begin = brief.text.index(f"<{section.name}>")
            end = brief.text.index(f"</{section.name}>\n") + len(f"</{section.name}>\n")
            assert section.tokens == count(brief.text[begin:end])
    assert brief.sections
