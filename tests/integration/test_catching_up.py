"""Commands and session starts wait for events that hooks left."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from threading import Timer

import pytest
from happenings import environment
from hooking import PROMPT, hook, tool_used

import forked_processes
from memoranda import Memoranda

pytestmark = pytest.mark.integration


@pytest.fixture
def memory(tmp_path: Path, data_dir: Path) -> Memoranda:
    """Return a store that knows a folder with pending events."""
    (tmp_path / "shop").mkdir()
    memory = Memoranda.open(data_dir)
    assert hook(data_dir, PROMPT | {"cwd": str(tmp_path / "shop")}).silent
    memory.capture.drain()
    later = tool_used("s1", 7, cwd=str(tmp_path / "shop"))
    assert hook(data_dir, later).silent
    return memory


def listed(data_dir: Path) -> tuple[int, str, float]:
    began = time.monotonic()
    words = ["--data-dir", str(data_dir), "observation", "list", "--format", "json"]
    done = forked_processes.run(words, environment(), data_dir.parent)
    assert done.returncode == 0, done.stderr
    return len(json.loads(done.stdout)["items"]), done.stderr.decode(), time.monotonic() - began


def test_a_command_waits_for_a_drain_at_work(memory: Memoranda, data_dir: Path) -> None:
    lock = memory._services.spool.exclusively(wait=0)
    assert lock.__enter__()
    Timer(1.5, lock.__exit__, (None, None, None)).start()
    count, notes, _ = listed(data_dir)
    assert (count, notes) == (2, "")
    memory.close()


def test_a_command_waits_briefly_and_reports_what_may_be_missing(
    memory: Memoranda, data_dir: Path
) -> None:
    with memory._services.spool.exclusively(wait=0) as mine:
        assert mine
        count, notes, seconds = listed(data_dir)
    assert count == 1
    assert "newest may be missing" in notes
    assert seconds > 3
    memory.close()


def started(data_dir: Path, folder: Path) -> tuple[bytes, float]:
    event = {"session_id": "next", "hook_event_name": "SessionStart", "source": "startup"}
    ended = hook(data_dir, event | {"cwd": str(folder)}, "context")
    assert (ended.code, ended.err) == (0, b"")
    return ended.out, ended.seconds


def test_a_start_waits_for_a_drain_no_longer_than_the_host_grants(
    memory: Memoranda, data_dir: Path, tmp_path: Path
) -> None:
    with memory._services.spool.exclusively(wait=0) as mine:
        assert mine
        out, seconds = started(data_dir, tmp_path / "shop")
    assert b"Fix the cart total" in out, "an older context is better than none"
    assert 3 < seconds < 5
    memory.close()


def test_a_start_waits_for_the_drain_at_work_and_starts_no_other(
    memory: Memoranda, data_dir: Path, tmp_path: Path
) -> None:
    lock = memory._services.spool.exclusively(wait=0)
    assert lock.__enter__()
    rule = PROMPT | {"prompt": "Never use float for money.", "cwd": str(tmp_path / "shop")}
    assert hook(data_dir, rule).silent
    assert hook(data_dir, rule | {"hook_event_name": "SessionEnd"}).silent
    mark = data_dir / "spool" / ".drain"
    at_work, later = mark.read_text(), time.time() + 3_600
    os.utime(mark, (later, later))  # no pause starts one
    Timer(0.5, lock.__exit__, (None, None, None)).start()
    out, _ = started(data_dir, tmp_path / "shop")
    assert b"Fix the cart total" in out
    assert (mark.read_text(), mark.stat().st_mtime) == (at_work, pytest.approx(later))
    memory.close()


def test_a_start_does_not_wait_for_what_other_workspaces_are_at(
    memory: Memoranda, data_dir: Path, tmp_path: Path
) -> None:
    memory.capture.drain()
    (tmp_path / "barn").mkdir()
    assert hook(data_dir, tool_used("s2", 1, cwd=str(tmp_path / "barn"))).silent
    with memory._services.spool.exclusively(wait=0) as mine:
        assert mine
        out, seconds = started(data_dir, tmp_path / "shop")
    assert b"Fix the cart total" in out
    assert seconds < 3
    memory.close()


def test_a_drain_that_cannot_work_is_not_waited_for(
    memory: Memoranda, data_dir: Path, tmp_path: Path
) -> None:
    memory.close()
    (data_dir / "memoranda.db").write_bytes(b"no database" * 1_000)
    (data_dir / "memoranda.db-wal").unlink(missing_ok=True)
    tries = [started(data_dir, tmp_path / "shop") for _ in range(3)]  # machines are busy
    assert all(b"Fix the cart total" in out for out, _ in tries)
    assert min(seconds for _, seconds in tries) < 3.4


def test_a_reader_leaves_a_large_spool_to_a_drain_and_reports_the_rest(
    memory: Memoranda, data_dir: Path, tmp_path: Path
) -> None:
    memory.capture.drain()
    memory.close()
    place = {"cwd": str(tmp_path / "shop"), "tool_response": {"stdout": "the total is off\n" * 240}}
    lines = [
        json.dumps({"v": 1, "t": time.time_ns(), "h": "claude-code", "p": event})
        for event in (tool_used("s1", 100 + number) | place for number in range(60))
    ]
    (data_dir / "spool" / "large.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    _, notes, _ = listed(data_dir)
    assert "60 spooled events are being processed" in notes
    end = time.monotonic() + 120
    while any((data_dir / "spool").glob("*l*.*ing")) or any((data_dir / "spool").glob("*.jsonl")):
        assert time.monotonic() < end
        time.sleep(0.1)
    assert listed(data_dir)[0] > 2
