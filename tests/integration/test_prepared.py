"""Prepared contexts equal a context built now."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from happenings import message_event
from histories import fill, opened

from memoranda import Memoranda
from memoranda.capture.event import EventKind
from memoranda.context.prepared_files import COMPACTED, LATELY, MAX_CONCURRENT, context_name
from memoranda.exceptions import InvalidInput
from memoranda.hooks.hosts import HOSTS
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category
from memoranda.memories.removal import RemovalSelection
from memoranda.tasks.model import Task

pytestmark = pytest.mark.integration


def prepared(data_dir: Path) -> dict[str, str]:
    """Return the hook's output in /srv/shop; its job has run."""
    with opened(data_dir) as memory:
        memory.capture.drain()
        file = memory._services.prepared.file("path:/srv/shop")
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
        memory.capture.take([message_event("goal", "数据库" * 400, cwd="/srv/shop")])
        for number in range(40):
            long = NewMemory(f"{number} " + "𒐫 " * 300, category=Category.INSIGHT)
            memory.remember(long, workspace="shop")
    text = prepared(data_dir)["additionalContext"]
    with opened(data_dir) as memory:
        assert memory.context(workspace="shop", at_start=True).text == text
    assert 1_000 < len(text) <= 9_500
    assert text.endswith("</memoranda-context>")


def test_a_critical_fact_that_no_host_takes_is_pointed_to(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        memory.capture.take([message_event("goal", "Count the money", cwd="/srv/shop")])
        rule = NewMemory("Keep cents. " * 1_000, critical=True)
        memory.remember(rule, workspace="shop")
    text = prepared(data_dir)["additionalContext"]
    assert "Count the money" in text
    assert "memoranda context --allow-overflow (1)" in text
    with opened(data_dir) as memory:
        assert "Keep cents." in memory.context(allow_overflow=True, workspace="shop").text


def test_a_session_start_context_is_within_the_hosts_limit(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORANDA_CONTEXT_BUDGET", "20000")
    with opened(data_dir) as memory:
        memory.capture.take([message_event("goal", "Count the money", cwd="/srv/shop")])
        for number in range(60):
            long = f"Price list {number} has " + " ".join(f"column{n}" for n in range(40))
            memory.remember(NewMemory(long, category=Category.INSIGHT), workspace="shop")
        whole = memory.context(workspace="shop", budget=20_000, at_start=True)
        start = memory.context(workspace="shop", at_start=True)
    assert len(whole.text) > 9_500 >= len(start.text)


def test_nobody_has_asked_when_a_session_starts(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        fill(memory, 1)
        with pytest.raises(InvalidInput, match="only a workspace and a budget"):
            memory.context(workspace="shop", query="cents", at_start=True)


def test_sections_report_their_tokens(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        fill(memory, 2)
        brief = memory.context(workspace="shop")
        count = memory._services.counter.count
        for section in brief.sections:
            begin = brief.text.index(f"<{section.name}>")
            end = brief.text.index(f"</{section.name}>\n") + len(f"</{section.name}>\n")
            assert section.tokens == count(brief.text[begin:end])
    assert brief.sections


CURRENT = "Current task (active, 1 observation): "


def at_work(memory: Memoranda, *sessions: str, host: str = "claude-code") -> list[Task]:
    """Start sessions one after another; return their tasks, newest first."""
    now = memory._services.clock.now()
    for number, session in enumerate(sessions):
        goal = f"Work of {session} zebra{session}"
        at = now + number
        event = message_event(
            session, goal, session=session, cwd="/srv/shop", host=host, occurred_at=at
        )
        memory.capture.take([event])
    memory.capture.drain()
    return list(memory.tasks.list(workspace="shop", limit=len(sessions)).items)


def own(data_dir: Path) -> dict[str, str]:
    """Return the contexts of sessions with their own, by file name."""
    return {
        path.suffixes[0][1:]: json.loads(path.read_text("utf-8"))["hookSpecificOutput"][
            "additionalContext"
        ]
        for path in (data_dir / "context").glob("*.*.json")
    }


def test_every_session_beside_the_newest_has_a_context_of_its_own(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        newest, *others = at_work(memory, "a", "b", "c")
        result = own(data_dir)
    assert set(result) == {context_name(task) for task in others}
    for task in others:
        assert CURRENT + task.goal in result[context_name(task)]
        assert f"Other task (active, 1 observation): {newest.goal}" in result[context_name(task)]
    assert CURRENT + newest.goal in prepared(data_dir)["additionalContext"]


def test_the_sessions_that_have_one_of_their_own_are_few(data_dir: Path) -> None:
    sessions = [f"s{number:02}" for number in range(MAX_CONCURRENT + 4)]
    with opened(data_dir) as memory:
        tasks = at_work(memory, *sessions)
        assert set(own(data_dir)) == {context_name(task) for task in tasks[1 : MAX_CONCURRENT + 1]}
    files = sorted(path.suffix for path in (data_dir / "context").iterdir())
    assert files == [".json"] * (MAX_CONCURRENT + 1) + [".note"] * (MAX_CONCURRENT + 1)
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in (data_dir / "context").iterdir())


def test_a_session_that_is_over_or_newest_needs_none(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        newest, middle, _ = at_work(memory, "a", "b", "c")
        over = message_event("over", "", kind=EventKind.TASK_END, session="a", cwd="/srv/shop")
        memory.capture.take([over])
        memory.capture.drain()
        assert set(own(data_dir)) == {context_name(middle)}
        at = memory._services.clock.now() + 100
        again = message_event("b2", "Go on", session="b", cwd="/srv/shop", occurred_at=at)
        memory.capture.take([again])
        memory.capture.drain()
        assert set(own(data_dir)) == {context_name(newest)}


def test_a_session_that_nobody_ended_has_none_after_a_day(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        at = memory._services.clock.now() - LATELY - 1
        memory.capture.take(
            [message_event("old", "Old work", session="old", cwd="/srv/shop", occurred_at=at)]
        )
        _, other = at_work(memory, "a", "b")
        assert set(own(data_dir)) == {context_name(other)}


def test_only_sessions_that_are_compacted_have_one(data_dir: Path) -> None:
    context = {
        host.name
        for host in HOSTS.values()
        for matcher, what in host.events.get("SessionStart", ())
        if what == "context" and matcher and "compact" in matcher.split("|")
    }
    assert context == COMPACTED
    with opened(data_dir) as memory:
        at_work(memory, "a", "b", host="generic")
    assert own(data_dir) == {}


def test_what_is_forgotten_is_in_no_context_of_a_session(data_dir: Path) -> None:
    with opened(data_dir) as memory:
        rule = NewMemory("Never touch the narwhal file", critical=True)
        _, *others = at_work(memory, "a", "b", "c")
        kept = memory.remember(rule, workspace="shop")
        memory.capture.drain()
        assert all("narwhal" in text for text in own(data_dir).values())
        memory.forget(RemovalSelection(ids=(kept.id,)), confirm=True)
        assert len(own(data_dir)) == len(others)
        assert not any("narwhal" in text for text in own(data_dir).values())
        memory.forget(RemovalSelection(task=others[0].id), confirm=True)
    traces = [path for path in (data_dir / "context").iterdir() if b"zebrab" in path.read_bytes()]
    assert traces == []
