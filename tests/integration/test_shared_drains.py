"""Drains leave no work half done, whichever process runs the jobs."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from happenings import Child, environment, killed, start
from hooking import PROMPT, hook, without_drain

import forked_processes

pytestmark = pytest.mark.integration

RULE = "Never use tabs in the price files."

STALLED = """
import sys, time
from pathlib import Path
from memoranda.cli import main
from memoranda.clock import MICROSECONDS
from memoranda.integrations import claude_instruction_files
from memoranda.jobs import table as jobs
from memoranda.jobs.worker import Worker

folder, release, lease, stalled = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
jobs.LEASE = int(lease * MICROSECONDS)
do, follow = Worker._do, claude_instruction_files.follow

def stall():
    print("at it", file=sys.stderr, flush=True)
    while not release.exists():
        time.sleep(0.02)

def do_slowly(worker, job):
    if job.kind == stalled:
        stall()
    do(worker, job)

def follow_slowly(*given):
    if stalled == "follow":
        stall()
    return follow(*given)

Worker._do, claude_instruction_files.follow = do_slowly, follow_slowly
main(["--data-dir", folder, "drain", *sys.argv[5:]])
"""
"""A drain that blocks at one kind of job until a file exists."""

WAITING = """
import sys
from memoranda.cli import capture, main, open_memory

capture.MAX_SECONDS = open_memory.PATIENCE_SECONDS = float(sys.argv[2])
main(["--data-dir", sys.argv[1], *sys.argv[3:]])
"""
"""A command that waits for other drains for some seconds."""

SHORT, LONG = 1.5, 60.0
NOBODY = 600.0
"""Seconds of a lease, if no other process is to take the job over."""


@pytest.fixture
def filled_dir(data_dir: Path) -> Path:
    """Return a folder whose spool has a person's stated rule."""
    without_drain(data_dir)
    assert hook(data_dir, PROMPT | {"prompt": RULE}).silent
    return data_dir


@dataclass(frozen=True)
class Stalled:
    """A drain that is blocked until it is released."""

    process: Child
    release: Path

    def go_on(self) -> None:
        """Release the drain."""
        self.release.touch()

    def kill(self) -> None:
        """Kill the drain."""
        assert self.process.poll() is None, "it is still at it"
        killed(self.process)


def stalled(
    data_dir: Path, kind: str = "process_feedback", *words: str, lease: float = NOBODY
) -> Stalled:
    """Start a drain, and wait until it blocks at that kind of job."""
    release = data_dir.parent / "release"
    process = start(STALLED, data_dir, release, lease, kind, *(words or ("--hook",)))
    assert process.stderr is not None
    assert process.stderr.readline() == "at it\n"
    return Stalled(process, release)


def ran(data_dir: Path, seconds: float, *words: str, code: int = 0) -> tuple[Any, str]:
    """Run a command that waits; return its JSON and its error output."""
    process = start(WAITING, data_dir, seconds, *words, "--format", "json")
    out, remarks = process.communicate(timeout=120)
    assert process.returncode == code, remarks
    return json.loads(out), remarks


def pending(data_dir: Path, seconds: float = LONG) -> tuple[list[str], str]:
    found, remarks = ran(data_dir, seconds, "pending", "list", "--workspace", "all")
    return [one["after"]["content"] for one in found["items"]], remarks


@pytest.mark.parametrize("words", [["--hook"], ["--quiet"]])
def test_a_drain_waits_for_a_job_of_another_process_and_reports_it(
    filled_dir: Path, words: list[str]
) -> None:
    other = stalled(filled_dir, "process_feedback", *words)
    report, remarks = _released_while_it_waits(filled_dir, other)
    assert (report["busy"], report["jobs"], report["complete"]) == (False, 0, True)
    assert "waiting for another process" not in remarks, "said once"
    assert pending(filled_dir) == ([RULE], "")
    assert other.process.wait(60) == 0


def test_it_waits_for_what_follows_a_drain_beside_its_jobs(filled_dir: Path) -> None:
    other = stalled(filled_dir, "follow")
    report, _ = _released_while_it_waits(filled_dir, other)
    assert report["complete"]
    assert other.process.wait(60) == 0


def _released_while_it_waits(data_dir: Path, other: Stalled) -> tuple[Any, str]:
    """Drain, and release the other once this one waits; return later output."""
    process = start(WAITING, data_dir, LONG, "drain", "--format", "json")
    assert process.stderr is not None
    assert "waiting for another process" in process.stderr.readline()
    other.go_on()
    out, remarks = process.communicate(timeout=120)
    assert process.returncode == 0, remarks
    return json.loads(out), remarks


def test_a_job_of_a_killed_process_is_done_by_who_waits(filled_dir: Path) -> None:
    stalled(filled_dir, lease=3).kill()
    report, _ = ran(filled_dir, LONG, "drain")
    assert report["complete"]
    assert pending(filled_dir)[0] == [RULE]


def test_after_its_time_limit_it_reports_the_remaining_work(filled_dir: Path) -> None:
    other = stalled(filled_dir)
    report, remarks = ran(filled_dir, SHORT, "drain", code=1)
    assert (report["jobs"], report["complete"]) == (1, False)
    assert "still storing spooled events" in remarks
    quiet = start(WAITING, filled_dir, SHORT, "drain", "--quiet")
    assert quiet.communicate(timeout=120) == ("", "")
    assert quiet.returncode == 1
    other.kill()


def test_without_waiting_the_remaining_work_is_reported(filled_dir: Path) -> None:
    other = stalled(filled_dir)
    report, remarks = ran(filled_dir, LONG, "drain", "--no-wait")
    assert (report["jobs"], report["complete"]) == (1, False)
    assert "still storing spooled events" in remarks
    other.kill()


def test_reads_in_the_meantime_are_marked_incomplete(filled_dir: Path) -> None:
    other = stalled(filled_dir)
    found, remarks = pending(filled_dir, SHORT)
    assert found == []
    assert "the newest may be missing" in remarks
    other.kill()


def test_a_reader_waits_a_moment_for_a_job_that_is_nearly_done(filled_dir: Path) -> None:
    other = stalled(filled_dir)
    process = start(WAITING, filled_dir, LONG, "pending", "list", "--workspace", "all")
    time.sleep(0.3)  # whether it waits or not: its output is complete
    other.go_on()
    out, remarks = process.communicate(timeout=120)
    assert RULE in out, remarks
    assert other.process.wait(60) == 0


def test_two_persons_who_drain_at_once_do_not_wait_for_each_other(filled_dir: Path) -> None:
    both = [
        forked_processes.command(
            ["--data-dir", str(filled_dir), "drain", "--format", "json"], environment()
        )
        for _ in range(2)
    ]
    reports = [json.loads(one.communicate(timeout=60)[0]) for one in both]
    assert [one.returncode for one in both] == [0, 0]
    assert sum(one["observations"] for one in reports) == 1
    assert all(one["complete"] for one in reports)
    assert pending(filled_dir)[0] == [RULE]


def test_the_drain_of_a_hook_follows_the_files_of_the_host(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("# Shop\n\nAmounts are in cents.\n", "utf-8")
    without_drain(data_dir)
    assert hook(data_dir, PROMPT | {"cwd": str(tmp_path)}, "spool", "claude-code").silent
    words = ["--data-dir", str(data_dir), "drain", "--hook"]
    done = forked_processes.run(words, environment(HOME=str(tmp_path)), tmp_path)
    assert (done.returncode, done.stdout) == (0, b"")
    found, _ = ran(data_dir, LONG, "search", "cents", "--workspace", "all")
    assert "Amounts are in cents" in json.dumps(found)
